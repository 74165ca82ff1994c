"""A file that a script in Chromium fetched without a page (js/download.js), as an `Observation`. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longlook.client import downloaded
from longlook.client.observation import Observation


def observation(path: str, told: Mapping[str, Any]) -> Observation:
    """What the driver says of one fetch. The connection's name is DevTools' number of its socket, which is 0 for all
    of QUIC; its port nobody tells."""
    kept = {key: value for key, value in told.items() if key != "socket" and value is not None}
    times = {name: round(kept[name], 3) for name in downloaded.METRICS}
    named = {"kind": downloaded.KIND, "path": path, "connection": f"socket {told['socket']}"}
    return downloaded.recorded(named | kept | times)
