"""The contract of a link driver: it makes a testbed's bridge behave like a `Link`, and says what it did."""

from __future__ import annotations

import abc
from typing import Any

from longlook.errors import LonglookError
from longlook.host.hosts import Hosts
from longlook.plan.link import Link
from longlook.plan.trace import RATES

DIRECTIONS = ("server_to_client", "client_to_server")


class LinkDriver(abc.ABC):
    """Use as a context manager on a testbed that is up. One driver per testbed at a time."""

    name: str
    rate_tolerance_pct = 0.5
    """By which a rate of Ethernet frames may differ from what was set."""
    tells_drops_apart = True
    """Its counters tell losses from what a full queue dropped."""
    sets: tuple[str, ...] = ()
    """What it changes of hosts' settings while loads are measured: how the names begin (experiment/settings.py)."""

    def __init__(self, testbed: Hosts):
        self.testbed = testbed

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_):
        self._stop()

    @abc.abstractmethod
    def _start(self) -> None:
        """Begin forwarding between the bridge's two interfaces."""

    @abc.abstractmethod
    def _stop(self) -> None:
        """End it; never raises for what is gone already."""

    @abc.abstractmethod
    def configure(self, link: Link, seed: int) -> dict[str, Any]:
        """Apply a condition to both directions; the configuration in force is returned."""

    @abc.abstractmethod
    def verify(self) -> None:
        """Raise if the link is not as it was configured: somebody else may have a hand on it.

        Called before and after the loads.
        """

    def require_plain(self, link: Link) -> None:
        """Refuse by name what this driver cannot do to a link."""
        lacking = [
            *link.netem,
            *(name for name in ("burst_bytes", *RATES, "queue_discipline") if getattr(link, name) is not None),
        ]
        if lacking:
            raise LonglookError(f"the {self.name} link has no {', '.join(lacking)}: only linkpipe does")

    def changed(self) -> str | None:
        """What somebody else did to the link since this was asked or the driver set something itself; None: nothing, or
        nothing that can be told without delay. Called around every load."""
        return None

    def connections(self) -> dict[str, dict[str, dict[str, Any]]] | None:
        """Protocol (`tcp`, `quic`, `other`) -> server port -> connections `opened` by clients since the start, packets
        of their handshakes that the link dropped (`handshake_lost`), what QUIC's clients `asked` for in their hellos
        (connection options, joined by commas -> how often), handshakes that servers had begun anew (`retries`), those
        over TCP in which a session of TLS was `resumed`, `frames` and `bytes` of both directions; and
        `window_packets` since the question before (tools/linkpipe/README.md). None: it does not look into packets."""
        return None

    @abc.abstractmethod
    def reseed(self, seed: int) -> None:
        """Restart loss and jitter, fill the token buckets, and set the traces' clock (`Link.trace_offset_ms`): packet n
        of a direction meets the same fate after every equal seed. A queue discipline forgets what it had come to, and
        spreads flows anew."""

    @abc.abstractmethod
    def counters(self) -> dict[str, dict[str, float]]:
        """Totals since the start, per direction."""

    @property
    def pids(self) -> tuple[int, ...]:
        """Processes on this machine that are the driver's; none where the link is another machine's."""
        return ()

    @abc.abstractmethod
    def cpu_seconds(self) -> float:
        """CPU that the driver itself has used so far."""

    @abc.abstractmethod
    def version(self) -> str:
        """What the running driver says it is."""
