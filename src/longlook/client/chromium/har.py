"""A HAR of one page load as an `Observation`; nothing beyond this folder knows what a HAR is. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any
from urllib.parse import unquote, urlsplit

from longlook.client.chromium import paints
from longlook.client.observation import Observation, SeenObject, Unfinished

CONTENT_ENCODING = "content-encoding"
UNFINISHED = "_unfinished"
"""Of a page: requests that the HAR lacks, or has a part of (js/requests.js)."""


def observation(har: Mapping[str, Any], painted: Mapping[str, Any] | None = None) -> Observation:
    """What a HAR (its `log` object) says of a load, and the trace of a page that was looked at (js/paints.js)."""
    entries = har["entries"]
    began = _time(har["pages"][0]["startedDateTime"])
    connect = entries[0]["timings"]["connect"] if entries else -1
    metrics = _metrics(har["pages"][0]["pageTimings"], entries[0]["timings"]["dns"], _late_ms(har))
    seen = {} if painted is None else paints.metrics(painted, connect)
    lost = har["pages"][0].get(UNFINISHED, ())
    return Observation(
        metrics=metrics | seen,
        objects=tuple(_seen(entry, began) for entry in entries),
        connect_ms=connect if connect >= 0 else None,
        artefact={"kind": "har", "log": trim(har)} | ({} if painted is None else {"paints": painted}),
        unfinished=_unfinished(lost),
    )


def recorded(artefact: Mapping[str, Any]) -> Observation:
    """The observation of a record's artefact, which is a HAR as `trim` left it: without headers, and without what came
    from a cache. Times are to the microsecond."""
    log = artefact["log"]
    entries = log["entries"]
    timings = log["page"]["pageTimings"]
    began = _time(log["page"]["startedDateTime"])
    first = entries[0]["timings"]
    seen = paints.metrics(artefact["paints"], first["connect"]) if "paints" in artefact else {}
    return Observation(
        metrics=_metrics(timings, first["dns"], log["page"].get("late_ms")) | seen,
        objects=tuple(_recorded(entry, began) for entry in entries),
        connect_ms=first["connect"] if first["connect"] >= 0 else None,
        artefact=artefact,
        unfinished=_unfinished(log["page"].get("unfinished", ())),
    )


def _unfinished(told: Sequence[Mapping[str, Any]]) -> tuple[Unfinished, ...]:
    return tuple(Unfinished(one["path"], one["answered"], one["ended"]) for one in told)


@lru_cache(maxsize=4096)
def _path(url: str) -> str:
    return unquote(urlsplit(url).path)


def _recorded(entry: Mapping[str, Any], began: datetime) -> SeenObject:
    started_ms = (_time(entry["startedDateTime"]) - began).total_seconds() * 1e3
    return SeenObject(
        path=_path(entry["url"]),
        status=entry["status"],
        protocol=entry["httpVersion"],
        size_bytes=entry["size"],
        started_ms=started_ms,
        ended_ms=started_ms + entry["time"],
        connection=entry["connection"],
        answered_ms=_answered_ms(started_ms, entry),
    )


def _answered_ms(started_ms: float, entry: Mapping[str, Any]) -> float | None:
    """A HAR's phases follow each other, and the last one is the arrival; None where it does not have that."""
    receive_ms = entry["timings"].get("receive", -1)
    return started_ms + entry["time"] - receive_ms if receive_ms >= 0 else None


def _plt_ms(timings: Mapping[str, float], dns_ms: float) -> float:
    """`onLoad` minus the DNS time of the first entry (thesis, section 3.3)."""
    return timings["onLoad"] - max(dns_ms, 0.0)


def _late_ms(har: Mapping[str, Any]) -> float | None:
    """By how much the browser's own stamp of the page's request was late (js/driver.js); None where it is not asked."""
    late = har["pages"][0].get("_lateMs")
    return None if late is None else round(late, 3)


def _metrics(timings: Mapping[str, float], dns_ms: float, late_ms: float | None) -> dict[str, float]:
    """Times that there are: browsers give -1 for a phase that did not happen."""
    found = {
        "plt_ms": _plt_ms(timings, dns_ms),
        "on_load_ms": timings["onLoad"],
        "on_content_load_ms": timings["onContentLoad"],
        "dns_ms": dns_ms,
    } | ({} if late_ms is None else {"plt_by_stamps_ms": timings["onLoad"] - late_ms})
    return {name: value for name, value in found.items() if value is not None and value >= 0}


def _seen(entry: Mapping[str, Any], began: datetime) -> SeenObject:
    response = entry["response"]
    started_ms = (_time(entry["startedDateTime"]) - began).total_seconds() * 1e3
    return SeenObject(
        path=_path(entry["request"]["url"]),
        status=response["status"],
        protocol=response["httpVersion"],
        size_bytes=response["content"]["size"],
        started_ms=started_ms,
        ended_ms=started_ms + entry["time"],
        connection=entry["connection"],
        encoding=next((one["value"] for one in response["headers"] if one["name"].lower() == CONTENT_ENCODING), None),
        cached=bool(entry.get("_fromDiskCache")),
        answered_ms=_answered_ms(started_ms, entry),
    )


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def trim(har: Mapping[str, Any]) -> dict[str, Any]:
    """A HAR without the headers and fields that are equal in every load; timings to the microsecond."""
    return {
        "creator": har["creator"],
        "page": {"startedDateTime": har["pages"][0]["startedDateTime"], "pageTimings": har["pages"][0]["pageTimings"]}
        | ({} if (late := _late_ms(har)) is None else {"late_ms": late})
        | ({"unfinished": lost} if (lost := har["pages"][0].get(UNFINISHED)) else {}),
        "entries": [
            {
                "url": entry["request"]["url"],
                "startedDateTime": entry["startedDateTime"],
                "time": round(entry["time"], 3),
                "status": entry["response"]["status"],
                "httpVersion": entry["response"]["httpVersion"],
                "size": entry["response"]["content"]["size"],
                "transferSize": entry["response"].get("_transferSize"),
                "connection": entry["connection"],
                "timings": {name: round(value, 3) for name, value in entry["timings"].items()},
            }
            for entry in har["entries"]
        ],
    }
