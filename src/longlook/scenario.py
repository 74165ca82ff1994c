"""What is measured: links, workloads and cells (no I/O).

Every value object is frozen and validated; an unknown key is an error that lists the known ones.
Units are in the field names. Source of the parameter space: Muthuraj 2024, section 3.3 and table 3.3.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from longlook.errors import LonglookError

Protocol = Literal["quic", "tcp"]
Handshake = Literal["0rtt", "1rtt"]
"""Of a QUIC load: resumed with early data, or cold in a browser context of its own."""
BITS_PER_BYTE = 8
REDRAW_MS = 100.0
"""Under jitter a new delay for each direction so often (thesis 3.3)."""


class ScenarioError(LonglookError, ValueError):
    """A cell, link, workload or sweep that cannot be measured; the message says what to change."""


class Value(BaseModel):
    """Base of the value objects: frozen, no unknown keys, one readable message per mistake."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def parse(cls, data: Any) -> Self:
        """Validate plain data (from TOML, YAML or JSON); raise `ScenarioError` listing every mistake."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            known = ", ".join(cls.model_fields)
            lines = []
            for item in error.errors():
                where = ".".join(str(part) for part in item["loc"]) or cls.__name__
                hint = f" (known keys of {cls.__name__}: {known})" if item["type"] == "extra_forbidden" else ""
                lines.append(f"{where}: {item['msg']}{hint}")
            raise ScenarioError(f"{cls.__name__} is not valid: " + "; ".join(lines)) from None


class Link(Value):
    """One emulated path. Loss and delay are split evenly over the two directions (thesis 3.2)."""

    bandwidth_mbps: float = Field(gt=0, le=10_000)
    rtt_ms: float = Field(ge=0, le=10_000)
    loss_pct: float = Field(default=0.0, ge=0, lt=100)
    jitter_ms: float = Field(
        default=0.0, ge=0, description="width of the uniform distribution of each direction's delay"
    )
    jitter_interval_ms: float = Field(
        default=REDRAW_MS, gt=0, description="between two draws of the delays; a falling one comes in two half steps"
    )
    queue_bytes: int | None = Field(default=None, gt=0, description="default: 2 x BDP")

    @model_validator(mode="after")
    def _delay_is_never_negative(self) -> Self:
        if self.jitter_ms > self.rtt_ms:
            raise ValueError(
                f"jitter_ms = {self.jitter_ms:g} is more than rtt_ms = {self.rtt_ms:g}: a delay would be negative"
            )
        return self

    @property
    def effective_queue_bytes(self) -> int:
        """Droptail queue per direction, bytes: as given, else 2 x bandwidth x RTT (thesis 3.2)."""
        if self.queue_bytes is not None:
            return self.queue_bytes
        return max(int(self.bandwidth_mbps * 1e6 * self.rtt_ms / 1e3 * 2 / BITS_PER_BYTE), 3000)


class Workload(Value):
    """A page that references `count` JPEG images of `size_kb` each."""

    size_kb: int = Field(gt=0, le=1_000_000)
    count: int = Field(default=1, gt=0, le=10_000)

    @property
    def object_bytes(self) -> int:
        """Bytes of one image: 1024 per KB below 1 MB, 1,000,000 per MB from there (public workloads)."""
        return self.size_kb * 1000 if self.size_kb >= 1000 else self.size_kb * 1024


def condition_parts(workload: Workload, link: Link) -> list[str]:
    """What page and link contribute to a cell id: `100kb-x10`, `50mbps`, `36ms`, `1pct` and, where there is some, `50msjitter`."""
    parts = [
        f"{workload.size_kb}kb-x{workload.count}",
        f"{link.bandwidth_mbps:g}mbps",
        f"{link.rtt_ms:g}ms",
        f"{link.loss_pct:g}pct",
    ]
    interval = f"-per{link.jitter_interval_ms:g}ms" if link.jitter_interval_ms != REDRAW_MS else ""
    return parts + ([f"{link.jitter_ms:g}msjitter{interval}"] if link.jitter_ms else [])


class Block(Value):
    """What every block of a sweep's cells has: pages, the links that its lists span, and how often each cell is measured."""

    figure: str
    workloads: list[Workload] = Field(min_length=1)
    bandwidth_mbps: list[float] = Field(min_length=1)
    rtt_ms: list[float] = Field(min_length=1)
    loss_pct: list[float] = Field(default=[0.0], min_length=1)
    jitter_ms: list[float] = Field(default=[0.0], min_length=1)
    jitter_interval_ms: float = REDRAW_MS
    queue_bytes: int | None = None
    replicates: int = Field(default=1, ge=1)
    stack: str | None = None

    def links(self) -> Iterator[Link]:
        """The product of its link conditions: RTT outermost, then loss, jitter and bandwidth."""
        for rtt, loss, jitter, bandwidth in itertools.product(
            self.rtt_ms, self.loss_pct, self.jitter_ms, self.bandwidth_mbps
        ):
            yield Link(
                bandwidth_mbps=bandwidth,
                rtt_ms=rtt,
                loss_pct=loss,
                jitter_ms=jitter,
                jitter_interval_ms=self.jitter_interval_ms,
                queue_bytes=self.queue_bytes,
            )


