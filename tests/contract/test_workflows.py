"""The workflow files of the repository's host: what actionlint, pinned in `workflows`, has to say about them."""

import subprocess
from pathlib import Path

import pytest

from longlook import paths
from longlook.errors import LonglookError
from longlook.stack.gobuild import find_go
from longlook.stack.gopatch import go_environment

PINNED = Path(__file__).parent / "workflows"
BROKEN = """on: push
jobs:
  one:
    runs-on: ubuntu-24.04
    needs: [other]
    steps:
      - run: echo ${{ github.no_such_thing }}
"""


@pytest.fixture(scope="module")
def actionlint():
    try:
        go = find_go(PINNED)
    except LonglookError as absent:
        pytest.skip(str(absent))

    def run(*files: Path) -> subprocess.CompletedProcess:
        command = [str(go), "tool", "actionlint", "-no-color", *map(str, files)]
        environment = go_environment() | {"GOTOOLCHAIN": "local"}
        return subprocess.run(command, cwd=PINNED, env=environment, capture_output=True, text=True, timeout=300)

    return run


@pytest.mark.slow
def test_the_workflows_are_right(actionlint):
    files = sorted((paths.ROOT / ".github" / "workflows").glob("*.yml"))
    assert files
    done = actionlint(*files)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_a_wrong_workflow_is_told(actionlint, tmp_path):
    (tmp_path / "broken.yml").write_text(BROKEN)
    done = actionlint(tmp_path / "broken.yml")
    assert done.returncode == 1
    assert "no_such_thing" in done.stdout and 'needs job "other"' in done.stdout
