"""Figures and table of acknowledged bytes over time, and what became of the predictions of yu-over-time.toml."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd
from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.predicted import Prediction, predictions_table
from longlook.book.varied import REFERENCE
from longlook.book.yu2021.over_time import (
    FIGURES,
    KB,
    KINDS,
    LOADS,
    SERIES,
    Found,
    Load,
    measured,
    median_of,
)
from longlook.figure import acknowledged, style
from longlook.figure.acknowledged import ACKED, IN_FLIGHT, LINES, LOSSES, WINDOW, Look, acknowledged_chart
from longlook.figure.live import Attachment, LiveChart
from longlook.figure.table import html_table
from longlook.probe.thin import thin
from longlook.published.yu2021 import STUDY

BINS = 150
QUIC_SERVERS, TCP_SERVER = ("Envoy", "ngtcp2"), "Apache"
SERVERS = (*QUIC_SERVERS, TCP_SERVER)
LOSSY, SMALL_FAR, CLIENTS = FIGURES.values()
CCAS = ("BBR", "CUBIC")
FROM_TENTH, LATER, WITHIN = 5, 1.05, 0.05
FIRST_TRIPS, LAST_TRIPS = 0.8, 0.5
LEAST_SHARE, APART = 0.8, 1.1
MOST_LIMITED = 0.05
Medians = Mapping[tuple[str, str], Load]


def picture(number: str, data: BookData | None = None) -> LiveChart | HTML:
    """One of FIGURES: the median load of each kind."""
    own = data or book_data.load()
    key, title = own.own_or_reference(STUDY, SERIES)
    shown = [one for (figure, _), one in _medians(measured(own, key)).items() if figure == number]
    if not shown:
        return HTML(style.NOTHING_YET)
    lines, losses, looks = _lines(shown), _losses(shown), _looks(FIGURES[number].labels)
    return LiveChart(
        name=f"{SERIES}-{number}",
        chart=acknowledged_chart(lines, losses, looks),
        narrow=acknowledged_chart(lines, losses, looks, acknowledged.PHONE),
        alt_text=f"Bytes acknowledged over time. {acknowledged.told(lines, losses)}",
        downloads=(Attachment(f"{SERIES}-{number}.csv", lines.to_csv(index=False)),),
        note=f"{html.escape(title)}, of each kind the median of {_counts(own, key, number)} loads. Above: bytes "
        "acknowledged, in order or not; ticks: packets declared lost. Below, thin: in flight; thick: the window, where "
        "its server tells it.",
        hint="Point at a line for its numbers; the wheel with the shift key zooms, dragging moves.",
    )


def _counts(data: BookData, key: str, number: str) -> str:
    """`3`, or `2 to 3`."""
    counts = sorted(len(loads) for (figure, _), loads in measured(data, key).items() if figure == number)
    return str(counts[0]) if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]}"


def _medians(found: Found) -> Medians:
    return {kind: median_of(loads) for kind, loads in found.items()}


def _looks(labels: Sequence[str]) -> dict[str, Look]:
    """A colour for each server (or client), a dash for CUBIC."""
    names = list(dict.fromkeys(label.partition(",")[0] for label in labels))
    return {label: Look(names.index(label.partition(",")[0]), int(label.endswith("CUBIC"))) for label in labels}


def _lines(shown: Iterable[Load]) -> pd.DataFrame:
    """LINES of all downloads, thinned."""
    parts = []
    for one in shown:
        for kind, line in ((ACKED, one.acked), (WINDOW, one.window), (IN_FLIGHT, one.in_flight)):
            own = thin(line[line["time_s"] <= one.whole_s], ["bytes"], BINS)
            kb = (own["bytes"] / KB).round(1)
            parts.append(own.assign(label=one.label, kind=kind, time_s=own["time_s"].round(4), kb=kb))
    return pd.concat([part for part in parts if len(part)], ignore_index=True)[list(LINES)]


def _losses(shown: Iterable[Load]) -> pd.DataFrame:
    parts = [one.losses.assign(label=one.label, time_s=one.losses["time_s"].round(4)) for one in shown]
    return pd.concat(parts, ignore_index=True)[list(LOSSES)].astype({"count": int})


def table(data: BookData | None = None) -> HTML:
    """A row for each kind: the times of its loads, and of the median one what was lost, in flight and allowed."""
    own = data or book_data.load()
    key, _ = own.own_or_reference(STUDY, SERIES)
    found = measured(own, key)
    if not found:
        return HTML(style.NOTHING_YET)
    head = ["figure", "download", "all acknowledged after, s", "first, s", "half, s", "lost", "least in flight, %"]
    head += ["best round trip, %", "least allowed, KB", "limited, %"]
    rows = []
    for (number, label), loads in found.items():
        one = median_of(loads)
        times = ", ".join(f"{each.whole_s:.2f}" for each in loads)
        numbers = [f"{one.first_s:.3f}", f"{one.reached_s(0.5):.3f}", str(one.lost), f"{one.thin_share * 100:.0f}"]
        rows.append([number, label, times, *numbers, f"{one.best_share * 100:.0f}", *_allowed(one)])
    return HTML(html_table(head, rows, numeric=range(2, len(head))))


def _allowed(one: Load) -> list[str]:
    share = one.limited_share
    if share is None:
        return [style.DASH, style.DASH]
    return [f"{one.allowed['bytes'].min() / KB:.0f}", f"{share * 100:.1f}"]


def predictions(data: BookData | None = None) -> HTML:
    """By the reference campaign."""
    return predictions_table(judged(measured(data or book_data.load(), REFERENCE)))


def judged(found: Found) -> list[Prediction]:
    """None before every kind is measured as often as it is to be."""
    if [kind for kind in KINDS if len(found.get(kind, ())) < LOADS]:
        return []
    of = _medians(found)
    return [_behind(of), _alike(of), _by_controller(of), _in_flight(of), _ahead(of), _clients(of), _limits(of)]


def _lossy(of: Medians, server: str, cca: str) -> Load:
    return of[LOSSY.number, f"{server}, {cca}"]


def _behind(of: Medians) -> Prediction:
    quic, tcp = _lossy(of, "Envoy", "CUBIC"), _lossy(of, TCP_SERVER, "BBR")
    ahead = [tenth for tenth in range(FROM_TENTH, 11) if quic.reached_s(tenth / 10) <= tcp.reached_s(tenth / 10)]
    times = quic.whole_s / tcp.whole_s
    text = f"{quic.whole_s:.2f} s, {times:.2f} times TCP's {tcp.whole_s:.2f} s"
    text += f"; not behind at tenths {', '.join(map(str, ahead))}" if ahead else "; behind at each of these tenths"
    return Prediction(
        f"1 % loss: Envoy by CUBIC is behind TCP by BBR from the fifth tenth on, at last by {_pct(LATER - 1)} or more",
        text,
        not ahead and times >= LATER,
    )


def _alike(of: Medians) -> Prediction:
    quic, tcp = _lossy(of, "Envoy", "BBR"), _lossy(of, TCP_SERVER, "BBR")
    apart = [(quic.reached_s(tenth / 10) - tcp.reached_s(tenth / 10)) / tcp.whole_s for tenth in range(1, 11)]
    low, high = (f"{share * 100:+.1f}".replace("-", style.MINUS) for share in (min(apart), max(apart)))
    return Prediction(
        f"1 % loss: Envoy by BBR is within {_pct(WITHIN)} of the whole time of TCP by BBR at every tenth",
        f"{low} to {high} % of it",
        max(map(abs, apart)) <= WITHIN,
    )


def _by_controller(of: Medians) -> Prediction:
    times = {server: [_lossy(of, server, cca).whole_s for cca in CCAS] for server in SERVERS}
    return Prediction(
        "1 % loss: each server is later at the end by CUBIC than by BBR",
        ", ".join(f"{server} {cubic:.2f} and {bbr:.2f} s" for server, (bbr, cubic) in times.items()),
        all(cubic > bbr for bbr, cubic in times.values()),
    )


def _in_flight(of: Medians) -> Prediction:
    shares = {server: [_lossy(of, server, cca).thin_share for cca in CCAS] for server in SERVERS}
    return Prediction(
        f"1 % loss: each has less than {LOSSY.held_bytes / KB:g} KB in flight for a larger share of the time by CUBIC "
        "than by BBR",
        ", ".join(f"{server} {cubic * 100:.0f} and {bbr * 100:.0f} %" for server, (bbr, cubic) in shares.items()),
        all(cubic > bbr for bbr, cubic in shares.values()),
    )


def _ahead(of: Medians) -> Prediction:
    trip_s = SMALL_FAR.condition.rtt_ms / 1e3
    tcp = of[SMALL_FAR.number, f"{TCP_SERVER}, BBR"]
    leads = {
        server: [(late - early) / trip_s for early, late in ((one.first_s, tcp.first_s), (one.whole_s, tcp.whole_s))]
        for server in QUIC_SERVERS
        for one in [of[SMALL_FAR.number, f"{server}, BBR"]]
    }
    return Prediction(
        f"100 KB, 115 ms: either QUIC server leads TCP by {FIRST_TRIPS} round trips or more at first, by "
        f"{LAST_TRIPS} or more at last",
        ", ".join(f"{server} {_trips(first)} and {_trips(last)}" for server, (first, last) in leads.items()),
        all(first >= FIRST_TRIPS and last >= LAST_TRIPS for first, last in leads.values()),
    )


def _trips(number: float) -> str:
    return f"{number:.2f}".replace("-", style.MINUS)


def _pct(share: float) -> str:
    return f"{share * 100:.0f} %"


def _clients(of: Medians) -> Prediction:
    own = {label.partition(" ")[0]: of[CLIENTS.number, label] for label in CLIENTS.labels}
    halves = {name: one.reached_s(0.5) for name, one in own.items()}
    texts = [f"{name} {own[name].best_share * 100:.0f} %, {half:.3f} s" for name, half in halves.items()]
    return Prediction(
        f"1 MB, 115 ms: with each client some round trip has {_pct(LEAST_SHARE)} of the link's rate, and half is "
        f"acknowledged within {_pct(APART - 1)} of the quickest's time",
        ", ".join(texts),
        all(one.best_share >= LEAST_SHARE for one in own.values())
        and max(halves.values()) <= APART * min(halves.values()),
    )


def _limits(of: Medians) -> Prediction:
    """Open where the share of one is not known, and none of the others decides it."""
    shares = {kind: one.limited_share for kind, one in of.items()}
    known = {kind: share for kind, share in shares.items() if share is not None}
    beyond = [kind for kind, share in known.items() if share > MOST_LIMITED]
    text = f"at most {max(known.values()) * 100:.1f} %, of {len(known)} downloads" if known else "not known"
    if beyond:
        text += "; not " + "; ".join(f"{label} (figure {number})" for number, label in beyond)
    return Prediction(
        f"flow control takes no full packet more for at most {_pct(MOST_LIMITED)} of the time in all {len(KINDS)}",
        text,
        False if beyond else None if len(known) < len(KINDS) else True,
    )
