"""The claims of the thesis's chapter 4, each with its numbers as published and as re-measured, and whether it holds.

A claim has parts (the figures that it is about; of transfers the stacks, of one page the bandwidths), each with a
criterion that the same function decides for published and re-measured tables. One rule makes the verdict of every
claim: it holds if it holds in each part; else it is said in how many, and which they are. Parts are never pooled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pandas as pd
from IPython.display import HTML

from longlook.analysis.fairness import ShareVerdict
from longlook.analysis.newest import STUDY
from longlook.book import claimed
from longlook.book import data as book_data
from longlook.book.at_first import at_first, changed
from longlook.book.chapter import QUIC_TCP
from longlook.book.claimed import (
    LARGEST_BYTES,
    ClaimPart,
    evaluated,
    faster_in,
    largest,
    most_squares,
    one_program,
    same_verdicts,
    share_parts,
    shared,
)
from longlook.book.data import BookData
from longlook.book.flows import Contest, contests, transfers
from longlook.experiment.metrics import FINISHED, PLT
from longlook.figure import style
from longlook.figure.squares import PUBLISHED
from longlook.figure.versus import Versus

VERSUS = Versus(*QUIC_TCP, PLT)
VERSIONS = {"QUIC v1": "4.6", "gQUIC": "4.5"}
ADDED = tuple(f"{figure}{panel}" for figure in VERSIONS.values() for panel in "bcef")
"""With loss (b, e) and with added latency (c, f)."""
JITTER = {"QUIC v1": "4.11b", "gQUIC": "4.11a"}
FAIRNESS = {"QUIC v1": "table-4.1", "gQUIC": "table-4.1-gquic37"}
BBR = ("4.14a", "4.14b", "4.14c", "4.14d", "4.14e", "4.14f")
BBR_JITTER = ("4.15b", "4.15d")
BBR_RANGE = (0.74, 43)
"""%, as section 4.7 has it."""
MANY, FAST_MBPS = 100, 50
NEAR = 10
"""Percentage points."""


@dataclass(frozen=True)
class ClaimNumbers:
    """Published numbers, or those of one role's newest campaigns: the tested squares of a series, its contests, its
    transfers."""

    squares: Callable[[str], pd.DataFrame]
    contests: Callable[[str], list[Contest]]
    transfers: Callable[[str], pd.DataFrame]


@dataclass(frozen=True)
class Claim:
    """`parts`: what the numbers say, part by part; those that there are none for are left out."""

    text: str
    criterion: str
    parts: Callable[[ClaimNumbers], list[ClaimPart]]
    of: int
    """So many parts it has where everything is measured."""


def evidence(data: BookData, key: str) -> ClaimNumbers:
    """Of one column: `published`, `reference`, `yours`."""

    def squares(series: str) -> pd.DataFrame:
        frame = data.squares(STUDY, series, key, VERSUS)
        return frame[frame["p_value"].notna()]

    return ClaimNumbers(
        squares=squares,
        contests=lambda series: contests(data, STUDY, series, key),
        transfers=lambda series: _no_transfers() if key == PUBLISHED.key else transfers(data, STUDY, series, key),
    )


def _no_transfers() -> pd.DataFrame:
    return pd.DataFrame(columns=["label", FINISHED.name])


def evaluate(data: BookData) -> dict[str, list[list[ClaimPart]]]:
    """Heading of a column -> the parts of each of CLAIMS; the published column, and those that have numbers for any
    claim."""
    return evaluated(CLAIMS, lambda key: evidence(data, key))


def claims() -> HTML:
    """The claims of the thesis's chapter 4: published, re-measured, and whether they hold."""
    return HTML(claims_table(book_data.load()))


def claims_table(data: BookData) -> str:
    """Claims and their criteria down; columns across, each with its verdict and the numbers of the parts."""
    now, first = (_verdicts(one) for one in (data, at_first(data, STUDY)))
    return claimed.claims_table(CLAIMS, evaluate(data)) + changed(now, first)


