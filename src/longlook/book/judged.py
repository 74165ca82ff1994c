"""Predictions and claims as pages show them: judged by the tables, told by their templates, each with its records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from html import escape
from typing import Any

import pandas as pd
from IPython.display import HTML

from longlook import paths
from longlook.analysis.evidence import Column, Found
from longlook.analysis.judge import Judged, judge
from longlook.book import claimed
from longlook.book import data as book_data
from longlook.book.at_first import at_first, changed
from longlook.book.claimed import ClaimPart
from longlook.book.data import COLUMNS, BookData, Selection
from longlook.book.drivers import beside
from longlook.book.evidence import REFERENCE, alike, campaigns_of, columns_of, each_number, records_of
from longlook.book.predicted import JudgedPrediction, RegisteredPrediction
from longlook.book.templates import parts_of, row
from longlook.book.times import percent_text
from longlook.book.value import Measured, NotMeasured, Quantity, StatedNumber, number, origin
from longlook.figure import style
from longlook.figure.squares import PUBLISHED
from longlook.figure.table import html_table
from longlook.plan.criteria import QUANTITIES
from longlook.plan.squares import number_of_squares
from longlook.plan.statements import Claims
from longlook.plan.sweep import Sweep
from longlook.published.claims import claims_of
from longlook.record.campaign import CAMPAIGN_NAME
from longlook.record.criteria import CHANGED, SEALED, criteria_of, standing
from longlook.record.durable import read_json
from longlook.stack.arms import open_sweep


@lru_cache(maxsize=256)
def plan_of(sweep: str) -> Sweep:
    """The sweep of that name: a chapter asks for one again and again."""
    return open_sweep(sweep)


@lru_cache(maxsize=64)
def by_campaign(data: BookData, campaign: str) -> BookData:
    """The tables with one campaign in place of all others that have any of its cells, whichever is the newest."""
    cells = frozenset(data.where("cells", campaign=campaign)["cell_id"])
    return _OfCampaign(data.published, data.processed, data, campaign, cells)


@dataclass(frozen=True, eq=False)
class _OfCampaign(Selection):
    only: str
    its_cells: frozenset[str]

    def keeps(self, rows: pd.DataFrame) -> pd.Series:
        return (rows["campaign"] == self.only) | ~rows["cell_id"].isin(self.its_cells)


def judged_of(sweep: str, data: BookData, column: str = REFERENCE, campaign: str = "") -> list[Judged]:
    """What became of a sweep's predictions, in its newest campaign unless one is named; none where no square of any is
    measured."""
    own = plan_of(sweep)
    return judged(own, columns_of(tables_of(sweep, data, campaign), own.study), column)


def tables_of(sweep: str, data: BookData, campaign: str = "") -> BookData:
    """The tables that a sweep's predictions are judged by: of other series what was measured with the same driver."""
    return beside(campaign, by_campaign(data, campaign)) if campaign else alike(data, sweep)


def judged(own: Sweep, columns: Mapping[str, Column], column: str) -> list[Judged]:
    """The same by any column."""
    rows = own.judged_rows()
    found_in = columns[column].of_sweep(own.name) if own.rule.own else columns[column]
    columns = {**columns, column: replace(found_in, planned=rows)}
    found = [judge(one, own.rule, columns, column, number_of_squares(one, own.rule, rows)) for one in own.predictions]
    return found if any(one.found for one in found) else []


def predictions_of(sweep: str, data: BookData) -> list[JudgedPrediction]:
    """A line for each of a sweep's predictions, by all of its campaigns; none where no square of any is measured."""
    own = plan_of(sweep)
    return _rows(own, judged_of(sweep, data), campaigns_before(sweep, data))


def _rows(sweep: Sweep, now: Sequence[Judged], before: Sequence[Sequence[Judged]]) -> list[JudgedPrediction]:
    lines = [row(one, sweep.rule.words) for one in now]
    return [replace(one, before=tuple(own.holds for own in then)) for one, *then in zip(lines, *before, strict=True)]


@lru_cache(maxsize=64)
def campaigns_before(sweep: str, data: BookData) -> tuple[list[Judged], ...]:
    """What became of a sweep's predictions in each of its campaigns but the newest, the newest of them first."""
    return tuple(judged_of(sweep, data, campaign=one) for one in campaigns_of(sweep, data)[1:])


