"""Numbers of the chapter pages.md, each as it stands in its text."""

from __future__ import annotations

import pandas as pd

from longlook.book.baxter2018.tables import NETEM, SERIES, impossible, published
from longlook.book.judged import claims_counted
from longlook.book.value import Measured, NotMeasured, Quantity, StatedNumber, number, origin
from longlook.book.value_role import Numbers
from longlook.published.baxter2018 import METRIC, NEW, QUIC

PATIENT = "quic 1000"
SMALL, LARGE = ("10kb-x5",), ("100kb-x5", "200kb-x5", "10kb-x50")


def _takes(m: Measured, arm: str, netem: str | None = NETEM, pages: tuple[str, ...] = LARGE) -> Quantity:
    """Of some pages, with jitter or without."""
    return m.arm("reordering", arm, metric=METRIC, workload=pages, netem=netem)


def _slower(slow: Quantity, quick: Quantity) -> StatedNumber:
    return (slow / quick).span("times", figures=2)


def _impossible(anyhow: bool) -> StatedNumber:
    own = [one for one in impossible() if one.anyhow or not anyhow]
    return StatedNumber(str(len(own)), f"means below what the link allows; {origin([one.where for one in own])}")


@number
def _told_otherwise(m: Measured, pairs: tuple[tuple[str, str], ...]) -> StatedNumber:
    """How many verdicts are one thing as published and another as measured here."""
    found = pd.concat([m.data.agreeing("verdicts", m.study, one, m.key) for one in SERIES])
    if found.empty:
        raise NotMeasured("no condition is measured")
    both = list(zip(found["published"], found["measured"], strict=True))
    return StatedNumber(str(sum(one in pairs for one in both)), "data/processed/agreement_verdicts.csv")


NUMBERS: Numbers = {
    "conditions": lambda m: StatedNumber(str(len(published())), origin([one.where for one in published()])),
    "impossible": lambda m: _impossible(anyhow=False),
    "impossible-anyhow": lambda m: _impossible(anyhow=True),
    "claims-judged": lambda m: claims_counted(m, bool),
    "claims-hold": lambda m: claims_counted(m, lambda said: said == "holds"),
    "claims-fail": lambda m: claims_counted(m, lambda said: said.startswith("does not hold")),
    "means-within": lambda m: m.agreeing("means", "within_prediction", SERIES),
    "verdicts-agree": lambda m: m.agreeing("verdicts", "agree", SERIES),
    "agree-poster-vlan": lambda m: m.agreeing("verdicts", "agree", ["poster-vlan"]),
    "agree-report-west": lambda m: m.agreeing("verdicts", "agree", ["report-west"]),
    "tcp-to-none": _told_otherwise((("right", "none"),)),
    "opposite": _told_otherwise((("right", "left"), ("left", "right"))),
    "jitter-over-tcp": lambda m: _slower(_takes(m, QUIC), _takes(m, NEW)),
    "calm-over-tcp": lambda m: _slower(_takes(m, QUIC, None), _takes(m, NEW, None)),
    "three-over-patient": lambda m: _slower(_takes(m, QUIC), _takes(m, PATIENT)),
    "small-three-over-patient": lambda m: _slower(_takes(m, QUIC, pages=SMALL), _takes(m, PATIENT, pages=SMALL)),
    "patient-over-calm": lambda m: _slower(_takes(m, PATIENT), _takes(m, QUIC, None)),
}
