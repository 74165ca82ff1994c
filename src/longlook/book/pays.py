"""When QUIC pays, in one picture: of each kind of square in how many it is faster, and by how much in the median."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import pandas as pd
from IPython.display import HTML

from longlook.analysis.contrast import Verdict
from longlook.analysis.crosstable import by_holm
from longlook.analysis.newest import STUDY
from longlook.book import agreement
from longlook.book.data import BookData, load
from longlook.book.profiles.numbers.real_links import EARLY, FIRST, LINKS
from longlook.book.varied import REFERENCE
from longlook.book.years import today
from longlook.book.years.conclusions import CUBIC, UNASKED
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.counts import COUNTS, VERDICTS, counts_chart
from longlook.figure.heatmap import QUIC_TCP
from longlook.figure.live import Attachment, LiveChart
from longlook.figure.versus import Decision, Versus, decided
from longlook.record.parquet import records

WON: Mapping[Verdict, str] = dict(zip(("left", "none", "right"), VERDICTS, strict=True))
MANY = 100
"""Objects from which on a page has many."""


def picture(data: BookData | None = None) -> LiveChart | HTML:
    """A bar for each kind of square."""
    frame = counted(data or load())
    if frame.empty:
        return HTML(style.NOTHING_YET)
    counts = frame.pivot(index="row", columns="verdict", values="count").loc[frame["row"].unique(), list(VERDICTS)]
    said = "; ".join(f"{row}: {', '.join(map(str, own))}" for row, *own in counts.itertuples())
    return LiveChart(
        name="pays",
        chart=counts_chart(frame),
        narrow=counts_chart(frame, width=100),
        alt_text=f"In how many squares QUIC is faster, no difference is shown, and TCP is faster: {said}.",
        downloads=(Attachment("pays.csv", frame.to_csv(index=False)),),
        note="At a bar's end: the median difference; +: TCP takes longer.",
    )


def counted(data: BookData) -> pd.DataFrame:
    """`COUNTS` of the kinds of square that were measured."""
    rows = []
    for words, own in _kinds(data):
        if own:
            said = f"{style.signed_pct(pd.Series([one.pct for one in own]).median())} %"
            kept = by_holm((one.winner, one.p_value) for one in own)
            kept["none"] = len(own) - kept["left"] - kept["right"]
            rows += [
                (words, verdict, sum(one.winner == won for one in own), kept[won], said) for won, verdict in WON.items()
            ]
    return pd.DataFrame(rows, columns=list(COUNTS))


def corrected(data: BookData | None = None) -> HTML:
    """What the bars count, and how much of it Holm's correction over each row leaves."""
    frame = counted(data or load())
    if frame.empty:
        return HTML(style.NOTHING_YET)
    less = frame["count"].sub(frame["holm"]).groupby(frame["verdict"]).sum()
    return HTML(
        "<p>The bars count squares of the newest campaigns, by pairs of loads where there are any. Holm's correction "
        f"over each row leaves out {less['QUIC faster']} of QUIC's squares in all, and {less['TCP faster']} of "
        "TCP's.</p>"
    )


def _kinds(data: BookData) -> Iterator[tuple[str, Sequence[Decision]]]:
    """In words, with what was found in each of its squares."""
    every = agreement.squares(data)
    links = agreement.by_link([one for one in every if one.row["stacks"] == "quicv1"])
    return ((words, kind(data, every, links)) for words, kind in KINDS.items())


def _of(
    data: BookData, study: str, series: Sequence[str], versus: Versus, workload: str | None = None
) -> Sequence[Decision]:
    found = data.squares(study, tuple(series), REFERENCE, versus)
    tested = found[found["p_value"].notna()]
    return [decided(row) for row in records(tested) if workload in (None, row["workload"])]


Squares = Sequence[agreement.ComparedSquare]
KINDS: Mapping[str, Callable[[BookData, Squares, Mapping[str, Squares]], Sequence[Decision]]] = {
    "CUBIC on both sides, 2026": lambda data, *_: _of(data, today.STUDY, today.SERIES, CUBIC),
    "untouched server, 2026": lambda data, *_: _of(data, today.STUDY, today.SERIES, UNASKED),
    "six links, 2026": lambda data, *_: _of(data, "profiles", LINKS, Versus(*EARLY, PLT)),
    "first visit, six links, 2026": lambda data, *_: _of(data, "profiles", LINKS, Versus(*FIRST, PLT)),
    "first visit, one object, 2024": lambda data, *_: _of(data, STUDY, ["4.7b"], QUIC_TCP),
    "up to 10 objects, 2024": lambda _data, _every, links: _plain(links, many=False),
    "100 or 200 objects, 2024": lambda _data, _every, links: _plain(links, many=True),
    "jitter, 2024": lambda _data, _every, links: [one.decided for one in links.get("with jitter", ())],
    "1 % loss, 2024": lambda _data, _every, links: [one.decided for one in links.get("with loss", ())],
    "10 MB, 1 % loss, N = 1, 2024": lambda data, *_: _of(data, STUDY, ["4.9b"], QUIC_TCP, workload="10000kb-x1"),
    "thesis's pages, gQUIC, 2017": lambda _data, every, _links: [
        one.decided for one in every if one.row["stacks"] != "quicv1"
    ],
}
"""Each kind of square, by its words: what was found in all of its squares; given are those that the thesis prints, and
of the software of 2024 those by what the link does. book/pays.md says what each is."""


def _plain(links: Mapping[str, Squares], many: bool) -> Sequence[Decision]:
    """Without loss and jitter, by whether a page has many objects."""
    own = links.get(agreement.PLAIN, ())
    return [one.decided for one in own if (one.row["object_count"] >= MANY) == many]
