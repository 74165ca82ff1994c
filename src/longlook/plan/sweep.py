"""Sweeps: named lists of cells, one file in sweeps/<study>/ each (no I/O beyond reading it)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, BeforeValidator, Field, PrivateAttr, model_validator

from longlook.errors import LonglookError
from longlook.host.toml import read_toml
from longlook.plan import squares
from longlook.plan.arm import Arm, Cca, Protocol
from longlook.plan.cell import MOST_LABEL, AnyWorkload, Cell, Mode
from longlook.plan.conditions import Row, rows_of
from longlook.plan.criteria import Judging
from longlook.plan.link import NETEM, REDRAW_MS, Link, LossDirection, QueueDiscipline
from longlook.plan.naming import shortened
from longlook.plan.statements import Criteria, Prediction
from longlook.plan.trace import LinkTrace
from longlook.plan.value import (
    Many,
    Measure,
    Name,
    OneOrMore,
    PlanError,
    Text,
    Value,
    derived_seed,
    listed,
    nearest,
    unstated,
)

REFERENCE = "reference-"
"""How names of the campaigns in the repository begin, and no others."""
MOST_CELLS = 2000
"""Of a sweep; the largest of ours has 40."""

LOSSES: dict[str, tuple[float, LossDirection | None]] = {
    "loss_each_way_pct": (2, None),
    "loss_down_pct": (1, "down"),
    "loss_up_pct": (1, "up"),
}
"""What a block may state in place of `loss_pct`: how many times it that is, and of which direction."""

Complete = Callable[[dict[str, Any]], dict[str, Any]]
"""Fills in what a sweep's file leaves to the stacks: which server and client an arm has (stack/arms.py)."""


class Scenario(Value):
    """Arms that belong together, under the name that a study gives them."""

    called = "a scenario"
    label: Text = Field(default="", max_length=MOST_LABEL)
    arms: Many[Arm] = Field(min_length=1)


