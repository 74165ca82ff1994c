"""What the paper's text leaves out: a burst, an object of 200 KB, little loss each way; what was predicted of them.

The predictions stand in the heads of sweeps/yu2021/yu-burst.toml, yu-burst-5mb.toml, yu-200kb.toml and
yu-each-way-little.toml, and were written before the campaigns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.predicted import Prediction, all_of, predictions_table
from longlook.book.times import Times
from longlook.book.varied import REFERENCE
from longlook.book.yu2021.evidence import (
    BURST,
    BURST_LOSSY,
    CONDITIONS,
    DOUBLE,
    LARGE,
    LITTLE,
    LOSSY,
    MAIN,
    MIDDLE,
    MIXED,
    OBJECT,
    PAIRS,
    SMALL,
    WITHOUT_LOSS,
    Condition,
    Measured,
    Place,
    place,
)
from longlook.book.yu2021.predictions import Both, Found, judged, points, rules

ONE_H3, ONE_H2 = ("quicgo",), ("curl",)
"""The clients of these squares, but for those of 200 KB."""
FOUR = ("quic bbr quicgo", "quic cubic quicgo", "tcp bbr curl", "tcp cubic curl")
MBPS = 10.0
LOSSES = tuple(one for one in CONDITIONS if one.loss_pct)
BURST_PLACES = (
    *(Place(BURST, size, condition) for condition in WITHOUT_LOSS for size in MAIN),
    *(Place(BURST_LOSSY, LARGE, condition) for condition in LOSSES),
)
"""All squares that are measured with a burst."""
LITTLE_DOWN, LITTLE_EACH_WAY = Condition(loss_pct=0.1), Condition(loss_pct=0.2)
"""As links count it: both directions together."""
LITTLE_SIZES = (SMALL, MIDDLE)
MOVED_POINTS, FAR_POINTS, BETWEEN_POINTS, NEAR_POINTS = 5.0, 100.0, 2.0, 10.0


def floor_s(size_bytes: int) -> float:
    """What the bytes alone take at 10 Mbit/s."""
    return size_bytes * 8 / (MBPS * 1e6)


def without_burst(where: Place) -> Place:
    """The same square of the three sweeps of the paper's conditions."""
    return place(where.size_bytes, where.condition)


def predictions(*sweeps: str, data: BookData | None = None) -> HTML:
    """Those of some sweeps, as far as they are measured."""
    own = Measured(data or book_data.load(), REFERENCE)
    return predictions_table([one for sweep in sweeps if own.is_measured(sweep) for one in OF[sweep](own)])


def seconds(own: Measured, places: Iterable[Place], arms: Iterable[str] = FOUR) -> Found:
    """Medians in s, by sender and link."""
    senders = tuple(arms)
    return {f"{arm}, {where.label}": _seconds(own.median_ms(where, arm)) for where in places for arm in senders}


def _seconds(found: Times | None) -> Times | None:
    return None if found is None else Times(*(one / 1e3 for one in (found.value, found.low, found.high)))


def seconds_text(found: Times) -> str:
    """`0.21 s (0.20 to 0.24)`."""
    interval = "" if math.isnan(found.low) else f" ({found.low:.2f} to {found.high:.2f})"
    return f"{found.value:.2f} s{interval}"


def moved(own: Measured, places: Iterable[Place]) -> Both:
    """The squares of two clients with a burst and without it, each pair at each place."""
    return {
        f"{pair.title}, {where.label}": (
            own.rule(where, pair, ONE_H3, ONE_H2),
            own.rule(without_burst(where), pair, ONE_H3, ONE_H2),
        )
        for where in places
        for pair in PAIRS
    }


def of_burst(own: Measured) -> list[Prediction]:
    of_size = {size: [Place(BURST, size, one) for one in WITHOUT_LOSS] for size in MAIN}
    near = Place(BURST, MIDDLE)
    large, middle = (floor_s(size) / 2 for size in (LARGE, MIDDLE))
    return [
        judged("5 MB: in less than half of 4.19 s", seconds(own, of_size[LARGE]), high=large, text=seconds_text),
        judged("1 MB, 15 ms: in less than half of 0.84 s", seconds(own, [near]), high=middle, text=seconds_text),
        _quicker(own),
        points(
            "the squares of 1 MB and 5 MB move by more than 5 points",
            moved(own, [*of_size[MIDDLE], *of_size[LARGE]]),
            least=MOVED_POINTS,
        ),
    ]


