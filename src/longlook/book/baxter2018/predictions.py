"""What the sweeps of Baxter and Simmons 2018 predicted, and what came of it. By the reference campaigns.

The predictions stand in sweeps/baxter2018/ and were written before any page was loaded.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from IPython.display import HTML

from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.baxter2018.claims import LOCAL, POSTER_ADDED, VLAN
from longlook.book.baxter2018.evidence import NAMES, Measured, Printed, Where, interval, of_series, slope
from longlook.book.data import BookData
from longlook.book.predicted import Prediction, all_of, predictions_table
from longlook.book.times import Times, percent_text, times
from longlook.book.value import SPACE
from longlook.book.varied import REFERENCE
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.table import html_table
from longlook.plan.workload import size_label
from longlook.published.baxter2018 import BASE_RTT_MS, NEW, QUIC, WARM

FEW_OBJECTS = 5
MANY = (100, 500)
SHARE_OF_THEIRS = 0.6
BY_STAMPS_SLOPES = {QUIC: (1.9, 2.1), NEW: (2.9, 3.2), WARM: (2.9, 3.2)}
WHOLE_SLOPES = {QUIC: (2.9, 3.1), NEW: (5.8, 6.3), WARM: (3.9, 4.2)}
SMALLEST = 5120
LEAST_TCP_AHEAD, LOSSES_PCT = 12, (2.0, 3.0)
SERIES = "reordering"
PATIENT = "quic 1000"
JITTERS = {"jitter_sd_ms=5": "5 ms", None: "none"}
SMALL, PAGES = (10_240, 5), ((102_400, 5), (204_800, 5), (10_240, 50))
RTTS_MS = (40.0, 127.0)


def poster(data: BookData | None = None) -> HTML:
    """Of the poster's conditions, from Victoria."""
    found = data or book_data.load()
    return predictions_table(judged_poster(Measured(found, REFERENCE), Measured(found, REFERENCE, PLT.name)))


def judged_poster(evidence: Measured, whole: Measured) -> list[Prediction]:
    """By their stopwatch, and by that of whole loads. None before all of its conditions are measured."""
    ratios = _ratios(evidence, LOCAL)
    if ratios is None:
        return []
    few = {name: ratio for (name, count, *_), ratio in ratios.items() if count == FEW_OBJECTS}
    ahead = sum(ratio.value < 1 for ratio in few.values())
    many = {count: _over_theirs(evidence, count) for count in MANY}
    return [
        *(_slope_prediction("by their stopwatch", evidence, arm, BY_STAMPS_SLOPES[arm]) for arm in NAMES),
        *(_slope_prediction("by this book's", whole, arm, WHOLE_SLOPES[arm]) for arm in NAMES),
        _small_page("by their stopwatch", evidence, QUIC, 87, 130),
        _small_page("by their stopwatch", evidence, NEW, 174, 220),
        _small_page("by this book's", whole, QUIC, 174),
        Prediction(
            "with five images QUIC's mean is below the new TCP's by their stopwatch in every condition",
            f"in {ahead} of {len(few)}",
            all_of(*(ratio.within(at_most=1) for ratio in few.values())),
        ),
        Prediction(
            f"with 100 and 500 images QUIC takes at most {SHARE_OF_THEIRS:g} times what theirs does",
            "; ".join(f"{count}: {one.value:.2f} times" for count, one in many.items()),
            all_of(*(one.within(at_most=SHARE_OF_THEIRS) for one in many.values())),
        ),
    ]


def _small_page(clock: str, evidence: Measured, arm: str, low: float, high: float = math.inf) -> Prediction:
    found = interval(_there(evidence.summary(Where(LOCAL, size_bytes=SMALLEST), arm)))
    bounds = f"at least {low:g}" if math.isinf(high) else f"{low:g} to {high:g}"
    return Prediction(
        f"{clock} 5 x 5 KB take {bounds} ms with {NAMES[arm]}", f"{found.value:.0f} ms", found.within(low, high)
    )


def _ratios(evidence: Measured, series: str) -> dict[tuple[str, int, float, float], Times] | None:
    """(condition, images, loss each way, RTT) -> QUIC's mean over the new TCP's; None where one is missing."""
    found = {}
    for one in of_series(series):
        own, base = (evidence.of_cell(one, arm) for arm in (QUIC, NEW))
        if own is None or base is None:
            return None
        link, name = one.cell.link, f"{one.cell.workload.label}, {one.cell.link.label}"
        found[name, one.cell.workload.object_count, link.loss_pct / 2, link.rtt_ms] = times(base, own)
    return found


def _over_theirs(evidence: Measured, count: int) -> Times:
    where = Where(LOCAL, count=count)
    return times(_there(Printed().summary(where, QUIC)), _there(evidence.summary(where, QUIC)))


def _there(found: Summary | None) -> Summary:
    if found is None:
        raise LookupError("a condition of the poster's that is measured has no numbers")
    return found


def _slope_prediction(clock: str, evidence: Measured, arm: str, bounds: tuple[float, float]) -> Prediction:
    found = interval(_there(slope(evidence, LOCAL, arm, POSTER_ADDED)))
    return Prediction(
        f"{clock} {NAMES[arm]}: {bounds[0]:g} to {bounds[1]:g} round trips per page",
        f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})",
        found.within(*bounds),
    )


