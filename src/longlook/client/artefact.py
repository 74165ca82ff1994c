"""What a sample's record was read from, read again. A client that keeps another kind of artefact adds a reader here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from longlook.client import downloaded, played
from longlook.client.chromium import har
from longlook.client.curl import timings
from longlook.client.observation import Observation
from longlook.errors import LonglookError

READERS: dict[str, Callable[[Mapping[str, Any]], Observation]] = {
    "har": har.recorded,
    "timings": timings.recorded,
    downloaded.KIND: downloaded.recorded,
    played.KIND: played.recorded,
}
"""By the `kind` of an artefact."""


def observed(artefact: Any) -> Observation:
    """The observation that an artefact holds; one that cannot be read is a `LonglookError`."""
    kind = artefact.get("kind") if isinstance(artefact, Mapping) else None
    if kind not in READERS:
        raise LonglookError(f"its artefact is {str(kind)[:40]!r} (known kinds: {', '.join(READERS)})")
    try:
        return READERS[kind](artefact)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise LonglookError(f"its artefact, a {kind}, cannot be read: {error!r}"[:200]) from None
