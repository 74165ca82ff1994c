"""Sweeps: named lists of cells, one file in sweeps/ each (no I/O beyond reading it)."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from longlook.scenario import Block, Cell, Handshake, Protocol, ScenarioError, Value, derived_seed
from longlook.transfers import TransferCell, TransferGrid


class Grid(Block):
    """A block of cells of one figure: the product of its lists, link conditions outermost."""

    protocols: tuple[Protocol, Protocol] = ("quic", "tcp")
    cca: Literal["cubic", "bbr", "reno"] = "cubic"
    emulated_connections: int = 2
    handshakes: tuple[Handshake, Handshake] = ("0rtt", "0rtt")
    quic_options: tuple[str, ...] = ()
    tcp_initial_window: int | None = None
    client_cpu_pct: float | None = None
    quic_server_cpu_pct: float | None = None


class Sweep(Value):
    """A named list of cells: one per published figure, plus `quick` and `aa`."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    title: str
    stack: str
    experiment: Literal["plt", "fairness", "cwnd"] = "plt"
    loads: int = Field(default=20, ge=2)
    seed: int = Field(default=1, ge=0, lt=2**63)
    grid: list[Grid] = Field(default=[], description="of `plt`")
    transfers: list[TransferGrid] = Field(default=[], description="of `fairness` and `cwnd`")

    @model_validator(mode="after")
    def _has_what_its_experiment_needs(self) -> Self:
        wanted, other = ("grid", "transfers") if self.experiment == "plt" else ("transfers", "grid")
        if not getattr(self, wanted) or getattr(self, other):
            raise ValueError(
                f"a sweep of experiment {self.experiment!r} has at least one [[{wanted}]] and no [[{other}]]"
            )
        return self

    def cells(self) -> list[Cell] | list[TransferCell]:
        """Every cell, each with a seed derived from the sweep's seed and its own identity."""
        found = [cell for block in self.grid for cell in self._cells_of(block)]
        found += [cell for block in self.transfers for cell in block.cells(self.stack, self.seed)]
        names = [cell.cell_id for cell in found]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ScenarioError(f"sweep {self.name} lists cells twice: {', '.join(twice)}")
        return found

    def stacks(self) -> list[str]:
        """The stacks that its cells need, sorted."""
        return sorted({self._stack_of(block) for block in (*self.grid, *self.transfers)})

    def of_stacks(self, offered: Iterable[str]) -> Sweep:
        """The sweep without the cells of other stacks; what is left keeps its seeds. An error if nothing is left."""
        wanted = set(offered)
        left = {
            kind: [block for block in getattr(self, kind) if self._stack_of(block) in wanted]
            for kind in ("grid", "transfers")
        }
        if not any(left.values()):
            raise ScenarioError(
                f"sweep {self.name} needs {', '.join(self.stacks())}; here is {', '.join(sorted(wanted)) or 'no stack'}"
            )
        return self.model_copy(update=left)

    def _stack_of(self, block: Grid | TransferGrid) -> str:
        return block.stack or self.stack

    def _cells_of(self, block: Grid):
        for link, workload, replicate in itertools.product(block.links(), block.workloads, range(block.replicates)):
            cell = Cell(
                figure=block.figure,
                stack=self._stack_of(block),
                protocols=block.protocols,
                cca=block.cca,
                emulated_connections=block.emulated_connections,
                workload=workload,
                link=link,
                loads=self.loads,
                handshakes=block.handshakes,
                quic_options=block.quic_options,
                tcp_initial_window=block.tcp_initial_window,
                client_cpu_pct=block.client_cpu_pct,
                quic_server_cpu_pct=block.quic_server_cpu_pct,
                replicate=replicate,
            )
            yield cell.model_copy(update={"seed": derived_seed(self.seed, cell.cell_id)})


def load_sweep(path: Path) -> Sweep:
    """Read and validate one TOML sweep file; errors name the file."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        known = ", ".join(sorted(found.stem for found in path.parent.glob("*.toml")))
        raise ScenarioError(f"no sweep {path.stem!r} in {path.parent} (known: {known})") from None
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError(f"{path}: not TOML: {error}") from None
    try:
        return Sweep.parse(data)
    except ScenarioError as error:
        raise ScenarioError(f"{path}: {error}") from None
