"""How much more a client's flow control takes."""

from longlook.probe.allowance import Limits, follow
from longlook.probe.quic_packets import Packet

FIRST = Limits(connection=5000, stream=3000)


def sent(at, offset, length=1000, stream=0):
    return Packet(at, True, 1200, 1, streams=((stream, offset),), lengths=(length,))


def raised(at, most=0, *of_streams):
    return Packet(at, False, 60, 2, max_data=most, max_stream_data=of_streams)


def allowed(*packets):
    return follow(packets, FIRST)["allowed_bytes"].tolist()


def test_a_stream_is_allowed_less_by_what_was_sent_on_it_and_more_by_what_its_client_says():
    assert allowed(sent(0.0, 0), sent(0.1, 1000), raised(0.2, 0, (0, 4500)), sent(0.3, 2000)) == [
        2000,
        1000,
        2500,
        1500,
    ]


def test_what_is_sent_again_takes_nothing():
    assert allowed(sent(0.0, 0), sent(0.1, 0)) == [2000, 2000]


def test_the_connection_may_allow_less_than_the_stream():
    assert allowed(sent(0.0, 0, stream=3), sent(0.1, 0, 2500), raised(0.2, 0, (0, 9000)), raised(0.3, 9000)) == [
        500, 1500, 5500,
    ]  # fmt: skip


def test_a_lower_limit_than_before_is_an_old_one():
    assert allowed(sent(0.0, 0), raised(0.1, 4000, (0, 2000))) == [2000, 2000]


def test_without_an_answer_there_is_no_row():
    assert allowed(raised(0.0, 9000), sent(0.1, 0, stream=3)) == []
