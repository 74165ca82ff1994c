"""What needs root, namespaces, a browser or Nix says so; where it cannot run the summary tells why.

By one process quick tests come first, so that a mistake shows early. Of four workers (`make test`) the first has what
makes no namespaces, at idle priority: it takes what the others leave of the processors, and holds none of them up.
These have what does make some, file by file, and mostly wait for a link. A `quiet` test, which asserts times or rates
closely, runs while no other test has namespaces: the second worker has these when all else is done, and the others then
help the first.

What runs on a link in real time can fail because the machine stood still. Such a test is given one more try, with
nothing at all beside it; the summary names it with an R, which is a thing to look into. No other test is tried twice.
"""

import contextlib
import fcntl
import functools
import gc
import os
import re
import shutil
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest

import reference
from longlook.host.rights import rights
from longlook.host.userns import has_rights

ROOT = Path(__file__).parents[1]
ROOM = Path(__file__), ROOT / "pyproject.toml"
"""Of all tests: its door, and the room itself. Locked, never written."""
BENCH = ROOT / "README.md", ROOT / "Makefile"
"""The same of those that measure."""


def pytest_configure(config):
    """What is read from data/ is the repository's, whatever this reader has measured (reference.py)."""
    seen = contextlib.ExitStack()
    config.add_cleanup(seen.close)
    seen.enter_context(reference.read())


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
    items.sort(key=_place if _is_worker(config) else _lateness)


def pytest_collection_finish():
    """What was imported and collected stays to the end: no search for garbage goes through it and writes on it."""
    gc.collect()
    gc.freeze()


@functools.cache
def granted():
    """What this process may do, by the names of host/rights.py."""
    return rights().record()


class Group(NamedTuple):
    """Tests that share a worker."""

    measures: bool
    """On namespaces."""
    quiet: bool
    slow: bool
    name: str


def _place(item):
    """A worker takes whole groups: those that take longest first, and last what has to wait for others."""
    group = _group_of(item)
    return group.quiet, not group.slow, *_lateness(item)


def _lateness(item):
    marks = {mark.name for mark in item.iter_markers()}
    return "netns" in marks, "quiet" in marks, bool(SLOW & marks)


FIRST, SECOND = "gw0", "gw1"
BESIDE, SHARED, QUIET = (False, False), (True, False), (True, True)
"""Kinds of groups: whether they measure, and are quiet."""
LIKING = defaultdict(lambda: (SHARED, BESIDE), {FIRST: (BESIDE,), SECOND: (SHARED, QUIET, BESIDE)})
"""What a worker takes, and in which order: one has what is quiet while others go on with what measures nothing."""
SLOW = {"slow", "browser", "nix"}
WHOLE = {"emulab"}
"""Folders whose tests share what takes long to make."""


@functools.cache
def _marks(file):
    """Of a file, and the names of its tests that are quiet where not all are."""
    text = file.read_text(encoding="utf-8")
    alone = re.findall(r"^@pytest\.mark\.quiet\n(?:(?!def ).*\n)*?def (\w+)", text, re.MULTILINE)
    return set(re.findall(r"pytest\.mark\.(\w+)", text)), set(alone)


def _group(file, test):
    """Each file that measures, its quiet tests apart; each other quick file, and the slow ones of each folder."""
    marks, alone = _marks(file)
    if "netns" not in marks:
        slow = bool(SLOW & marks)
        return Group(False, False, slow, str(file.parent if slow else file))
    if file.parent.name in WHOLE:
        return Group(True, False, True, str(file.parent))
    return Group(True, "quiet" in marks and (not alone or test in alone), "slow" in marks, str(file))


def _group_of(item):
    return _group(item.path, item.originalname)


def _is_worker(config):
    return hasattr(config, "workerinput")


def pytest_xdist_make_scheduler(config, log):
    """Groups are told from the files, since node ids are all that xdist's own process knows."""
    from xdist.scheduler import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            file, *_, test = nodeid.partition("[")[0].split("::")
            return _group(config.rootpath / file, test)

        def _reschedule(self, node):
            """A worker ends where nothing is left of what it takes."""
            if any(group[:2] in self._liking(node) for group in self.workqueue):
                super()._reschedule(node)
            elif not node.shutting_down:
                node.shutdown()

        def _assign_work_unit(self, node):
            """Each has a unit to begin with, whatever it is."""
            fitting = [group for kind in self._liking(node) for group in self.workqueue if group[:2] == kind]
            if fitting:
                self.workqueue.move_to_end(fitting[0], last=False)
            super()._assign_work_unit(node)

        def _liking(self, node):
            return LIKING[SECOND if self.numnodes == 1 else node.gateway.id]

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
    """At the bench alone, or with others, or beside it."""
    with contextlib.ExitStack() as opened:
        if _group_of(item).measures:
            _enter(*(opened.enter_context(file.open()) for file in BENCH), alone="quiet" in item.keywords)
            patch = opened.enter_context(pytest.MonkeyPatch.context())
            # Those at idle priority fill the processors and hold nobody up.
            patch.setattr("longlook.experiment.oracle.SATURATED", 1.0)
        else:
            _step_back()
        item.stash[TURN] = [opened.enter_context(file.open()) for file in ROOM]
        _enter(*item.stash[TURN], alone=False)
        yield
        del item.stash[TURN]


def _enter(door, room, alone):
    """While one waits at the door, nobody goes in after him. Whoever is in the room already leaves it first, or two
    would wait for each other."""
    fcntl.flock(room, fcntl.LOCK_UN)
    fcntl.flock(door, fcntl.LOCK_EX)
    fcntl.flock(room, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
    fcntl.flock(door, fcntl.LOCK_UN)


@functools.cache
def _step_back():
    """For good: this process and what it starts get what others leave of the processors."""
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


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