class Block(Value):
    """Cells of one series: the product of its lists.

    Either `arms`, or `scenarios` where it has several sets of them. A rate is of each direction; that from the client
    to the server is `upload_mbps`, where stated; in place of either a trace may be named. A loss is of both directions
    together, half in each (`loss_pct`, as the thesis's text has it), or of each (`loss_each_way_pct`, as its scripts
    had it at first), or of one alone, from the server to the client (`loss_down_pct`) or from the client to the server
    (`loss_up_pct`). `netem` has what each direction of its links has besides, by the names that `Link` gives it
    (`netem = { corrupt_pct = 1 }`).
    """

    called = "a [[cells]] block"
    short: ClassVar[tuple[str, ...]] = ("arms", "stack", *LOSSES)

    series: Name
    scenarios: OneOrMore[Scenario] = Field(description="`arms = [...]` is short for one without a label")
    workloads: OneOrMore[AnyWorkload]
    bandwidth_mbps: OneOrMore[Measure]
    rtt_ms: OneOrMore[Measure]
    upload_mbps: Measure | None = Field(default=None, exclude_if=unstated)
    trace: LinkTrace | None = Field(
        default=None, exclude_if=unstated, description="by its name; bandwidth_mbps is its mean"
    )
    upload_trace: LinkTrace | None = Field(default=None, exclude_if=unstated)
    loss_pct: OneOrMore[Measure] = Field(default=[0.0])
    loss_direction: LossDirection | None = Field(default=None, exclude_if=unstated)
    jitter_ms: OneOrMore[Measure] = Field(default=[0.0])
    jitter_interval_ms: Measure = REDRAW_MS
    queue_bytes: int | None = None
    queue_packets: int | None = Field(default=None, exclude_if=unstated, description="instead of queue_bytes")
    burst_bytes: int | None = Field(default=None, exclude_if=unstated)
    queue_discipline: QueueDiscipline | None = Field(
        default=None, exclude_if=unstated, description="in place of droptail, and of either limit"
    )
    ecn: bool | None = Field(default=None, exclude_if=unstated)
    cross_flows: int | None = Field(default=None, exclude_if=unstated)
    cross_cca: Cca | None = Field(default=None, exclude_if=unstated)
    cross_protocol: Protocol | None = Field(default=None, exclude_if=unstated)
    netem: dict[str, float] | None = Field(default=None, exclude_if=unstated)
    duration_s: Measure | None = None
    at_most_s: Measure | None = None
    control: bool = False
    replicates: int = Field(default=1, ge=1, le=100)
    quick: bool = Field(default=True, exclude_if=bool, description="false: left out of a quick run of its chapter")

    @model_validator(mode="before")
    @classmethod
    def _one_loss(cls, data: Any) -> Any:
        stated = [key for key in LOSSES if key in data] if isinstance(data, dict) else []
        if not stated:
            return data
        if others := [*stated[1:], *(key for key in ("loss_pct", "loss_direction") if key in data)]:
            raise ValueError(f"a block has {others[-1]} or {stated[0]}, not both")
        (name,) = stated
        given, (times, direction) = listed(data[name]), LOSSES[name]
        if not all(type(one) in (int, float) for one in given or [None]):
            raise ValueError(f"{name} is a list of numbers, %")
        rest = {key: value for key, value in data.items() if key != name}
        return rest | {"loss_pct": [times * one for one in given], "loss_direction": direction}

    @model_validator(mode="before")
    @classmethod
    def _one_scenario(cls, data: Any) -> Any:
        if isinstance(data, dict) and "arms" in data:
            if "scenarios" in data:
                raise ValueError("a block has arms or scenarios, not both")
            return {key: value for key, value in data.items() if key != "arms"} | {
                "scenarios": [{"arms": data["arms"]}]
            }
        return data

    @model_validator(mode="after")
    def _loss_of_a_direction(self) -> Self:
        if self.loss_direction is not None and not any(self.loss_pct):
            raise ValueError(f"loss is {self.loss_direction} only, and none is stated")
        return self

    @model_validator(mode="after")
    def _known_netem(self) -> Self:
        if unknown := sorted(set(self.netem or ()) - set(NETEM)):
            near = nearest(unknown[0], NETEM)
            raise ValueError(f"netem has {', '.join(unknown)}{near}; known keys: {', '.join(NETEM)}")
        return self

    @property
    def number(self) -> int:
        """Of its cells."""
        lists = (self.rtt_ms, self.loss_pct, self.jitter_ms, self.bandwidth_mbps, self.workloads, self.scenarios)
        return math.prod(len(one) for one in lists) * self.replicates

    def links(self) -> Iterator[Link]:
        """The product of its link conditions: RTT outermost, then loss, jitter and bandwidth."""
        for rtt, loss, jitter, bandwidth in itertools.product(
            self.rtt_ms, self.loss_pct, self.jitter_ms, self.bandwidth_mbps
        ):
            yield Link.parse(
                {
                    "bandwidth_mbps": bandwidth,
                    "rtt_ms": rtt,
                    "upload_mbps": self.upload_mbps,
                    "trace": self.trace,
                    "upload_trace": self.upload_trace,
                    "loss_pct": loss,
                    "loss_direction": self.loss_direction if loss else None,
                    "jitter_ms": jitter,
                    "jitter_interval_ms": self.jitter_interval_ms,
                    "queue_bytes": self.queue_bytes,
                    "queue_packets": self.queue_packets,
                    "burst_bytes": self.burst_bytes,
                    "queue_discipline": self.queue_discipline,
                    "ecn": self.ecn,
                    "cross_flows": self.cross_flows,
                    "cross_cca": self.cross_cca,
                    "cross_protocol": self.cross_protocol,
                    **(self.netem or {}),
                }
            )


