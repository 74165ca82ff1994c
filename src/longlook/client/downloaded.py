"""One file that was fetched without a page, as an artefact (`download`) and as an `Observation`. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longlook.client.observation import Observation, SeenObject

KIND = "download"
METRICS = ("ttlb_ms", "ttfb_ms", "connect_ms")
"""From when the first packet leaves."""
FURTHER = ("process_ms",)
"""What only some clients tell: from the start of a process of this fetch alone to its end."""


def observation(path: str, serial: int, told: Mapping[str, Any]) -> Observation:
    """What a program in `programs/` says of one fetch; `serial` tells the fetches of one client apart."""
    kept = {key: value for key, value in told.items() if key not in ("id", "ok")}
    return recorded({"kind": KIND, "path": path, "connection": f"{serial}:{told['port']}"} | kept)


def recorded(artefact: Mapping[str, Any]) -> Observation:
    """The observation of a record's artefact."""
    times = {name: float(artefact[name]) for name in (*METRICS, *(one for one in FURTHER if one in artefact))}
    seen = SeenObject(
        path=artefact["path"],
        status=artefact["status"],
        protocol=artefact["protocol"],
        size_bytes=artefact["size"],
        started_ms=0.0,
        ended_ms=times["ttlb_ms"],
        connection=artefact["connection"],
        encoding=artefact.get("encoding"),
        sha256=artefact["sha256"],
    )
    return Observation(times, (seen,), times["connect_ms"], artefact, artefact.get("early_data"))
