"""Installing with the network cut, from a folder that `make mirror` filled (LONGLOOK_MIRROR; `make OFFLINE=1`).

Every package comes through the client of its registry all the same, and is held to the same hashes of the locks.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from longlook.errors import LonglookError

PYTHON, NPM, GO, DEBS = "python", "npm", "go", "debs"
"""Folders of a mirror: wheels, npm's tarballs, a Go module proxy's files, the system's packages."""


def mirror() -> Path | None:
    """The mirror that is used instead of registries; None: registries are."""
    given = os.environ.get("LONGLOOK_MIRROR")
    if not given:
        return None
    folder = Path(given).absolute()
    if not (folder / PYTHON).is_dir():
        raise LonglookError(
            f"LONGLOOK_MIRROR names {folder}, which is no mirror: make mirror, with a network, fills one"
        )
    return folder


def pip_options() -> list[str]:
    """For `pip install`: where wheels are, if not in the registry."""
    folder = mirror()
    return [] if folder is None else ["--no-index", "--find-links", str(folder / PYTHON)]


def npm_options() -> list[str]:
    """For `npm ci` with a lock as of `npm_lock`."""
    return [] if mirror() is None else ["--offline"]


def npm_lock(text: str) -> str:
    """A package-lock.json such that each package comes from the mirror, if there is one; the hashes stay."""
    folder = mirror()
    if folder is None:
        return text
    lock = json.loads(text)
    for place, facts in packages(lock).items():
        facts["resolved"] = f"file:{folder / NPM / tarball(place, facts)}"
    return json.dumps(lock, indent=1)


def packages(lock: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Of a package-lock.json the packages that have a tarball of their own: place in node_modules -> facts."""
    return {place: facts for place, facts in lock["packages"].items() if place and not facts.get("inBundle")}


def package(place: str) -> str:
    """`node_modules/a/node_modules/@b/c` is the package `@b/c`."""
    return place.rpartition("node_modules/")[2]


def tarball(place: str, facts: dict[str, Any]) -> str:
    """Name of a package's tarball, as `npm pack` gives it: `b-c-1.2.3.tgz` of `@b/c`."""
    return f"{package(place).lstrip('@').replace('/', '-')}-{facts['version']}.tgz"


def go_options() -> dict[str, str]:
    """For Go's environment. go.sum has every hash, so that no other witness is asked."""
    folder = mirror()
    return {} if folder is None else {"GOPROXY": f"file://{folder / GO}", "GOSUMDB": "off"}
