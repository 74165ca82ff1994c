"""What a decrypted capture tells about the sender."""

from longlook.probe.quic_packets import Packet, follow, followed, parse_row

SIZE = 1252


def sent(at, number, *streams, size=SIZE):
    return Packet(at, True, size, number, streams=streams)


def ack(at, *ranges):
    return Packet(at, False, 40, 99, acked=ranges)


def chunk(n, stream=4):
    """The n-th full packet's worth of a stream."""
    return (stream, n * 1226)


def last(*packets):
    return follow(packets).iloc[-1]


def test_bytes_in_flight_are_what_was_sent_and_not_acknowledged():
    seen = last(sent(0.0, 1, chunk(0)), sent(0.0, 2, chunk(1)), sent(0.0, 3, chunk(2)), ack(0.036, (1, 2)))
    assert (seen["bytes_in_flight"], seen["lost"], seen["packets_sent"]) == (SIZE, 0, 3)


def test_the_rtt_is_that_of_the_largest_newly_acknowledged_packet():
    assert abs(last(sent(0.0, 1, chunk(0)), sent(0.01, 2, chunk(1)), ack(0.046, (1, 2)))["latest_rtt_ms"] - 36) < 1e-6


def test_acknowledgements_alone_are_not_in_flight():
    assert last(sent(0.0, 1, chunk(0)), sent(0.1, 2))["bytes_in_flight"] == SIZE


def test_a_retransmission_takes_the_lost_packet_out_of_flight():
    seen = last(*(sent(0.0, n, chunk(n)) for n in range(5)), ack(0.04, (1, 4)), sent(0.05, 5, chunk(0)))
    assert (seen["bytes_in_flight"], seen["lost"], seen["spurious"]) == (SIZE, 1, 0)


def test_what_is_lost_is_told_by_its_number_and_when_it_is_sent_again():
    packets = [*(sent(0.0, n, chunk(n)) for n in range(5)), ack(0.04, (1, 4)), sent(0.05, 5, chunk(0))]
    assert followed(packets)[1] == [(0.05, 0)]


def test_a_late_acknowledgement_makes_the_loss_spurious():
    seen = last(
        *(sent(0.0, n, chunk(n)) for n in range(5)), ack(0.04, (1, 4)), sent(0.05, 5, chunk(0)), ack(0.06, (0, 4))
    )
    assert (seen["lost"], seen["spurious"]) == (1, 1)


def test_retransmissions_that_cut_the_stream_elsewhere_are_told_apart():
    """Larger packet numbers leave less room: each retransmitted piece is a little shorter than the lost one."""
    lost = [sent(0.0, n, chunk(n)) for n in range(10)]
    again = [sent(0.1, 20 + n, (4, n * 1224)) for n in range(10)]
    seen = last(*lost, sent(0.0, 10, chunk(10)), ack(0.04, (10, 10)), *again)
    assert (seen["lost"], seen["bytes_in_flight"]) == (10, 10 * SIZE)


def test_a_packet_may_be_lost_twice():
    seen = last(sent(0.0, 1, chunk(0)), sent(0.0, 2, chunk(1)), sent(0.1, 3, chunk(0)), sent(0.2, 4, chunk(0)))
    assert seen["lost"] == 2


def row(**values):
    names = [
        "at",
        "source",
        "length",
        "numbers",
        "largest",
        "first",
        "gaps",
        "ranges",
        "delay",
        "streams",
        "off",
        "offsets",
        "payload",
        "ids",
        "lengths",
        "most",
        "limited",
        "limits",
        "packets",
        "crypto",
        "new_ids",
    ]
    return [values.get(name, "") for name in names]


def test_ranges_of_an_acknowledgement():
    packet = parse_row(
        row(
            at="1.5",
            source="40000",
            length="48",
            numbers="7",
            largest="20",
            first="2",
            gaps="0,3",
            ranges="1,0",
            delay="250",
        ),
        443,
    )
    assert packet.acked == ((18, 20), (15, 16), (10, 10))
    assert packet.ack_delay_ms == 2.0 and not packet.from_server and packet.size == 40


def test_a_stream_frame_at_the_beginning_has_no_offset():
    there = row(
        at="1.5", source="443", length="1260", numbers="2,7", streams="7,11,4", off="0,1,1", offsets="2,1226",
        lengths="3,7,1100",
    )  # fmt: skip
    packet = parse_row(there, 443)
    assert packet.number == 7 and packet.streams == ((7, 0), (11, 2), (4, 1226)) and packet.lengths == (3, 7, 1100)


def test_the_length_of_the_receivers_connection_id_is_that_of_the_last_packet():
    there = row(at="1.5", source="443", length="1260", numbers="2,7", ids="aabb,00112233445566778899aabbccddeeff01")
    assert parse_row(there, 443).id_bytes == 17
    assert parse_row(row(at="1.5", source="443", length="1260", numbers="2,7"), 443).id_bytes == 0


def test_limits_of_flow_control():
    packet = parse_row(
        row(at="1.5", source="4000", length="60", numbers="7", most="900", limited="0,4", limits="5,6"), 443
    )
    assert packet.max_data == 900 and packet.max_stream_data == ((0, 5), (4, 6))
    assert parse_row(row(at="1.5", source="4000", length="60", numbers="7"), 443).max_stream_data == ()


def test_what_is_beside_the_packet_and_in_other_frames_is_no_room_for_a_stream():
    whole = {"at": "1.5", "source": "443", "length": "1260", "numbers": "2,7"}
    assert parse_row(row(**whole, packets="900,352", crypto="300"), 443).beside == 900
    assert parse_row(row(**whole, packets="1252", crypto="300,40"), 443).beside == 340
    assert parse_row(row(**whole, new_ids="8"), 443).beside == 28
    assert parse_row(row(**whole, packets="900,352", new_ids="8,4"), 443).beside == 900 + 28 + 24
    assert parse_row(row(**whole), 443).beside == 0


def test_a_long_connection_id_leaves_less_room_for_the_stream():
    size = 1400
    room = size - 26 - 17
    packets = [Packet(n / 1000, True, size, n, streams=((0, n * room),), id_bytes=17) for n in range(50)]
    assert last(*packets)["lost"] == 0
    assert last(*packets, Packet(1.0, True, size, 60, streams=((0, 7 * room),), id_bytes=17))["lost"] == 1


def test_what_could_not_be_decrypted_is_left_out():
    assert parse_row(row(at="1.5", source="443", length="1260"), 443) is None
