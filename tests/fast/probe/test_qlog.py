"""A capture as a qlog: what the schema asks for, and what qvis asks for besides."""

import json

import pandas as pd
import pytest
from qlog_check import valid

from longlook.probe import qlog
from longlook.probe.quic_packets import Packet, followed

BEGAN = 1_700_000_000.0


def sent(ms, number, offset, length=1172):
    return Packet(BEGAN + ms / 1e3, True, 1200, number, streams=((0, offset),), lengths=(length,))


def ack(ms, number, *ranges):
    return Packet(BEGAN + ms / 1e3, False, 40, number, acked=ranges, ack_delay_ms=0.25)


PACKETS = [
    sent(0, 1, 0), sent(1, 2, 1172), sent(2, 3, 2344), sent(3, 4, 3516), ack(38, 9, (3, 4), (1, 1)), sent(39, 5, 1172)
]  # fmt: skip
OWN = pd.DataFrame(
    {
        "time_s": [BEGAN, BEGAN + 0.038, BEGAN + 0.039, BEGAN + 0.04],
        "cwnd_bytes": [12000.0, 15600.0, 7800.0, 7800.0],
        "ssthresh_bytes": [None, None, 7800.0, 7800.0],
        "bytes_in_flight": [0.0, 1200.0, 1200.0, 1200.0],
        "smoothed_rtt_ms": [None, 36.12345, 36.12345, 36.12345],
    }
)


@pytest.fixture
def text():
    seen, declared = followed(PACKETS)
    events = qlog.in_order(
        qlog.packets(PACKETS, BEGAN),
        qlog.losses(declared, BEGAN),
        qlog.metrics(OWN, qlog.OWN, BEGAN),
        qlog.metrics(seen, qlog.SEEN, BEGAN),
    )
    return qlog.document("a download", [qlog.Trace("a download", "server 1.0", "Of a test.", BEGAN, events)])


def of(text, name):
    return [event for event in json.loads(text)["traces"][0]["events"] if event["name"] == name]


def test_it_is_what_the_schema_and_qvis_ask_for(text):
    assert valid(text) == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda log: log["traces"][0]["events"].reverse(), "times"),
        (lambda log: log["traces"][0]["events"].clear(), "times"),
        (lambda log: log["traces"][0]["events"][0].pop("data") and None, None),
        (lambda log: log["traces"][0]["vantage_point"].update(type="beside"), "vantage_point"),
        (lambda log: log.update(qlog_version="draft-02"), "version and format"),
    ],
)
def test_the_check_can_fail(text, change, problem):
    log = json.loads(text)
    change(log)
    if problem is None:
        with pytest.raises(KeyError):
            valid(json.dumps(log))
    else:
        assert problem in valid(json.dumps(log))


def test_packets_stand_with_their_frames_and_their_time(text):
    assert len(of(text, qlog.SENT)) == 5
    assert of(text, qlog.SENT)[1] == {
        "time": 1.0,
        "name": "transport:packet_sent",
        "data": {
            "header": {"packet_type": "1RTT", "packet_number": 2},
            "raw": {"length": 1200},
            "frames": [{"frame_type": "stream", "stream_id": 0, "offset": 1172, "length": 1172}],
        },
    }
    (received,) = of(text, qlog.RECEIVED)
    (frame,) = received["data"]["frames"]
    assert frame == {"frame_type": "ack", "ack_delay": 0.25, "acked_ranges": [[1, 1], [3, 4]]}


def test_a_loss_is_of_the_packet_whose_data_came_again(text):
    (lost,) = of(text, qlog.LOST)
    assert lost["time"] == 39.0 and lost["data"]["header"]["packet_number"] == 2


def test_metrics_are_told_where_they_change(text):
    told = [event["data"] for event in of(text, qlog.METRICS)]
    windows = [data["congestion_window"] for data in told if "congestion_window" in data]
    assert windows == [12000, 15600, 7800]
    assert {"congestion_window": 7800, "ssthresh": 7800} in told
    assert [data["smoothed_rtt"] for data in told if "smoothed_rtt" in data] == [36.123]
    flights = [data["bytes_in_flight"] for data in told if "bytes_in_flight" in data]
    assert flights == [1200, 2400, 3600, 4800, 1200]


def test_a_column_that_nobody_fills_tells_nothing():
    table = OWN.assign(cwnd_bytes=None)
    assert all("congestion_window" not in one["data"] for one in qlog.metrics(table, qlog.OWN, BEGAN))


def test_a_thinned_one_has_all_that_is_lost_some_packets_and_the_last_of_each_span(text):
    small = qlog.thinned(text, every=2, spans=1)
    assert valid(small) == [] and "one of 2 others" in json.loads(small)["traces"][0]["description"]
    numbers = [event["data"]["header"]["packet_number"] for event in of(small, qlog.SENT)]
    assert numbers == [1, 2, 3, 5] and len(of(small, qlog.RECEIVED)) == 1 and len(of(small, qlog.LOST)) == 1
    first = of(small, qlog.METRICS)[0]["data"]
    assert first["congestion_window"] == 7800 and first["smoothed_rtt"] == 36.123
