"""Strangers' settings beside what is fetched, and above it, change nothing: pip and npm are started elsewhere."""

import subprocess

import pytest

from longlook import mirror
from longlook.errors import LonglookError
from longlook.stack import install
from longlook.stack.commands import AWAY
from longlook.stack.part import load_part


def test_pip_and_npm_that_fetch_are_started_where_only_root_writes(tmp_path, monkeypatch):
    started = {}

    def answered(command, what, timeout_s, cwd=None, environment=None):
        started["npm" if command[0].endswith("npm") else command[3]] = cwd
        return subprocess.CompletedProcess(command, 0, "", "")

    for module in (install, mirror):
        monkeypatch.setattr(module, "answered", answered)
    monkeypatch.setattr(mirror.shutil, "which", lambda name: name)
    part = load_part("aioquic-1.7")
    install._fetch_python(part, tmp_path, lambda _: None)
    mirror._wheels(part.lock("python"), tmp_path)
    with pytest.raises(LonglookError, match="npm fetched no"):
        mirror._tarballs(
            {"packages": {"node_modules/x": {"version": "1.0.0", "integrity": "sha512-", "resolved": ""}}}, tmp_path
        )
    assert started == {"install": AWAY, "download": AWAY, "npm": AWAY}