def _not_a_campaigns(name: str) -> str:
    if f"{name}-".startswith(REFERENCE):  # the time comes behind it
        raise ValueError(
            f"what {name!r} measures begins with {REFERENCE!r}, as the campaigns of the repository do: it would be "
            "taken for a false one and left out; call it otherwise"
        )
    return name


class Sweep(Value):
    """A named list of cells of one experiment: one per published figure or question."""

    called = "a sweep"
    short: ClassVar[tuple[str, ...]] = ("stack",)

    name: Annotated[Name, AfterValidator(_not_a_campaigns)]
    study: Name
    title: Text
    experiment: Name = "plt"
    mode: Mode = "interleaved"
    loads: int = Field(default=20, ge=1, le=1000)
    quick_loads: int = Field(
        default=5, ge=0, le=1000, description="samples of each arm in a quick run of its chapter; 0: left out of it"
    )
    seed: int = Field(default=1, ge=0, lt=2**63)
    cells_of: Annotated[list[Block], BeforeValidator(listed)] = Field(
        min_length=1, alias="cells", description="blocks of cells, [[cells]] in a file"
    )
    judging: Judging = Field(default=Judging(), exclude=True)
    predictions: list[Prediction] = Field(
        default=[], exclude=True, description="what is measured does not depend on them: no part of the definition"
    )
    _others: list[Row] = PrivateAttr(default=[])

    @model_validator(mode="after")
    def _not_too_many(self) -> Self:
        number = sum(block.number for block in self.cells_of)
        if number > MOST_CELLS:
            raise ValueError(f"{number} cells in all, at most {MOST_CELLS}: each takes minutes to measure")
        return self

    def cells(self) -> list[Cell]:
        """Every cell, each with a seed derived from the sweep's seed and its own id."""
        found = [cell for block in self.cells_of for cell in self._cells_of(block)]
        found = _told_apart(found, self.name)
        return [cell.model_copy(update={"seed": derived_seed(self.seed, cell.id)}) for cell in found]

    def _cells_of(self, block: Block) -> Iterator[Cell]:
        for replicate, link, workload, scenario in _product(block, self.mode):
            yield Cell.parse(
                {
                    "study": self.study,
                    "series": block.series,
                    "label": scenario.label,
                    "experiment": self.experiment,
                    "mode": self.mode,
                    "arms": scenario.arms,
                    "workload": workload,
                    "link": link,
                    "duration_s": block.duration_s,
                    "at_most_s": block.at_most_s,
                    "control": block.control,
                    "loads": self.loads,
                    "replicate": replicate,
                }
            )

    def stacks(self) -> list[str]:
        """Every stack that its cells need, in the order met."""
        arms = (arm for block in self.cells_of for scenario in block.scenarios for arm in scenario.arms)
        return list(dict.fromkeys(arm.stack for arm in arms))

    def rows(self) -> list[Row]:
        """A row for each arm of each cell, by condition; repeats of flows at once are one, as in the tables."""
        once = (cell for cell in self.cells() if not (cell.mode == "together" and cell.replicate))
        return [row for cell in once for row in rows_of(cell)]

    def judged_rows(self) -> list[Row]:
        """Those that its predictions are judged by: also of the sweeps that `[judging]` names, once it is read."""
        return [*self.rows(), *self._others]

    @property
    def rule(self) -> Judging:
        """What judges its predictions: all of its series, unless it says which."""
        said = {key: getattr(self.judging, key) for key in self.judging.model_fields_set}
        return Judging(**{"series": list(dict.fromkeys(block.series for block in self.cells_of))} | said)

    @property
    def criteria(self) -> Criteria | None:
        """Its predictions and what judges them; None where it has none."""
        return Criteria(judging=self.rule, predictions=tuple(self.predictions)) if self.predictions else None

    def definition(self) -> dict[str, Any]:
        """As plain data, which `parse` reads back."""
        return self.model_dump(mode="json", by_alias=True)

    def of_stacks(self, offered: list[str]) -> Sweep:
        """The part of it that these stacks are enough for; a `PlanError` where nothing is left."""
        blocks = []
        for block in self.cells_of:
            kept = [one for one in block.scenarios if all(arm.stack in offered for arm in one.arms)]
            if kept:
                blocks.append(block.model_copy(update={"scenarios": kept}))
        if not blocks:
            wanted, here = ", ".join(self.stacks()), ", ".join(offered) or "none"
            raise PlanError(f"sweep {self.name} needs the stacks {wanted}; offered here: {here}")
        return self.model_copy(update={"cells_of": blocks})


