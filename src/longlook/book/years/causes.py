"""From Chromium 72 to 76: what a page of a hundred objects takes without each of two changes, and without both.

What was predicted stands in sweeps/years/years-causes.toml and was written before the campaign.
"""

from __future__ import annotations

from collections.abc import Mapping

from IPython.display import HTML

from longlook.analysis.welch import Summary, Welch, summary_of, welch_from_summaries
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.predicted import Prediction, predictions_table
from longlook.book.varied import REFERENCE
from longlook.book.years.evidence import FAST, MANY, PROTOCOLS, SMALLEST, STUDY, by_protocol
from longlook.experiment.metrics import CLIENT_CPU, PLT
from longlook.figure import style
from longlook.figure.table import html_table

SERIES = "years-causes"
BEFORE, AFTER, UNCACHED, IN_RENDERER, NEITHER = "c72", "c76", "c76nocache", "c76blinkcors", "c76neither"
NAMES = {
    BEFORE: "Chromium 72",
    AFTER: "Chromium 76",
    UNCACHED: "without a disk cache",
    IN_RENDERER: "with CORS checks in the renderer",
    NEITHER: "without either change",
}
SLOW = 10.0
LEAST_SHARE, LEAST_EACH_MS, LEAST_CPU_S = 0.5, 10.0, 0.03
NEAR, NEAR_MS = 0.02, 5.0

Found = Mapping[tuple[str, str, float, str, str], Summary]
"""Metric, workload, Mbit/s, stack and protocol -> its loads, ms or s."""


def found(data: BookData, key: str = REFERENCE) -> Found:
    """Of its sweep; empty before it is measured."""
    arms = data.rows("arms", STUDY, SERIES, key)
    return {
        (row["metric"], row["workload"], float(row["bandwidth_mbps"]), row["stack"], row["protocol"]): summary_of(row)
        for row in arms[arms["metric"].isin([PLT.name, CLIENT_CPU.name])].to_dict("records")
    }


def table(data: BookData | None = None) -> HTML:
    """A row for each browser: page load times of both pages, ms, and its processor time for the large one, s."""
    of = found(data or book_data.load())
    if not of:
        return HTML(style.NOTHING_YET)
    columns = [
        (PLT.name, MANY, FAST),
        (CLIENT_CPU.name, MANY, FAST),
        (PLT.name, MANY, SLOW),
        (PLT.name, SMALLEST, FAST),
    ]
    rows = [
        [name, *(_cell(of[(*column, stack, protocol)]) for column in columns for protocol in PROTOCOLS)]
        for stack, name in NAMES.items()
    ]
    groups = [
        ("", 1),
        *((title, len(PROTOCOLS)) for title in (
            "100 objects, 100 Mbit/s, ms", "processor time, s", "100 objects, 10 Mbit/s, ms", "5 KB, 100 Mbit/s, ms"
        )),
    ]  # fmt: skip
    head = ["browser", *(style.PROTOCOL_LABELS[protocol] for _ in columns for protocol in PROTOCOLS)]
    return HTML(html_table(head, rows, numeric=set(range(1, len(head))), groups=groups))


def _cell(one: Summary) -> str:
    return " ".join(style.mean_sd(one.mean, one.sd, 2 if one.mean < 1 else 0))


def less(of: Found, stack: str, protocol: str, metric: str = PLT.name) -> float:
    """How much less than `AFTER` it takes for a hundred objects on the fast link, in the metric's unit."""
    return of[metric, MANY, FAST, AFTER, protocol].mean - of[metric, MANY, FAST, stack, protocol].mean


def test_of(of: Found, stack: str, protocol: str) -> Welch:
    """Whether `AFTER` takes another time for a hundred objects on the fast link."""
    return welch_from_summaries(*(of[PLT.name, MANY, FAST, one, protocol] for one in (AFTER, stack)))


def shares(of: Found) -> dict[str, float]:
    """By protocol: of what `AFTER` takes longer than `BEFORE`, how much goes without the changes."""
    return {protocol: less(of, NEITHER, protocol) / less(of, BEFORE, protocol) for protocol in PROTOCOLS}


def predictions(data: BookData | None = None) -> HTML:
    """What was predicted, and what was found."""
    return predictions_table(of_causes(found(data or book_data.load())))


def of_causes(of: Found) -> tuple[Prediction, ...]:
    """In the order of the sweep's head; none before it is measured."""
    return (_both(of), _each(of), _processor(of), _hidden(of)) if of else ()


def _both(of: Found) -> Prediction:
    own = shares(of)
    tests = {one: test_of(of, NEITHER, one) for one in PROTOCOLS}
    return Prediction(
        f"a hundred objects at 100 Mbit/s: without either change 76 is significantly faster, by at least "
        f"{LEAST_SHARE:.0%} of its step from 72",
        by_protocol((one, f"{own[one]:.0%}, p = {tests[one].p_value:.2g}") for one in PROTOCOLS),
        all(own[one] >= LEAST_SHARE and less(of, NEITHER, one) > 0 and tests[one].significant for one in PROTOCOLS),
    )


def _each(of: Found) -> Prediction:
    off = {(stack, one): less(of, stack, one) for stack in (UNCACHED, IN_RENDERER) for one in PROTOCOLS}
    return Prediction(
        f"each change left out alone takes at least {LEAST_EACH_MS:.0f} ms off",
        "; ".join(
            f"{NAMES[stack]}: {by_protocol((one, f'{off[stack, one]:.0f} ms') for one in PROTOCOLS)}"
            for stack in (UNCACHED, IN_RENDERER)
        ).replace("-", style.MINUS),
        all(ms >= LEAST_EACH_MS for ms in off.values()),
    )


def _processor(of: Found) -> Prediction:
    off = {one: less(of, NEITHER, one, CLIENT_CPU.name) for one in PROTOCOLS}
    return Prediction(
        f"without either it takes at least {LEAST_CPU_S * 1000:.0f} ms less processor time",
        by_protocol((one, f"{off[one] * 1000:.0f} ms") for one in PROTOCOLS),
        all(seconds >= LEAST_CPU_S for seconds in off.values()),
    )


def _hidden(of: Found) -> Prediction:
    """Where the link or round trips decide."""
    many = slow_ratios(of)
    small = {
        (mbps, one): of[PLT.name, SMALLEST, mbps, NEITHER, one].mean - of[PLT.name, SMALLEST, mbps, AFTER, one].mean
        for mbps in (SLOW, FAST)
        for one in PROTOCOLS
    }
    return Prediction(
        f"without either a hundred objects at 10 Mbit/s are within {NEAR:.0%} of 76's time, and 5 KB within "
        f"{NEAR_MS:.0f} ms",
        f"{by_protocol((one, f'{style.signed_pct((many[one] - 1) * 100)} %') for one in PROTOCOLS)}; "
        f"5 KB: {min(small.values()):+.1f} to {max(small.values()):+.1f} ms".replace("-", style.MINUS),
        all(abs(one - 1) <= NEAR for one in many.values()) and all(abs(ms) <= NEAR_MS for ms in small.values()),
    )


def slow_ratios(of: Found) -> dict[str, float]:
    """By protocol: a hundred objects on the slow link without either change, over `AFTER`'s time."""
    return {
        one: of[PLT.name, MANY, SLOW, NEITHER, one].mean / of[PLT.name, MANY, SLOW, AFTER, one].mean
        for one in PROTOCOLS
    }
