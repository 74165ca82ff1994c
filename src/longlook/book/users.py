"""The A/A control and twenty squares of figure 4.6 by an ordinary user beside root's, on one machine: tables, and what
became of the predictions.

They stand in sweeps/muthuraj2024/aa-user.toml and without-root.toml and were written before the campaigns.
"""

from __future__ import annotations

import html
import statistics
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd
from IPython.display import HTML

from longlook.analysis.newest import STUDY
from longlook.analysis.order import SAMPLE
from longlook.analysis.power import detectable
from longlook.analysis.welch import Summary, summary_of, welch_from_summaries
from longlook.audit.checks import APART, allowed_by_chance
from longlook.audit.comparison import DRIFT, DRIFT_MS, outcome_of
from longlook.book import data as book_data
from longlook.book import more_controls
from longlook.book.data import BookData
from longlook.book.flows import page
from longlook.book.predicted import JudgedPrediction, predictions_table
from longlook.book.varied import REFERENCE
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.table import shown_table
from longlook.figure.versus import Versus, told_pct
from longlook.record.parquet import records

ROOT, USER = APART
"""Series by who measured."""
HEADS = {ROOT: "root", USER: "ordinary user"}
EQUALS = more_controls.EQUALS[PLT.name]
SQUARES, QUIET = 40, 20
"""In all, and of them without loss."""
MOST_DISTURBED, NOISE = 0.2, 1.5


@dataclass(frozen=True)
class ControlCampaign:
    """One campaign: a row of `squares` per cell with enough loads (`side_by_side`), of `planned`; its loads, and how
    many of them were excluded."""

    campaign: str
    planned: int
    minutes: float
    squares: pd.DataFrame
    loads: int
    disturbed: int

    @property
    def coloured(self) -> int:
        return more_controls.coloured(self.squares)

    @property
    def share(self) -> float:
        """Of its loads, those disturbed."""
        return self.disturbed / self.loads

    def least_ms(self, lossy: bool) -> dict[str, float]:
        """By a square's key, the least difference of its means that its loads tell."""
        return {
            row["key"]: detectable(summary_of(row, "left_"), summary_of(row, "right_")) for row in self._rows(lossy)
        }

    def least_pct(self, lossy: bool) -> float:
        """The median of them, as a share of the mean."""
        return statistics.median(told_pct(row, EQUALS) for row in self._rows(lossy))

    def _rows(self, lossy: bool) -> list[dict[Hashable, Any]]:
        return records(self.squares[(self.squares["loss_pct"] > 0) == lossy])

    def means(self) -> dict[tuple[str, str], Summary]:
        """By key and side."""
        return {
            (row["key"], side): summary_of(row, f"{side}_")
            for row in records(self.squares)
            for side in ("left", "right")
        }


def control(data: BookData, series: str, versus: Versus = EQUALS) -> ControlCampaign | None:
    """That of one of the two; None before it is measured."""
    squares = data.squares(STUDY, series, REFERENCE, versus)
    squares = squares[squares["verdict"].notna()]
    if squares.empty:
        return None
    loads = data.rows("samples", STUDY, series, REFERENCE).drop_duplicates(SAMPLE)
    about = data.campaign(squares["campaign"].iloc[0])
    disturbed = int(loads["disturbed"].astype(bool).sum())
    return ControlCampaign(about["campaign"], int(about["cells"]), about["wall_s"] / 60, squares, len(loads), disturbed)


def control_table(data: BookData | None = None) -> HTML:
    """What both found, side by side."""
    found = {series: control(data or book_data.load(), series) for series in (ROOT, USER)}
    known = {series: _cells(one) for series, one in found.items() if one is not None}
    if not known:
        return HTML(style.NOTHING_YET)
    names = next(iter(known.values()))
    rows = [[name, *(own[name] for own in known.values())] for name in names]
    head = ["of the control", *(HEADS[series] for series in known)]
    return shown_table(head, rows, escape=False, numbers_from=1)


