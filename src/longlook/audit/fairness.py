"""Tables of arms that share a link, published beside re-measured, as text."""

from __future__ import annotations

from collections.abc import Iterable

from longlook.analysis.compared import ComparedCell, ComparedVerdict
from longlook.analysis.fairness import jain
from longlook.analysis.twofold import verdict_word
from longlook.audit.report import TableAudit


def share_lines(tables: Iterable[TableAudit]) -> list[str]:
    """One line per flow, Mbit/s as mean (sd)."""
    lines: list[str] = []
    for one in tables:
        lines += ["", f"  Table {one.table}, shares of the link, Mbit/s (sd)   {', '.join(one.campaigns)}"]
        for cell in one.cells:
            lines += _scenario(cell)
    return lines


def _scenario(cell: ComparedCell) -> list[str]:
    before = jain([mean.published_mean for mean in cell.means])
    now = jain([mean.measured_mean for mean in cell.means])
    marks = "; ".join(_mark(verdict) for verdict in cell.verdicts)
    return [
        f"    {cell.label or cell.title}: {marks}; Jain's index {before:.3f} -> {now:.3f}",
        *(
            f"      {mean.arm:8}{mean.published_mean:6.2f} ({mean.published_sd:.2f}) -> "
            f"{mean.measured_mean:6.2f} ({mean.measured_sd:.2f})  x {mean.ratio:.2f}  {mean.measured_n} runs"
            for mean in cell.means
        ),
    ]


def _mark(verdict: ComparedVerdict) -> str:
    if verdict.agree:
        return "agrees"
    before, now = (
        verdict_word(one, verdict.left, verdict.right).replace("none", "fair")
        for one in (verdict.published, verdict.measured)
    )
    return f"published {before}, here {now}"
