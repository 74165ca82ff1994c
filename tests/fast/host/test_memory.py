"""What a process frees, and still holds."""

import subprocess
import sys

import pytest

HELD = """
import sys
from longlook.host.memory import give_back_what_is_freed

def resident_mb():
    return int(open("/proc/self/statm").read().split()[1]) * 4096 / 1e6

if sys.argv[1] == "given back":
    give_back_what_is_freed()
del sys
freed = bytes(30_000_000)
del freed  # from now on glibc takes as large a block for a usual one
before = resident_mb()
blocks = [(b"x" * 200_000, b"y" * 3_000) for _ in range(1000)]
left = [small for _, small in blocks]
del blocks
print(resident_mb() - before)
"""


@pytest.mark.parametrize(("how", "least", "most"), [("given back", 0, 20), ("as glibc does", 100, 250)])
def test_large_blocks_go_back_once_they_are_free(how, least, most):
    ran = subprocess.run([sys.executable, "-c", HELD, how], capture_output=True, text=True, check=True)
    assert least <= float(ran.stdout) <= most
