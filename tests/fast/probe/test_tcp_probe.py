"""The kernel's account of TCP, from its trace."""

import pytest

from longlook.probe.tcp_probe import MSS, parse

PROBE = (
    "     ksoftirqd/1-24      [001] ..s..  {at}: tcp_probe: "
    "family=AF_INET src=10.77.0.1:{port} dest=10.77.0.2:{peer} mark=0x0 data_len=32 "
    "snd_nxt={nxt:#x} snd_una={una:#x} snd_cwnd={cwnd} ssthresh={ssthresh} "
    "snd_wnd={window} srtt=36500 rcv_wnd=64256 sock_cookie=1 skbaddr=0 skaddr=0"
)
AGAIN = (
    " apache2-77 [000] b.s.. {at}: tcp_retransmit_skb: "
    "skbaddr=0 skaddr=0 family=AF_INET sport={port} dport={peer} saddr=10.77.0.1 daddr=10.77.0.2"
)


def probe(at, port=443, peer=5000, nxt=3000, una=1000, cwnd=10, ssthresh=0x7FFFFFFF, window=3000):
    return PROBE.format(at=at, port=port, peer=peer, nxt=nxt, una=una, cwnd=cwnd, ssthresh=ssthresh, window=window)


def test_windows_are_in_bytes_and_times_are_shifted():
    table = parse([probe("12.500000", ssthresh=7)], offset_s=1000)
    (row,) = table.to_dict("records")
    assert row == {
        "time_s": 1012.5, "port": 443, "peer_port": 5000, "cwnd_bytes": 10 * MSS, "ssthresh_bytes": 7 * MSS,
        "bytes_in_flight": 2000, "smoothed_rtt_ms": 36.5, "retransmissions": 0,
        "allowed_bytes": 1000,
    }  # fmt: skip


def test_no_threshold_yet_is_empty_and_sequence_numbers_wrap():
    table = parse([probe("1.0", nxt=0x10, una=0xFFFFFFF0)], 0)
    assert table["ssthresh_bytes"].isna().all()
    assert table["bytes_in_flight"].iloc[0] == 0x20


def test_a_receiver_that_has_taken_its_window_back_allows_nothing():
    assert parse([probe("1.0", window=1500)], 0)["allowed_bytes"].iloc[0] == 0


def test_retransmissions_are_counted_per_connection():
    lines = [
        probe("1.0"),
        AGAIN.format(at="1.1", port=443, peer=5000),
        AGAIN.format(at="1.1", port=444, peer=5001),
        probe("1.2"),
        probe("1.3", port=444, peer=5001),
    ]
    assert list(parse(lines, 0)["retransmissions"]) == [0, 1, 1]


def test_of_a_port_the_busiest_connection_counts():
    lines = [probe("1.0", peer=6000), probe("1.1"), probe("1.2")]
    assert set(parse(lines, 0)["peer_port"]) == {5000}


@pytest.mark.parametrize("line", ["", "CPU:1 [LOST 12 EVENTS]", " x-1 [000] ..... 1.0: sched_switch: a"])
def test_other_lines_are_no_events(line):
    assert parse([line], 0).empty
