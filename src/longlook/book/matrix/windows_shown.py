"""The figure and the table of the servers' windows, and what became of the predictions of matrix-windows.toml."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pandas as pd
from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.matrix.pairs import NAMES
from longlook.book.matrix.windows import (
    CCA_WORDS,
    LINK_KB,
    LOSSES_PCT,
    SERIES,
    SERVERS,
    SOURCES,
    Traced,
    measured,
    median_over_time,
    newest,
)
from longlook.book.predicted import Prediction, predictions_table
from longlook.book.varied import REFERENCE
from longlook.figure import style
from longlook.figure.live import Attachment, LiveChart
from longlook.figure.table import html_table
from longlook.figure.windows import KINDS, LEAST_KB, LINES, LOSSES, PHONE, told, windows_chart
from longlook.plan.arm import Cca
from longlook.probe.thin import thin

BINS = 80
QUIET, LOSSY = LOSSES_PCT
WATCHING: tuple[Place, ...] = (("envoy", "cubic"), ("aioquic", "cubic"), ("aioquic", "reno"), ("quicgo", "reno"))
"""Server and controller that leave slow start by the round trip."""
LOSING: tuple[Place, ...] = (("ngtcp2", "reno"), ("lsquic", "reno"), ("lsquic", "cubic"))
"""By loss."""
KEPT: Mapping[tuple[str, Cca], float] = {
    ("envoy", "cubic"): 0.85,
    ("ngtcp2", "cubic"): 0.7,
    ("ngtcp2", "reno"): 0.5,
    ("lsquic", "cubic"): 0.8,
    ("lsquic", "reno"): 0.8,
    ("aioquic", "cubic"): 0.7,
    ("aioquic", "reno"): 0.5,
    ("quicgo", "reno"): 0.7,
}
"""Share of the window that their sources leave at a loss."""
KEPT_WITHIN = 0.05
MOST_LINKS, LOW_LINKS, HIGH_LINKS = 3.0, 0.25, 0.5
"""In flight, in times what the link holds."""
Place = tuple[str, Cca]


def picture(data: BookData | None = None) -> LiveChart | HTML:
    """Windows, bytes in flight and losses of every server's controllers, with the traces to take along."""
    found, title = newest(data or book_data.load())
    if not found:
        return HTML(style.NOTHING_YET)
    lines, losses = _lines(found), _losses(found)
    files = [Attachment(f"{SERIES}.csv", lines.to_csv(index=False)), *_qlogs(found)]
    return LiveChart(
        name=SERIES,
        chart=windows_chart(lines, losses),
        narrow=windows_chart(lines, losses, PHONE),
        alt_text=f"Congestion windows and bytes in flight over time, KB. {told(lines, losses)}",
        downloads=tuple(files),
        note=f"{html.escape(title)}, one download each. Thick: the window as the server tells it; thin: what is in "
        "flight; ticks: packets declared lost.",
        hint="Point at a line for its numbers; the wheel with the shift key zooms, dragging moves.",
    )


def _lines(found: Iterable[Traced]) -> pd.DataFrame:
    """LINES of all downloads, thinned."""
    parts = []
    for one in found:
        for kind, line in zip(KINDS, (one.window, one.in_flight), strict=True):
            own = thin(line[line["kb"] >= LEAST_KB], ["kb"], BINS)
            place = {"row": NAMES[one.server], "column": LOSSES_PCT[one.loss_pct], "label": CCA_WORDS[one.cca]}
            parts.append(own.assign(**place, kind=kind, time_s=own["time_s"].round(3), kb=own["kb"].round(1)))
    return pd.concat(parts, ignore_index=True)[list(LINES)]


def _losses(found: Iterable[Traced]) -> pd.DataFrame:
    parts = [
        one.losses.assign(
            row=NAMES[one.server],
            column=LOSSES_PCT[one.loss_pct],
            label=CCA_WORDS[one.cca],
            time_s=one.losses["time_s"].round(3),
        )
        for one in found
    ]
    return pd.concat(parts, ignore_index=True)[list(LOSSES)].astype({"count": int})


def _qlogs(found: Iterable[Traced]) -> Iterator[Attachment]:
    for one in found:
        if (text := one.qlog()) is not None:
            yield Attachment(f"{one.server}-{one.cca}-{one.loss_pct:g}pct.qlog", text, "application/json")


def table(data: BookData | None = None) -> HTML:
    """A row for each server and controller: time, largest window, what is in flight, losses, what a cut leaves."""
    found, _ = newest(data or book_data.load())
    by_place = {(one.server, one.cca, one.loss_pct): one for one in found}
    if not by_place:
        return HTML(style.NOTHING_YET)
    each = ["s", "largest window, KB", "in flight, KB", "lost"]
    head = ["server", "controller", "its window is told by", *each, *each, "left by a cut"]
    groups = [("", 3), *((words, len(each)) for words in LOSSES_PCT.values()), ("", 1)]
    rows = []
    for server, controllers in SERVERS.items():
        for cca in controllers:
            pair = [by_place.get((server, cca, loss_pct)) for loss_pct in LOSSES_PCT]
            cells = [text for one in pair for text in _texts(one)]
            rows.append([NAMES[server], CCA_WORDS[cca], _source(server, pair), *cells, _kept(pair[-1])])
    return HTML(html_table(head, rows, numeric=range(3, len(head)), groups=groups))


