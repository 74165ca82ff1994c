"""The numbers of Shreedhar et al.: read whole, with the flag of a clock that wrapped, and no times where it did."""

import pytest

from longlook import paths
from longlook.errors import LonglookError
from longlook.published import shreedhar2022 as published
from longlook.stack.arms import open_sweep

WEB = published.web()
PAIR = ("quic", "tcp")


def test_every_set_of_percentiles_is_whole_and_rises():
    assert len(WEB) == 196 and {one.place for one in WEB} == {"vm", "munich", "india"}
    assert sum(len(one.printed) for one in WEB) == 980
    for one in WEB:
        values = list(one.printed.values())
        assert tuple(one.printed) == published.PERCENTILES and values == sorted(values)


def test_what_quic_s_clock_lost_is_no_time():
    wrapped = [one for one in WEB if one.wrapped]
    assert {one.metric for one in wrapped} == {published.FIRST_BYTE, published.DOWNLOAD}
    assert not any("TCP" in one.protocol for one in wrapped)
    assert max(max(one.printed.values()) for one in wrapped) < published.WRAP_MS
    assert all(one.time_ms(percentile) is None for one in wrapped for percentile in published.PERCENTILES)
    right = next(one for one in WEB if not one.wrapped)
    assert right.time_ms(50) == right.printed[50]


def test_of_all_sites_each_place_has_each_protocol_and_metric():
    found = published.of_all_sites()
    for place in ("vm", "munich", "india"):
        for protocol in (published.QUIC, published.TLS12, published.TLS13):
            for metric in (published.CONNECTION, published.FIRST_BYTE, published.DOWNLOAD):
                assert found[place, protocol, metric].printed
    munich = found["munich", published.TLS12, published.CONNECTION]
    assert munich.printed[50] == pytest.approx(314.845) and not munich.wrapped


def test_the_lead_of_the_text_follows_from_the_percentiles():
    """270 ms against TLS 1.2 in Munich, 445 in Bhubaneswar are of the connection times, which did not wrap."""
    found = published.of_all_sites()
    for place, least, most in (("munich", 265, 275), ("india", 425, 450)):
        quic, tcp = (found[place, one, published.CONNECTION].time_ms(50) for one in (published.QUIC, published.TLS12))
        assert least <= tcp - quic <= most
    said = {one.value for one in published.text() if one.metric == "connection_time_difference_ms"}
    assert said == {445, 409, 270, 300} and len(published.text()) == 35


def test_throughput_is_size_over_time():
    found = published.throughput()
    assert (min(found), max(found), len(found)) == (500_000, 2_000_000_000, 10)
    times = {
        (one.size_bytes, one.protocol): one.value
        for one in published.cloud()
        if one.metric == "download_time_ms" and one.workload == published.STORE
    }
    tcp = published.STORE_TLS
    assert found[200_000_000][tcp] == pytest.approx(200_000 / times[200_000_000, tcp], rel=0.01)
    assert found[500_000][published.STORE_QUIC] > found[500_000][tcp]
    assert found[200_000_000][published.STORE_QUIC] < found[200_000_000][tcp]


def test_the_processor_of_each_client_and_the_flows_at_once():
    assert published.cpu_pct() == {"Q044": 90.193, "TLS 1.2 over TCP": 51.246}
    found = published.flows()
    assert [len(flows) for flows in found.values()] == [2, 2, 2, 3, 3, 4]
    assert set(found) == {cell.label for cell in open_sweep("shreedhar-flows").cells()}
    for cell in open_sweep("shreedhar-flows").cells():
        assert [arm.protocol for arm in cell.arms] == [protocol for protocol, _ in found[cell.label]]


def test_table_iii_by_loss_and_protocol():
    found = published.streamed()
    stalls = {protocol: [found[published.STALLS, loss, protocol] for loss in (0, 1, 5, 10)] for protocol in PAIR}
    assert stalls == {"quic": [2, 2, 2, 2.08], "tcp": [2, 2, 1.96, 2.2]}
    switches = {protocol: [found[published.SWITCHES, loss, protocol] for loss in (0, 1, 5, 10)] for protocol in PAIR}
    assert switches == {"quic": [1, 1, 1, 2.58], "tcp": [1, 1.07, 1.13, 2.13]}


def test_what_else_is_printed_of_sessions_and_of_video():
    found = published.streamed()
    assert [found[published.STARTUP_S, 10, protocol] for protocol in PAIR] == [7.65, 8.59]
    assert found[published.EARLIER_PCT, 5, "quic"] == 40 and found[published.STALLED_LONGER_PCT, 10, "tcp"] == 50
    assert len(found) == 20 and len(published.video()) == 49
    assert published.media_lead_ms() == {"india": 534, "munich": 406}


@pytest.mark.parametrize(
    ("name", "read", "old", "new", "said"),
    [
        ("web.csv", published.web, "35.473000", "soon", r"web\.csv, line 2: .*soon"),
        ("web.csv", published.web, "percentile_99", "percentile_98", r"web\.csv, line 6: percentiles .*98"),
        ("web.csv", published.web, "35.473000,3103041,0", "35.473000,3103041,1", r"web\.csv, line 3: .*clock"),
        ("web.csv", published.web, "VM in LRZ network", "VM elsewhere", r"web\.csv, line 2: .*VM elsewhere"),
        ("cloud.csv", published.cloud, ",55,", ",most,", r"cloud\.csv, line 2: .*most"),
        ("text.csv", published.text, ",35,", ",few,", r"text\.csv, line 2: .*few"),
        ("video.csv", published.video, ",7.65,", ",soon,", r"video\.csv, line 19: .*soon"),
        ("video.csv", published.video, ",10,QUIC,", ",most,QUIC,", r"video\.csv, line 19: .*most"),
        ("video.csv", published.streamed, ",10,QUIC,", ",,QUIC,", r"video\.csv, line 19: sessions have a loss"),
        ("video.csv", published.streamed, ",0,TCP,", ",0,SCTP,", r"video\.csv, line 26: .*a protocol of QUIC"),
        ("video.csv", published.streamed, ",1,TCP,", ",0,TCP,", r"video\.csv, line 27: stalls.* twice"),
    ],
)
def test_a_mistake_is_told_with_its_file_and_line(tmp_path, name, read, old, new, said):
    folder = tmp_path / published.STUDY
    folder.mkdir()
    text = (paths.PUBLISHED / published.STUDY / name).read_text(encoding="utf-8")
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(LonglookError, match=said):
        read(tmp_path)
