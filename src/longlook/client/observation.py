"""What a client reports of one load, download or session, whatever the client.

The oracle judges this and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class SeenObject:
    """One answer."""

    path: str
    """Of its URL, with the leading slash."""
    status: int
    protocol: str
    """As the client names what it spoke: `h3`, `h2`, `http/1.1`, `http/2+quic/37`."""
    size_bytes: int
    """Of the body, as delivered."""
    started_ms: float
    """When it was asked for, from the start of the fetch."""
    ended_ms: float
    connection: str
    """The client's name for the connection; not unique for QUIC in Chromium."""
    encoding: str | None = None
    """Content encoding, where there is one."""
    cached: bool = False
    sha256: str | None = None
    """Of the body, where the client keeps it."""
    answered_ms: float | None = None
    """When its body began to arrive, where the client tells."""


@dataclass(frozen=True)
class Unfinished:
    """A request without an answer, or with a part of one; of a film none that its player gave up or the end cut off."""

    path: str
    answered: bool
    """The head of its answer came."""
    ended: str
    """How: the browser's error, or that it was still under way."""


@dataclass(frozen=True)
class VideoSession:
    """What became of a film that was played; its numbers are metrics."""

    started: bool
    """It began to play."""
    frames: int
    """Shown and dropped."""
    frames_dropped: int
    wrong: str | None = None
    """Why its account does not add up."""
    errors: tuple[str, ...] = ()
    """What the player complained of."""


@dataclass(frozen=True)
class Observation:
    """One fetch.

    `metrics` are named with their unit: `plt_ms`, `ttlb_ms`, `connect_ms`; a phase that did not happen is absent.
    """

    metrics: Mapping[str, float]
    objects: tuple[SeenObject, ...]
    connect_ms: float | None = None
    """From the start until the first request could leave; None where the client cannot tell."""
    artefact: Mapping[str, Any] = field(default_factory=dict)
    """What all this was read from, as it goes into the record: `kind` (`har`, `timings`, `qlog`) and the rest."""
    early_data: bool | None = None
    """Whether its request left as early data, and the server accepted that, by the client's word; None: it has none."""

    session: VideoSession | None = None
    """Of a film that was played."""
    unfinished: tuple[Unfinished, ...] = ()
    """Requests that the fetch waited for, and which are in `objects` not at all or not whole."""

    @property
    def connections(self) -> tuple[str, ...]:
        """The client's names of the connections used."""
        return tuple(sorted({one.connection for one in self.objects}))

    @property
    def protocols(self) -> tuple[str, ...]:
        """What was spoken."""
        return tuple(sorted({one.protocol for one in self.objects}))