def _cells(own: ControlCampaign) -> dict[str, str]:
    """What stands in its column."""
    return {
        "campaign": f"<code>{html.escape(own.campaign)}</code>",
        "squares measured": f"{len(own.squares)} of {own.planned}",
        "coloured (allowed)": f"{own.coloured} ({allowed_by_chance(len(own.squares))})",
        "largest difference": f"{own.squares['pct_diff'].abs().max():.1f} %",
        "loads excluded": f"{own.disturbed} of {own.loads} ({own.share:.1%})".replace("%", " %"),
        "least difference detected, without loss": f"{own.least_pct(lossy=False):.1f} %",
        "least difference detected, with loss": f"{own.least_pct(lossy=True):.1f} %",
        "took": f"{own.minutes:.1f} min",
    }


def control_predictions(data: BookData | None = None) -> HTML:
    """A row each; without both campaigns, that nothing is measured yet."""
    own = data or book_data.load()
    root, user = control(own, ROOT), control(own, USER)
    return predictions_table(judged_control(root, user) if root and user else [])


def judged_control(root: ControlCampaign, user: ControlCampaign) -> list[JudgedPrediction]:
    """In the order of the sweep's head."""
    return [_as_white(user), _set_aside(root, user), _as_quiet(root, user), _as_fast(root, user)]


def _as_white(user: ControlCampaign) -> JudgedPrediction:
    tested = len(user.squares)
    most = allowed_by_chance(SQUARES)
    return JudgedPrediction(
        f"all {SQUARES} squares are measured by the user, at most {most} is coloured",
        f"{tested} measured, {user.coloured} coloured",
        tested == user.planned == SQUARES and user.coloured <= most,
    )


def _set_aside(root: ControlCampaign, user: ControlCampaign) -> JudgedPrediction:
    return JudgedPrediction(
        f"a larger share of the user's loads is excluded than of root's, at most {MOST_DISTURBED:.0%}",
        f"{user.share:.1%} of the user's, {root.share:.1%} of root's",
        root.share < user.share <= MOST_DISTURBED,
    )


def _as_quiet(root: ControlCampaign, user: ControlCampaign) -> JudgedPrediction:
    by_root, by_user = root.least_ms(lossy=False), user.least_ms(lossy=False)
    ratios = [by_user[key] / by_root[key] for key in by_root.keys() & by_user.keys() if by_root[key] > 0]
    middle = statistics.median(ratios) if ratios else 0.0
    return JudgedPrediction(
        f"without loss the least difference that the user's loads tell is at most {NOISE:g} times root's (median)",
        f"{middle:.2f} times, of {len(ratios)} squares",
        middle <= NOISE if len(ratios) == QUIET else None,
    )


def _as_fast(root: ControlCampaign, user: ControlCampaign) -> JudgedPrediction:
    pairs = means_of_both(root, user)
    far = sum(is_far(one, other) for one, other in pairs)
    most = allowed_by_chance(2 * SQUARES)
    return JudgedPrediction(
        f"of {2 * SQUARES} means at most {most} differ from root's significantly and by more than both {DRIFT:.0%} and "
        f"{DRIFT_MS:g} ms",
        f"{far} of {len(pairs)}",
        far <= most if len(pairs) == 2 * SQUARES else None,
    )


def means_of_both(root: ControlCampaign, user: ControlCampaign) -> list[tuple[Summary, Summary]]:
    """Root's and the user's, of the arms that both have measured."""
    by_root, by_user = root.means(), user.means()
    return [(by_root[name], by_user[name]) for name in by_root if name in by_user]


def is_far(root: Summary, user: Summary) -> bool:
    """Whether two means differ significantly, and by more than campaigns of one machine drift."""
    apart = abs(user.mean - root.mean)
    return welch_from_summaries(root, user).significant and apart > max(DRIFT * root.mean, DRIFT_MS)


WITH_ROOT, WITHOUT_ROOT = "with-root", "without-root"
"""Series by who measured."""
PROTOCOLS = Versus("quic", "tcp", PLT)
TWENTY = 20
GROUPS = (("", 3), ("QUIC, ms", 2), ("TCP, ms", 2), ("QUIC vs TCP", 2), ("loads that count", 2))
HEAD = ("page", "Mbit/s", "loss, %", *("root", "user") * 4)


