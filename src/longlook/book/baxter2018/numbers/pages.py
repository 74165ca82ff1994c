"""Numbers of the chapter pages.md, each as it stands in its text."""

from __future__ import annotations

from collections.abc import Callable

from longlook.book.baxter2018.claims import CLAIMS
from longlook.book.baxter2018.evidence import SERIES, published
from longlook.book.baxter2018.evidence import Measured as Own
from longlook.book.baxter2018.predictions import JITTERS, PATIENT, SMALL, Square, squares
from longlook.book.baxter2018.tables import impossible
from longlook.book.claimed import verdict
from longlook.book.hypotheses import stated
from longlook.book.value import SPACE, Measured, NotMeasured, StatedNumber
from longlook.book.value_role import Numbers
from longlook.published.baxter2018 import NEW, QUIC, STUDY

RECORDS = "data/raw/reference-baxter-*"
REORDERED = "data/raw/reference-baxter-reordering-*"
FLOORS = "data/published/baxter2018, against longlook/experiment/floor.py"


def _verdicts(m: Measured) -> list[str]:
    """Of every claim that has numbers, by the reference campaigns."""
    evidence = Own(m.data, m.key)
    found = [verdict(parts, claim.of) for claim in CLAIMS if (parts := claim.parts(evidence))]
    if not found:
        raise NotMeasured("no claim is measured")
    return found


def _how_many(true: Callable[[str], bool]) -> Callable[[Measured], StatedNumber]:
    return lambda m: StatedNumber(str(sum(map(true, _verdicts(m)))), f"verdicts of the claims, from {RECORDS}")


def _share(table: str, column: str) -> Callable[[Measured], StatedNumber]:
    """Of all series that are measured: how many of a table's rows say yes."""

    def number(m: Measured) -> StatedNumber:
        said = [bool(one) for series in SERIES for one in m.data.agreeing(table, STUDY, series, m.key)[column].dropna()]
        if not said:
            raise NotMeasured("no condition is measured")
        text = f"{sum(said)} of {len(said)} ({100 * sum(said) / len(said):.0f}{SPACE}%)"
        return StatedNumber(text, f"data/processed/agreement_{table}.csv, from {RECORDS}")

    return number


def _reordered(what: str, ratio: Callable[[Square], float], small: bool = False) -> Callable[[Measured], StatedNumber]:
    """The least and the greatest ratio of the large pages, or of the small one."""

    def number(m: Measured) -> StatedNumber:
        found = [ratio(one) for one in squares(m.data) if (one.page == SMALL) is small]
        if not found:
            raise NotMeasured("no page is measured with and without jitter")
        text = f"{min(found):.2g} to {max(found):.2g}{SPACE}times"
        return StatedNumber(text, f"{what}, means of {len(found)} pages and round trips; from {REORDERED}")

    return number


JITTER, _ = JITTERS
NUMBERS: Numbers = {
    "conditions": lambda m: StatedNumber(str(len(published())), "data/published/baxter2018/poster.csv and report.csv"),
    "impossible": lambda m: StatedNumber(str(len(impossible())), FLOORS),
    "impossible-anyhow": lambda m: StatedNumber(str(sum(one.anyhow for one in impossible())), FLOORS),
    "claims-judged": lambda m: StatedNumber(str(len(_verdicts(m))), f"claims that {RECORDS} has numbers of"),
    "claims-hold": _how_many(lambda text: text.startswith("holds") and " of " not in text),
    "claims-fail": _how_many(lambda text: text.startswith("does not hold")),
    "means-within": _share("means", "within_prediction"),
    "verdicts-agree": _share("verdicts", "agree"),
    "jitter-over-tcp": _reordered("QUIC over TCP, with jitter", lambda one: one.over(QUIC, NEW, JITTER).value),
    "calm-over-tcp": _reordered("QUIC over TCP, no jitter", lambda one: one.over(QUIC, NEW, None).value),
    "three-over-patient": _reordered(
        "QUIC with a threshold of 3 over 1,000, with jitter", lambda one: 1 / one.over(PATIENT, QUIC, JITTER).value
    ),
    "small-three-over-patient": _reordered(
        "the same of five images of 10 KB", lambda one: 1 / one.over(PATIENT, QUIC, JITTER).value, small=True
    ),
    "patient-over-calm": _reordered(
        "QUIC with a threshold of 1,000 and jitter over a threshold of 3 without",
        lambda one: one.over(PATIENT, QUIC, JITTER, None).value,
    ),
    "stated-poster": stated("baxter-poster-local"),
    "stated-vlan": stated("baxter-poster-vlan"),
    "stated-reordering": stated("baxter-reordering"),
}
