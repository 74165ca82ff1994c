"""Connections from packets beside the server: which load's they are, how long they lasted."""

from longlook.probe.connections import COUNTED, WHICH, CapturedPacket, LoadConnection, connections


def load(index, began_s, port, arm="quic", protocol="quic"):
    return LoadConnection(arm, index, 0, began_s, protocol, port)


def packet(time_s, port, up=True, size=100, protocol="quic"):
    return CapturedPacket(time_s, size, protocol, port, up)


def test_a_connection_lasts_from_its_first_packet_to_its_last_whoever_sent_them():
    packets = [packet(1.0, 5), packet(1.02, 5, up=False, size=1200), packet(1.5, 5), packet(1.6, 5, up=False)]
    table = connections(packets, [load(0, 0.9, 5)])
    assert list(table) == [*WHICH, *COUNTED]
    assert table.iloc[0].tolist() == ["quic", 0, 0, 600.0, 2, 2, 200, 1300]


def test_the_end_of_a_connection_that_comes_while_the_next_load_runs_is_its_own():
    packets = [packet(1.0, 5), packet(2.0, 6), packet(2.1, 5), packet(3.0, 6)]
    table = connections(packets, [load(0, 0.9, 5), load(1, 1.9, 6)])
    assert table["duration_ms"].tolist() == [1100.0, 1000.0]


def test_a_port_that_is_used_again_belongs_to_the_later_load_from_when_that_begins():
    packets = [packet(1.0, 5), packet(1.2, 5), packet(7.0, 5), packet(7.5, 5)]
    table = connections(packets, [load(0, 0.9, 5), load(3, 6.9, 5)])
    assert dict(zip(table["index"], table["duration_ms"], strict=True)) == {0: 200.0, 3: 500.0}


def test_the_same_number_of_a_port_of_the_other_protocol_is_another_port():
    packets = [packet(1.0, 5), packet(1.1, 5, protocol="tcp"), packet(1.2, 5), packet(1.4, 5, protocol="tcp")]
    table = connections(packets, [load(0, 0.9, 5), load(0, 0.9, 5, arm="tcp", protocol="tcp")])
    assert dict(zip(table["arm"], table["duration_ms"], strict=True)) == {"quic": 200.0, "tcp": 300.0}


def test_a_load_without_packets_and_packets_without_a_load_have_no_row():
    table = connections([packet(1.0, 9), packet(0.1, 5)], [load(0, 0.9, 5)])
    assert table.empty and list(table) == [*WHICH, *COUNTED]
