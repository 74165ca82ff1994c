"""What an audit found: plain values, from which the text, the JSON and the exit status are made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from longlook.analysis.ceiling import Ceiling, Halves
from longlook.analysis.compared import ComparedCell, ComparedMean, Overall
from longlook.analysis.convention import TableConvention
from longlook.audit.rejections import RejectionControl
from longlook.experiment.reasons import PAIR_REPEATED
from longlook.published.cells import Slip


@dataclass(frozen=True)
class ControlGroup:
    """The part of an A/A control that is of one kind of arm: cold loads say nothing about resumed ones."""

    stack: str
    protocol: str
    handshake: str
    cca: str
    cells: int
    untested: int
    significant: int
    allowed: int
    largest_pct: float

    @staticmethod
    def label_of(stack: str, protocol: str, handshake: str, cca: str) -> str:
        """`quicv1 QUIC CUBIC, 0-RTT`; what TCP always does is not said."""
        words = f"{stack} {protocol.upper()} {cca.upper()}"
        return words + (f", {handshake.replace('rtt', '-RTT')}" if (protocol, handshake) != ("tcp", "1rtt") else "")

    @property
    def label(self) -> str:
        return self.label_of(self.stack, self.protocol, self.handshake, self.cca)

    @property
    def passed(self) -> bool:
        return self.significant <= self.allowed


@dataclass(frozen=True)
class AAControl:
    """Equal arms measured as if they were not: a square that is not white is a false alarm."""

    role: str
    campaigns: tuple[str, ...] = ()
    cells: int = 0
    untested: int = 0
    """Cells with too few loads for a test; they count neither way."""
    significant: tuple[str, ...] = ()
    """The comparisons that a sound testbed should not have coloured, with their difference and p."""
    allowed: int = 0
    largest_pct: float = 0.0
    """Largest absolute percentage difference between the equal arms."""
    below_floor: tuple[str, ...] = ()
    groups: tuple[ControlGroup, ...] = ()
    """What it is a control of."""

    @property
    def verdict(self) -> Literal["pass", "fail", "not measured"]:
        """It fails as a whole, or where one of its groups does."""
        if self.cells == self.untested:
            return "not measured"
        passed = len(self.significant) <= self.allowed and all(one.passed for one in self.groups)
        return "pass" if passed else "fail"


@dataclass(frozen=True)
class OrderControl:
    """Each arm after a load of its own against itself after a load of another: they must be alike."""

    tested: int = 0
    """Arms of cells with enough loads of both kinds."""
    significant: tuple[str, ...] = ()
    allowed: int = 0
    by_campaign: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Of each: arms that could be tested, and those of them that are significant."""

    @property
    def passed(self) -> bool:
        """True also where nothing could be tested."""
        return len(self.significant) <= self.allowed


@dataclass(frozen=True)
class LoadCounts:
    """Loads (and downloads) behind a set of cells."""

    accepted: int = 0
    """Accepted and averaged: those set aside, the cold ones, are not among them."""
    cold: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    """By reason; `disturbed` is one of them."""
    disturbed: int = 0
    """Loads during which the machine stalled or was saturated, whatever else was wrong with them."""

    @property
    def repeated(self) -> int:
        """Of the rejected, those with which nothing is wrong: they are measured again with their pair."""
        return self.rejected.get(PAIR_REPEATED, 0)

    @property
    def wrong(self) -> int:
        """All other rejected ones."""
        return sum(self.rejected.values()) - self.repeated

    @property
    def reasons(self) -> str:
        """Of these, the most frequent first: `disturbed 2, object_count 1`."""
        own = Counter({reason: count for reason, count in self.rejected.items() if reason != PAIR_REPEATED})
        return ", ".join(f"{reason} {count}" for reason, count in own.most_common())

    def __add__(self, other: LoadCounts) -> LoadCounts:
        reasons = sorted({*self.rejected, *other.rejected})
        return LoadCounts(
            self.accepted + other.accepted,
            self.cold + other.cold,
            {reason: self.rejected.get(reason, 0) + other.rejected.get(reason, 0) for reason in reasons},
            self.disturbed + other.disturbed,
        )


FAR_BELOW = 0.08


def within(cells: Iterable[ComparedCell]) -> tuple[int, int]:
    """How many means lie within the 99 % prediction interval of the published one, and how many have one."""
    told = [mean.within_prediction for cell in cells for mean in cell.means if mean.within_prediction is not None]
    return sum(told), len(told)