class Cell(Value):
    """One square of one heatmap: everything that defines how it is measured.

    `protocols` are the two arms in the order (left, right) of equation 4.1's difference; an A/A cell
    names the same protocol twice.
    """

    figure: str
    stack: str
    protocols: tuple[Protocol, Protocol] = ("quic", "tcp")
    cca: Literal["cubic", "bbr", "reno"] = "cubic"
    emulated_connections: int = Field(default=2, ge=1, le=2)
    workload: Workload
    link: Link
    loads: int = Field(default=20, ge=2, le=1000, description="analysed loads per arm")
    cold_loads: int = Field(default=1, ge=1, le=1)
    handshakes: tuple[Handshake, Handshake] = Field(
        default=("0rtt", "0rtt"), description="of the two arms, where they are QUIC"
    )
    quic_options: tuple[str, ...] = Field(
        default=(), description="connection options that the client asks the QUIC server for: ILD0, IW10"
    )
    tcp_initial_window: int | None = Field(
        default=None, ge=1, le=100, description="segments, set on the server's route; None: the kernel's 10"
    )
    client_cpu_pct: float | None = Field(
        default=None, gt=0, le=800, description="of one CPU, all of a browser together; None: no limit"
    )
    quic_server_cpu_pct: float | None = Field(
        default=None, gt=0, le=800, description="of one CPU, the QUIC server; None: no limit"
    )
    replicate: int = Field(default=0, ge=0, description="tells repeated equal cells of one sweep apart")
    seed: int = Field(default=1, ge=0, lt=2**63)

    @property
    def arms(self) -> tuple[str, str]:
        """Names of the two arms: the protocols; where both are the same the handshakes, or else `a` and `b`."""
        for left, right in (self.protocols, self.handshakes):
            if left != right:
                return (left, right)
        return ("a", "b")

    @property
    def cell_id(self) -> str:
        """Folder name: readable, unique within a sweep, stable between campaigns."""
        parts = [
            self.figure,
            self.stack,
            "-".join(self.protocols),
            self.cca,
            *condition_parts(self.workload, self.link),
        ]
        if self.handshakes != ("0rtt", "0rtt"):
            parts.append("-".join(self.handshakes))
        parts += [option.lower() for option in self.quic_options]
        if self.tcp_initial_window is not None:
            parts.append(f"tcpiw{self.tcp_initial_window}")
        if self.client_cpu_pct is not None:
            parts.append(f"{self.client_cpu_pct:g}pctcpu")
        if self.quic_server_cpu_pct is not None:
            parts.append(f"{self.quic_server_cpu_pct:g}pctquicserver")
        if self.replicate:
            parts.append(f"r{self.replicate}")
        return "_".join(parts)


def derived_seed(*parts: object) -> int:
    """A 63-bit seed that depends on nothing but `parts` (BLAKE2b of their text)."""
    text = "\x1f".join(str(part) for part in parts).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") >> 1
