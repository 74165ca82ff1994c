"""Files that were fetched without a page, as an artefact (`download`) and as an `Observation`. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import Any

from longlook.client.observation import Observation, SeenObject

KIND = "download"
METRICS = ("ttlb_ms", "ttfb_ms", "connect_ms")
"""From when the first packet leaves."""
FURTHER = ("process_ms",)
"""What only some clients tell: from the start of a process of this fetch alone to its end."""
WHOLE = "file_mean_ms"
"""Of several files: the mean of the times at which each was whole."""


def observation(path: str, serial: int, told: Mapping[str, Any]) -> Observation:
    """What a program in `programs/` says of one fetch; `serial` tells the fetches of one client apart. Where each file
    has a connection of its own, and its port, the fetch has none: `3:`."""
    kept = {key: value for key, value in told.items() if key not in ("id", "ok")}
    if "port" not in kept:
        kept["files"] = [one | {"connection": f"{serial}:{one['port']}"} for one in kept["files"]]
    return recorded({"kind": KIND, "path": path, "connection": f"{serial}:{kept.get('port', '')}"} | kept)


def recorded(artefact: Mapping[str, Any]) -> Observation:
    """The observation of a record's artefact; one of several files has them as `files`."""
    times = {name: float(artefact[name]) for name in (*METRICS, *(one for one in FURTHER if one in artefact))}
    several = artefact.get("files")
    seen = tuple(_seen({**artefact, **one}) for one in several or (artefact,))
    if several:
        times[WHOLE] = fmean(one.ended_ms for one in seen)
    return Observation(times, seen, times["connect_ms"], artefact, artefact.get("early_data"))


def _seen(told: Mapping[str, Any]) -> SeenObject:
    return SeenObject(
        path=told["path"],
        status=told["status"],
        protocol=told["protocol"],
        size_bytes=told["size"],
        started_ms=0.0,
        ended_ms=float(told["ttlb_ms"]),
        connection=told["connection"],
        encoding=told.get("encoding"),
        sha256=told["sha256"],
    )
