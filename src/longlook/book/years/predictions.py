"""What the sweeps of the years predicted, and what became of it.

The predictions stand in the heads of sweeps/years/*.toml and were written before the campaigns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from IPython.display import HTML

from longlook.analysis.welch import Summary, summary_of
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.judged import predicted
from longlook.book.predicted import Prediction
from longlook.book.varied import REFERENCE
from longlook.book.years.evidence import (
    BASE,
    FIRST_HTTP3,
    LOSS,
    MANY,
    MEGABYTE,
    PROTOCOLS,
    SERIES,
    SMALLEST,
    STUDY,
    Change,
    Measured,
    cells,
    changes,
)
from longlook.book.years.releases_predicted import of_releases
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.table import html_table

VERSIONS = "years-versions"
NARROW = 10
LAST_TLS_12, FIRST_TLS_13 = 69, 72
SAME_MS = 5.0
LITTLE = 0.05
GOOGLE = (69, 85)
LEAST_SHARE = 0.9
BEFORE_KEY_SHARE, WITH_KEY_SHARE, LESS_THAN_A_ROUND_TRIP_MS = 119, 153, 20.0
OLD = ("gquic37", "c64q039")
NEW = ("c92q043", "c92d29", "c92")


def table(data: BookData | None = None) -> HTML:
    """Of all sweeps."""
    data = data or book_data.load()
    return predicted(
        of_years(cells(data, series=(SERIES,))),
        VERSIONS,
        (*of_loss(cells(data, series=LOSS)), *of_releases(data)),
        data=data,
    )


def of_years(found: Sequence[Measured]) -> tuple[Prediction, ...]:
    """None before they are measured."""
    if not found:
        return ()
    return _tls(found), _http3(found), _google(found), _verdicts(found), _key_share(found)


def _at(found: Iterable[Measured], *workloads: str, mbps: float | None = None) -> list[Measured]:
    return [
        one for one in found if one.place.workload in workloads and (mbps is None or one.place.bandwidth_mbps == mbps)
    ]


def _tls(found: Sequence[Measured]) -> Prediction:
    apart = {
        one.place.bandwidth_mbps: one.times[FIRST_TLS_13, "tcp"].mean - one.times[LAST_TLS_12, "tcp"].mean
        for one in _at(found, SMALLEST)
    }
    return Prediction(
        f"TLS 1.3 takes no round trip off: TCP's means of 5 KB differ by less than {SAME_MS:g} ms between Chromium "
        f"{LAST_TLS_12} and {FIRST_TLS_13}",
        _signed_ms(apart),
        all(abs(ms) < SAME_MS for ms in apart.values()),
    )


def _signed_ms(apart: dict[float, float]) -> str:
    texts = [f"{ms:+.1f} ms with {mbps:g} Mbit/s".replace("-", style.MINUS) for mbps, ms in apart.items()]
    return ", ".join(texts)


def _http3(found: Sequence[Measured]) -> Prediction:
    ratios = {
        (number, one.place.workload): ratio.value
        for one in _at(found, MEGABYTE, MANY, mbps=NARROW)
        for number in one.numbers("quic")
        if number >= FIRST_HTTP3 and number != BASE and (ratio := one.to_base(number, "quic"))
    }
    within = sum(abs(value - 1) <= LITTLE for value in ratios.values())
    return Prediction(
        f"with {NARROW} Mbit/s QUIC's mean of every milestone from {FIRST_HTTP3} on is within {LITTLE:.0%} of "
        f"{BASE}'s, with 1 MB and with a hundred objects",
        f"{within} of {len(ratios)} are; {span(ratios.values())} of {BASE}'s",
        within == len(ratios),
    )


def span(values: Iterable[float]) -> str:
    """The least and the greatest ratio."""
    ordered = sorted(values)
    return f"{ordered[0]:.3f} to {ordered[-1]:.3f}" if ordered else "not measured"


def _google(found: Sequence[Measured]) -> Prediction:
    (one,) = _at(found, MEGABYTE, mbps=NARROW)
    means = [one.times[number, "quic"].mean for number in one.numbers("quic") if GOOGLE[0] <= number <= GOOGLE[1]]
    most = max(means) / min(means) - 1
    return Prediction(
        f"with {NARROW} Mbit/s QUIC's means of 1 MB from Chromium {GOOGLE[0]} to {GOOGLE[1]} are within {LITTLE:.0%} "
        "of each other",
        f"the greatest is {most:.1%} above the least",
        most <= LITTLE,
    )


def _verdicts(found: Sequence[Measured]) -> Prediction:
    same = tried = 0
    for one in found:
        base = one.lead(BASE)
        for number in one.numbers("quic"):
            lead = one.lead(number)
            if number >= FIRST_HTTP3 and number != BASE and base and lead:
                tried += 1
                same += lead.verdict == base.verdict
    return Prediction(
        f"of the verdicts of the milestones from {FIRST_HTTP3} on at least nine in ten are those of {BASE} "
        "in the same cell",
        f"{same} of {tried}",
        same >= LEAST_SHARE * tried,
    )


def _key_share(found: Sequence[Measured]) -> Prediction:
    apart = {
        f"{style.PROTOCOL_LABELS[protocol]}, {one.place.bandwidth_mbps:g} Mbit/s": (
            one.times[WITH_KEY_SHARE, protocol].mean - one.times[BEFORE_KEY_SHARE, protocol].mean
        )
        for one in _at(found, SMALLEST)
        for protocol in PROTOCOLS
    }
    texts = [f"{who}: {ms:+.1f} ms".replace("-", style.MINUS) for who, ms in apart.items()]
    return Prediction(
        f"the post-quantum key share costs no round trip: with 5 KB Chromium {WITH_KEY_SHARE} takes less than "
        f"{LESS_THAN_A_ROUND_TRIP_MS:g} ms more than {BEFORE_KEY_SHARE}",
        "; ".join(texts),
        all(ms < LESS_THAN_A_ROUND_TRIP_MS for ms in apart.values()),
    )


Versions = dict[tuple[str, float], dict[str, Summary]]
"""Page and bandwidth -> stack -> QUIC's page load times."""


