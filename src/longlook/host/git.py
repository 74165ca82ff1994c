"""Git, asked about one repository: that of the folder itself, never one that merely surrounds it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from longlook.errors import LonglookError

TIMEOUT_S = 60.0


class GitError(LonglookError):
    """Git is not there, does not answer, or refuses."""


def output(folder: Path, *arguments: str) -> str:
    """What a git command prints; GitError where it fails."""
    done = _run(folder, *arguments)
    if done.returncode:
        raise GitError(f"git {arguments[0]} failed in {folder}: {done.stderr.strip()}")
    return done.stdout


def succeeds(folder: Path, *arguments: str) -> bool:
    """Whether a git command that answers by its status says yes; no also where it does not know what is asked about."""
    return _run(folder, *arguments).returncode == 0


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # safe.directory: a clone that belongs to another user than root (sudo make) is still this code.
    command = ["git", "-c", f"safe.directory={folder}", "-C", str(folder), *arguments]
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)}
    try:
        return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=environment,
                              stdin=subprocess.DEVNULL, timeout=TIMEOUT_S, check=False)  # fmt: skip
    except FileNotFoundError:
        raise GitError("git is not installed: apt-get install git") from None
    except (OSError, subprocess.SubprocessError) as error:
        raise GitError(f"git {arguments[0]} in {folder}: {error}") from None
