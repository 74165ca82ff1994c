"""A film that a player played for a while, as an artefact (`video`) and as an `Observation`. Pure.

How the artefact is laid out: chromium/js/video.js. Which bitrate was shown when follows from which segments had arrived
by then.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from longlook.client.observation import Observation, SeenObject, Unfinished, VideoSession
from longlook.plan.workload import SEGMENT_S
from longlook.site.film import segment_of

KIND = "video"
WHOLE, GIVEN_UP, UNDER_WAY = "whole", "given up", "under way"
"""How a download ended; anything else is the client's error."""
APART_MS = 1000.0
"""By which start-up, stalls and what was played may miss the session's length."""
LAST_MS = 500.0
"""Before the end of a session: what arrives then may not have reached the player."""
Told = Mapping[str, Any]


def recorded(artefact: Told) -> Observation:
    """The observation of an artefact; `ValueError` where it lacks what it must have."""
    startup_ms = _started_ms(artefact)
    connect_ms = next((one["connect_ms"] for one in artefact["requests"] if "connect_ms" in one), None)
    objects = tuple(_seen(one) for one in _whole(artefact))
    metrics = {
        "session_ms": float(artefact["session_ms"]),
        "bytes": float(sum(one.size_bytes for one in objects)),
        "frames": float(artefact["frames"]),
        "frames_dropped": float(artefact["frames_dropped"]),
    }
    metrics |= {} if connect_ms is None else {"connect_ms": connect_ms}
    wrong = None
    if startup_ms is not None:
        metrics |= _experience(artefact, startup_ms)
        wrong = _wrong(artefact, metrics)
    session = VideoSession(
        started=startup_ms is not None,
        frames=artefact["frames"],
        frames_dropped=artefact["frames_dropped"],
        wrong=wrong,
        errors=tuple(text for _, text in artefact["errors"]),
    )
    lost = tuple(
        Unfinished(one["path"], "status" in one, one["ended"]) for one in artefact["requests"] if _is_lost(one)
    )
    return Observation(metrics, objects, connect_ms, artefact, session=session, unfinished=lost)


def timeline(artefact: Told) -> Iterator[dict[str, float]]:
    """Over the time of a session, s: where in the film it is, how much is there from then on, both s, the bitrate that
    is shown, kbit/s, and whether it stands still (0 or 1). Before it begins nothing is shown: a bitrate of 0."""
    shown, stalls, began = _shown(artefact), stalls_ms(artefact), _started_ms(artefact)
    for at_ms, position_s, ahead_s in artefact["timeline"]:
        playing = began is not None and at_ms >= began
        yield {
            "time_s": at_ms / 1e3,
            "position_s": position_s,
            "buffer_s": ahead_s,
            "kbps": float(shown.get(max(math.ceil(position_s / SEGMENT_S) - 1, 0), 0)) if playing else 0.0,
            "stalled": float(any(start <= at_ms < end for start, end in stalls)),
        }


def stalls_ms(artefact: Told) -> list[tuple[float, float]]:
    """When a session stood still after it had begun to play: from when to when, ms; the film's end is no stall."""
    found, since, playing = [], None, False
    for at_ms, name in artefact["events"]:
        if name == "playing" and since is not None:
            found.append((since, at_ms))
        if name == "waiting" and playing and since is None:
            since = at_ms
        elif name != "waiting":
            since, playing = None, playing or name == "playing"
    return found + ([] if since is None else [(since, float(artefact["session_ms"]))])


def _started_ms(artefact: Told) -> float | None:
    return next((float(at_ms) for at_ms, name in artefact["events"] if name == "playing"), None)


def _experience(artefact: Told, startup_ms: float) -> dict[str, float]:
    shown, stalls, media_s = _shown(artefact), stalls_ms(artefact), artefact["media_s"]
    weighed = [(min(media_s - index * SEGMENT_S, SEGMENT_S), kbps) for index, kbps in shown.items()]
    seconds = sum(one for one, _ in weighed)
    found = {
        "startup_ms": startup_ms,
        "stalls": float(len(stalls)),
        "stalled_ms": sum(end - start for start, end in stalls),
        "switches": float(sum(before != after for before, after in pairwise(shown.values()))),
    }
    return found | ({"mean_kbps": sum(one * kbps for one, kbps in weighed) / seconds} if seconds else {})


def _wrong(artefact: Told, metrics: Mapping[str, float]) -> str | None:
    """Why the account of a session that began does not add up."""
    last = int(artefact["media_s"] // SEGMENT_S)
    shown = _shown(artefact)
    missing = [index for index in range(last) if index not in shown]
    if missing:
        return f"it went past segment {missing[0]}, which had not arrived"
    ended_ms = next((at_ms for at_ms, name in artefact["events"] if name == "ended"), artefact["session_ms"])
    played_ms = ended_ms - metrics["startup_ms"] - metrics["stalled_ms"]
    if abs(played_ms - artefact["media_s"] * 1e3) > APART_MS:
        return f"{played_ms:.0f} ms are left for playing, and it played {artefact['media_s']:.3f} s of the film"
    return None


def _shown(artefact: Told) -> dict[int, int]:
    """Segment -> bitrate that was shown of it, kbit/s, of those that were reached, in the order of the film: of several
    that had arrived when it began the last one."""
    arrived: dict[int, list[tuple[float, int]]] = {}
    for one in _whole(artefact):
        if (named := segment_of(one["path"])) is not None and one["status"] == 200:
            arrived.setdefault(named[1], []).append((one["ended_ms"], named[0]))
    found = {}
    for index in sorted(arrived):
        reached_ms = _reached_ms(artefact, index * SEGMENT_S)
        if reached_ms is not None:
            there = sorted(arrived[index])
            found[index] = next((kbps for at_ms, kbps in reversed(there) if at_ms <= reached_ms), there[0][1])
    return found


def _reached_ms(artefact: Told, position_s: float) -> float | None:
    """When a place in the film was passed, ms; None where it was not. Between two looks it plays by the clock."""
    if position_s >= artefact["media_s"]:
        return None
    before_ms = 0.0
    for at_ms, now_s, _ in artefact["timeline"]:
        if now_s > position_s:
            return max(before_ms, at_ms - (now_s - position_s) * 1e3)
        before_ms = at_ms
    return float(artefact["session_ms"])


def _whole(artefact: Told) -> list[Told]:
    """Downloads that the player got; what came too late for it does not count."""
    found = []
    for one in artefact["requests"]:
        if one["ended"] != WHOLE:
            continue
        if one["status"] == 200 and "sha256" not in one:
            if one["ended_ms"] < artefact["session_ms"] - LAST_MS:
                raise ValueError(f"{one['path']} arrived, and the player never had it")
            continue
        found.append(one)
    return found


def _is_lost(one: Told) -> bool:
    return one["ended"] not in (WHOLE, GIVEN_UP, UNDER_WAY)


def _seen(one: Told) -> SeenObject:
    return SeenObject(
        path=one["path"],
        status=one["status"],
        protocol=one["protocol"],
        size_bytes=one.get("size", 0),
        started_ms=one["sent_ms"],
        ended_ms=one["ended_ms"],
        connection=f"socket {one['socket']}",
        encoding=one["encoding"],
        cached=one["cached"],
        sha256=one.get("sha256"),
        answered_ms=one["answered_ms"],
    )
