"""Programs that do not answer as expected lead to a message, not to a guess."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from longlook.errors import LonglookError
from longlook.stack import versions


def test_versions_compare_by_number():
    assert versions.as_numbers("2.4.9") < versions.as_numbers("2.4.41")
    assert versions.as_numbers("3.0.19") > versions.as_numbers("1.1.1w")


def test_a_program_that_never_ends(monkeypatch):
    monkeypatch.setattr(versions, "TIMEOUT_S", 0.3)
    with pytest.raises(LonglookError, match="waited 0.3 s for .* to print its version"):
        versions._by_exit(Path(sys.executable), ("-c", "import time; time.sleep(30)"), "")


def test_a_program_that_never_writes_the_line(monkeypatch):
    monkeypatch.setattr(versions, "TIMEOUT_S", 0.5)
    command = [sys.executable, "-c", "import sys, time; print('starting', file=sys.stderr, flush=True); time.sleep(30)"]
    with (
        pytest.raises(LonglookError, match="waited 0.5 s for .* to write 'ready'"),
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
