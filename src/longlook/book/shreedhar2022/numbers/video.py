"""Numbers of the chapter video.md, each as it stands in its text."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from longlook.book.hypotheses import stated
from longlook.book.shreedhar2022.sessions import LONG, LOSSES, NAMES, SHORT, Played
from longlook.book.value import SPACE, Measured, NotMeasured, StatedNumber
from longlook.book.value_role import Numbers
from longlook.experiment.metrics import CLIENT_CPU, SERVER_CPU, SESSION, SHOWN, STALLS, STARTUP
from longlook.figure import style
from longlook.plan.workload import FILM_KBPS

RECORDS = "data/raw/reference-shreedhar-video*"
SECONDS, RATE, COUNT = ("s", 1e-3), ("kbit/s", 1.0), ("", 1.0)
"""Unit, and what makes it of the metric's."""


def _mean(
    series: str, loss_pct: float, arm: str, metric: str, unit: tuple[str, float]
) -> Callable[[Measured], StatedNumber]:
    def number(m: Measured) -> StatedNumber:
        found = Played(m.data, m.key).summary(series, loss_pct, arm, metric)
        if found is None:
            raise NotMeasured(f"no session of {series} counts")
        name, scale = unit
        text = style.rounded(found.mean * scale) + (f"{SPACE}{name}" if name else "")
        return StatedNumber(text, f"mean of {found.n} sessions by {NAMES[arm]}, {loss_pct:g} % each way; {RECORDS}")

    return number


def _processor(m: Measured) -> StatedNumber:
    """Of one processor, what a session's browser and server took while it lasted, over all sessions that count."""
    own = Played(m.data, m.key)
    places = [place for place in product((SHORT, LONG), LOSSES, NAMES) if own.values(*place, SESSION.name)]
    if not places:
        raise NotMeasured("no session counts")
    cpu_s, lasted_ms = (
        sum(sum(own.values(*place, one.name)) for place in places for one in metrics)
        for metrics in ((CLIENT_CPU, SERVER_CPU), (SESSION,))
    )
    text = f"{100 * cpu_s / (lasted_ms / 1e3):.0f}{SPACE}%"
    return StatedNumber(text, f"CPU of client and server over the length of their sessions; {RECORDS}")


def _shortest(m: Measured) -> StatedNumber:
    """Of the stalls of sessions of three minutes with 1 % each way."""
    own = Played(m.data, m.key)
    if not own.has(LONG):
        raise NotMeasured(f"no session of {LONG} counts")
    found = [took for arm in NAMES for took in own.stall_ms(LONG, 1.0, arm)]
    text = f"{min(found):.1f}{SPACE}ms" if found else "no time"
    return StatedNumber(text, f"the shortest of {len(found)} sessions that stood still; {RECORDS}")


def _told_apart(m: Measured) -> StatedNumber:
    """With the highest loss, of what the Finding has means of."""
    own = Played(m.data, m.key)
    found = [own.tested(SHORT, 10.0, metric) for metric in (STARTUP.name, SHOWN.name, STALLS.name)]
    if None in found:
        raise NotMeasured(f"no session of {SHORT} counts")
    significant = sum(one.significant for one in found if one)
    return StatedNumber(f"{significant} of {len(found)}", f"differences with p < 0.01 by Welch's test; {RECORDS}")


NUMBERS: Numbers = {
    "told-apart": _told_apart,
    "shortest-stall": _shortest,
    "session-cpu": _processor,
    "stated-short": stated(SHORT),
    "stated-long": stated(LONG),
    "bitrates": lambda m: StatedNumber(
        f"{FILM_KBPS[0]} to {FILM_KBPS[-1]}{SPACE}kbit/s", "of the film, in src/longlook/plan/workload.py"
    ),
    **{
        f"{word}-{arm}-{loss:g}": _mean(SHORT, loss, arm, metric, unit)
        for word, metric, unit, loss in (
            ("startup", STARTUP.name, SECONDS, 0.0),
            ("startup", STARTUP.name, SECONDS, 10.0),
            ("bitrate", SHOWN.name, RATE, 10.0),
            ("stalls", STALLS.name, COUNT, 10.0),
        )
        for arm in NAMES
    },
}
