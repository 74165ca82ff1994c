"""How far published and re-measured agree, in sentences and tables, beside what says nothing.

Page load times of the newest reference campaigns beside the published ones, and beside what an exact replication would
reach. Everything is computed from the tables.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import pandas as pd
from IPython.display import HTML

from longlook import paths
from longlook.analysis.ceiling import ALL, ceilings
from longlook.analysis.compared import ComparedCell, compared_cells, overall
from longlook.analysis.contrast import Verdict
from longlook.analysis.crosstable import CrossTable, by_holm, of_cells
from longlook.analysis.first_attempts import Place, first_attempts
from longlook.analysis.first_attempts import agreeing_at_first as first_agreeing
from longlook.analysis.newest import STUDY, newest, role_of
from longlook.analysis.processor import BUSY_SHARE, bound_cells
from longlook.analysis.welch import Summary
from longlook.audit.report import within
from longlook.book.data import BookData, load
from longlook.book.muthuraj2024.circumstances import Three, held, three_ways, without_unshown
from longlook.book.muthuraj2024.circumstances import agreement as agreement_of
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.table import html_table, shown_table
from longlook.figure.versus import Decision, decided
from longlook.plan.value import capitalised
from longlook.published.cells import PublishedCell
from longlook.published.registry import published_cells
from longlook.record.parquet import records

HEAD = (
    "stack and link", "cells", "verdicts agree", "kappa", "a constant", "exact replication", "as the scripts did",
    "means within", "QUIC's means off by", "TCP's means off by",
)  # fmt: skip
WHOLE, PLAIN = "all", "without loss and jitter"
LESS, MORE = (f"{word} than {100 * BUSY_SHARE:.0f} % of PLT" for word in ("less", "more"))
AHEAD: Mapping[Verdict, str] = {"left": "QUIC ahead", "none": "neither", "right": "TCP ahead"}
CHANCE = (
    "squares", "verdicts agree", "first attempts", "kappa (99 %)", "a constant", "shares at random",
    "exact replication", *(f"kept: {words}" for words in AHEAD.values()), "opposite",
)  # fmt: skip


@dataclass(frozen=True)
class ComparedSquare:
    """A published cell, the newest reference campaign's, and where it stands in `cells`."""

    compared: ComparedCell
    printed: PublishedCell
    row: pd.Series
    decided: Decision
    """Of its two arms, of which QUIC is the left one."""
    each: tuple[bool, ...]
    """Whether the verdict is the published one, in every reference campaign of its figure."""


@lru_cache(maxsize=1)
def squares(data: BookData) -> tuple[ComparedSquare, ...]:
    """Page load times of every published cell of the thesis that has a reference campaign."""
    every = [data.where(one, study=STUDY, metric=PLT.name) for one in ("means", "verdicts")]
    means, verdicts = (newest(one, "reference") for one in every)
    each = _in_each_campaign(every[1])
    cells = data.where("cells", study=STUDY)
    known = cells.set_index(["campaign", "cell_id"])
    printed = {one.place: one for one in published_cells(paths.PUBLISHED)}
    contrasts = {
        (row["campaign"], row["cell_id"], row["left"], row["right"]): row
        for row in records(data.where("contrasts", study=STUDY, metric=PLT.name))
    }
    found = []
    for cell in compared_cells(means, verdicts, cells):
        row = known.loc[(cell.campaign, cell.cell_id)]
        (verdict,) = cell.verdicts
        contrast = contrasts[cell.campaign, cell.cell_id, verdict.left, verdict.right]
        place = printed[row["study"], row["series"], row["key"]]
        again = each.get((cell.series, cell.cell_id), ())
        found.append(ComparedSquare(cell, place, row, decided(contrast), again))
    return tuple(found)


def _in_each_campaign(verdicts: pd.DataFrame) -> dict[tuple[str, str], tuple[bool, ...]]:
    """By series and cell, of reference campaigns."""
    own = verdicts[(verdicts["campaign"].map(role_of) == "reference") & verdicts["agree"].notna()]
    groups = own.groupby(["series", "cell_id"], observed=True)["agree"]
    return {place: tuple(map(bool, agreed)) for place, agreed in groups}