def _verdicts(data: BookData) -> dict[str, str]:
    """Of each claim that has numbers, re-measured."""
    found = [(one.text, one.parts(evidence(data, "reference")), one.of) for one in CLAIMS]
    return {text: claimed.verdict(parts, of) for text, parts, of in found if parts}


def each(figures: Sequence[str]) -> Callable[[ClaimNumbers], list[ClaimPart]]:
    """QUIC faster in most squares of each figure, TCP in none."""
    return lambda numbers: [part for figure in figures for part in most_squares(figure, numbers.squares(figure))]


def _many_small(numbers: ClaimNumbers) -> list[ClaimPart]:
    """Pages of a hundred objects and more, on the faster links, without latency added."""
    found = []
    for figure in (f"{version}d" for version in VERSIONS.values()):
        squares = numbers.squares(figure)
        own = squares[(squares["object_count"] >= MANY) & (squares["bandwidth_mbps"] >= FAST_MBPS)]
        for part in most_squares(figure, own):
            quic, tcp = faster_in(own)
            found.append(replace(part, holds=quic == 0 and tcp >= len(own) / 2))
    return found


def _near(numbers: ClaimNumbers) -> list[ClaimPart]:
    """Differences from TCP of one object, of both versions, by bandwidth."""
    new, old = (numbers.squares(f"{version}a") for version in VERSIONS.values())
    both = shared(new, old)
    both = both[(both["bandwidth_mbps"] >= FAST_MBPS) & ~_ten_megabytes(both, 100)]
    apart = (both["pct_diff"] - both["pct_diff_other"]).abs().groupby(both["bandwidth_mbps"])
    return [
        ClaimPart(
            f"{bandwidth:g} Mbit/s",
            f"within ten points in {(found <= NEAR).sum()} of {len(found)}, at most {found.max():.0f} apart",
            bool((found <= NEAR).all()),
        )
        for bandwidth, found in apart
    ]


def _all_but_ten_megabytes(numbers: ClaimNumbers) -> list[ClaimPart]:
    """QUIC's mean the lower one under jitter."""
    found = []
    for figure in BBR_JITTER:
        squares = numbers.squares(figure)
        own = squares[~_ten_megabytes(squares, 50)]["pct_diff"]
        if len(own):
            least, most = (style.signed_pct(pct) for pct in (own.min(), own.max()))
            text = f"QUIC's mean lower in {(own > 0).sum()} of {len(own)}, {least} to {most} %"
            found.append(ClaimPart(figure, text, bool((own > 0).all())))
    return found


def _ten_megabytes(squares: pd.DataFrame, bandwidth_mbps: float) -> pd.Series:
    return (squares["object_bytes"] == LARGEST_BYTES) & (squares["bandwidth_mbps"] == bandwidth_mbps)


def _range(numbers: ClaimNumbers) -> list[ClaimPart]:
    """QUIC's leads with BBR and several objects."""
    found = []
    for figure in BBR[3:]:
        squares = numbers.squares(figure)
        leads = squares[squares["verdict"] == "left"]["pct_diff"]
        if len(leads):
            text = f"{len(leads)} of {len(squares)} red, by {leads.min():.1f} to {leads.max():.0f} %"
            holds = len(leads) > len(squares) / 2 and bool(leads.between(*BBR_RANGE).all())
            found.append(ClaimPart(figure, text, holds))
    return found


def _both_versions(numbers: ClaimNumbers) -> list[ClaimPart]:
    """Each figure of 4.6 beside the same one of 4.5, square by square."""
    found = []
    for panel in "abcdef":
        one, other = (f"{figure}{panel}" for figure in VERSIONS.values())
        found += same_verdicts(f"{one}/{other}", numbers.squares(one), numbers.squares(other))
    return found


