"""The table of hypotheses is what the whole history of git says."""

import subprocess

import pytest
from repositories import git

from longlook import paths
from longlook.book import hypotheses

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def history():
    """This repository, where git has all of it."""
    try:
        whole = git(paths.ROOT, "rev-parse", "--is-shallow-repository", "--show-toplevel").splitlines()
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs git and its history")
    if whole != ["false", str(paths.ROOT)]:
        pytest.skip("needs the whole history of git")
    return paths.ROOT


def test_the_table_is_what_git_says(history):
    """Data that came after the table's last commit may be missing: no commit can name itself."""
    kept = {one.sweep: one for one in hypotheses.kept()}
    said = {one.sweep: one for one in hypotheses.from_git(history)}
    again = "python -m longlook.book.hypotheses"
    assert kept == {name: one for name, one in said.items() if name in kept}, again
    last = git(history, "log", "-1", "--format=%H", "--", f"book/{hypotheses.FILE}")
    missing = [name for name in said if name not in kept]
    assert not [name for name in missing if last and hypotheses._is_in(history, said[name].data, last)], again
