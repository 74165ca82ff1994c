"""The doctor: one line per check, a remedy in each that fails, and a preflight whose first line says it all."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path
from tempfile import gettempdir

import pytest

from longlook import doctor, paths
from longlook.doctor import Check, format_checks, require
from longlook.errors import LonglookError
from longlook.host import facts, userns
from longlook.host.rights import Rights


def test_format():
    text = format_checks(
        [
            Check("a", True, "fine", "not shown"),
            Check("b", False, "missing", "apt-get install b"),
            Check("c", False, "slow", "be patient", required=False),
        ]
    )
    a, b, c = text.splitlines()
    assert a.split() == ["ok", "a", "fine"]
    assert b.startswith("FAIL") and b.endswith("missing -> apt-get install b")
    assert c.startswith("note") and c.endswith("slow -> be patient")


def test_require_passes_over_what_is_optional():
    require([Check("a", True, "fine"), Check("c", False, "slow", "be patient", required=False)])


def test_the_first_line_says_what_is_missing_and_how_to_get_it():
    with pytest.raises(LonglookError) as caught:
        require(
            [
                Check("apache2", False, "missing", "apt-get install apache2-bin"),
                Check("root", False, "no", "sudo make reproduce"),
            ]
        )
    first = str(caught.value).splitlines()[0]
    assert "apache2: missing -> apt-get install apache2-bin" in first
    assert "sudo make reproduce" in first


def test_without_root(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(userns, "has_rights", lambda: False)
    monkeypatch.setattr(userns, "SWITCHES", {})
    found = doctor.checks(stacks={})
    with pytest.raises(LonglookError) as caught:
        require(found)
    first = str(caught.value).splitlines()[0]
    assert "root: not running as root" in first and "sudo make reproduce" in first
    assert "veth" not in first, "what was not tried is not reported as broken"


def test_a_user_who_may_make_namespaces_measures_and_is_told_what_he_lacks(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(userns, "has_rights", lambda: True)
    granted = Rights(False, False, 212_992, False, False, ("cubic", "reno"))
    monkeypatch.setattr(doctor, "rights", lambda: granted)
    found = {check.name: check for check in doctor.checks(stacks={})}
    assert found["root"].ok and "not needed" in found["root"].detail
    lacking = [found[name] for name in ("real-time priority", "CPU limits", "tcp_probe", "UDP buffer limits")]
    assert [check.ok for check in lacking] == [check.required for check in lacking] == [False] * 4
    assert "212992 bytes" in lacking[-1].detail and "sysctl -w net.core.rmem_max=" in lacking[-1].remedy


def test_a_missing_tool(monkeypatch):
    monkeypatch.setattr(doctor, "_which", lambda command: None)
    check = doctor._tool(doctor.TOOLS[0])
    assert (check.ok, check.required, check.remedy) == (False, True, "apt-get install apache2-bin")


def test_every_check_has_a_name_and_every_failure_a_remedy():
    found = doctor.checks(stacks={})
    assert len({check.name for check in found}) == len(found)
    assert [check.name for check in found if not check.ok and not check.remedy] == []


def test_a_folder_for_temporary_files_without_room(monkeypatch):
    """A browser whose profile finds none opens no port, and says nothing."""
    usage = doctor.shutil.disk_usage
    full = lambda place: usage(place)._replace(free=10**6 if place == Path(gettempdir()) else 10**10)  # noqa: E731
    monkeypatch.setattr(doctor.shutil, "disk_usage", full)
    check = doctor._disk()
    assert not check.ok and check.required and gettempdir() in check.detail and "TMPDIR" in check.remedy


def test_a_stack_that_is_not_installed(monkeypatch, tmp_path):
    monkeypatch.setattr(paths, "CACHE", tmp_path / "cache")
    monkeypatch.delenv("LONGLOOK_STACK_QUICV1", raising=False)
    check = doctor._stack("quicv1", {"envoy"})
    assert not check.ok and check.required and "longlook stack install quicv1" in check.detail
    assert not doctor._stack("quicv1").ok and not doctor._stack("quicv1").required
    assert doctor._stack("quicv1", {"apache2"}).ok, "what its arms do not use need not be there"


def test_programs_of_servers_that_no_arm_uses_are_not_required():
    needed = {check.name: check.required for check in doctor.checks({"halme2021": {"aiohttp"}})}
    assert not needed["apache2"] and not needed["node"] and needed["ip"]
    assert {tool.command for tool in doctor.TOOLS if tool.among({"apache2"}).required} >= {"apache2", "ip"}


def test_leftover_testbeds(tmp_path):
    spaces = tmp_path / "netns"
    spaces.mkdir()
    for name in ("ll-dead-server", "ll-dead-client", "ll-live-bridge", "other"):
        (spaces / name).touch()
    with (tmp_path / "ll-live.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        check = doctor._leftovers(spaces, tmp_path)
    assert not check.ok and not check.required
    assert "left by a killed run: dead; in use now: live" in check.detail
    assert "ll-dead-server" in check.remedy and "ll-live" not in check.remedy
    assert doctor._leftovers(tmp_path / "nowhere", tmp_path).ok


def test_machine_facts_without_git(monkeypatch, tmp_path):
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    facts.git_commit.cache_clear()
    try:
        machine = facts.machine()
    finally:
        facts.git_commit.cache_clear()
    assert machine["git_commit"] is None
    assert machine["cpus"] >= 1 and machine["memory_bytes"] > 0
    assert machine["kernel"] and len(machine["hostname_hash"]) == 16


def test_cpu_model_of_a_machine_that_names_none(tmp_path):
    (tmp_path / "cpuinfo").write_text("processor : 0\n")
    assert facts.cpu_model(tmp_path / "cpuinfo")
    assert facts.cpu_model(tmp_path / "missing")


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed: apt-get install git")
def test_git_commit_and_dirty_flag(tmp_path, monkeypatch):
    def git(*arguments):
        settings = ["user.name=t", "user.email=t@localhost", "core.hooksPath=/dev/null"]
        command = ["git", "-C", str(tmp_path), *(word for setting in settings for word in ("-c", setting)), *arguments]
        subprocess.run(command, check=True, capture_output=True, timeout=300)

    assert facts.git_commit.__wrapped__(tmp_path) is None
    git("init", "-q")
    (tmp_path / "a").write_text("1")
    git("add", "a")
    git("commit", "-qm", "a")
    clean = facts.git_commit.__wrapped__(tmp_path)
    assert clean and len(clean) == 40
    (tmp_path / "a").write_text("2")
    assert facts.git_commit.__wrapped__(tmp_path) == f"{clean}-dirty"
