"""Where the first loss of a download falls, and what its time has to do with it (figure 6 of the paper)."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from IPython.display import HTML

from longlook.analysis.correlation import Point, correlation
from longlook.analysis.estimate import Estimate
from longlook.analysis.paired import Place
from longlook.book import data as book_data
from longlook.book.data import COLUMNS, BookData
from longlook.book.loads import counting, first_lost, load_number
from longlook.book.yu2021.names import FIRST_LOSS, NAMES
from longlook.experiment.metrics import TTLB
from longlook.figure import style
from longlook.figure.dots import DOTS, live_dots
from longlook.figure.live import Attachment, LiveChart
from longlook.published.yu2021 import STUDY

QUIC_CUBIC, TCP_BBR, QUIC_BBR, TCP_CUBIC = "quic cubic quicgo", "tcp bbr curl", "quic bbr quicgo", "tcp cubic curl"
ARMS = (QUIC_CUBIC, TCP_BBR, QUIC_BBR, TCP_CUBIC)
Points = Mapping[str, Mapping[Place, Point]]
"""By arm, number and attempt of a download: number of the first packet that was lost on the way down, and the time to
the last byte, ms."""


def points(data: BookData, key: str) -> Points:
    """Of the loads that count."""
    first = first_lost(data, STUDY, FIRST_LOSS, key)
    found: dict[str, dict[Place, Point]] = {}
    for row in counting(data, STUDY, FIRST_LOSS, key):
        if row["metric"] == TTLB.name:
            lost = first[row["campaign"], row["cell_id"], row["arm"]]
            number = load_number(row)
            found.setdefault(row["arm"], {})[number] = (lost[number], float(row["value"]))
    return found


def title(arm: str) -> str:
    """`QUIC CUBIC (quic-go)`."""
    protocol, cca, client = arm.split()
    return f"{style.PROTOCOL_LABELS[protocol]} {cca.upper()} ({NAMES[client]})"


def picture(data: BookData | None = None) -> LiveChart | HTML:
    """Time over first loss, a panel for each arm, of the newest column."""
    own = data or book_data.load()
    measured = [found for key, _, _ in COLUMNS if (found := points(own, key))]
    if not measured:
        return HTML(style.NOTHING_YET)
    found = measured[-1]
    rows = [
        (title(arm), first, time, "download", f"download {index}")
        for arm in ARMS
        for index, (first, time) in found.get(arm, {}).items()
    ]
    frame = pd.DataFrame(rows, columns=list(DOTS))
    titles = ("first packet that the link lost, number", "time to the last byte, ms")
    return live_dots(
        frame,
        titles,
        has_limit=False,
        name="yu-first-loss",
        alt_text=f"Time to the last byte over the number of the first lost packet. {_told(found)}",
        downloads=(Attachment("yu-first-loss.csv", frame.to_csv(index=False)),),
        note="A dot is a download; the nth one of every panel meets the same losses.",
        hint="Point at a dot for its numbers.",
    )


def _told(found: Points) -> str:
    known = {arm: correlation(list(found.get(arm, {}).values())) for arm in ARMS}
    return " ".join(f"{title(arm)}: correlation {_text(one)}." for arm, one in known.items() if one is not None)


def _text(found: Estimate) -> str:
    """`−0.41 (−0.70 to −0.05)`."""
    value, low, high = (f"{one:.2f}".replace("-", style.MINUS) for one in (found.value, found.low, found.high))
    return f"{value} ({low} to {high})"
