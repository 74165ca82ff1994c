"""`make check` and `make test`: every check runs, whatever fails before it, and the status tells."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from longlook import paths

CHECKS = ["ruff format --check --quiet", "ruff check --quiet", "mypy", "lint-imports --no-logo"]
TEST = "python -m longlook.host.userns .venv/bin/python -m pytest"
FILES = "--dist loadfile --no-loadscope-reorder"
TIERS = "fast", "contract", "system", "site", "host"
MEASURING = f"{TEST} {FILES} -n 1 -m netns tests/contract"
OTHERS = f"{TEST} {FILES} -n 2 -m not netns tests/fast tests/contract"


@pytest.fixture
def make(tmp_path):
    """Runs make with programs that only write down how they were called; what contains `failing` fails."""
    shutil.copy(paths.ROOT / "Makefile", tmp_path)
    programs = [tmp_path / "tools" / "bootstrap"]
    programs += [tmp_path / ".venv" / "bin" / name for name in ("python", "ruff", "mypy", "lint-imports", "longlook")]
    for program in programs:
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(
            '#!/bin/sh\ncall="${0##*/}${*:+ $*}"\necho "$call" >>calls\n'
            'echo "${LONGLOOK_MIRROR:-none}" >>mirrors\n[ "$call" != "$FAILING" ]\n'
        )
        program.chmod(0o755)

    def run(target: str, failing: str = "") -> tuple[int, list[str]]:
        Path(tmp_path, "calls").unlink(missing_ok=True)
        done = subprocess.run(
            ["make", "--no-print-directory", *shlex.split(target)],
            cwd=tmp_path,
            env={"PATH": "/usr/bin:/bin", "FAILING": failing},
            capture_output=True,
            text=True,
            timeout=300,
        )
        return done.returncode, (tmp_path / "calls").read_text().splitlines()

    return run


def both(made: tuple[int, list[str]]) -> tuple[int, str, set[str]]:
    """Status, what came first, and what ran side by side after it."""
    status, (first, *rest) = made
    return status, first, set(rest)


def test_everything_passes(make):
    assert make("check") == (0, ["bootstrap", *CHECKS])
    assert both(make("test")) == (0, "bootstrap quicv1 gquic37", {MEASURING, OTHERS})
    measuring = f"{TEST} {FILES} -n 3 -m netns tests/contract tests/system"
    others = f"{TEST} {FILES} -n 1 -m not netns tests"
    assert both(make("test ALL=1")) == (0, "bootstrap --tests", {measuring, others})


@pytest.mark.parametrize("failing", CHECKS)
def test_a_failure_makes_the_status_bad_and_stops_nothing(make, failing):
    assert make("check", failing) == (2, ["bootstrap", *CHECKS])


@pytest.mark.parametrize("failing", [MEASURING, OTHERS])
def test_tests_that_fail_make_the_status_bad_and_stop_no_others(make, failing):
    assert both(make("test", failing)) == (2, "bootstrap quicv1 gquic37", {MEASURING, OTHERS})


def test_some_of_the_tests_are_asked_for_by_mark_and_word(make):
    calls = MEASURING, OTHERS
    wanted = {call.replace("netns", "netns and (not root) -x") for call in calls}
    assert both(make('test MARK="not root" PYTEST_ARGS=-x')) == (0, "bootstrap quicv1 gquic37", wanted)


def test_offline_everything_is_told_where_the_mirror_is(make, tmp_path):
    make("check OFFLINE=1 MIRROR=kept")
    assert set((tmp_path / "mirrors").read_text().split()) == {str(tmp_path / "kept")}
    (tmp_path / "mirrors").unlink()
    make("check")
    assert set((tmp_path / "mirrors").read_text().split()) == {"none"}


def test_the_book_is_built_of_what_is_kept_unless_it_is_asked_to_be_fresh(make):
    bootstrap = "bootstrap quicv1 gquic37"
    assert make("book") == (0, [bootstrap, "longlook book"])
    assert make("book FRESH=1") == (0, [bootstrap, "longlook book --fresh"])


def test_every_test_is_in_one_tier():
    files = {str(file.relative_to(paths.ROOT / "tests")) for file in (paths.ROOT / "tests").rglob("test_*.py")}
    assert not [file for file in files if file.split("/")[0] not in TIERS]
    assert {file.split("/")[0] for file in files} == set(TIERS)
    marked = "pytest.mark." + "netns"
    measuring = {file.split("/")[0] for file in files if marked in (paths.ROOT / "tests" / file).read_text()}
    assert measuring == {"contract", "system"}


def test_no_two_files_of_tests_share_a_name():
    """pytest imports them by it, and collects the second of two not at all where it runs all tiers at once."""
    names = [path.name for path in (paths.ROOT / "tests").rglob("test_*.py")]
    assert [name for name in names if names.count(name) > 1] == []


@pytest.mark.parametrize("file", [".ci/run", ".github/workflows/book.yml", ".github/workflows/nix.yml"])
def test_what_is_run_for_every_change_has_all_tiers(file):
    called = re.findall(r"make(?: --\S+)* test\b(.*)", (paths.ROOT / file).read_text(encoding="utf-8"))
    assert called and all("ALL=1" in options and "tests/" not in options for options in called)
