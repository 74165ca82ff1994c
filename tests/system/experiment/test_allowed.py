"""What clients allow a server to send: the windows from packets, the table as it is kept, real clients asked."""

import pytest

from longlook import paths
from longlook.errors import LonglookError
from longlook.experiment import allowed
from longlook.experiment.allowed import Allowed, ask, cell, read, write
from longlook.testbed.netns import NetnsTestbed

ROWS = [
    Allowed("quic bbr quicgo", "0.59.1", 524288, 655716, 786432, 1000456, 0, True),
    Allowed("tcp bbr curl", "8.21.0", 1048576, 1048576, 15728640, 15728640, 208896, False),
]


def test_the_table_is_read_as_it_was_written(tmp_path):
    write(tmp_path / "clients.csv", ROWS)
    assert read(tmp_path / "clients.csv") == ROWS and read(tmp_path / "absent.csv") == []


@pytest.mark.parametrize("text", ["arm,colour\ncurl,red\n", "{head}\ncurl,1,1,1,1,1,0,perhaps\n"])
def test_a_table_of_something_else_says_what_writes_it_anew(tmp_path, text):
    head = "arm,version,stream,stream_most,connection,connection_most,receive_most,verifies"
    (tmp_path / "clients.csv").write_text(text.format(head=head))
    with pytest.raises(LonglookError, match="longlook clients"):
        read(tmp_path / "clients.csv")


def test_every_client_of_the_sweep_is_in_the_kept_table():
    kept = read(paths.ALLOWED)
    assert [one.arm for one in kept] == [arm.name for arm in cell().arms]
    for one in kept:
        assert one.stream <= one.stream_most and one.connection <= one.connection_most
        assert (one.receive_most == 0) == one.arm.startswith("quic")


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.timeout(300)
def test_clients_are_asked_by_their_packets(testbed_name, monkeypatch):
    """One that grows its stream's window, one that takes any certificate, one over TCP: first values as in the kept
    table."""
    names = ("quic bbr curl", "quic bbr ngtcp2", "tcp bbr curl")
    whole = cell()
    monkeypatch.setattr(
        allowed, "cell", lambda: whole.model_copy(update={"arms": [one for one in whole.arms if one.name in names]})
    )
    with NetnsTestbed(testbed_name) as bed:
        found = {one.arm: one for one in ask(bed)}
    assert [one for one in found if not found[one].verifies] == ["quic bbr ngtcp2"]
    curl = found["quic bbr curl"]
    assert curl.stream < curl.stream_most < curl.connection
    assert found["tcp bbr curl"].receive_most > 65535
    for kept in read(paths.ALLOWED):
        if kept.arm in found:
            one = found[kept.arm]
            assert (one.stream, one.connection, one.verifies) == (kept.stream, kept.connection, kept.verifies)
