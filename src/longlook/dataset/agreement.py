"""Rows of the agreement tables: each published mean and verdict beside the re-measured one of the same cell."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from longlook.analysis.agreement import CellAgreement, agreements
from longlook.analysis.result import CellResult
from longlook.dataset.rows import Row
from longlook.published.registry import published_cells


def agreement_rows(results: Sequence[CellResult], published_root: Path | None = None) -> tuple[list[Row], list[Row]]:
    """Of one campaign: rows of `agreement_means` and of `agreement_verdicts`, in the order of the published tables."""
    found = agreements(published_cells(published_root), results)
    return [row for one in found for row in _means(one)], [_verdict(one) for one in found]


def _who(one: CellAgreement) -> Row:
    cell = one.result.cell
    return {
        "study": cell.study,
        "table": one.published.table,
        "campaign": one.result.campaign,
        "series": cell.series,
        "cell_id": cell.id,
        "metric": one.published.metric,
    }


def _means(one: CellAgreement) -> list[Row]:
    return [
        _who(one)
        | {
            "arm": mean.arm,
            "published_mean": mean.published.mean,
            "published_sd": mean.published.sd,
            "published_n": mean.published.n,
            "measured_mean": mean.measured.mean,
            "measured_sd": mean.measured.sd,
            "measured_n": mean.measured.n,
            "ratio": mean.ratio,
            "within_prediction": mean.within_prediction,
        }
        for mean in one.means
    ]


def _verdict(one: CellAgreement) -> Row:
    return _who(one) | {
        "left": one.left,
        "right": one.right,
        "published": one.published_contrast.verdict,
        "measured": one.measured_contrast.verdict,
        "agree": one.agrees if one.tested else None,
    }