def registered(sweep: str, data: BookData) -> list[RegisteredPrediction]:
    """A sweep's predictions with all that the registry says of them; none where no square of any is measured."""
    own = plan_of(sweep)
    columns = columns_of(tables_of(sweep, data), own.study)
    found, then = judged(own, columns, REFERENCE), campaigns_before(sweep, data)
    return [
        RegisteredPrediction(
            sweep,
            told,
            standing_text(one, own, columns),
            _by_the_earlier_rule(one, own, columns),
            "; ".join(_then(old, one, own) for old in olds),
        )
        for told, one, *olds in zip(_rows(own, found, then), found, *then, strict=True)
    ]


def _then(old: Judged, now: Judged, sweep: Sweep) -> str:
    """The verdict of a campaign before, with what it found where it is another one than the newest's."""
    then = row(old, sweep.rule.words)
    return then.verdict if old.holds == now.holds else f"{then.verdict}: {then.found}"


def _by_the_earlier_rule(one: Judged, sweep: Sweep, columns: Mapping[str, Column]) -> str:
    """The verdict of the rule that was there before that of a prediction's words; nothing where it was the same."""
    before = getattr(one.criterion, "earlier", None)
    if before is None:
        return ""
    of = number_of_squares(before, sweep.rule, sweep.judged_rows())
    return row(judge(before, sweep.rule, columns, REFERENCE, of), {}).verdict


def standing_text(one: Judged, sweep: Sweep, columns: Mapping[str, Column]) -> str:
    """Whether a verdict's criterion was sealed before its data, is prose of the sweep's head, or was changed."""
    names = dict.fromkeys(found.rows[0]["campaign"] for found in one.found)
    infos = [read_json(file) for name in names if (file := paths.RAW / name / CAMPAIGN_NAME).is_file()]
    said = {standing(info, sweep.criteria): info for info in infos}
    if CHANGED in said:
        return f"changed since{verdict_as_sealed(one, said[CHANGED], sweep, columns, REFERENCE)}"
    return "sealed before the data" if list(said) == [SEALED] else "prose, put into data later" if said else style.DASH


def verdict_as_sealed(
    one: Judged, info: Mapping[str, Any], sweep: Sweep, columns: Mapping[str, Column], column: str
) -> str:
    """Where criteria were changed, what that which the campaign sealed makes of the same sentence."""
    then, says = criteria_of(info), getattr(one.criterion, "says", "")
    if then is None or standing(info, sweep.criteria) != CHANGED:
        return ""
    old = next((old for old in then.predictions if old.says == says), None)
    if old is None:
        return "; not among those that were sealed"
    return f"; as sealed: {row(judge(old, then.judging, columns, column, one.of), {}).verdict}"


@dataclass(frozen=True)
class JudgedClaim:
    """A claim by one column of the evidence: of each part the newest campaign's numbers, and what every campaign of the
    same cells makes of it."""

    newest: Judged
    parts: tuple[ClaimPart, ...]

    @property
    def verdict(self) -> str:
        return claimed.verdict(self.parts, self.newest.of)


Evidence = Callable[[BookData], Mapping[str, Column]]
"""The columns that a page holds claims against."""


def judged_claims(own: Claims, evidence: Evidence, data: BookData, key: str) -> list[JudgedClaim]:
    """Each claim by one column, in all campaigns of its cells."""
    columns = evidence(data)
    found = [judge(one, own.judging, columns, key, one.parts) for one in own.claims]
    parts = [parts_of(one, own.judging) for one in found]
    resting = [_campaigns(one.found) for one in found]
    for old, of_sweep in _before(set().union(*resting), data):
        columns = evidence(by_campaign(data, old))
        for at, claim in enumerate(own.claims):
            if of_sweep.isdisjoint(resting[at]):
                continue
            each = judge(claim, own.judging, columns, key, claim.parts)
            own_parts = zip(parts_of(each, own.judging), each.found, strict=True)
            held = {part.name: part.now for part, one in own_parts if old in _campaigns([one])}
            parts[at] = [
                replace(one, before=(*one.before, held[one.name])) if one.name in held else one for one in parts[at]
            ]
    return [JudgedClaim(one, tuple(own)) for one, own in zip(found, parts, strict=True)]


