"""What only `make test ALL=1` installs is hidden from the tests that `make test` runs: who needs it fails here, and not
first on a machine that lacks it. A test that looks into such a program says so, `needs("ffmpeg")`, and is skipped
where it is not.
"""

import functools
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from longlook.stack.placed import SYSTEM_FOLDERS

TESTS = Path(__file__).parents[1]
TIERS = ("fast", "contract")
WHICH = shutil.which
SEARCH = os.pathsep.join((os.environ.get("PATH", os.defpath), SYSTEM_FOLDERS))


@functools.cache
def names():
    """Of the programs that tools/bootstrap installs for some stacks or tests alone."""
    script = (TESTS.parent / "tools/bootstrap").read_text(encoding="utf-8")
    always, others = (set(re.findall(r"\s([\w./-]+):[a-z]", part)) for part in script.split("missing_for_tests() {"))
    return others - always


@functools.cache
def extra():
    """Name and path of each of them that is here."""
    return {name: os.path.realpath(found) for name in names() if (found := WHICH(name, path=SEARCH))}


def pytest_collection_modifyitems(items):
    for item in items:
        if lacking := _needed(item) - extra().keys():
            item.add_marker(pytest.mark.skip(reason=f"needs {', '.join(sorted(lacking))}: tools/bootstrap --tests"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    if item.path.relative_to(TESTS).parts[0] not in TIERS:
        return (yield)
    hidden = {path for name, path in extra().items() if name not in _needed(item)}

    def which(*given, **how):
        found = WHICH(*given, **how)
        return None if found and os.path.realpath(found) in hidden else found

    def popen(self, args, *given, **how):
        program = args if isinstance(args, str | os.PathLike) else args[0]
        if os.path.realpath(WHICH(program, path=SEARCH) or "") in hidden:
            raise FileNotFoundError(f"{program} is not there where `make test` is run first: needs(...) in {__file__}")
        return start(self, args, *given, **how)

    start = subprocess.Popen.__init__
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shutil, "which", which)
        patch.setattr(subprocess.Popen, "__init__", popen)
        return (yield)


def _needed(item):
    return {name for mark in item.iter_markers("needs") for name in mark.args}
