"""What serves TCP's pages, and how many bytes a picture has: what became of the predictions.

They stand in sweeps/muthuraj2024/apache-wsgi.toml, apache-wsgi-gquic37.toml and exact-bytes.toml and were written
before the campaigns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from IPython.display import HTML

from longlook.analysis.agreement import meets
from longlook.analysis.welch import Summary, summary_of
from longlook.audit.checks import primary
from longlook.book.chapter import Chapter
from longlook.book.flows import page
from longlook.book.predicted import Prediction
from longlook.book.varied import REFERENCE
from longlook.figure import style
from longlook.figure.squares import PUBLISHED
from longlook.figure.table import html_table

FLASK, FLASK_GQUIC, BYTES = "apache-wsgi", "apache-wsgi-gquic37", "exact-bytes"
PUBLISHED_IN = {FLASK: ("4.6a", "4.6d"), FLASK_GQUIC: ("4.5a", "4.5d"), BYTES: ("4.6d",)}
STRAIGHT, THROUGH = "apache", "apache-wsgi"
"""TCP's servers: files straight from Apache, and the same through Flask."""
ALIKE, FEW = 0.03, 10
LONGER_MS = {
    FLASK: {100: (0.0, 50.0), 200: (10.0, 100.0)},
    FLASK_GQUIC: {100: (20.0, 80.0), 200: (40.0, 120.0)},
}
"""Objects of a page -> by how much Flask makes it longer."""
MANY = (100, 200)
EXACT_BYTES, ROUND_BYTES = 10_068, 10_240
BYTES_ALIKE = 0.05


@dataclass(frozen=True)
class Square:
    """One page over one link."""

    title: str
    objects: int
    published: Mapping[str, Summary]
    """By protocol."""
    loads: Mapping[str, Summary]
    """Of Flask: TCP by its server; of bytes: `quic 10068` and so on."""

    def meets(self, protocol: str, name: str) -> bool:
        """Whether the mean of these loads lies within the 99 % prediction interval of the published one."""
        return bool(meets(self.published[protocol], self.loads[name]))

    def longer_ms(self) -> float:
        """By which Flask makes the page longer."""
        return self.loads[THROUGH].mean - self.loads[STRAIGHT].mean


def _published(paper: Chapter, series: str) -> dict[tuple[int, int, float], dict[str, Summary]]:
    """(objects, bytes of each, bandwidth) -> protocol -> what is printed."""
    found: dict[tuple[int, int, float], dict[str, Summary]] = {}
    for _, row in primary(paper.data.rows("arms", paper.study, PUBLISHED_IN[series], PUBLISHED.key)).iterrows():
        found.setdefault(_place(row), {})[row["protocol"]] = summary_of(row)
    return found


def _place(row: pd.Series) -> tuple[int, int, float]:
    return int(row["object_count"]), int(row["object_bytes"]), float(row["bandwidth_mbps"])


def flask(paper: Chapter, series: str) -> list[Square]:
    """Of the reference campaign of a sweep with both servers, by number of objects; those with both."""
    known = _published(paper, series)
    cells: dict[tuple[int, int, float], dict[str, Summary]] = {}
    titles = {}
    rows = primary(paper.data.rows("arms", paper.study, series, REFERENCE))
    for _, row in rows.sort_values(["object_count", "object_bytes"]).iterrows():
        cells.setdefault(_place(row), {})[row["server"]] = summary_of(row)
        titles[_place(row)] = f"{page(row)}, {row['bandwidth_mbps']:g} Mbit/s"
    return [
        Square(titles[place], place[0], known[place], own)
        for place, own in cells.items()
        if {STRAIGHT, THROUGH} <= set(own) and place in known
    ]


def table(paper: Chapter, series: str) -> HTML:
    """TCP's means published, straight from Apache and through Flask."""
    found = flask(paper, series)
    if not found:
        return HTML(style.NOTHING_YET)
    rows = [
        [
            one.title,
            *(_times(own) for own in (one.published["tcp"], one.loads[STRAIGHT], one.loads[THROUGH])),
            f"{one.longer_ms():+.0f}".replace("-", style.MINUS),
        ]
        for one in found
    ]
    head = ["page", "publ., ms", "Apache, ms", "Flask, ms", "Flask − Apache, ms"]
    return HTML(html_table(head, rows, numeric={1, 2, 3, 4}))


def _times(one: Summary) -> str:
    return f"{one.mean:.0f} ± {one.sd:.0f}"


def behind_flask(paper: Chapter) -> tuple[Prediction, ...]:
    """Those of apache-wsgi; none before it is measured."""
    found = flask(paper, FLASK)
    return (alike(found), longer(found, FLASK), neither_meets(found)) if found else ()