def _product(block: Block, mode: Mode) -> Iterator[tuple[int, Link, Any, Scenario]]:
    """Replicates of transfers come outermost: a disturbance of the machine then does not hit one scenario alone."""
    links, repeats = list(block.links()), range(block.replicates)
    if mode == "together":
        yield from itertools.product(repeats, links, block.workloads, block.scenarios)
        return
    for link, workload, scenario, replicate in itertools.product(links, block.workloads, block.scenarios, repeats):
        yield replicate, link, workload, scenario


def _told_apart(cells: list[Cell], sweep: str) -> list[Cell]:
    """Cells of one id get their key behind it; a cell that is there twice is an error."""
    by_id: dict[str, list[Cell]] = {}
    for cell in cells:
        by_id.setdefault(cell.id, []).append(cell)
    several = ((name, own) for name, own in by_id.items() if len(own) > 1)  # the others need no key
    twice = sorted(name for name, own in several if len({cell.key for cell in own}) < len(own))
    if twice:
        raise PlanError(f"sweep {sweep} lists cells twice: {', '.join(twice)}")
    return [
        cell.model_copy(update={"id": shortened(f"{cell.id}_{cell.key[:8]}")}) if len(by_id[cell.id]) > 1 else cell
        for cell in cells
    ]


def _elsewhere(path: Path, complete: Complete, series: str, study: str | None) -> list[Row]:
    """The rows of a series that another sweep beside this file measures, or one of another study."""
    folder = path.parent if study is None else path.parent.parent / study
    for other in sorted(folder.glob("*.toml")):
        if other.name != path.name and f'"{series}"' in other.read_text(encoding="utf-8"):
            own = [row for row in _rows_of(other, complete) if row["series"] == series]
            if own:
                return own
    return []


def _rows_beside(path: Path, name: str, complete: Complete) -> list[Row]:
    """Those of another sweep of the study, by its name."""
    if not (other := path.with_name(f"{name}.toml")).is_file():
        known = [one.stem for one in path.parent.glob("*.toml")]
        raise PlanError(f"judging.sweeps: the study has no sweep {name!r}{nearest(name, known)}")
    return _rows_of(other, complete)


def _rows_of(path: Path, complete: Complete) -> list[Row]:
    data = {key: value for key, value in read_toml(path).items() if key not in ("judging", "predictions")}
    return Sweep.parse(complete(data)).rows()


def load_sweep(path: Path, complete: Complete) -> Sweep:
    """Read and validate one TOML sweep file with all its cells; errors name the file."""
    try:
        data = read_toml(path)
    except FileNotFoundError:
        known = ", ".join(sorted(found.stem for found in path.parent.glob("*.toml"))) or "none"
        raise PlanError(f"no sweep {path.stem!r} in {path.parent} (known: {known})") from None
    except LonglookError as error:
        raise PlanError(str(error)) from None
    try:
        found = Sweep.parse(complete(data))
        found.cells()  # what is wrong with one shows here, where the file can be named
        if found.predictions:
            found._others = [row for name in found.judging.sweeps for row in _rows_beside(path, name, complete)]
            squares.check(found.predictions, found.rule, found.judged_rows(), partial(_elsewhere, path, complete))
        return found
    except LonglookError as error:  # a stack that an arm names, too
        raise PlanError(f"{path}: {error}") from None
