"""System calls that are counted: what perf writes, and a program whose calls are known."""

import shutil
import subprocess
import sys

import pytest

from longlook.errors import LonglookError
from longlook.probe.calls import KINDS, counted, counts

TOLD = """# started on Wed Nov 25 10:00:00 2026

612;;raw_syscalls:sys_enter;1;100.00;;
100;;syscalls:sys_enter_sendmsg;1;100.00;;
7;;syscalls:sys_enter_sendto;1;100.00;;
21;;syscalls:sys_enter_writev;1;100.00;;
<not counted>;;syscalls:sys_enter_recvmsg;0;100.00;;
300;;syscalls:sys_enter_recvmmsg;1;100.00;;
5;;syscalls:sys_enter_ppoll;1;100.00;;
"""


def test_calls_are_added_up_by_kind():
    assert counts(TOLD) == {"all": 612, "sends": 107, "receives": 300, "writes": 21, "reads": 0, "waits": 5}
    names = [name for own in KINDS.values() for name in own]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("text", ["", "# started\n", "<not supported>;;raw_syscalls:sys_enter;0;100.00;;\n"])
def test_nothing_counted_is_an_error_and_no_zero(text):
    with pytest.raises(LonglookError, match="did not count system calls"):
        counts(text)


WRITES = "import os, sys\nsys.stdin.readline()\nfor _ in range(1000): os.write(3, b'x')\nprint('done', flush=True)\n"


@pytest.mark.root
@pytest.mark.skipif(shutil.which("perf") is None, reason="no perf here (apt-get install linux-perf)")
def test_a_program_s_calls_are_counted_while_it_runs(tmp_path):
    with (tmp_path / "sink").open("wb") as sink:
        command = ["sh", "-c", 'exec 3>"$1"; exec "$2" -c "$3"', "sh", str(tmp_path / "sink"), sys.executable, WRITES]
        piped = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        with subprocess.Popen(command, stderr=sink, **piped) as child:
            with counted([child.pid]) as found:
                child.stdin.write("go\n")
                child.stdin.flush()
                assert child.stdout.readline() == "done\n"
            child.stdin.close()
    assert 1000 <= found.counts["writes"] <= 1020 and found.counts["all"] >= 1000
