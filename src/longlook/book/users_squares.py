"""Twenty squares of figure 4.6 by root and by an ordinary user, on one machine, and what became of the predictions.

They stand in sweeps/muthuraj2024/without-root.toml and were written before both campaigns.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from IPython.display import HTML

from longlook.analysis.welch import Summary, welch_from_summaries
from longlook.audit.checks import allowed_by_chance
from longlook.audit.comparison import DRIFT, DRIFT_MS, outcome_of
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.flows import page
from longlook.book.predicted import JudgedPrediction, predictions_table
from longlook.book.users_control import ControlCampaign, control, is_far, means_of_both
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.table import html_table
from longlook.figure.versus import Versus
from longlook.record.parquet import records

ROOT, USER = "with-root", "without-root"
"""Series by who measured."""
PROTOCOLS = Versus("quic", "tcp", PLT)
SQUARES = 20
GROUPS = (("", 3), ("QUIC, ms", 2), ("TCP, ms", 2), ("QUIC vs TCP", 2), ("loads that count", 2))
HEAD = ("page", "Mbit/s", "loss, %", *("root", "user") * 4)


def table(data: BookData | None = None) -> HTML:
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
    return HTML(html_table(HEAD, rows, escape=False, numeric=set(range(1, len(HEAD))), groups=GROUPS))


def predictions(data: BookData | None = None) -> HTML:
    """A row each; without both campaigns, that nothing is measured yet."""
    root, user = _both(data or book_data.load())
    return predictions_table(judged(root, user) if root and user else [])


def judged(root: ControlCampaign, user: ControlCampaign) -> list[JudgedPrediction]:
    """In the order of the sweep's head; open where a square is missing."""
    pairs = list(_pairs(root, user))
    return [
        _alike(means_of_both(root, user), len(pairs)),
        _same_verdicts([(one["verdict"], other["verdict"]) for one, other in pairs]),
        _more_set_aside(root, user),
    ]


def _both(data: BookData) -> tuple[ControlCampaign | None, ControlCampaign | None]:
    return control(data, ROOT, PROTOCOLS), control(data, USER, PROTOCOLS)


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
        outcome in ("alike", "close") if squares == SQUARES else None,
    )


def _same_verdicts(verdicts: list[tuple[str, str]]) -> JudgedPrediction:
    same = sum(one == other for one, other in verdicts)
    return JudgedPrediction(
        f"each of {SQUARES} squares keeps its verdict",
        f"{same} of {len(verdicts)}",
        same == len(verdicts) if len(verdicts) == SQUARES else None,
    )


def _more_set_aside(root: ControlCampaign, user: ControlCampaign) -> JudgedPrediction:
    return JudgedPrediction(
        "a larger share of the user's loads is set aside as disturbed than of root's",
        f"{user.share:.1%} of the user's ({user.disturbed} of {user.loads}), {root.share:.1%} of root's "
        f"({root.disturbed} of {root.loads})",
        user.share > root.share,
    )
