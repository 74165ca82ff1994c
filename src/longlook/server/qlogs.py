"""What a server's own qlog tells of its congestion control, as far as servers here write one (main schema 0.3).

JSON text sequences (RFC 7464), a file per connection. ngtcp2 counts from a connection's begin and states no time of
day for it: what it then has is when the file was made, which the kernel knows to some milliseconds.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longlook.errors import LonglookError

if TYPE_CHECKING:
    import pandas as pd

SEPARATOR = b"\x1e"
WINDOW = ("congestion_window", "cwnd")
"""By the event definitions, and as aioquic has it."""


def newest(folder: Path) -> Path | None:
    """The last connection's; None before there is one."""
    return max(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns, default=None)


def congestion(path: Path) -> pd.DataFrame:
    """Columns server.base.CONGESTION_COLUMNS; what is lost is left out, since a capture counts it alike for all
    servers. `LonglookError` where the file is no qlog."""
    import pandas as pd

    from longlook.server.base import CONGESTION_COLUMNS

    records = _records(path)
    head = next(records, None)
    if head is None or "trace" not in head:
        raise LonglookError(f"{path} is no qlog in JSON text sequences")
    rows = list(metrics(records, _began_ms(head["trace"].get("common_fields", {}), path)))
    return pd.DataFrame(rows, columns=CONGESTION_COLUMNS)


def metrics(events: Iterable[Mapping[str, Any]], began_ms: float) -> Iterator[dict[str, float | None]]:
    """A row for each `recovery:metrics_updated`; an event states what has changed, the rest stays as it was. Times of
    events are ms since `began_ms`, Unix time. Pure."""
    known: dict[str, Any] = {}
    for event in events:
        if event.get("name") != "recovery:metrics_updated":
            continue
        known |= event["data"]
        window = next((known[name] for name in WINDOW if name in known), None)
        yield {
            "time_s": (began_ms + float(event["time"])) / 1e3,
            "cwnd_bytes": window,
            "ssthresh_bytes": known.get("ssthresh"),
            "bytes_in_flight": known.get("bytes_in_flight"),
            "smoothed_rtt_ms": known.get("smoothed_rtt"),
        }


def _records(path: Path) -> Iterator[dict[str, Any]]:
    """The head, and the events of recovery: they are few beside those of packets. A last one that is cut is left."""
    for number, text in enumerate(path.read_bytes().split(SEPARATOR)[1:]):
        if number == 0 or b'"recovery:' in text:
            try:
                yield json.loads(text)
            except ValueError:
                return


def _began_ms(common: Mapping[str, Any], path: Path) -> float:
    """Unix time from which its events count."""
    stated = common.get("reference_time")
    if isinstance(stated, Mapping):  # from draft 10 of the schema on
        return datetime.fromisoformat(stated["wall_clock_time"]).timestamp() * 1e3
    if stated is None and common.get("time_format", "absolute") == "absolute":
        return 0.0
    return float(stated) if stated else _made_ms(path)


def _made_ms(path: Path) -> float:
    """When the file was made, which Python cannot ask before 3.12."""
    told = subprocess.run(["stat", "--format=%.6W", str(path)], capture_output=True, text=True, timeout=10)
    made = float(told.stdout or 0)
    if not made:
        raise LonglookError(f"the file system of {path} does not know when a file was made: {told.stderr.strip()}")
    return made * 1e3
