"""What `make check` runs: form, mistakes, types and imports of the code."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from longlook import paths

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

CHECKS = shlex.split(re.search(r"for check in (.+); do", (paths.ROOT / "Makefile").read_text()).group(1))


@pytest.mark.parametrize("check", CHECKS)
def test_the_code_passes(check):
    program, *arguments = check.split()
    argv = [str(Path(sys.executable).with_name(program)), *arguments]
    done = subprocess.run(argv, cwd=paths.ROOT, capture_output=True, text=True)
    assert done.returncode == 0, f"{check}\n{done.stdout}\n{done.stderr}"
