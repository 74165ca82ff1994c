"""How asyncssh is told which key proves who we are, and which file says who the other end is."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def login_options(key: str | None, known_hosts: str | None) -> dict[str, Any]:
    """Options of asyncssh.connect.

    Without a key the user's agent and default keys are tried; without a file, ~/.ssh/known_hosts.
    """
    options: dict[str, Any] = {}
    if key:
        options |= {"client_keys": [str(Path(key).expanduser())], "agent_path": None}
    if known_hosts:
        options["known_hosts"] = str(Path(known_hosts).expanduser())
    return options