def _source(server: str, pair: Sequence[Traced | None]) -> str:
    told = any(one is not None and len(one.window) for one in pair)
    return f"its {SOURCES[server]}" if told else "nothing: its estimate is of CUBIC's alone"


def _texts(one: Traced | None) -> list[str]:
    if one is None:
        return [style.DASH] * 4
    largest = f"{one.window['kb'].max():.0f}" if len(one.window) else style.DASH
    return [f"{one.seconds:.1f}", largest, f"{median_over_time(one.in_flight):.0f}", str(one.lost)]


def _kept(one: Traced | None) -> str:
    if one is None or one.kept is None:
        return style.DASH
    return f"{one.kept:.2f} ({len(one.cuts)} cuts)"


def predictions(data: BookData | None = None) -> HTML:
    """By the reference campaign."""
    return predictions_table(judged(measured(data or book_data.load(), REFERENCE)))


def judged(found: Sequence[Traced]) -> list[Prediction]:
    """None before every download is measured."""
    places = {(one.server, one.cca, one.loss_pct): one for one in found}
    if len(places) < len(LOSSES_PCT) * sum(map(len, SERVERS.values())):
        return []
    quiet, lossy = (
        {(server, cca): one for (server, cca, at), one in places.items() if at == loss} for loss in LOSSES_PCT
    )
    return [_slow_start(quiet), _bbr(quiet), _medians(lossy), _shares(lossy)]


def _slow_start(quiet: Mapping[Place, Traced]) -> Prediction:
    wrong = [place for place in WATCHING if quiet[place].lost] + [place for place in LOSING if not quiet[place].lost]
    texts = [f"{_name(place)} {quiet[place].lost}" for place in (*WATCHING, *LOSING)]
    return Prediction(
        "without loss nothing is lost to the queue by Envoy's CUBIC, aioquic and quic-go, and something by ngtcp2's "
        "Reno and LSQUIC's Reno and CUBIC",
        f"packets lost: {', '.join(texts)}",
        not wrong,
    )


def _bbr(quiet: Mapping[Place, Traced]) -> Prediction:
    own = {place: one for place, one in quiet.items() if place[1] == "bbr"}
    most = {place: float(one.in_flight["kb"].max()) for place, one in own.items()}
    bound = MOST_LINKS * LINK_KB
    texts = [f"{_name(place)} {own[place].lost} lost, {kb:.0f} KB" for place, kb in most.items()]
    return Prediction(
        f"without loss no BBR loses anything or has more than {bound:.0f} KB in flight",
        "; ".join(texts),
        not any(one.lost for one in own.values()) and max(most.values()) <= bound,
    )


def _medians(lossy: Mapping[Place, Traced]) -> Prediction:
    medians = {place: median_over_time(one.in_flight) for place, one in lossy.items()}
    low, high = LOW_LINKS * LINK_KB, HIGH_LINKS * LINK_KB
    bbr = {place: kb for place, kb in medians.items() if place[1] == "bbr"}
    others = {place: kb for place, kb in medians.items() if place not in bbr}
    wrong = [place for place, kb in others.items() if kb >= low] + [place for place, kb in bbr.items() if kb <= high]
    text = f"{_span(others.values())} by CUBIC and Reno, {_span(bbr.values())} by BBR"
    return Prediction(
        f"with 1 % loss the median in flight is below {low:.1f} KB with every CUBIC and Reno, above {high:.0f} KB with "
        "every BBR",
        text + (f"; not {', '.join(map(_name, wrong))}" if wrong else ""),
        not wrong,
    )


def _shares(lossy: Mapping[Place, Traced]) -> Prediction:
    said = "a cut leaves of the window what the sources state, within 0.05"
    found = {place: lossy[place].kept for place in KEPT}
    texts = [f"{_name(place)} {_share(own)} ({KEPT[place]:g})" for place, own in found.items()]
    holds = all(own is not None and abs(own - KEPT[place]) <= KEPT_WITHIN for place, own in found.items())
    return Prediction(said, ", ".join(texts), holds)


def _share(own: float | None) -> str:
    return "no cut" if own is None else f"{own:.2f}"


def _span(values: Iterable[float]) -> str:
    ordered = sorted(values)
    return f"{ordered[0]:.0f} to {ordered[-1]:.0f} KB"


def _name(place: Place) -> str:
    return f"{NAMES[place[0]]} {CCA_WORDS[place[1]]}"
