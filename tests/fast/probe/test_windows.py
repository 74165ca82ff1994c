"""Flow control windows from frames that are known."""

import pytest

from longlook.errors import LonglookError
from longlook.probe.allowance import Limits
from longlook.probe.quic_packets import Packet
from longlook.probe.windows import (
    DATA,
    HEADERS,
    SETTINGS,
    WINDOW_UPDATE,
    Frame,
    Windows,
    follow_http2,
    follow_quic,
    frames_of,
)


def down(number, offset, size):
    return Packet(0.0, True, size + 40, number, streams=((0, offset),), lengths=(size,))


def up(number, connection=0, stream=()):
    return Packet(0.0, False, 60, number, max_data=connection, max_stream_data=stream)


def test_a_window_of_quic_is_what_is_allowed_less_what_was_sent():
    packets = [down(0, 0, 1000), up(0, connection=5000), down(1, 1000, 1000), up(1, stream=((0, 3500), (4, 90000)))]
    assert follow_quic(packets, Limits(connection=4000, stream=2000)) == Windows(2000, 2000, 4000, 4000)
    packets.append(up(2, connection=7000, stream=((0, 4500),)))
    assert follow_quic(packets, Limits(connection=4000, stream=2000)) == Windows(2000, 2500, 4000, 5000)


def test_what_is_granted_before_the_first_byte_is_no_first_window():
    found = follow_quic([up(0, stream=((0, 9000),)), down(0, 0, 1000)], Limits(connection=4000, stream=2000))
    assert (found.stream, found.stream_most) == (2000, 9000)


def test_windows_of_http2_begin_with_settings_and_what_is_granted_before_the_request():
    begin = [
        Frame(True, SETTINGS, 0, given=100_000),
        Frame(True, WINDOW_UPDATE, 0, 4, 1_000_000),
        Frame(True, HEADERS, 1, 50),
    ]
    answer = [Frame(False, HEADERS, 1, 30), Frame(False, DATA, 1, 40_000), Frame(False, DATA, 3, 10_000)]
    assert follow_http2([*begin, *answer]) == Windows(100_000, 100_000, 1_065_535, 1_065_535)
    grown = [Frame(True, WINDOW_UPDATE, 1, 4, 60_000), Frame(True, WINDOW_UPDATE, 0, 4, 70_000)]
    assert follow_http2([*begin, *answer, *grown]) == Windows(100_000, 120_000, 1_065_535, 1_085_535)
    with pytest.raises(LonglookError, match="without a request"):
        follow_http2(begin[:2])


def test_frames_of_a_packet_are_told_apart():
    row = ["443", "4,8,4,1", "0,0,0,1", "12,4,0,130", "6291456,1048576", "15663105"]
    assert list(frames_of(row, 443)) == [
        Frame(True, SETTINGS, 0, given=6291456),
        Frame(True, SETTINGS, 0, given=1048576),
        Frame(True, WINDOW_UPDATE, 0, 4, 15663105),
        Frame(True, HEADERS, 1, 130),
    ]
    assert list(frames_of(["50000", "0,0", "1,1", "8192,8192", "", ""], 443)) == [Frame(False, DATA, 1, 8192)] * 2
