"""Programs that do not answer as expected lead to a message, not to a guess."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from longlook.errors import LonglookError
from longlook.stack import versions
from longlook.stack.number import as_numbers


def test_versions_compare_by_number():
    assert as_numbers("2.4.9") < as_numbers("2.4.41")
    assert as_numbers("3.0.19") > as_numbers("1.1.1w")


def test_a_program_that_never_ends(monkeypatch):
    monkeypatch.setattr(versions, "TIMEOUT_S", 0.3)
    with pytest.raises(LonglookError, match=r"waited 0\.3 s for .* to print its version"):
        versions._by_exit(Path(sys.executable), ("-c", "import time; time.sleep(30)"), "")


def test_a_program_that_never_writes_the_line(monkeypatch):
    monkeypatch.setattr(versions, "TIMEOUT_S", 0.5)
    command = [sys.executable, "-c", "import sys, time; print('starting', file=sys.stderr, flush=True); time.sleep(30)"]
    with (
        pytest.raises(LonglookError, match=r"waited 0\.5 s for .* to write 'ready'"),
        versions._started(command, "ready"),
    ):
        pass


def test_a_program_that_ends_early():
    command = [sys.executable, "-c", "import sys; print('no licence', file=sys.stderr)"]
    with (
        pytest.raises(LonglookError, match=r"ended before it wrote 'ready'; it wrote 'no licence"),
        versions._started(command, "ready"),
    ):
        pass


@pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="needs dpkg")
def test_debian_says_the_version_of_a_program_that_does_not(tmp_path):
    program = Path(shutil.which("dpkg-query"))
    assert as_numbers(versions._by_dpkg(program, (), "")) > (1, 0)
    own = tmp_path / "server"
    own.write_bytes(b"")
    with pytest.raises(LonglookError, match=r"server is of no Debian package that could say its version"):
        versions._by_dpkg(own, (), "")


def test_a_python_package_that_is_not_there(tmp_path):
    with pytest.raises(LonglookError, match=r"holds no package tiny-lib"):
        versions._of_python_package("tiny-lib", tmp_path)
