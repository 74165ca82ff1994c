"""What needs root, namespaces, a browser or Nix says so; where it cannot run the summary tells why.

Folders are tiers: `fast` needs this package alone, `contract` has one of each thing on the real one, `system` has the
others, `site` looks at every page of the book, and `host` installs. Modules that tests share are in `support`.

What runs on a link in real time (`netns`) can fail because the machine stood still. Such a test is given one more
try, while nothing else measures; the summary names it with an R, which is a thing to look into. No other test is tried
twice. A `quiet` test, which asserts times or rates closely, and every one of `contract` measures alone at any time.

A worker has whole files (xdist's `--dist loadfile`): `loadgroup` of xdist 3.8 does nothing with pytest 9.2, whose node
ids it cannot write to.
"""

import contextlib
import fcntl
import functools
import gc
import os
import shutil
from pathlib import Path

import pytest
import reference

from longlook.host.rights import rights
from longlook.host.userns import has_rights

pytest_plugins = ["tiny_stack", "looking", "hidden"]
HERE = Path(__file__).parent
BENCH = pytest.StashKey()
"""What a test has open that measures."""


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
    if _is_worker(config):
        items.sort(key=_place)


def pytest_collection_finish():
    """What was imported and collected stays to the end: no search for garbage goes through it and writes on it."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter, config):
    """Why each first try failed; then for the last line of `make test`, which adds up those who run side by side."""
    for one in terminalreporter.stats.get("rerun", []):
        said = [line for line in one.longreprtext.splitlines() if line.startswith("E  ")] or [one.longreprtext[-500:]]
        terminalreporter.write_line("\n".join([f"first try of {one.nodeid}:", *said[:20]]))
    if (counted := os.environ.get("LONGLOOK_COUNTED")) and not _is_worker(config):
        words = ("passed", "failed", "error", "skipped", "rerun")
        lines = [f"{len(found)} {word}\n" for word in words if (found := terminalreporter.stats.get(word))]
        with Path(counted).open("a", encoding="utf-8") as file:
            file.writelines(lines)


@functools.cache
def granted():
    """What this process may do, by the names of host/rights.py."""
    return rights().record()


def _place(item):
    """What may share the bench first, and of it and of what measures nothing the longest files first."""
    folders = item.path.relative_to(HERE).parts
    long = "slow" in item.keywords or folders[0] == "site" or "emulab" in folders
    return _is_quiet(item), not long


def _is_quiet(item):
    return "quiet" in item.keywords or "contract" in item.path.relative_to(HERE).parts


def _is_worker(config):
    return hasattr(config, "workerinput")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    """Outside of a test's time-out, which must not count the wait. Tests that measure nothing fill the processors
    meanwhile: no reason to reject a load."""
    if not (_is_worker(item.config) and "netns" in item.keywords):
        return (yield)
    with contextlib.ExitStack() as opened:
        item.stash[BENCH] = [opened.enter_context(file.open()) for file in (Path(__file__), HERE.parent / "Makefile")]
        _enter(*item.stash[BENCH], alone=_is_quiet(item))
        opened.enter_context(_ahead())
        opened.enter_context(pytest.MonkeyPatch.context()).setattr("longlook.experiment.oracle.SATURATED", 1.0)
        result = yield
        del item.stash[BENCH]
        return result


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """A second try is alone at the bench."""
    if getattr(item, "execution_count", 1) > 1 and BENCH in item.stash:
        _enter(*item.stash[BENCH], alone=True)


def _enter(door, bench, alone):
    """Locked files, which are never written. While one waits at the door nobody goes in after him, and whoever is at
    the bench leaves it before he waits, or two would wait for each other."""
    fcntl.flock(bench, fcntl.LOCK_UN)
    fcntl.flock(door, fcntl.LOCK_EX)
    fcntl.flock(bench, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
    fcntl.flock(door, fcntl.LOCK_UN)


@contextlib.contextmanager
def _ahead():
    """This process and what it starts come before what measures nothing, where this user may ask for it."""
    before = os.getpriority(os.PRIO_PROCESS, 0)
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, before - 10)
    try:
        yield
    finally:
        with contextlib.suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, 0, before)


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
