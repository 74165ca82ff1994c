"""The claims of the thesis's section 4.8, each with its numbers as published and as re-measured, and whether it holds.

A claim has parts (a stack, a bandwidth, a figure), each with a criterion that the same function decides for published and
re-measured tables: a claim whose parts all meet it holds, one of which only some do holds in part.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from longlook.analysis.agreement import compare
from longlook.analysis.cells import accepted, newest_of
from longlook.analysis.fairness import Contest, measured_contests, published_contests
from longlook.analysis.welch import summarise, welch_from_summaries
from longlook.book.data import COLUMNS, PaperData
from longlook.book.numbers import NOT_YET, tested
from longlook.figure import style
from longlook.figure.squares import PUBLISHED
from longlook.figure.table import html_table

VERSIONS = {"QUIC v1": "4.6", "gQUIC": "4.5"}
PANELS = "bcef"
"""Of figures 4.5 and 4.6: those with loss (b, e) and with added latency (c, f)."""
JITTER = {"QUIC v1": "4.11b", "gQUIC": "4.11a"}
FAIRNESS = {"QUIC v1": "table-4.1", "gQUIC": "table-4.1-gquic37"}
LARGEST_KB = 10_000
BBR = ("4.14a", "4.14b", "4.14c", "4.14d", "4.14e", "4.14f")
BBR_JITTER = ("4.15b", "4.15d")


@dataclass(frozen=True)
class Part:
    """One part of a claim by some numbers."""

    text: str
    holds: bool


@dataclass(frozen=True)
class Numbers:
    """Those published, or of one role's newest campaigns: the tested cells of a figure, the contests and flows of another."""

    cells: Callable[[str], pd.DataFrame]
    contests: Callable[[str], list[Contest]]
    flows: Callable[[str], pd.DataFrame]


@dataclass(frozen=True)
class Claim:
    """`parts`: what the numbers say, part by part; those that there are none for are left out."""

    text: str
    criterion: str
    parts: Callable[[Numbers], list[Part]]
    of: int
    """So many parts it has where everything is measured."""


def evaluate(data: PaperData, flows: pd.DataFrame, fairness: pd.DataFrame) -> dict[str, list[list[Part]]]:
    """Heading of a column -> the parts of each of CLAIMS; the published column, and those that have numbers for any claim."""
    published = Numbers(
        cells=lambda figure: tested(data.frame(figure, PUBLISHED.key)),
        contests=lambda figure: published_contests(fairness, figure.removeprefix("table-")),
        flows=lambda _: flows.iloc[:0],
    )
    found = {PUBLISHED.title: [claim.parts(published) for claim in CLAIMS]}
    for key, role, title in COLUMNS:
        own = _measured(data, flows, key, role)
        parts = [claim.parts(own) for claim in CLAIMS]
        if any(parts):
            found[title] = parts
    return found


def _measured(data: PaperData, flows: pd.DataFrame, key: str, role: str) -> Numbers:
    return Numbers(
        cells=lambda figure: tested(data.frame(figure, key)),
        contests=lambda figure: measured_contests(newest_of(flows, figure, role)),
        flows=lambda figure: accepted(newest_of(flows, figure, role)),
    )


def claims_table(data: PaperData, flows: pd.DataFrame, fairness: pd.DataFrame) -> str:
    """Claims and their criteria down; columns across, each with its verdict and the numbers of the parts."""
    columns = evaluate(data, flows, fairness)
    rows = []
    for index, claim in enumerate(CLAIMS):
        row = [f"<b>{claim.text}</b><br>Criterion: {claim.criterion}"]
        for title, evaluated in columns.items():
            parts = evaluated[index]
            absent = "no numbers" if title == PUBLISHED.title else NOT_YET
            row.append(
                "<br>".join([f"<b>{verdict(parts, claim.of)}</b>", *(part.text for part in parts)]) if parts else absent
            )
        rows.append(row)
    return html_table(["claim", *columns], rows, escape=False)


def verdict(parts: list[Part], of: int) -> str:
    """`holds`, `holds in part` or `does not hold`, of at least one part; with a remark where some are missing."""
    word = {len(parts): "holds", 0: "does not hold"}.get(sum(part.holds for part in parts), "holds in part")
    return word if len(parts) == of else f"{word} ({len(parts)} of {of} parts)"


def _squares(name: str, cells: pd.DataFrame) -> list[Part]:
    """QUIC faster in most squares, TCP in none."""
    if cells.empty:
        return []
    quic, tcp = (int((cells["verdict"] == protocol).sum()) for protocol in ("quic", "tcp"))
    return [Part(f"{name}: QUIC faster in {quic} of {len(cells)}, TCP in {tcp}", not tcp and quic > len(cells) / 2)]