def _quicker(own: Measured) -> Prediction:
    """Two bounds in one prediction."""
    said = "15 ms: at least 20 % quicker by HTTP/3 with 100 KB, 10 % with 1 MB"
    small, middle = (
        judged(said, rules(own, PAIRS, [Place(BURST, size)], ONE_H3, ONE_H2), high=high)
        for size, high in ((SMALL, 0.8), (MIDDLE, 0.9))
    )
    return Prediction(said, f"{small.found}; {middle.found}", all_of(small.holds, middle.holds))


def of_burst_lossy(own: Measured) -> list[Prediction]:
    lossy, half = Place(BURST_LOSSY, LARGE, LOSSY), floor_s(LARGE) / 2
    both = [Place(BURST_LOSSY, LARGE, one) for one in LOSSES]
    by = {cca: [arm for arm in FOUR if arm.split()[1] == cca] for cca in ("bbr", "cubic")}
    beside = {name: two for name, two in moved(own, [lossy]).items() if name.startswith(MIXED.title)}
    mixed = rules(own, [MIXED], [lossy], ONE_H3, ONE_H2)
    return [
        judged("by BBR in less than half of 4.19 s", seconds(own, both, by["bbr"]), high=half, text=seconds_text),
        judged("1 % loss: by CUBIC in at least that", seconds(own, [lossy], by["cubic"]), half, text=seconds_text),
        judged("1 % loss: CUBIC against BBR takes at least three times as long", mixed, 3.0),
        points("at least 100 points above the square without a burst", beside, least=FAR_POINTS),
    ]


def of_object(own: Measured) -> list[Prediction]:
    near, *added = (Place(OBJECT, DOUBLE, one) for one in WITHOUT_LOSS)
    places = (near, *added)
    beside = {
        f"{MIXED.title}, {where.condition.label}": (own.rule(where, MIXED), own.rule(_as(SMALL, where), MIXED))
        for where in places
    }
    return [
        judged("15 ms: 2 to 12 % quicker by HTTP/3", rules(own, PAIRS, [near]), 0.88, 0.98),
        judged("65 and 115 ms: at least 10 % quicker", rules(own, PAIRS, added), high=0.9),
        points(
            "each square lies between those of 100 KB and 1 MB, or at most 2 points outside",
            _outside(own, places),
            most=BETWEEN_POINTS,
        ),
        points("CUBIC against BBR: less than 10 points from 100 KB", beside, most=NEAR_POINTS),
    ]


def _as(size: int, where: Place) -> Place:
    return place(size, where.condition)


def _outside(own: Measured, places: Iterable[Place]) -> Both:
    """A square of 200 KB, and the nearest number that lies between those of the two other sizes."""
    found: dict[str, tuple[Times | None, Times | None]] = {}
    for where in places:
        for pair in PAIRS:
            one, *ends = (own.rule(at, pair) for at in (where, _as(SMALL, where), _as(MIDDLE, where)))
            known = [end.value for end in ends if end is not None]
            nearest = None
            if one is not None and len(known) == len(ends):
                nearest = replace(one, value=min(max(one.value, min(known)), max(known)))
            found[f"{pair.title}, {where.condition.label}"] = (one, nearest)
    return found


def directions(own: Measured) -> Both:
    """0.1 % loss each way, and on the way down only: each pair with each size."""
    return {
        f"{pair.title}, {where.label}": (
            own.rule(where.at(LITTLE_EACH_WAY), pair, ONE_H3, ONE_H2),
            own.rule(where, pair, ONE_H3, ONE_H2),
        )
        for where in little_places()
        for pair in PAIRS
    }


def little_places() -> list[Place]:
    """With loss on the way down only."""
    return [Place(LITTLE, size, LITTLE_DOWN) for size in LITTLE_SIZES]


def of_little(own: Measured) -> list[Prediction]:
    slower = {
        f"{arm}, {where.label}": own.over(where.at(LITTLE_EACH_WAY), arm, arm, base=where)
        for where in little_places()
        for arm in FOUR
    }
    return [
        points("the squares are less than 10 points from those with loss down only", directions(own), most=NEAR_POINTS),
        judged("no sender's median is more than 10 % above that with loss down only", slower, high=1.1),
    ]


OF: Mapping[str, Callable[[Measured], list[Prediction]]] = {
    BURST: of_burst,
    BURST_LOSSY: of_burst_lossy,
    OBJECT: of_object,
    LITTLE: of_little,
}
