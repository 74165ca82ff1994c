"""What an audit found: plain values, from which the text, the JSON and the exit status are made."""

from __future__ import annotations

from dataclasses import dataclass, field

from longlook.analysis.agreement import CellAgreement, Disagreement
from longlook.audit.fairness import FairnessAudit


@dataclass(frozen=True)
class AAControl:
    """A protocol measured against itself as if it were two: a square that is not white is a false alarm."""

    role: str
    campaigns: tuple[str, ...] = ()
    cells: int = 0
    untested: int = 0
    """Cells with too few loads for a test; they count neither way."""
    significant: tuple[str, ...] = ()
    """The cells that a sound testbed should not have coloured, with their difference and p."""
    allowed: int = 0
    largest_pct: float = 0.0
    """Largest absolute percentage difference between the equal arms."""
    below_floor: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """`pass`, `fail` or `not measured`."""
        if self.cells == self.untested:
            return "not measured"
        return "pass" if len(self.significant) <= self.allowed else "fail"


@dataclass(frozen=True)
class OrderControl:
    """Each protocol after a load of its own against itself after a load of the other: they must be alike."""

    tested: int = 0
    """Protocols of cells with enough loads of both kinds."""
    significant: tuple[str, ...] = ()
    allowed: int = 0

    @property
    def passed(self) -> bool:
        """True also where nothing could be tested."""
        return len(self.significant) <= self.allowed


@dataclass(frozen=True)
class LoadCounts:
    """Page loads behind a set of cells."""

    accepted: int = 0
    """Accepted and averaged: the cold loads are not among them."""
    cold: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    """By reason; `disturbed` is one of them."""
    disturbed: int = 0
    """Loads during which the machine stalled or was saturated, whatever else was wrong with them."""

    def __add__(self, other: LoadCounts) -> LoadCounts:
        reasons = sorted({*self.rejected, *other.rejected})
        return LoadCounts(
            self.accepted + other.accepted,
            self.cold + other.cold,
            {reason: self.rejected.get(reason, 0) + other.rejected.get(reason, 0) for reason in reasons},
            self.disturbed + other.disturbed,
        )


@dataclass(frozen=True)
class TableAudit:
    """One published table beside the cells of one campaign."""

    table: str
    figure: str
    campaign: str
    published_cells: int
    cells: tuple[CellAgreement, ...]
    agreeing_share: float
    quic_median_error: float
    tcp_median_error: float
    loads: LoadCounts


@dataclass(frozen=True)
class Section:
    """The audit of one role's newest campaigns, or of one chosen campaign."""

    title: str
    campaigns: tuple[str, ...]
    tables: tuple[TableAudit, ...]
    unpublished_cells: int
    agreeing_share: float
    quic_median_error: float
    tcp_median_error: float
    loads: LoadCounts
    order: OrderControl
    short_cells: tuple[str, ...]
    """Cells in which an arm has fewer accepted loads than the fullest cell of the same campaign."""
    below_floor: tuple[str, ...]
    largest: tuple[Disagreement, ...]
    fairness: tuple[FairnessAudit, ...] = ()

    @property
    def cells(self) -> tuple[CellAgreement, ...]:
        """Every compared cell of every table."""
        return tuple(cell for table in self.tables for cell in table.cells)


@dataclass(frozen=True)
class PublishedCheck:
    """What the published tables say about themselves."""

    cells: int
    wrong_differences: tuple[str, ...]
    """Printed percentage differences that do not follow from the printed means."""
    below_floor: tuple[str, ...]
    slips: tuple[dict[str, str], ...]
    """Known contradictions within the thesis; reported, never corrected."""


@dataclass(frozen=True)
class Integrity:
    """Hashes of the sealed campaigns and of the processed tables."""

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

    @property
    def failures(self) -> tuple[str, ...]:
        """Why the data cannot be trusted. Disagreement with the published values is not among the reasons."""
        found = [
            f"A/A control ({control.role}): {len(control.significant)} of {control.cells} cells significant, "
            f"at most {control.allowed} expected"
            for control in self.controls
            if control.verdict == "fail"
        ]
        found += [
            f"order control ({part.title}): {len(part.order.significant)} of {part.order.tested} arms depend on what was loaded before"
            for part in self.sections
            if not part.order.passed
        ]
        found += [f"below the floor: {line}" for part in (*self.controls, *self.sections) for line in part.below_floor]
        found += [f"integrity: {line}" for line in self.integrity.problems]
        return tuple(found)

    @property
    def ok(self) -> bool:
        """False where the A/A or the order control failed, a mean is below its floor, or a hash is wrong."""
        return not self.failures