def _before(newest: Set[str], data: BookData) -> list[tuple[str, frozenset[str]]]:
    """Reference campaigns before those that numbers are of, of the same cells, each with all of its sweep; the newest
    of a sweep first."""
    sweeps = dict.fromkeys(data.where("campaigns", role=REFERENCE)["sweep"])
    own = (campaigns_of(one, data) for one in sweeps)
    return [(old, frozenset((new, *olds))) for new, *olds in own if new in newest for old in olds]


def _campaigns(found: Iterable[Found]) -> set[str]:
    return {row["campaign"] for one in each_number(found) for row in one.rows if row.get("campaign")}


def claim_columns(study: str, data: BookData, about: str | None = None) -> dict[str, list[JudgedClaim]]:
    """Heading of a column -> its claims judged: published, then what has numbers of any, by each."""
    own = claims_of(study).those(about)
    found = {PUBLISHED.title: _judged_claims(own, study, data, PUBLISHED.key)}
    for key, _, title in COLUMNS:
        for words, by in ({"": ""} | own.judging.also).items():
            criteria, metric = (own.by(by), "") if by in QUANTITIES else (own, by)
            judged = judged_claims(criteria, partial(columns_of, study=study, metric=metric), data, key)
            found |= {f"{title}{words}": judged} if any(one.parts for one in judged) else {}
    return found


def claims(study: str, about: str | None = None, data: BookData | None = None) -> HTML:
    """A study's claims: by its own numbers, re-measured, and whether they hold."""
    own, data = claims_of(study).those(about), data or book_data.load()
    judged = claim_columns(study, data, about)
    found = {title: [one.parts for one in column] for title, column in judged.items()}
    table = claimed.claims_table(own.claims, found, "-".join(filter(None, (study, about))))
    title = next(title for key, _, title in COLUMNS if key == REFERENCE)
    if title not in judged:
        return HTML(table)
    first = _judged_claims(own, study, at_first(data, study))
    holm = _judged_claims(own.by_holm(), study, data)
    return HTML(
        table + changed(_verdicts(own, judged[title]), _verdicts(own, first)) + _corrected(own, judged[title], holm)
    )


def _corrected(own: Claims, now: Sequence[JudgedClaim], holm: Sequence[JudgedClaim]) -> str:
    """A paragraph on what Holm's correction changes; nothing where no claim counts tests."""
    before = (both for both in zip(own.claims, now, strict=True) if both[0].counts_tests)
    tested = [(claim, one, other) for (claim, one), other in zip(before, holm, strict=True)]
    counts = [
        f"{claim.id}, {after.name}: {after.numbers}"
        for claim, one, other in tested
        for part, after in zip(one.parts, other.parts, strict=True)
        if part.numbers != after.numbers
    ]
    verdicts = [f"{claim.id}: {other.verdict}" for claim, one, other in tested if one.verdict != other.verdict]
    said = f"counts become: {'; '.join(counts)}. " if counts else "no count changes. "
    said += f"Verdicts become: {'; '.join(verdicts)}." if verdicts else "No verdict changes."
    words = f"With Holm's correction over the squares of each part of the {len(tested)} claims that count tests"
    return f"<p>{words} {escape(said)}</p>" if any(one.parts for _, one, _ in tested) else ""


def _judged_claims(own: Claims, study: str, data: BookData, key: str = REFERENCE) -> list[JudgedClaim]:
    return judged_claims(own, partial(columns_of, study=study), data, key)


def _verdicts(own: Claims, judged: Sequence[JudgedClaim]) -> dict[str, str]:
    """Of each claim that has numbers; of none where nothing is measured."""
    return {claim.id: one.verdict for claim, one in zip(own.claims, judged, strict=False) if one.parts}


def undecided(study: str, about: str | None = None) -> HTML:
    """A study's claims that nothing here decides, and why."""
    own = claims_of(study).those(about).undecided
    if all(one.id for one in own):
        rows = [[one.id, one.says, one.why] for one in own]
        return HTML(html_table(["claim", "what it says", "why it is not judged here"], rows, numeric=set()))
    return HTML(html_table(["claim", "why it is not decided here"], [[one.says, one.why] for one in own]))