def shares(data: BookData | None = None) -> HTML:
    """A row per stack and kind of link, and one of all; page load times of the newest reference campaigns."""
    tables = data or load()
    found = squares(tables)
    if not found:
        return HTML(style.NOTHING_YET)
    scripts = {(one.printed.table, one.printed.cell.key): one for one in three_ways(tables)}
    groups: dict[str, list[ComparedSquare]] = {}
    for one in found:
        groups.setdefault(kind_of(one.row), []).append(one)
    groups[WHOLE] = list(found)
    rows = [[name, *_row(own, scripts)] for name, own in groups.items()]
    return shown_table(HEAD, rows, numbers_from=1)


def kind_of(cell: pd.Series) -> str:
    """`quicv1, 36 ms, 1 % loss`."""
    loss = f", {cell['loss_pct']:g} % loss" if cell["loss_pct"] else ""
    jitter = f", {cell['jitter_ms']:g} ms jitter" if cell["jitter_ms"] else ""
    return f"{cell['stacks']}, {cell['rtt_ms']:g} ms{loss}{jitter}"


def _row(own: Sequence[ComparedSquare], scripts: Mapping[tuple[str, str], Three]) -> list[str]:
    cells = [one.compared for one in own]
    places = [(one.compared.table, one.printed.cell.key) for one in own]
    found, most = overall(cells, PLT.name), ceilings([one.printed for one in own])[ALL]
    table = of_cells(cells)
    errors = [found.median_errors.get(protocol, math.nan) for protocol in ("quic", "tcp")]
    return [
        str(found.cells),
        f"{found.equal} of {found.tested} ({100 * found.agreeing_share:.0f} %)",
        told_kappa(table),
        str(table.constant),
        f"{most.expected:.0f} ({100 * most.share:.0f} %)",
        _as_the_scripts_did([scripts[place] for place in places if place in scripts]),
        "{} of {}".format(*within(cells)),
        *(style.DASH if math.isnan(one) else f"{one * 100:.1f} %" for one in errors),
    ]


def _as_the_scripts_did(own: Sequence[Three]) -> str:
    """A dash where no circumstance changes a cell."""
    if not any(one.changed for one in own):
        return style.DASH
    found = held([(one.printed, one.scripts) for one in own])
    return f"{found.agreeing} ({100 * found.share:.0f} %)"


def answer(data: BookData | None = None) -> HTML:
    """What was found of QUIC, then how far that is what was published."""
    tables = data or load()
    found = squares(tables)
    if not found:
        return HTML(style.NOTHING_YET)
    first, tested = agreeing_at_first(found, tables)
    explained = _what_the_scripts_explain(three_ways(tables), without_unshown(tables), first)
    again = [one.each for one in found if len(one.each) > 1]
    choices = (
        f" {len(again)} squares were measured more than once: {sum(map(all, again))} agree in every campaign, "
        f"{len(again) - sum(map(any, again))} in none. By the first attempt of each load, excluded or not, {first} of "
        f"{tested} agree: that much the choice of loads to leave out can move."
    )
    sentences = (
        _who_is_faster(found),
        _how_far_they_agree(found) + choices,
        *_where_the_processor_counts(found, tables),
        _how_near_the_means_are(found),
        *explained,
    )
    return HTML(f'<ul class="ll-answer">{"".join(f"<li>{sentence}</li>" for sentence in sentences)}</ul>')


def _who_is_faster(found: Sequence[ComparedSquare]) -> str:
    """By pairs of loads; what is printed, which has none, by Welch's test."""
    groups = by_link(found)
    counts = {words: Counter(one.decided.winner for one in own) for words, own in groups.items()}
    median = {
        words: style.signed_pct(statistics.median(one.decided.pct for one in own)) for words, own in groups.items()
    }
    quic = ", ".join(
        f"in {counts[words]['left']} of {len(own)} squares {words} (median difference {median[words]} %)"
        for words, own in groups.items()
    )
    tcp = " and ".join(f"{count['right']} {words}" for words, count in counts.items())
    here = by_holm((one.decided.winner, one.decided.p_value) for one in found)  # one family: each asks the same
    printed = by_holm(
        (verdict.published, verdict.published_p_value) for one in found for verdict in one.compared.verdicts
    )
    return (
        "Measured here, by pairs of loads that met the same losses, QUIC loads a page significantly faster than TCP "
        f"{quic}. TCP is faster in {tcp} (QUIC with N = 2). With Holm's correction over all squares QUIC is in "
        f"{here['left']} and TCP in {here['right']}; in print, by Welch's test and so corrected, QUIC in "
        f"{printed['left']} and TCP in {printed['right']}."
    )