@dataclass(frozen=True)
class TableAudit:
    """One published table beside the cells of the campaigns that measured its series."""

    study: str
    table: str
    series: tuple[str, ...]
    campaigns: tuple[str, ...]
    published_cells: int
    cells: tuple[ComparedCell, ...]
    overall: Overall
    loads: LoadCounts
    first: tuple[int, int] = (0, 0)
    """Verdicts that agree in the first attempt of each load, disturbed or not, and of how many."""
    ceiling: Ceiling | None = None
    """What an exact replication would reach; None for what has no verdicts of page loads."""

    @property
    def within(self) -> tuple[int, int]:
        """Means within the 99 % prediction interval of the published one, and all that have one."""
        return within(self.cells)

    @property
    def far_below(self) -> bool:
        """Whether its verdicts agree in a share of more than FAR_BELOW below the ceiling's."""
        if self.ceiling is None or not self.overall.tested:
            return False
        return self.ceiling.share - self.overall.agreeing_share > FAR_BELOW


@dataclass(frozen=True)
class Section:
    """The audit of one role's newest campaigns, or of one chosen campaign. Controls are none of it."""

    title: str
    campaigns: tuple[str, ...]
    tables: tuple[TableAudit, ...]
    overall: tuple[Overall, ...]
    """One for each study and metric of the tables."""
    largest: Mapping[str, tuple[tuple[ComparedCell, ComparedMean], ...]]
    """Metric -> the means that differ most from the published ones, the largest difference first."""
    unpublished_cells: int
    loads: LoadCounts
    order: OrderControl
    kept: OrderControl
    """The same question, of arms that keep their connection: there it is no fault, but their loads are no independent
    samples."""
    short_cells: tuple[str, ...]
    """Cells in which an arm has fewer accepted loads than the fullest arm of the same campaign."""
    floors: int
    """Means that have a floor."""
    below_floor: tuple[str, ...]
    uncontrolled: tuple[str, ...]
    """Kinds of arms of which no A/A control was measured."""
    ceilings: Mapping[str, Ceiling] = field(default_factory=dict)
    """Study -> that of all its tables together."""
    halves: Halves | None = None
    """How well the ceiling's method predicts our own loads, split in halves."""
    conventions: tuple[TableConvention, ...] = ()
    """Of each published table with loss of which a cell was measured with both meanings of it."""

    @property
    def cells(self) -> tuple[ComparedCell, ...]:
        """Every compared cell of every table."""
        return tuple(cell for table in self.tables for cell in table.cells)


@dataclass(frozen=True)
class PublishedCheck:
    """What the published tables say about themselves."""

    cells: int
    """Printed percentage differences."""
    means: int
    """Printed means that have a floor."""
    wrong_differences: tuple[str, ...]
    """Printed percentage differences that do not follow from the printed means."""
    below_floor: tuple[str, ...]
    slips: tuple[Slip, ...]
    """Known contradictions within a study; reported, never corrected."""


@dataclass(frozen=True)
class Integrity:
    """Hashes of the sealed campaigns and of the processed tables; published tables that no sweep measures."""

    verified: tuple[str, ...] = ()
    unsealed: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class AuditReport:
    """Everything an audit found; `ok` decides the exit status."""

    controls: tuple[AAControl, ...]
    sections: tuple[Section, ...]
    published: PublishedCheck
    integrity: Integrity = Integrity()
    rejections: RejectionControl = field(default_factory=RejectionControl)

    @property
    def failures(self) -> tuple[str, ...]:
        """Why the data cannot be trusted. Disagreement with the published values is not among the reasons."""
        found = [line for control in self.controls if control.verdict == "fail" for line in _failed(control)]
        found += [
            f"order control ({part.title}): {len(part.order.significant)} of {part.order.tested} arms depend on what "
            "was loaded before"
            for part in self.sections
            if not part.order.passed
        ]
        found += self.rejections.failures
        low = [part.below_floor for part in self.controls] + [part.below_floor for part in self.sections]
        found += [f"below the floor: {line}" for lines in low for line in lines]
        found += [f"integrity: {line}" for line in self.integrity.problems]
        return tuple(found)

    @property
    def ok(self) -> bool:
        """False where the A/A or the order control failed, rejections depend on the arm and nobody knows why, a mean is
        below its floor, a hash is wrong, or no sweep measures a published cell."""
        return not self.failures


def _failed(control: AAControl) -> list[str]:
    """The control as a whole, or else the group that failed."""
    if len(control.significant) > control.allowed:
        return [
            f"A/A control ({control.role}): {len(control.significant)} of {control.cells} cells significant, "
            f"at most {control.allowed} expected"
        ]
    return [
        f"A/A control ({control.role}): {group.significant} of {group.cells} cells of {group.label} significant, "
        f"at most {group.allowed} expected"
        for group in control.groups
        if not group.passed
    ]
