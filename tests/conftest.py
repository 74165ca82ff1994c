"""What needs root, namespaces, a browser or Nix says so; where it cannot run the summary tells why."""

import os
import shutil

import pytest


def pytest_collection_modifyitems(items):
    for item in items:
        if {"netns", "browser"} & {mark.name for mark in item.iter_markers()} and os.geteuid() != 0:
            item.add_marker(pytest.mark.skip(reason="needs root: run `sudo make test`"))
        if item.get_closest_marker("nix") and shutil.which("nix") is None:
            item.add_marker(pytest.mark.skip(reason="needs Nix: apt-get install nix-bin"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """In a Nix shell that was made for one stack, tests of the other are skipped."""
    from longlook.stack import NotOfferedError

    try:
        return (yield)
    except NotOfferedError as absent:
        pytest.skip(str(absent))


@pytest.fixture
def testbed_name(request):
    """A testbed name of this test's own, cleaned up whatever happens."""
    from longlook.testbed import netns

    name = f"t{os.getpid() % 100000}"
    yield name
    netns.remove(name)
