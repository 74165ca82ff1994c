"""How often clients and servers call the kernel: the table as it is kept, and real programs counted."""

import shutil

import pytest

from longlook.errors import LonglookError
from longlook.experiment import syscalls
from longlook.experiment.syscalls import NO_SEGMENTS, RECEIVE, USUAL, Syscalls, ask, cell, read, write
from longlook.testbed.netns import NetnsTestbed

ROWS = [
    Syscalls(
        "envoy", USUAL, "client", "8.21.0", 12.5, 900.25, 3.0, 4.0, 850.0, 2000.75, "recvmsg 77, poll 17, sendmsg 5"
    ),
    Syscalls("ngtcp2", NO_SEGMENTS, "server", "0.12.1", 840.0, 60.0, 9.0, 8.0, 70.0, 1000.0, "sendmsg 90, recvmsg 6"),
]


def test_the_table_is_read_as_it_was_written(tmp_path):
    write(tmp_path / "syscalls.csv", ROWS)
    assert read(tmp_path / "syscalls.csv") == ROWS and read(tmp_path / "absent.csv") == []


def test_a_table_of_something_else_says_what_writes_it_anew(tmp_path):
    (tmp_path / "syscalls.csv").write_text("arm,colour\nenvoy,red\n")
    with pytest.raises(LonglookError, match="longlook syscalls"):
        read(tmp_path / "syscalls.csv")


def test_it_asks_about_the_largest_file_and_fast_clients():
    assert cell().workload.total_bytes == 20_000_000
    assert list(cell().arm_names) == ["envoy", "envoy-lsquic", "ngtcp2", "tls12", "tls13"]


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.timeout(200)
@pytest.mark.skipif(
    not all(map(shutil.which, ("perf", "strace"))), reason="no perf or strace here (apt-get install ...)"
)
def test_a_server_without_segmentation_offload_sends_each_datagram_by_a_call(testbed_name, monkeypatch):
    whole = cell()
    monkeypatch.setattr(syscalls, "cell", lambda: whole.model_copy(update={"arms": (whole.arm("ngtcp2"),)}))
    with NetnsTestbed(testbed_name) as bed:
        found = {(one.offload, one.end): one for one in ask(bed)}
    assert set(found) == {(one, end) for one in (USUAL, RECEIVE, NO_SEGMENTS) for end in ("client", "server")}
    datagrams = 1e6 / 1452
    assert found[NO_SEGMENTS, "server"].sends > 0.95 * datagrams > 1.5 * found[USUAL, "server"].sends
    assert all(one.all > one.sends + one.receives for one in found.values())
    for one in found.values():  # which call takes how much of the time is the machine's
        shares = [int(part.split()[1]) for part in one.longest.split(", ")]
        assert len(shares) == 3 and shares == sorted(shares, reverse=True) and 0 < sum(shares) <= 101
