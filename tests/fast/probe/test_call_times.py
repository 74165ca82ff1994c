"""The time of system calls: what strace writes, and a program whose calls are known."""

import shutil
import subprocess
import sys

import pytest

from longlook.errors import LonglookError
from longlook.probe.call_times import shares, timed

TOLD = """% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 17.33    0.440000         201      2191           epoll_wait
 76.89    1.950000          24     80800        12 recvmsg
  0.00    0.000000           0         1           close
------ ----------- ----------- --------- --------- ----------------
100.00    2.536000          29     85549        12 total
"""


def test_shares_are_read_the_largest_first():
    assert list(shares(TOLD).items()) == [("recvmsg", 76.89), ("epoll_wait", 17.33), ("close", 0.0)]


@pytest.mark.parametrize("text", ["", "strace: Process 7 detached\n"])
def test_nothing_timed_is_an_error_and_no_zero(text):
    with pytest.raises(LonglookError, match="timed no call"):
        shares(text)


WRITES = (
    "import os, sys\nsys.stdin.readline()\nfor _ in range(3000): os.write(3, b'x' * 65536)\nprint('done', flush=True)\n"
)


@pytest.mark.root
@pytest.mark.skipif(shutil.which("strace") is None, reason="no strace here (apt-get install strace)")
def test_a_program_that_writes_spends_its_time_in_write(tmp_path):
    command = ["sh", "-c", 'exec 3>"$1"; exec "$2" -c "$3"', "sh", str(tmp_path / "sink"), sys.executable, WRITES]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        with timed([child.pid]) as found:
            child.stdin.write("go\n")
            child.stdin.flush()
            assert child.stdout.readline() == "done\n"
        child.stdin.close()
    name, pct = next(iter(found.pct.items()))
    assert name == "write" and pct > 50