def vlan(data: BookData | None = None) -> HTML:
    """Of the poster's conditions, in the server's own network."""
    return predictions_table(judged_vlan(Measured(data or book_data.load(), REFERENCE)))


def judged_vlan(evidence: Measured) -> list[Prediction]:
    """None before all of its conditions are measured."""
    ratios = _ratios(evidence, VLAN)
    if ratios is None:
        return []
    ahead = sum(ratio.value > 1 for ratio in ratios.values())
    lossy = {f"{loss:g} % loss": ratio for (_, _, loss, _), ratio in ratios.items() if loss in LOSSES_PCT}
    delayed = {f"{rtt:g} ms": ratio for (_, _, _, rtt), ratio in ratios.items() if rtt > BASE_RTT_MS["vlan"]}
    return [
        Prediction(
            f"the new TCP's mean is below QUIC's in at least {LEAST_TCP_AHEAD} of the {len(ratios)} conditions",
            f"in {ahead}",
            ahead >= LEAST_TCP_AHEAD,
        ),
        Prediction(
            "with 2 and 3 % loss QUIC's is below, and with each delay",
            "; ".join(f"{name}: {percent_text(ratio)}" for name, ratio in (lossy | delayed).items()),
            all_of(*(ratio.within(at_most=1) for ratio in (lossy | delayed).values())),
        ),
    ]


@dataclass(frozen=True)
class Square:
    """One page over one round trip: means of each arm, with and without jitter, ms."""

    page: tuple[int, int]
    rtt_ms: float
    arms: dict[tuple[str | None, str], Summary]

    @property
    def title(self) -> str:
        size, count = self.page
        return f"{size_label(size)} x {count}, {self.rtt_ms:g}{SPACE}ms"

    def over(self, arm: str, base: str, netem: str | None, base_netem: str | None = "") -> Times:
        """`base_netem`: of the base, if it is not the same."""
        return times(self.arms[netem if base_netem == "" else base_netem, base], self.arms[netem, arm])


def squares(data: BookData) -> list[Square]:
    """Those of the reference campaign that have all arms, with jitter and without."""
    evidence = Measured(data, REFERENCE)
    found = []
    for size, count in (SMALL, *PAGES):
        for rtt in RTTS_MS:
            where = {"object_bytes": size, "object_count": count, "rtt_ms": rtt}
            own = {
                (netem, arm): evidence.beside(SERIES, arm, netem=netem, **where)
                for netem in JITTERS
                for arm in (QUIC, PATIENT, NEW)
            }
            known = {key: one for key, one in own.items() if one is not None}
            if len(known) == len(own):
                found.append(Square((size, count), rtt, known))
    return found


def reordering_table(data: BookData | None = None) -> HTML:
    """Means with and without jitter."""
    rows = [
        [
            square.title,
            words,
            *(f"{square.arms[netem, arm].mean:,.0f}" for arm in (QUIC, PATIENT, NEW)),
            percent_text(square.over(QUIC, NEW, netem)),
        ]
        for square in squares(data or book_data.load())
        for netem, words in JITTERS.items()
    ]
    head = ["page, round trip", "jitter", "QUIC, ms", "QUIC, threshold 1,000, ms", "TCP, ms", "QUIC against TCP"]
    return HTML(html_table(head, rows, numeric=range(2, 6)) if rows else style.NOTHING_YET)


def reordering(data: BookData | None = None) -> HTML:
    """Whether the jitter is the cause, and the threshold."""
    return predictions_table(judged_reordering(squares(data or book_data.load())))


def judged_reordering(found: list[Square]) -> list[Prediction]:
    """None before all pages are measured over both round trips."""
    if len(found) < len(RTTS_MS) * (1 + len(PAGES)):
        return []
    jitter, _ = JITTERS
    large = [one for one in found if one.page != SMALL]
    small = [one for one in found if one.page == SMALL]

    def over(
        squares: list[Square], ratio: Callable[[Square], Times], low: float, high: float
    ) -> tuple[str, bool | None]:
        all_ratios = {one.title: ratio(one) for one in squares}
        text = "; ".join(f"{title}: {times.value:.2f} times" for title, times in all_ratios.items())
        return text, all_of(*(times.within(low, high) for times in all_ratios.values()))

    asked: list[tuple[str, list[Square], Callable[[Square], Times], float, float]] = [
        ("with jitter QUIC takes at least 1.5 times what the new TCP does", large,
         lambda one: one.over(QUIC, NEW, jitter), 1.5, float("inf")),
        ("without jitter at most 1.1 times", large, lambda one: one.over(QUIC, NEW, None), 0, 1.1),
        ("with jitter and a threshold of 1,000 at most half of what it takes with 3", large,
         lambda one: one.over(PATIENT, QUIC, jitter), 0, 0.5),
        ("with both at most 1.25 times what it takes without jitter", large,
         lambda one: one.over(PATIENT, QUIC, jitter, None), 0, 1.25),
        ("of 5 x 10 KB the threshold makes less than 10 %", small,
         lambda one: one.over(PATIENT, QUIC, jitter), 0.9, 1.1),
    ]  # fmt: skip
    return [Prediction(said, *over(squares, ratio, low, high)) for said, squares, ratio, low, high in asked]