def _how_far_they_agree(found: Sequence[ComparedSquare]) -> str:
    table = of_cells(one.compared for one in found)
    parts = "; ".join(f"{words} in {_beside_chance(own)}" for words, own in by_link(found).items())
    kept = ", ".join(
        f"{table.kept(said)} of {table.published(said)} where the thesis has {words}" for said, words in AHEAD.items()
    )
    return (
        f"The thesis's verdict and the one measured here, both by Welch's test, agree in {_beside_chance(found)}: "
        f"{kept}. {table.opposite} are significant in the opposite direction. {capitalised(parts)}. Kappa is "
        "the agreement beyond chance: 0 is chance, 1 is complete. A constant says the most frequent published verdict "
        "of every square."
    )


def _beside_chance(own: Sequence[ComparedSquare]) -> str:
    """A share of equal verdicts never stands alone."""
    table = of_cells(one.compared for one in own)
    most = ceilings([one.printed for one in own])[ALL]
    return (
        f"{table.equal} of {table.tested} (kappa {told_kappa(table)}; a constant {table.constant}; an exact "
        f"replication {most.expected:.0f})"
    )


def told_kappa(table: CrossTable) -> str:
    """`0.58`; a dash where there is none."""
    return style.DASH if math.isnan(table.kappa) else f"{table.kappa:.2f}".replace("-", style.MINUS)


def kappa_within(table: CrossTable) -> str:
    """With its interval: `0.58 (0.45 to 0.70)`."""
    low, high = (f"{end:.2f}".replace("-", style.MINUS) for end in table.kappa_interval)
    return f"{told_kappa(table)} ({low} to {high})"


@lru_cache(maxsize=1)
def _first_loads(data: BookData) -> Mapping[Place, Mapping[str, Summary]]:
    series = dict.fromkeys(one.compared.series for one in squares(data))
    loads = pd.concat([data.where("samples", study=STUDY, series=one) for one in series])
    return first_attempts(loads[loads["metric"] == PLT.name])


def agreeing_at_first(own: Sequence[ComparedSquare], data: BookData) -> tuple[int, int]:
    """Verdicts that agree in the first attempts, disturbed or not, and of how many."""
    return first_agreeing([one.compared for one in own], _first_loads(data))


def chance(data: BookData | None = None) -> HTML:
    """By what the link does to packets, and of all: agreement beside what says nothing, and by published verdict."""
    tables = data or load()
    found = squares(tables)
    if not found:
        return HTML(style.NOTHING_YET)
    groups = {**by_link(found), **by_processor(found, tables), WHOLE: found}
    rows = [_chance_row(words, own, tables) for words, own in groups.items()]
    return shown_table(CHANCE, rows, numbers_from=1)


def _chance_row(words: str, own: Sequence[ComparedSquare], data: BookData) -> list[str]:
    table, most = of_cells(one.compared for one in own), ceilings([one.printed for one in own])[ALL]
    return [
        words,
        f"{table.equal}/{table.tested}",
        "{}/{}".format(*agreeing_at_first(own, data)),
        kappa_within(table),
        str(table.constant),
        f"{table.marginals:.0f}",
        f"{most.expected:.0f}",
        *(f"{table.kept(said)}/{table.published(said)}" for said in AHEAD),
        str(table.opposite),
    ]


def by_processor(own: Sequence[ComparedSquare], data: BookData) -> dict[str, list[ComparedSquare]]:
    """Squares by the browser's processor time as a share of PLT, where it was told."""
    bound = bound_cells(data.where("contrasts", study=STUDY))
    found: dict[str, list[ComparedSquare]] = {LESS: [], MORE: []}
    for one in own:
        if (is_bound := bound.get((one.compared.campaign, one.compared.cell_id))) is not None:
            found[MORE if is_bound else LESS].append(one)
    return {f"processor {words}": squares for words, squares in found.items() if squares}


