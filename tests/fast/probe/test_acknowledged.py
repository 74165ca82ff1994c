"""What has been acknowledged, of QUIC and of TCP."""

import random

from longlook.probe.acknowledged import NUMBERS, Covered, Segment, of_quic, of_tcp, parse_row
from longlook.probe.quic_packets import Packet


def test_every_byte_counts_once():
    numbers, covered, there = random.Random(1), Covered(), set()
    for _ in range(500):
        begin = numbers.randrange(1000)
        end = begin + numbers.randrange(40)
        covered.add(begin, end)
        there |= set(range(begin, end))
        assert covered.total == len(there)


def sent(number, offset, length=1000, stream=0):
    return Packet(number / 1e3, True, 1200, number, streams=((stream, offset),), lengths=(length,))


def ack(at, *ranges):
    return Packet(at, False, 40, 99, acked=ranges, prefix=f"ack {at}")


LEFT = {f"ack {at}": at - 0.01 for at in (0.05, 0.06, 0.07)}


def quic(*packets):
    return of_quic(packets, LEFT).values.tolist()


def test_of_quic_what_its_packets_carried_counts_when_the_ack_left():
    own = [sent(n, n * 1000) for n in range(4)]
    found = quic(*own, ack(0.05, (0, 1)), ack(0.06, (3, 3), (0, 1)), ack(0.07, (0, 3)))
    assert [(round(at, 6), size) for at, size in found] == [(0.04, 2000), (0.05, 3000), (0.06, 4000)]


def test_what_was_sent_twice_counts_once():
    assert [one[1] for one in quic(sent(0, 0), sent(1, 1000), sent(2, 0), ack(0.05, (1, 2)), ack(0.06, (0, 2)))] == [
        2000
    ]


def test_streams_of_the_server_are_no_answer():
    assert [one[1] for one in quic(sent(0, 0, stream=3), sent(1, 0), sent(2, 0, stream=4), ack(0.05, (0, 2)))] == [2000]


def test_an_ack_whose_leaving_was_not_seen_counts_with_the_next():
    found = of_quic([sent(0, 0), ack(0.05, (0, 0)), sent(1, 1000), ack(0.06, (0, 1))], {"ack 0.06": 0.055})
    assert found.values.tolist() == [[0.055, 2000]]


FIRST = NUMBERS - 3000
"""The server's first byte: numbers begin anew within the transfer."""


def up(at, acked, size=0, *sacked, port=5000):
    blocks = tuple(((FIRST + begin) % NUMBERS, (FIRST + end) % NUMBERS) for begin, end in sacked)
    return Segment(at, port, True, False, 1, (FIRST + acked) % NUMBERS, size, blocks)


def opened(port=5000):
    """SYN, the answer to it, ClientHello, and the client's request once 2,000 bytes of the handshake are there."""
    return [
        Segment(0.0, port, True, True, 0, 0, 0),
        Segment(0.01, port, False, True, FIRST - 1, 1, 0),
        up(0.01, 0, 500, port=port),
        up(0.02, 1448, port=port),
        up(0.03, 2000, 300, port=port),
    ]


def test_of_tcp_the_handshake_does_not_count_and_numbers_may_wrap():
    found = of_tcp([*opened(), up(0.05, 3448), up(0.06, 4896), up(0.07, 4896)])
    assert found.values.tolist() == [[0.05, 1448], [0.06, 2896]]


def test_what_sack_names_counts_and_counts_once():
    found = of_tcp([*opened(), up(0.05, 2000, 0, (3448, 4896)), up(0.06, 2000, 0, (3448, 6344)), up(0.07, 6344)])
    assert [one[1] for one in found.values.tolist()] == [1448, 2896, 4344]


def test_a_block_of_what_came_twice_adds_nothing():
    assert of_tcp([*opened(), up(0.05, 3448, 0, (1448, 2000))])["acked_bytes"].tolist() == [1448]


def test_of_several_connections_the_one_that_carried_most_counts():
    found = of_tcp([*opened(6000), up(0.05, 2500, port=6000), *opened(), up(0.06, 3448)])
    assert found["acked_bytes"].tolist() == [1448]


def test_without_a_connection_nothing_is_acknowledged():
    assert of_tcp([]).empty and list(of_tcp([]).columns) == ["time_s", "acked_bytes"]


def test_a_line_of_tsharks():
    found = parse_row(["1.5", "5000", "443", "0", "10", "20", "0", "30,50", "40,60"], 443)
    assert found == Segment(1.5, 5000, True, False, 10, 20, 0, ((30, 40), (50, 60)))
    assert parse_row(["1.5", "443", "5000", "1", "10", "", "0", "", ""], 443) == Segment(
        1.5, 5000, False, True, 10, 0, 0
    )