def claims_counted(m: Measured, true: Callable[[str], bool], about: str | None = None) -> StatedNumber:
    """Of how many claims of a study, of those that have numbers, something is true of the verdict."""
    own = claims_of(m.study).those(about)
    judged = [one for one in _judged_claims(own, m.study, m.data, m.key) if one.parts]
    if not judged:
        raise NotMeasured(f"no claim of {m.study} is measured")
    text = str(sum(true(one.verdict) for one in judged))
    return StatedNumber(text, f"verdicts of {len(judged)} claims; {origin(_records([one.newest for one in judged]))}")


@number
def held(m: Measured, sweep: str, before: int = 0) -> StatedNumber:
    """Of how many predictions of a sweep that they hold: `3 of 7`; by the newest campaign, or so many before it."""
    found = _judged_in(m, sweep, before)
    text = f"{sum(one.holds is True for one in found)} of {len(found)}"
    return StatedNumber(text, f"predictions that hold; {origin(_records(found))}")


@number
def prediction_verdict(m: Measured, sweep: str, n: int) -> StatedNumber:
    """What all campaigns of a sweep make of its prediction of that number: `holds in 2 of 3 campaigns`."""
    found = [one for one in predictions_of(sweep, m.data) if one.n == n]
    if not found:
        raise NotMeasured(f"{sweep} is not measured")
    names = ", ".join(f"data/raw/{one}" for one in campaigns_of(sweep, m.data))
    return StatedNumber(found[0].verdict, f"prediction {n} of {sweep}; from {names}")


def _judged_in(m: Measured, sweep: str, before: int) -> list[Judged]:
    """What became of a sweep's predictions in its newest campaign, or so many before it."""
    then = campaigns_of(sweep, m.data)[before:][:1] if before else [""]
    if not (found := [one for campaign in then for one in judged_of(sweep, m.data, m.key, campaign)]):
        raise NotMeasured(f"{sweep} is not measured")
    return found


def _prediction(m: Measured, sweep: str, n: int, before: int = 0) -> Judged:
    """The same of its prediction of that number."""
    found = [one for one in _judged_in(m, sweep, before) if getattr(one.criterion, "n", None) == n]
    if not found:
        raise NotMeasured(f"{sweep} is not measured")
    return found[0]


def numbers_of(m: Measured, sweep: str, n: int, **where: Any) -> Quantity:
    """What a prediction is judged by, square by square; those at some conditions, if stated."""
    found = [one for one in _prediction(m, sweep, n).found if where.items() <= dict(one.square).items()]
    return Quantity(pd.Series([one.estimate.value for one in found]), f"prediction {n}", records_of(found))


def percent_of(
    m: Measured, sweep: str, n: int, arm: str = "", before: int = 0, lead: bool = False, **where: Any
) -> StatedNumber:
    """By how much the ratio of its only square, or of that of an arm, differs from once: `+3.7 % (+3.5 to +3.9)`.
    `lead`: its reciprocal, as a heatmap has it."""
    every = _prediction(m, sweep, n, before).found
    (found,) = (one for one in every if arm in (*one.pair, "") and where.items() <= dict(one.square).items())
    estimate = found.estimate.reciprocal if lead else found.estimate
    return StatedNumber(percent_text(estimate), origin(records_of([found])))


def squares_of(m: Measured, sweep: str, n: int) -> StatedNumber:
    """In how many squares it holds: `3 of 4`."""
    found = _prediction(m, sweep, n)
    met = sum(one.holds is True for one in found.found)
    return StatedNumber(f"{met} of {len(found.found)}", origin(records_of(found.found)))


def claim_verdict(m: Measured, name: str, part: str = "") -> StatedNumber:
    """What became of a claim, or of one part of it."""
    own = claims_of(m.study)
    claim = tuple(one for one in own.claims if one.id == name)
    (judged,) = _judged_claims(own.model_copy(update={"claims": claim}), m.study, m.data, m.key)
    parts = [one for one in judged.parts if part in ("", one.name)]
    if not parts:
        raise NotMeasured(f"{name} is not measured")
    said = claimed.verdict(parts, 1 if part else judged.newest.of)
    return StatedNumber(said, f"verdict on the claim; {origin(records_of(judged.newest.found))}")


def _records(judged: Sequence[Judged]) -> tuple[str, ...]:
    return records_of(number for one in judged for number in one.found)