def _where_the_processor_counts(found: Sequence[ComparedSquare], data: BookData) -> list[str]:
    tables = [of_cells(one.compared for one in own) for own in by_processor(found, data).values()]
    if len(tables) < 2:
        return []
    less, more = tables
    return [
        f"Where the browser's processor time is {MORE}, the thesis's verdict is met again in {more.equal} of "
        f"{more.tested} squares, elsewhere in {less.equal} of {less.tested}; {more.opposite} of the "
        f"{more.opposite + less.opposite} in the opposite direction are there. These squares are about the processors "
        "too, theirs and ours."
    ]


def crossed(data: BookData | None = None) -> HTML:
    """Published verdicts across re-measured ones, by link and of all."""
    found = squares(data or load())
    if not found:
        return HTML(style.NOTHING_YET)
    rows = []
    for words, own in {**by_link(found), WHOLE: found}.items():
        table = of_cells(one.compared for one in own)
        rows += [
            [words, published, *(str(table.counts.get((said, other), 0)) for other in AHEAD)]
            for said, published in AHEAD.items()
        ]
    return shown_table(["link", "published", *(f"here: {one}" for one in AHEAD.values())], rows, numeric={2, 3, 4})


def opposite(data: BookData | None = None) -> HTML:
    """The squares that are significant in print and here, in opposite directions, by name."""
    found = squares(data or load())
    if not found:
        return HTML(style.NOTHING_YET)
    rows = [
        [one.compared.table, one.compared.series, one.compared.title, *map(_signed, verdict_pcts(one))]
        for one in found
        if {one.compared.verdicts[0].published, one.compared.verdicts[0].measured} == {"left", "right"}
    ]
    return HTML(html_table(["table", "figure", "square", "published", "here"], rows, numeric={3, 4}))


def verdict_pcts(one: ComparedSquare) -> tuple[float, float]:
    known = one.compared.verdicts[0]
    return known.published_pct_diff, known.measured_pct_diff


def _signed(pct: float) -> str:
    return f"{style.signed_pct(pct)} %"


def _how_near_the_means_are(found: Sequence[ComparedSquare]) -> str:
    def error(own: Sequence[ComparedSquare]) -> str:
        return f"{100 * overall([one.compared for one in own], PLT.name).median_error:.1f} %"

    inside, of_all = within([one.compared for one in found])
    parts = ", ".join(f"{error(own)} {words}" for words, own in by_link(found).items())
    return (
        f"{inside} of {of_all} re-measured means lie within the 99 % prediction interval of the published ones; "
        f"the median distance of a mean is {parts}."
    )


def _what_the_scripts_explain(found: Sequence[Three], without: Sequence[Three], first: int) -> list[str]:
    """Nothing where no circumstance is confirmed."""
    whole = agreement_of(found)
    if not whole.changed:
        return []
    scripts = whole.scripts
    shown = agreement_of(without).scripts
    return [
        "The thesis's scripts and kernels did some things that its text does not say. With those that experiments here "
        f"confirm, which change {whole.changed} squares, {scripts.agreeing} of {scripts.cells} verdicts agree "
        f"({100 * scripts.share:.0f} %) and {scripts.within} of {2 * scripts.cells} means lie within. Without those "
        f"whose predictions cannot be shown to precede their data {shown.agreeing} verdicts agree. By first "
        f"attempts, and with none of these circumstances, {first} agree. The rule for confirmation was written after "
        "four of the campaigns. This explains differences and replaces none of the numbers above."
    ]


def by_link(found: Sequence[ComparedSquare]) -> Mapping[str, Sequence[ComparedSquare]]:
    """Those that have any, by what the link does to packets."""
    lossy = [one for one in found if one.row["loss_pct"]]
    shaken = [one for one in found if one.row["jitter_ms"] and not one.row["loss_pct"]]
    plain = [one for one in found if not one.row["jitter_ms"] and not one.row["loss_pct"]]
    groups = {PLAIN: plain, "with jitter": shaken, "with loss": lossy}
    return {words: own for words, own in groups.items() if own}