def of_loss(found: Sequence[Measured]) -> tuple[Prediction, ...]:
    """None before they are measured."""
    if not found:
        return ()
    changed = changes(found)
    return (
        no_step(changed, "quic", FIRST_HTTP3, "with 1 % loss"),
        no_step(changed, "tcp", FIRST_TLS_13, "with 1 % loss"),
        _ahead_under_loss(found),
    )


def no_step(changed: Sequence[Change], protocol: str, first: int, where: str) -> Prediction:
    """That no step is significant, of milestones from `first` on."""
    own = [one for one in changed if one.protocol == protocol and one.before.number >= first]
    tried, found = sum(len(one.steps) for one in own), [step for one in own for step in one.significant]
    steps = "; ".join(f"{one.before.number} to {one.after.number}, {one.place.title}" for one in found)
    return Prediction(
        f"{where} no step from one milestone to the next changes {style.PROTOCOL_LABELS[protocol]}'s mean, from "
        f"{first} on",
        f"{len(found)} of {tried} do" + (f": {steps}" if steps else ""),
        not found if tried else None,
    )


def _ahead_under_loss(found: Sequence[Measured]) -> Prediction:
    leads = [
        lead.pct
        for one in _at(found, MEGABYTE)
        for number in one.numbers("quic")
        if number >= FIRST_HTTP3 and (lead := one.lead(number))
    ]
    ahead = sum(pct > 0 for pct in leads)
    return Prediction(
        f"with 1 % loss and 1 MB QUIC's mean is below TCP's for every milestone from {FIRST_HTTP3} on",
        f"{ahead} of {len(leads)}",
        ahead == len(leads),
    )


def by_stack(data: BookData, series: str, key: str = REFERENCE) -> Versions:
    """QUIC's page load times of a series, by page, bandwidth and stack."""
    arms = data.rows("arms", STUDY, series, key)
    found: Versions = {}
    for _, row in arms[arms["metric"] == PLT.name].iterrows():
        found.setdefault((row["workload"], float(row["bandwidth_mbps"])), {})[row["stack"]] = summary_of(row)
    return found


def versions_table(data: BookData | None = None) -> HTML:
    """QUIC's page load times of one browser by version, ms."""
    found = by_stack(data or book_data.load(), VERSIONS)
    if not found:
        return HTML(style.NOTHING_YET)
    heads = ["page", "Mbit/s", "64: Q037", "64: Q039", "92: Q043", "92: draft 29", "92: version 1"]
    rows = [
        [_page(page), f"{mbps:g}", *(_mean(own, stack) for stack in (*OLD, *NEW))]
        for (page, mbps), own in _ordered(found)
    ]
    return HTML(html_table(heads, rows))


def _ordered(found: Versions) -> list[tuple[tuple[str, float], dict[str, Summary]]]:
    """By bandwidth, number of objects and size."""

    def place(item: tuple[tuple[str, float], dict[str, Summary]]) -> tuple[float, int, int]:
        (workload, mbps), _ = item
        size, count = workload.split("-x")
        return mbps, int(count), int(size.removesuffix("kb"))

    return sorted(found.items(), key=place)


def _page(workload: str) -> str:
    size, count = workload.split("-x")
    return f"{size.removesuffix('kb')} KB" + (f" {style.TIMES} {count}" if count != "1" else "")


def _mean(own: dict[str, Summary], stack: str) -> str:
    one = own.get(stack)
    return style.DASH if one is None else " ".join(style.mean_sd(one.mean, one.sd, 1))
