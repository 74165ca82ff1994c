"""How long STREAM frames are."""

from longlook.probe.quic_packets import Packet
from longlook.probe.stream_frames import StreamFrames


def silent(number, offset, size=1200):
    """A packet with one frame that states no length."""
    return Packet(0.0, True, size, number, streams=((0, offset),), id_bytes=4)


def lengths(*packets):
    frames = StreamFrames(packets)
    return [length for one in packets for _, _, length in frames.of(one)]


def test_a_frame_that_states_its_length_has_it():
    assert lengths(Packet(0.0, True, 1200, 1, streams=((0, 0),), lengths=(700,))) == [700]


def test_one_that_states_none_extends_to_the_end_of_its_packet_where_the_next_begins():
    assert lengths(silent(1, 0), silent(2, 1168), silent(3, 2336)) == [1168, 1168, 1170]
    assert lengths(silent(1, 0), silent(2, 5000)) == [1170, 1170]
    assert lengths(silent(1, 0), silent(2, 1168, size=300)) == [1168, 270]


def test_a_retransmission_that_begins_inside_does_not_cut_it_short():
    assert lengths(silent(1, 0), silent(2, 1168), silent(3, 600), silent(4, 1768)) == [1168, 1170, 1168, 1170]


def test_what_other_frames_state_is_not_there_for_the_last():
    several = Packet(0.0, True, 1200, 1, streams=((3, 0), (0, 0)), lengths=(2,), id_bytes=4)
    assert lengths(several) == [2, 1168]


def test_what_is_beside_it_is_not_there_for_it():
    assert lengths(Packet(0.0, True, 1200, 1, streams=((0, 0),), id_bytes=4, beside=600)) == [570]


def test_streams_and_sides_are_told_apart():
    other = Packet(0.0, True, 1200, 2, streams=((4, 1168),), id_bytes=4)
    client = Packet(0.0, False, 1200, 3, streams=((0, 1168),), id_bytes=4)
    assert lengths(silent(1, 0), other, client)[0] == 1170


def test_a_packet_too_small_for_data_has_none():
    assert lengths(silent(1, 0, size=20)) == [0]
