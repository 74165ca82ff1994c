"""One emulated path: what a link driver is told."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from longlook.plan.value import Value, unstated

BITS_PER_BYTE = 8
REDRAW_MS = 100.0
"""Under jitter a new delay for each direction so often (thesis 3.3)."""
FRAME_BYTES = 1514
"""One full Ethernet frame: a shorter queue lets none pass."""
MOST_QUEUE_BYTES = 10**9
MOST_QUEUE_PACKETS = 100_000
"""Twelve seconds of full frames at 100 Mbit/s; dummynet's default is 50, netem's 1000."""
LEAST_QUEUE_BYTES = 3000
"""Two full packets: what 2 x BDP comes to at the least."""


class Link(Value):
    """Loss and delay are split evenly over the two directions (thesis 3.2). The droptail queue of each is limited in
    bytes or in packets."""

    bandwidth_mbps: float = Field(ge=0.01, le=10_000, description="Mbit/s, each direction")
    rtt_ms: float = Field(ge=0, le=10_000, description="ms, both directions together")
    loss_pct: float = Field(default=0.0, ge=0, lt=100, description="%, both directions together")
    jitter_ms: float = Field(
        default=0.0, ge=0, le=10_000, description="ms, width of the uniform distribution of each one's delay"
    )
    jitter_interval_ms: float = Field(
        default=REDRAW_MS,
        ge=1,
        le=600_000,
        description="ms between two draws of the delays; a falling one comes in two half steps",
    )
    queue_bytes: int | None = Field(
        default=None, ge=FRAME_BYTES, le=MOST_QUEUE_BYTES, description="bytes, each direction; default: 2 x BDP"
    )
    queue_packets: int | None = Field(
        default=None,
        ge=1,
        le=MOST_QUEUE_PACKETS,
        exclude_if=unstated,
        description="packets, each direction; instead of queue_bytes",
    )

    @model_validator(mode="after")
    def _delay_is_never_negative(self) -> Self:
        if self.jitter_ms > self.rtt_ms:
            raise ValueError(
                f"jitter_ms = {self.jitter_ms:g} is more than rtt_ms = {self.rtt_ms:g}: a delay would be negative"
            )
        return self

    @model_validator(mode="after")
    def _one_limit_of_the_queue(self) -> Self:
        if self.queue_bytes is not None and self.queue_packets is not None:
            raise ValueError(
                f"queue_bytes = {self.queue_bytes} and queue_packets = {self.queue_packets}: a queue is limited in "
                "bytes or in packets, not in both"
            )
        return self

    @property
    def default_queue_bytes(self) -> int:
        """2 x bandwidth x RTT (thesis 3.2)."""
        return max(int(self.bandwidth_mbps * 1e6 * self.rtt_ms / 1e3 * 2 / BITS_PER_BYTE), LEAST_QUEUE_BYTES)

    @property
    def effective_queue_bytes(self) -> int | None:
        """Droptail queue per direction, bytes: as given, else `default_queue_bytes`; None: it is limited in packets."""
        return None if self.queue_packets is not None else self.longest_queue_bytes

    @property
    def longest_queue_bytes(self) -> int:
        """What a full queue holds at the most, bytes: full frames where it is limited in packets."""
        if self.queue_packets is not None:
            return self.queue_packets * FRAME_BYTES
        return self.default_queue_bytes if self.queue_bytes is None else self.queue_bytes

    def conditions(self) -> dict[str, float | int | None]:
        """Everything that defines it: an unstated queue is its default, an interval counts under jitter only."""
        return self.model_dump() | {
            "queue_bytes": self.effective_queue_bytes,
            "jitter_interval_ms": self.jitter_interval_ms if self.jitter_ms else None,
        }

    @property
    def id_parts(self) -> list[str]:
        """Its part of a cell's id: `50mbps`, `36ms`, `1pct` and, where they apply, `50msjitter`, `50slots`."""
        parts = [f"{self.bandwidth_mbps:g}mbps", f"{self.rtt_ms:g}ms", f"{self.loss_pct:g}pct"]
        if self.jitter_ms:
            per = f"-per{self.jitter_interval_ms:g}ms" if self.jitter_interval_ms != REDRAW_MS else ""
            parts.append(f"{self.jitter_ms:g}msjitter{per}")
        if self.queue_packets is not None:
            parts.append(f"{self.queue_packets}slots")
        return parts

    @property
    def label(self) -> str:
        """`50 Mbit/s, 36 ms, 1 % loss`, and whatever else is not the usual."""
        parts = [f"{self.bandwidth_mbps:g} Mbit/s", f"{self.rtt_ms:g} ms"]
        if self.loss_pct:
            parts.append(f"{self.loss_pct:g} % loss")
        if self.jitter_ms:
            every = f" every {self.jitter_interval_ms:g} ms" if self.jitter_interval_ms != REDRAW_MS else ""
            parts.append(f"{self.jitter_ms:g} ms jitter{every}")
        if self.queue_packets is not None:
            parts.append(f"queue {self.queue_packets} packets")
        elif self.effective_queue_bytes != self.default_queue_bytes:
            parts.append(f"queue {self.effective_queue_bytes} bytes")
        return ", ".join(parts)
