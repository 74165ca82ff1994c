"""What a study claims, in parts: each held to a criterion, never pooled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pandas as pd

from longlook.analysis.fairness import ShareVerdict
from longlook.analysis.welch import summarise, welch_from_summaries
from longlook.book.data import COLUMNS
from longlook.book.flows import Contest
from longlook.book.value import NOT_YET
from longlook.experiment.metrics import FINISHED
from longlook.figure.squares import PUBLISHED
from longlook.figure.table import html_table
from longlook.plan.workload import bytes_of_kb

LARGEST_BYTES = bytes_of_kb(10_000)


@dataclass(frozen=True)
class ClaimPart:
    """One part of a claim by some numbers."""

    name: str
    """The figure, the stack, the bandwidth."""
    numbers: str
    holds: bool | None
    """None where the numbers leave it open."""

    @property
    def text(self) -> str:
        return f"{self.name}: {self.numbers}"


def verdict(parts: list[ClaimPart], of: int) -> str:
    """`holds`, or in how many of its parts and in which not; of at least one part, with a remark where some are
    missing."""
    holding, failing, undecided = ([part.name for part in parts if part.holds is one] for one in (True, False, None))
    word = "holds" if len(holding) == len(parts) else f"holds in {len(holding)} of {len(parts)}"
    if len(failing) == len(parts):
        word = "does not hold"
    elif len(undecided) == len(parts):
        word = "open"
    elif len(holding) < len(parts):
        others = {"not in": failing, "open in": undecided}
        word += "".join(f", {how} {', '.join(names)}" for how, names in others.items() if names)
    return word if len(parts) == of else f"{word} ({len(parts)} of {of} parts)"


@dataclass(frozen=True)
class Claim:
    """`parts`: what the numbers of a column say; those that there are none for are left out."""

    name: str
    text: str
    criterion: str
    parts: Callable[[Any], list[ClaimPart]]
    of: int
    """So many parts it has where everything is measured."""


class Stated(Protocol):
    """A claim as a study's module has it; its parts are made of that study's own kind of evidence."""

    @property
    def text(self) -> str: ...
    @property
    def criterion(self) -> str: ...
    @property
    def parts(self) -> Callable[[Any], list[ClaimPart]]: ...
    @property
    def of(self) -> int: ...


def faster_in(squares: pd.DataFrame) -> tuple[int, int]:
    """In how many tested squares QUIC is faster, and TCP."""
    quic, tcp = (int((squares["verdict"] == side).sum()) for side in ("left", "right"))
    return quic, tcp


def most_squares(name: str, squares: pd.DataFrame) -> list[ClaimPart]:
    """QUIC faster in most tested squares of one figure, TCP in none."""
    if squares.empty:
        return []
    quic, tcp = faster_in(squares)
    text = f"QUIC faster in {quic} of {len(squares)}, TCP in {tcp}"
    return [ClaimPart(name, text, not tcp and quic > len(squares) / 2)]


def shared(one: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """The squares that two figures share; columns of the other one end in `_other`."""
    return one.merge(other, on=["workload", "bandwidth_mbps"], suffixes=("", "_other"), validate="one_to_one")


def same_verdicts(name: str, one: pd.DataFrame, other: pd.DataFrame) -> list[ClaimPart]:
    """Most squares that two figures share have the same verdict in both, none opposite ones."""
    pairs = shared(one, other)
    if pairs.empty:
        return []
    same = int((pairs["verdict"] == pairs["verdict_other"]).sum())
    opposite = sum({pair["verdict"], pair["verdict_other"]} == {"left", "right"} for _, pair in pairs.iterrows())
    text = f"same verdict in {same} of {len(pairs)}, opposite ones in {opposite}"
    return [ClaimPart(name, text, opposite == 0 and same > len(pairs) / 2)]


def share_parts(name: str, found: Sequence[Contest], scenario: str, wanted: ShareVerdict) -> list[ClaimPart]:
    """Of the contest called `scenario` whether its verdict is the wanted one; open where it is open."""
    return [
        ClaimPart(name, _times_tcp(contest), None if contest.ratio.verdict == "open" else verdict == wanted)
        for contest in found
        if contest.label == scenario and (verdict := contest.ratio.verdict) is not None
    ]


def largest(squares: pd.DataFrame) -> pd.Series:
    """Bandwidth -> the difference of 10 MB, %."""
    own = squares.reindex(columns=["bandwidth_mbps", "object_bytes", "pct_diff"])
    return own[own["object_bytes"] == LARGEST_BYTES].set_index("bandwidth_mbps")["pct_diff"]


def one_program(transfers: pd.DataFrame) -> list[ClaimPart]:
    """The adaptive threshold against the static one, of transfers of 10 MB."""
    kinds = ("static", "adaptive")
    times = [transfers.loc[transfers["label"] == f"{kind} threshold", FINISHED.name].dropna() for kind in kinds]
    if min(map(len, times)) < 2:
        return []
    static, adaptive = (summarise(list(values)) for values in times)
    medians = [f"{values.median():.1f} s" for values in times]
    text = f"in {medians[1]} instead of {medians[0]} (medians)"
    holds = welch_from_summaries(static, adaptive).significant and adaptive.mean < static.mean
    return [ClaimPart("10 MB at 100 Mbit/s", text, holds)]


def _times_tcp(contest: Contest) -> str:
    return f"{contest.ratio_text} times TCP's rate, {contest.runs_text}: {contest.verdict_text}"


def evaluated(claims: Sequence[Stated], evidence_of: Callable[[str], Any]) -> dict[str, list[list[ClaimPart]]]:
    """Heading of a column -> the parts of each claim; the published column, and those that have numbers for any.

    `evidence_of`: what a column (`published`, `reference`, `yours`) has.
    """
    found = {PUBLISHED.title: [claim.parts(evidence_of(PUBLISHED.key)) for claim in claims]}
    for key, _, title in COLUMNS:
        parts = [claim.parts(evidence_of(key)) for claim in claims]
        if any(parts):
            found[title] = parts
    return found


def claims_table(
    claims: Sequence[Stated],
    columns: Mapping[str, list[list[ClaimPart]]],
    heading: Callable[[Any], str] = lambda claim: f"<b>{claim.text}</b>",
) -> str:
    """Claims and their criteria down; columns (of `evaluated`) across, each with its verdict and the parts' numbers."""
    rows = []
    for index, claim in enumerate(claims):
        row = [f"{heading(claim)}<br>Criterion: {claim.criterion}"]
        for title, found in columns.items():
            parts = found[index]
            absent = "no numbers" if title == PUBLISHED.title else NOT_YET
            lines = [f"<b>{verdict(parts, claim.of)}</b>", *(part.text for part in parts)]
            row.append("<br>".join(lines) if parts else absent)
        rows.append(row)
    return html_table(["claim", *columns], rows, escape=False)
