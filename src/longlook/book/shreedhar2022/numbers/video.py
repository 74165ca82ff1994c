"""Numbers of the chapter video.md, each as it stands in its text."""

from __future__ import annotations

from itertools import product

from longlook.analysis.welch import ALPHA
from longlook.book.evidence import StudyColumn, by, records_of
from longlook.book.shreedhar2022.sessions import LONG, LOSSES, NAMES, QUIC, SHORT, TCP, at, stall_ms
from longlook.book.value import SPACE, Measured, NotMeasured, StatedNumber, number, origin
from longlook.book.value_role import Numbers
from longlook.experiment.metrics import CLIENT_CPU, SERVER_CPU, SESSION, SHOWN, STALLS, STARTUP
from longlook.figure import style
from longlook.plan.workload import FILM_KBPS

SECONDS, RATE, COUNT = ("s", 1e-3), ("kbit/s", 1.0), ("", 1.0)
"""Unit, and what makes it of the metric's."""


@number
def _mean(m: Measured, series: str, loss_pct: float, arm: str, metric: str, unit: tuple[str, float]) -> StatedNumber:
    found = by(m, value=arm, metric=metric, **at(series, loss_pct)) * unit[1]
    text = style.rounded(float(found.numbers.iloc[0])) + (f"{SPACE}{unit[0]}" if unit[0] else "")
    return StatedNumber(text, f"{found.what}, {NAMES[arm]}, {loss_pct:g} % each way; {origin(found.files)}")


def _processor(m: Measured) -> StatedNumber:
    """Of one processor, what a session's browser and server took while it lasted, over all sessions that count."""
    own = StudyColumn(m.data, m.study, m.key)
    places = [(arm, at(series, loss)) for series, loss, arm in product((SHORT, LONG), LOSSES, NAMES)]
    cpu_s, lasted_ms = (
        sum(sum(own.loads(arm, one.name, **where)) for arm, where in places for one in metrics)
        for metrics in ((CLIENT_CPU, SERVER_CPU), (SESSION,))
    )
    if not lasted_ms:
        raise NotMeasured("no session counts")
    text = f"{100 * cpu_s / (lasted_ms / 1e3):.0f}{SPACE}%"
    return StatedNumber(text, f"CPU of client and server over the length of their sessions; {m.campaigns(SHORT, LONG)}")


def _shortest(m: Measured) -> StatedNumber:
    """Of the stalls of sessions of three minutes with 1 % each way."""
    own = StudyColumn(m.data, m.study, m.key)
    if not own.has(LONG):
        raise NotMeasured(f"no session of {LONG} counts")
    found = [took for arm in NAMES for took in stall_ms(own, LONG, 1.0, arm)]
    text = f"{min(found):.1f}{SPACE}ms" if found else "no time"
    return StatedNumber(text, f"the shortest of {len(found)} sessions that stood still; {m.campaigns(LONG)}")


def _told_apart(m: Measured) -> StatedNumber:
    """With the highest loss, of what the Finding has means of."""
    own = StudyColumn(m.data, m.study, m.key)
    metrics = (STARTUP.name, STALLS.name)
    found = [one for metric in metrics for one in own.found(difference=[QUIC, TCP], metric=metric, **at(SHORT, 10.0))]
    if len(found) < len(metrics):
        raise NotMeasured(f"no session of {SHORT} counts")
    significant = sum(one.estimate.p_value < ALPHA for one in found)
    what = f"differences with p < {ALPHA:g} by Welch's test; {origin(records_of(found))}"
    return StatedNumber(f"{significant} of {len(found)}", what)


NUMBERS: Numbers = {
    "told-apart": _told_apart,
    "shortest-stall": _shortest,
    "session-cpu": _processor,
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
