"""Rows of the agreement tables: each published mean and verdict beside the re-measured one of the same cell."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from longlook.analysis.agreement import CellAgreement, agreements, within_prediction
from longlook.analysis.result import CellResult
from longlook.dataset.rows import Row
from longlook.published.registry import published_cells


def agreement_rows(results: Sequence[CellResult], published_root: Path | None = None) -> tuple[list[Row], list[Row]]:
    """Of one campaign: rows of `agreement_means` and of `agreement_verdicts`, in the order of the published tables."""
    return means_and_verdicts_rows(agreements(published_cells(published_root), results))


def means_and_verdicts_rows(found: Sequence[CellAgreement]) -> tuple[list[Row], list[Row]]:
    """Rows of `agreement_means` and of `agreement_verdicts`."""
    return [row for one in found for row in _means(one)], [row for one in found for row in _verdicts(one)]


def _who(one: CellAgreement) -> Row:
    cell = one.result.cell
    return {
        "study": cell.study,
        "table": one.published.table,
        "campaign": one.result.campaign,
        "series": cell.series,
        "label": cell.label or None,
        "cell_id": cell.id,
        "metric": one.published.metric,
    }


def _means(one: CellAgreement) -> list[Row]:
    return [
        _who(one)
        | {
            "arm": mean.arm,
            "protocol": one.protocol(mean),
            "published_mean": mean.a.mean,
            "published_sd": mean.a.sd,
            "published_n": mean.a.n,
            "measured_mean": mean.b.mean,
            "measured_sd": mean.b.sd,
            "measured_n": mean.b.n,
            "ratio": mean.ratio.value,
            "within_prediction": within_prediction(mean),
        }
        for mean in one.means
    ]


def _verdicts(one: CellAgreement) -> list[Row]:
    return [
        _who(one)
        | {
            "left": verdict.left,
            "right": verdict.right,
            "published": verdict.a.verdict,
            "published_pct_diff": verdict.a.pct,
            "published_p_value": verdict.a.test.p_value,
            "measured": verdict.b.verdict,
            "measured_pct_diff": verdict.b.pct,
            "measured_p_value": verdict.b.test.p_value,
            "agree": verdict.agrees if verdict.tested else None,
        }
        for verdict in one.verdicts
    ]