def behind_flask_gquic(paper: Chapter) -> tuple[Prediction, ...]:
    """Those of apache-wsgi-gquic37."""
    found = flask(paper, FLASK_GQUIC)
    return (alike(found), longer(found, FLASK_GQUIC), above(found)) if found else ()


def alike(found: Sequence[Square]) -> Prediction:
    """The first of either sweep."""
    shares = [one.longer_ms() / one.loads[STRAIGHT].mean for one in found if one.objects <= FEW]
    said = f"1 and 10 objects: the two means differ by less than {ALIKE:.0%}"
    if not shares:
        return Prediction(said, "nothing measured", None)
    words = f"by {min(shares):+.1%} to {max(shares):+.1%}".replace("-", style.MINUS)
    return Prediction(said, words, max(map(abs, shares)) < ALIKE)


def longer(found: Sequence[Square], series: str) -> Prediction:
    """The second of either sweep."""
    limits = LONGER_MS[series]
    own = {one.objects: one.longer_ms() for one in found if one.objects in limits}
    words = ", ".join(f"{objects} objects {ms:+.0f} ms" for objects, ms in own.items()).replace("-", style.MINUS)
    inside = [limits[objects][0] <= ms <= limits[objects][1] for objects, ms in own.items()]
    spans = ", ".join(f"{objects} objects by {low:g} to {high:g} ms" for objects, (low, high) in limits.items())
    return Prediction(
        f"through Flask takes longer: {spans}", words or "nothing measured", all(inside) if len(inside) == 2 else None
    )


def neither_meets(found: Sequence[Square]) -> Prediction:
    """The third of apache-wsgi."""
    own = [one for one in found if one.objects in MANY]
    met = sum(one.meets("tcp", server) for one in own for server in (STRAIGHT, THROUGH))
    return Prediction(
        "neither server gives the published means of 100 and 200 objects",
        f"within the 99 % prediction interval: {met} of {2 * len(own)}",
        met == 0 if own else None,
    )


def above(found: Sequence[Square]) -> Prediction:
    """The third of apache-wsgi-gquic37."""
    own = [one for one in found if one.objects in MANY]
    higher = sum(not one.meets("tcp", THROUGH) and one.loads[THROUGH].mean > one.published["tcp"].mean for one in own)
    return Prediction(
        "through Flask 100 and 200 objects take longer than the 99 % prediction interval of the published means allows",
        f"{higher} of {len(own)} do",
        higher == len(own) if len(own) == len(MANY) else None,
    )


def exact(paper: Chapter) -> list[Square]:
    """Of the reference campaign of exact-bytes, by bandwidth; those with both sizes and protocols."""
    known = _published(paper, BYTES)
    cells: dict[float, dict[str, Summary]] = {}
    for _, row in primary(paper.data.rows("arms", paper.study, BYTES, REFERENCE)).iterrows():
        own = cells.setdefault(float(row["bandwidth_mbps"]), {})
        own[f"{row['protocol']} {int(row['object_bytes'])}"] = summary_of(row)
    return [
        Square(f"{rate:g} Mbit/s", 100, known[100, ROUND_BYTES, rate], own)
        for rate, own in sorted(cells.items())
        if len(own) == 4 and (100, ROUND_BYTES, rate) in known
    ]


def pictures(paper: Chapter) -> tuple[Prediction, ...]:
    """Those of exact-bytes; none before it is measured."""
    found = exact(paper)
    return (bytes_alike(found), bytes_miss(found)) if found else ()


def bytes_alike(found: Sequence[Square]) -> Prediction:
    """The first of exact-bytes."""
    changes = [
        one.loads[f"{protocol} {EXACT_BYTES}"].mean / one.loads[f"{protocol} {ROUND_BYTES}"].mean - 1
        for one in found
        for protocol in ("quic", "tcp")
    ]
    return Prediction(
        f"pictures of {EXACT_BYTES} bytes: each mean differs by less than {BYTES_ALIKE:.0%} from that of {ROUND_BYTES}",
        f"by {min(changes):+.1%} to {max(changes):+.1%}".replace("-", style.MINUS),
        max(map(abs, changes)) < BYTES_ALIKE,
    )


def bytes_miss(found: Sequence[Square]) -> Prediction:
    """The second of exact-bytes."""
    met = sum(one.meets("quic", f"quic {size}") for one in found for size in (EXACT_BYTES, ROUND_BYTES))
    return Prediction(
        "with either QUIC stays outside the 99 % prediction interval of the published mean",
        f"inside is {met} of {2 * len(found)}",
        met == 0,
    )
