"""How many connections clients opened over the link, by the link's own count. Pure.

The count is complete: a connection's first packet crosses the link, whatever the servers log and whenever. Browsers
were seen to open one per load, 0 of 320 loads more (QUIC and TCP, both stacks, 1 and 101 objects, with losses and
without). Chromium does open another where the first is not there within 250 ms, as after a lost SYN; that one may
carry nothing. So where the link dropped packets of handshakes, as many more are allowed; what such a load used, its
client and its server tell.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

Counts = Mapping[str, Mapping[str, Mapping[str, int]]]
"""As of link.base.LinkDriver.connections."""
Place = tuple[str, int]
"""Transport (`tcp`, `quic`) and server port."""


@dataclass(frozen=True)
class Opened:
    """While a load was under way."""

    own: int
    """To its own server."""
    handshake_lost: int
    """Packets of these connections' handshakes, dropped by the link."""
    others: Mapping[str, int]
    """To anything else but the servers of arms that run at the same time."""

    def record(self) -> dict[str, int | dict[str, int]]:
        """As it goes into a sample's record."""
        return {"opened": self.own, "handshake_lost": self.handshake_lost, "others": dict(self.others)}

    @property
    def wrong(self) -> str | None:
        """What there are too many of; None if that is nothing."""
        if self.others:
            return (
                f"the link saw connections to {', '.join(f'{name} ({count})' for name, count in self.others.items())}"
            )
        if self.own > 1 + self.handshake_lost:
            return f"the link saw {self.own} connections opened, {self.handshake_lost} packets of handshakes lost"
        return None


def opened_between(
    before: Counts | None, after: Counts | None, transport: str, port: int, beside: Collection[Place] = ()
) -> Opened | None:
    """Of one server; `beside`: those of arms that run at the same time. None where the link does not count."""
    if before is None or after is None:
        return None
    found = {
        (name, int(number)): tuple(
            count[key] - before[name].get(number, {}).get(key, 0) for key in ("opened", "handshake_lost")
        )
        for name, ports in after.items()
        for number, count in ports.items()
    }
    own, lost = found.pop((transport, port), (0, 0))
    others = {
        f"{name} port {number}": count
        for (name, number), (count, _) in found.items()
        if count and (name, number) not in beside
    }
    return Opened(own, lost, others)