def _added(numbers: Numbers) -> list[Part]:
    return [
        part
        for version, figure in VERSIONS.items()
        for part in _squares(version, pd.concat([numbers.cells(figure + panel) for panel in PANELS]))
    ]


def _both_versions(numbers: Numbers) -> list[Part]:
    """Each square of figure 4.6 beside the same one of figure 4.5."""
    same = opposite = total = 0
    for panel in "abcdef":
        one, other = numbers.cells(f"4.6{panel}"), numbers.cells(f"4.5{panel}")
        if one.empty or other.empty:
            continue
        for pair in compare(one, other.assign(figure=one["figure"].iloc[0], stack=one["stack"].iloc[0])):
            same += pair.agrees
            opposite += {pair.a.verdict, pair.b.verdict} == {"quic", "tcp"}
            total += 1
    return (
        [
            Part(
                f"same verdict in {same} of {total} squares, opposite ones in {opposite}",
                opposite == 0 and same > total / 2,
            )
        ]
        if total
        else []
    )


def _fairness(scenario: str, wanted: str) -> Callable[[Numbers], list[Part]]:
    def parts(numbers: Numbers) -> list[Part]:
        found = []
        for version, figure in FAIRNESS.items():
            for contest in numbers.contests(figure):
                if contest.scenario == scenario:
                    ratio = contest.shares[0].mean_mbps / contest.shares[1].mean_mbps
                    found.append(Part(f"{version}: {ratio:.2f} times TCP's rate", contest.verdict == wanted))
        return found

    return parts


def _threshold(numbers: Numbers) -> list[Part]:
    """10 MB under jitter, by bandwidth: QUIC v1's difference from TCP above gQUIC's."""
    new, old = (_largest(numbers.cells(figure)) for figure in JITTER.values())
    return [
        Part(
            f"{bandwidth:g} Mbit/s: gQUIC {style.signed_pct(old[bandwidth])} %, QUIC v1 {style.signed_pct(new[bandwidth])} %",
            new[bandwidth] > old[bandwidth],
        )
        for bandwidth in sorted(set(new.index) & set(old.index))
    ]


def _largest(cells: pd.DataFrame) -> pd.Series:
    return cells[cells["workload_size_kb"] == LARGEST_KB].set_index("bandwidth_mbps")["pct_diff"]


def _one_program(numbers: Numbers) -> list[Part]:
    flows = numbers.flows("beyond-threshold")
    times = [
        flows.loc[flows["scenario"] == f"{kind} threshold", "finished_s"].dropna() for kind in ("static", "adaptive")
    ]
    if min(map(len, times)) < 2:
        return []
    static, adaptive = (summarise(list(own)) for own in times)
    text = f"10 MB at 100 Mbit/s in {adaptive.mean:.1f} s instead of {static.mean:.1f} s"
    return [Part(text, welch_from_summaries(static, adaptive).significant and adaptive.mean < static.mean)]


def _bbr(figures: tuple[str, ...]) -> Callable[[Numbers], list[Part]]:
    return lambda numbers: [part for figure in figures for part in _squares(figure, numbers.cells(figure))]


MOST = "QUIC is significantly faster in more than half of the squares, TCP in none"
CLAIMS = (
    Claim(
        "With added latency or loss QUIC is faster than TCP, in both versions",
        f"{MOST} (figures 4.5 and 4.6, b, c, e, f)",
        _added,
        2,
    ),
    Claim(
        "What QUIC gains over TCP is the same in both versions",
        "most squares have the same verdict, none opposite ones (figures 4.5 and 4.6)",
        _both_versions,
        1,
    ),
    Claim(
        "QUIC CUBIC with N = 2 takes more than its share beside one TCP flow",
        "QUIC's rate is significantly higher, by more than a tenth (table 4.1)",
        _fairness("QUIC vs TCP", "quic"),
        2,
    ),
    Claim(
        "With N = 1 it does not",
        "no significant difference of more than a tenth",
        _fairness("QUIC (N=1) vs TCP", "fair"),
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
        _one_program,
        1,
    ),
    Claim("With BBR, QUIC is faster than TCP", f"{MOST}, in each of figures 4.14a to f", _bbr(BBR), len(BBR)),
    Claim(
        "With BBR, QUIC is faster than TCP under jitter too",
        f"{MOST}, in each of figures 4.15b and d",
        _bbr(BBR_JITTER),
        len(BBR_JITTER),
    ),
)
