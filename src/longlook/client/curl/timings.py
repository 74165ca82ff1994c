"""What libcurl tells of one fetch, as an `Observation`. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longlook.client.observation import Observation, SeenObject

PROTOCOLS = {2: "http/1.1", 3: "h2", 30: "h3"}
"""libcurl's CURL_HTTP_VERSION_* -> the protocol's ALPN name."""


def observation(path: str, serial: int, reply: Mapping[str, Any]) -> Observation:
    """What an answer of curl_fetch.py says; `serial` tells the fetches of one client apart."""
    connection = f"{serial}:{reply['port']}" if reply["connects"] == 1 else "used before"
    kept = {key: value for key, value in reply.items() if key not in ("id", "ok")}
    return recorded({"kind": "timings", "path": path, "connection": connection} | kept)


def recorded(artefact: Mapping[str, Any]) -> Observation:
    """The observation of a record's artefact. Times count from the end of the name's look-up."""
    begin = artefact["namelookup_s"]
    times = {name: (artefact[f"{name}_s"] - begin) * 1e3 for name in ("appconnect", "starttransfer", "total")}
    seen = SeenObject(
        path=artefact["path"],
        status=artefact["status"],
        protocol=PROTOCOLS.get(artefact["http"], f"http version {artefact['http']}"),
        size_bytes=artefact["size"],
        started_ms=0.0,
        ended_ms=times["total"],
        connection=artefact["connection"],
        sha256=artefact["sha256"],
    )
    metrics = {"ttlb_ms": times["total"], "ttfb_ms": times["starttransfer"], "connect_ms": times["appconnect"]}
    return Observation(metrics, (seen,), times["appconnect"], artefact)
