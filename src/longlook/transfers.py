"""Transfers: one or several flows at once over one link, watched from inside. The cells of sweeps `fairness` and `cwnd`.

No I/O. A flow is one download by one browser from one server of its own; a cell's flows start together.
Sources: Muthuraj 2024, sections 4.1 (fairness) and 4.3 to 4.6 (congestion windows).
"""

from __future__ import annotations

import itertools
import re
from typing import Literal

from pydantic import Field, model_validator

from longlook.scenario import Block, Link, Protocol, Value, Workload, condition_parts, derived_seed


class Flow(Value):
    """One sender under test."""

    protocol: Protocol
    cca: Literal["cubic", "bbr", "reno"] = "cubic"
    emulated_connections: int = Field(default=2, ge=1, le=2, description="N of the QUIC server's CUBIC; TCP has none")
    quic_options: tuple[str, ...] = Field(
        default=(), description="connection options that the client asks the QUIC server for"
    )
    paced: bool = Field(
        default=False, description="TCP's segments are spaced by the kernel, as QUIC's packets are by their senders"
    )

    @model_validator(mode="after")
    def _only_tcp(self) -> Flow:
        if self.paced and self.protocol != "tcp":
            raise ValueError("paced is for flows of TCP: the QUIC servers pace by themselves")
        return self

    @property
    def has_connections(self) -> bool:
        """True where the number of emulated connections means something: QUIC's CUBIC."""
        return self.protocol == "quic" and self.cca == "cubic"

    @property
    def label(self) -> str:
        """What a reader calls it: `QUIC CUBIC, N = 2`, `TCP BBR`."""
        text = f"{self.protocol.upper()} {self.cca.upper()}"
        if self.has_connections:
            text += f", N = {self.emulated_connections}"
        return ", ".join((text, *self.quic_options, *(["paced"] if self.paced else [])))


class TransferCell(Value):
    """One transfer: everything that defines how it is measured."""

    figure: str
    stack: str
    scenario: str = Field(description="as the tables call it: `QUIC vs TCPx2`")
    flows: tuple[Flow, ...] = Field(min_length=1, max_length=8)
    workload: Workload
    link: Link
    duration_s: float | None = Field(default=None, gt=0, le=600, description="None: until every page is loaded")
    at_most_s: float | None = Field(
        default=None, gt=0, le=600, description="ends a transfer that is not over by then; None: that is a failure"
    )
    replicate: int = Field(default=0, ge=0)
    seed: int = Field(default=1, ge=0, lt=2**63)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the flows within the cell: `quic1`, `tcp1`, `tcp2`."""
        seen: dict[str, int] = {}
        found = []
        for flow in self.flows:
            seen[flow.protocol] = seen.get(flow.protocol, 0) + 1
            found.append(f"{flow.protocol}{seen[flow.protocol]}")
        return tuple(found)

    @property
    def cell_id(self) -> str:
        """Folder name: readable, unique within a sweep, stable between campaigns."""
        scenario = re.sub(r"[^a-z0-9]+", "-", self.scenario.lower()).strip("-")
        parts = [self.figure, self.stack, scenario, *condition_parts(self.workload, self.link)]
        if self.replicate:
            parts.append(f"r{self.replicate}")
        return "_".join(parts)


class Scenario(Value):
    """Flows that run together, under the name that the tables give them."""

    name: str
    flows: tuple[Flow, ...]


class TransferGrid(Block):
    """A block of transfers of one figure: every scenario on every link, each `replicates` times."""

    scenarios: list[Scenario] = Field(min_length=1)
    duration_s: float | None = None
    at_most_s: float | None = None

    def cells(self, stack: str, seed: int) -> list[TransferCell]:
        """Its cells, replicates outermost: a disturbance of the machine then does not hit one scenario alone."""
        found = []
        product = itertools.product(range(self.replicates), self.links(), self.workloads, self.scenarios)
        for replicate, link, workload, scenario in product:
            cell = TransferCell(
                figure=self.figure,
                stack=self.stack or stack,
                scenario=scenario.name,
                flows=scenario.flows,
                workload=workload,
                link=link,
                duration_s=self.duration_s,
                at_most_s=self.at_most_s,
                replicate=replicate,
            )
            found.append(cell.model_copy(update={"seed": derived_seed(seed, cell.cell_id)}))
        return found
