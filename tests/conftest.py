"""What needs root, namespaces, a browser or Nix says so; where it cannot run the summary tells why.

Quick tests come first, so that a mistake shows early. Of two workers (`make test`) one has what measures on
namespaces, the other the rest; `hardy` files, whose tests look at what is left after a fault and at no time, go to
whichever is free. A `quiet` test, which asserts times or rates, runs while no other test does.

What runs on a link in real time can fail because the machine stood still. Such a test is given one more try, with
nothing beside it; the summary names it with an R, which is a thing to look into. No other test is tried twice.
"""

import contextlib
import fcntl
import functools
import os
import re
import shutil
from pathlib import Path

import pytest

from longlook.host.rights import rights
from longlook.host.userns import has_rights

DOOR, ROOM = Path(__file__), Path(__file__).parents[1] / "pyproject.toml"
"""Locked, never written."""


def pytest_collection_modifyitems(config, items):
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        if "netns" in marks:
            item.add_marker(pytest.mark.flaky(reruns=1))
        if {"netns", "browser"} & marks and not has_rights():
            item.add_marker(pytest.mark.skip(reason="needs root, or a kernel that lets users make namespaces"))
        if lacking := {right for one in item.iter_markers("granted") for right in one.args if not granted()[right]}:
            reason = f"needs {', '.join(sorted(lacking))}, which this user has not: run `sudo make test`"
            item.add_marker(pytest.mark.skip(reason=reason))
        if "nix" in marks and shutil.which("nix") is None:
            item.add_marker(pytest.mark.skip(reason="needs Nix: apt-get install nix-bin"))
    # A worker takes whole groups in this order: the longest begins at once.
    sign = 1 if _is_worker(config) else -1
    items.sort(key=lambda item: (sign * _rank(item.path), *_lateness(item)))


@functools.cache
def granted():
    """What this process may do, by the names of host/rights.py."""
    return rights().record()


def _rank(file):
    """Of a file's group, the one that takes longest first."""
    group = _group(file)
    return 0 if group == WIRE else 1 if group == file else 2


def _lateness(item):
    marks = {mark.name for mark in item.iter_markers()}
    return "quiet" in marks, bool(SLOW & marks)


WIRE, SLOW = "wire", {"slow", "browser", "nix"}


@functools.cache
def _group(file):
    """Tests of a group share a worker: what measures on namespaces, each hardy file, and of each folder its quick and
    its slow files."""
    marks = set(re.findall(r"pytest\.mark\.(\w+)", file.read_text(encoding="utf-8")))
    if "hardy" in marks:
        return file
    return WIRE if "netns" in marks else (file.parent, bool(SLOW & marks))


def _is_worker(config):
    return hasattr(config, "workerinput")


def pytest_xdist_make_scheduler(config, log):
    """Groups are told from the files, since node ids are all that xdist's own process knows."""
    from xdist.scheduler import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return _group(config.rootpath / nodeid.split("::")[0])

    config.option.loadscopereorder = False
    return ByGroup(config, log)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    """Outside of a test's time-out, which must not count the wait."""
    with _in_turn(item) if _is_worker(item.config) else contextlib.nullcontext():
        return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """A second try is alone in the room."""
    if getattr(item, "execution_count", 1) > 1 and TURN in item.stash:
        _enter(*item.stash[TURN], alone=True)


TURN = pytest.StashKey()


@contextlib.contextmanager
def _in_turn(item):
    """In the room alone, or with others; while one waits at the door, nobody goes in after him."""
    with DOOR.open() as door, ROOM.open() as room:
        item.stash[TURN] = door, room
        _enter(door, room, alone="quiet" in item.keywords)
        yield
        del item.stash[TURN]


def _enter(door, room, alone):
    """Whoever is in the room already leaves it first, or two would wait for each other."""
    fcntl.flock(room, fcntl.LOCK_UN)
    fcntl.flock(door, fcntl.LOCK_EX)
    fcntl.flock(room, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
    fcntl.flock(door, fcntl.LOCK_UN)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """In a Nix shell that was made for one stack, tests of the other are skipped."""
    from longlook.stack import NotOfferedError

    try:
        return (yield)
    except NotOfferedError as absent:
        pytest.skip(str(absent))


@pytest.fixture
def testbed_name(monkeypatch):
    """A testbed name of this test's own, cleaned up whatever happens. On a busy machine a right link may
    need more attempts to show that it is one."""
    from longlook.link import calibrate
    from longlook.testbed import netns

    monkeypatch.setattr(calibrate, "ATTEMPTS", 10)
    name = f"t{os.getpid() % 100000}"
    yield name
    netns.remove(name)
