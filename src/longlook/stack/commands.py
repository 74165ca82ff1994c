"""Commands that installing, building and asking for versions run to their end."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from longlook.errors import LonglookError

BUN = ("--no-install", "--no-env-file", "--config=/dev/null", "run")
"""How Bun runs a program of ours: it fetches nothing, and no file of the folder that it is started in changes it."""

AWAY = Path("/")
"""Where pip and npm are started that fetch: they, and rustc, which pip asks for its version, look for settings, and for
programs, in the folder that they are started in and all above it, which may be everybody's (/tmp, /var/tmp)."""


def answered(
    command: Sequence[str],
    what: str,
    timeout_s: float,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command that needs no input to its end, whatever its status; its output is captured.

    One that cannot be started, or takes longer, is a `LonglookError`; there `what` says what was waited for.
    """
    try:
        return subprocess.run(
            command,
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise LonglookError(f"waited {timeout_s:g} s for {what}; it did not end") from None
    except OSError as error:
        raise LonglookError(f"cannot start {command[0]}: {error.strerror}") from None
