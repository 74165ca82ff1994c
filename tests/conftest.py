"""What needs root, namespaces, a browser or Nix says so; where it cannot run the summary tells why.

Folders are tiers: `fast` needs this package alone, `contract` has one of each thing on the real one, `system` has the
others, `site` looks at every page of the book, and `host` installs. Modules that tests share are in `support`.

What measures in real time (`netns`) is one group of xdist's `--dist loadgroup`, so that one worker has all of it, one
after the other. It can fail because the machine stood still. Such a test is given one more try; the summary names it
with an R, which is a thing to look into. No other test is tried twice.
"""

import contextlib
import functools
import gc
import os
import shutil
from pathlib import Path

import pytest
import reference

from longlook.host.rights import rights
from longlook.host.userns import has_rights

pytest_plugins = ["tiny_stack"]
SITE = Path(__file__).parent / "site"


def pytest_configure(config):
    """What is read from data/ is the repository's, whatever this reader has measured (reference.py)."""
    seen = contextlib.ExitStack()
    config.add_cleanup(seen.close)
    seen.enter_context(reference.read())


@pytest.hookimpl(tryfirst=True)  # xdist reads the groups in its own
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
        item.add_marker(pytest.mark.xdist_group(_group(item)))
    if _is_worker(config):
        items.sort(key=_place)


def pytest_collection_finish():
    """What was imported and collected stays to the end: no search for garbage goes through it and writes on it."""
    gc.collect()
    gc.freeze()


@functools.cache
def granted():
    """What this process may do, by the names of host/rights.py."""
    return rights().record()


def _group(item):
    """Tests that one worker has, in their order: all that measure, all that look at one book, and each other file."""
    if "netns" in item.keywords:
        return "measured"
    return "site" if SITE in item.path.parents else item.path.stem


def _place(item):
    """What takes longest is begun first: the groups in their order, then files with something slow."""
    return _group(item) != "measured", _group(item) != "site", "slow" not in item.keywords


def _is_worker(config):
    return hasattr(config, "workerinput")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    """Outside of a test's time-out. The other worker fills a processor meanwhile, which is no reason to reject."""
    if not (_is_worker(item.config) and "netns" in item.keywords):
        return (yield)
    with pytest.MonkeyPatch.context() as patch, _ahead():
        patch.setattr("longlook.experiment.oracle.SATURATED", 1.0)
        return (yield)


@contextlib.contextmanager
def _ahead():
    """This process and what it starts come before the other worker, where this user may ask for it."""
    before = os.getpriority(os.PRIO_PROCESS, 0)
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, -10)
    yield
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