def _fairness(scenario: str, wanted: ShareVerdict) -> Callable[[ClaimNumbers], list[ClaimPart]]:
    """The verdict of the chapter on fairness, by version."""

    def parts(numbers: ClaimNumbers) -> list[ClaimPart]:
        return [
            part
            for version, series in FAIRNESS.items()
            for part in share_parts(version, numbers.contests(series), scenario, wanted)
        ]

    return parts


def _threshold(numbers: ClaimNumbers) -> list[ClaimPart]:
    """10 MB under jitter, by bandwidth: QUIC v1's difference from TCP above gQUIC's."""
    new, old = (largest(numbers.squares(series)) for series in JITTER.values())
    return [
        ClaimPart(f"{bandwidth:g} Mbit/s", _both(old[bandwidth], new[bandwidth]), bool(new[bandwidth] > old[bandwidth]))
        for bandwidth in sorted(set(new.index) & set(old.index))
    ]


def _both(old: float, new: float) -> str:
    return f"gQUIC {style.signed_pct(old)} %, QUIC v1 {style.signed_pct(new)} %"


MOST = "QUIC is significantly faster in more than half of the squares, TCP in none, in each of figures"
CLAIMS = (
    Claim(
        "With added latency or loss QUIC is faster than TCP, in both versions",
        f"{MOST} 4.5 and 4.6, b, c, e and f",
        each(ADDED),
        len(ADDED),
    ),
    Claim(
        "What QUIC gains over TCP is the same in both versions",
        "most squares have the same verdict, none opposite ones, in each panel of figures 4.5 and 4.6",
        _both_versions,
        6,
    ),
    Claim(
        "QUIC CUBIC with N = 2 takes more than its share beside one TCP flow",
        "the 99 % interval of the ratio of the rates lies above 1.1 (table 4.1)",
        _fairness("QUIC vs TCP", "left"),
        2,
    ),
    Claim(
        "With N = 1 it does not",
        "that interval lies within a tenth of 1; open where it reaches beyond and does not lie there",
        _fairness("QUIC (N=1) vs TCP", "none"),
        2,
    ),
    Claim(
        "Under jitter QUIC v1 does better than gQUIC v37",
        "of 10 MB, QUIC v1's difference from TCP is the higher one at each bandwidth (figures 4.11a, b)",
        _threshold,
        3,
    ),
    Claim(
        "That is the threshold's doing",
        "the same program takes significantly less time with the adaptive threshold than with the static one",
        lambda numbers: one_program(numbers.transfers("beyond-threshold")),
        1,
    ),
    Claim("With BBR, QUIC is faster than TCP", f"{MOST} 4.14a to f", each(BBR), len(BBR)),
    Claim(
        "With BBR, QUIC is faster than TCP under jitter too",
        f"{MOST} 4.15b and d",
        each(BBR_JITTER),
        len(BBR_JITTER),
    ),
    Claim(
        "QUIC performs poorly with many small objects at 50 and 100 Mbit/s, without latency or loss (section 4.3.2)",
        "of a hundred and two hundred TCP is significantly faster in half of the squares, QUIC in none (4.6d, 4.5d)",
        _many_small,
        2,
    ),
    Claim(
        "With one object QUIC v1 and gQUIC are within 10 % of each other at 50 and 100 Mbit/s (section 4.3.1)",
        "their differences from TCP are within ten points for each size, but 10 MB at 100 Mbit/s (figures 4.6a, 4.5a)",
        _near,
        2,
    ),
    Claim(
        "With BBR and jitter QUIC is faster for all sizes and numbers but 10 MB at 50 Mbit/s (section 4.8)",
        "QUIC's mean is the lower one in each other square of figures 4.15b and d",
        _all_but_ten_megabytes,
        2,
    ),
    Claim(
        "With BBR and several objects QUIC's leads are of 0.74 to 43 % (section 4.7)",
        "most squares of figures 4.14d, e and f are significantly red, each by so much",
        _range,
        3,
    ),
)