def squares_table(data: BookData | None = None) -> HTML:
    """A row per square: both means of both, in ms, the differences, those that are significant in bold, and how many
    loads of both protocols count."""
    root, user = _both(data or book_data.load())
    if root is None or user is None:
        return HTML(style.NOTHING_YET)
    rows = [
        [page(pd.Series(one)), f"{one['bandwidth_mbps']:g}", f"{one['loss_pct']:g}"]
        + [f"{own[f'{side}_mean']:.0f}" for side in ("left", "right") for own in (one, other)]
        + [_lead(own) for own in (one, other)]
        + [f"{own['left_n'] + own['right_n']:.0f}" for own in (one, other)]
        for one, other in _pairs(root, user)
    ]
    return shown_table(HEAD, rows, escape=False, numbers_from=1, groups=GROUPS)


def squares_predictions(data: BookData | None = None) -> HTML:
    """A row each; without both campaigns, that nothing is measured yet."""
    root, user = _both(data or book_data.load())
    return predictions_table(judged_squares(root, user) if root and user else [])


def judged_squares(root: ControlCampaign, user: ControlCampaign) -> list[JudgedPrediction]:
    """In the order of the sweep's head; open where a square is missing."""
    pairs = list(_pairs(root, user))
    return [
        _alike(means_of_both(root, user), len(pairs)),
        _same_verdicts([(one["verdict"], other["verdict"]) for one, other in pairs]),
        _more_set_aside(root, user),
    ]


def _both(data: BookData) -> tuple[ControlCampaign | None, ControlCampaign | None]:
    return control(data, WITH_ROOT, PROTOCOLS), control(data, WITHOUT_ROOT, PROTOCOLS)


def _pairs(root: ControlCampaign, user: ControlCampaign) -> Iterator[tuple[dict, dict]]:
    """Root's squares and the user's, in order of pages and links."""
    by_user = {one["key"]: one for one in records(user.squares)}
    order = ["object_count", "object_bytes", "loss_pct", "bandwidth_mbps"]
    for one in records(root.squares.sort_values(order)):
        if one["key"] in by_user:
            yield one, by_user[one["key"]]


def _lead(row: dict) -> str:
    text = f"{style.signed_pct(row['pct_diff'])} %"
    return f"<b>{text}</b>" if row["verdict"] in ("left", "right") else text


def _alike(means: list[tuple[Summary, Summary]], squares: int) -> JudgedPrediction:
    """As `longlook compare` says it."""
    tested = [pair for pair in means if not pd.isna(welch_from_summaries(*pair).p_value)]
    most = allowed_by_chance(len(tested))
    significant = sum(welch_from_summaries(*pair).significant for pair in tested)
    far = sum(is_far(*pair) for pair in tested)
    outcome = outcome_of(len(tested), significant, far)
    return JudgedPrediction(
        "the two campaigns are alike or close: no more means than chance explains differ significantly, or not by more "
        f"than {DRIFT:.0%} and {DRIFT_MS:g} ms",
        f"{outcome}: of {len(means)} means {significant} differ, {far} of them by more (chance: {most})",
        outcome in ("alike", "close") if squares == TWENTY else None,
    )


def _same_verdicts(verdicts: list[tuple[str, str]]) -> JudgedPrediction:
    same = sum(one == other for one, other in verdicts)
    return JudgedPrediction(
        f"each of {TWENTY} squares keeps its verdict",
        f"{same} of {len(verdicts)}",
        same == len(verdicts) if len(verdicts) == TWENTY else None,
    )


def _more_set_aside(root: ControlCampaign, user: ControlCampaign) -> JudgedPrediction:
    return JudgedPrediction(
        "a larger share of the user's loads is excluded than of root's",
        f"{user.share:.1%} of the user's ({user.disturbed} of {user.loads}), {root.share:.1%} of root's "
        f"({root.disturbed} of {root.loads})",
        user.share > root.share,
    )
