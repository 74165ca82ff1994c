"""Where the time of an RTT sample went."""

import pytest

from longlook.probe.quic_packets import Packet
from longlook.probe.rtt_parts import response_times_ms, split

SENT = Packet(10.000, True, 1252, 1, streams=((4, 0),), prefix="aa")
ACK = Packet(10.050, False, 40, 9, acked=((0, 1),), prefix="bb")


def test_the_parts_add_up_to_the_sample():
    (row,) = split([SENT, ACK], {"aa": 10.027, "bb": 10.032}).to_dict("records")
    assert (
        row["down_ms"] == pytest.approx(27) and row["hold_ms"] == pytest.approx(5) and row["up_ms"] == pytest.approx(18)
    )
    assert row["latest_rtt_ms"] == pytest.approx(50)


def test_a_packet_is_a_sample_once_and_only_if_seen_at_both_ends():
    assert len(split([SENT, ACK, ACK], {"aa": 10.027, "bb": 10.032})) == 1
    assert split([SENT, ACK], {"bb": 10.032}).empty


def test_response_times_are_of_request_streams():
    asked = [Packet(1.0, False, 100, n, streams=((stream, 0),)) for n, stream in enumerate((0, 2, 4))]
    answers = [Packet(1.010, True, 100, 1, streams=((0, 0),)), Packet(1.030, True, 100, 2, streams=((4, 0), (0, 50)))]
    assert response_times_ms([*asked, *answers]) == [pytest.approx(10), pytest.approx(30)]
