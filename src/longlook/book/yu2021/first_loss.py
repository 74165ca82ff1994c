"""Where the first loss of a download falls, and what its time has to do with it (figure 6 of the paper)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from IPython.display import HTML

from longlook.analysis.lowest import resampled
from longlook.book import data as book_data
from longlook.book.data import COLUMNS, BookData
from longlook.book.times import Times
from longlook.book.yu2021.evidence import NAMES, Measured, Points
from longlook.figure import style
from longlook.figure.dots import DOTS, dots_chart
from longlook.figure.live import Attachment, LiveChart

QUIC_CUBIC, TCP_BBR, QUIC_BBR, TCP_CUBIC = "quic cubic quicgo", "tcp bbr curl", "quic bbr quicgo", "tcp cubic curl"
ARMS = (QUIC_CUBIC, TCP_BBR, QUIC_BBR, TCP_CUBIC)
LEAST = 3
"""Downloads that a correlation is made of."""


def correlation(found: Points, arm: str) -> Times | None:
    """Pearson's, of time and first loss, with its interval; None of too few downloads."""
    own = list(found.get(arm, {}).values())
    if len(own) < LEAST:
        return None
    first, time = (np.array(one) for one in zip(*own, strict=True))
    return resampled((first, time), _pearson, paired=True)


def difference(found: Points, one: str, other: str) -> Times | None:
    """One arm's correlation less another's, of the downloads that both have."""
    both = [index for index in found.get(one, {}) if index in found.get(other, {})]
    if len(both) < LEAST:
        return None
    pairs = [(*found[one][index], *found[other][index]) for index in both]
    samples = tuple(np.array(row) for row in zip(*pairs, strict=True))

    def less(x: np.ndarray, y: np.ndarray, other_x: np.ndarray, other_y: np.ndarray, axis: int = -1) -> np.ndarray:
        return _pearson(x, y, axis) - _pearson(other_x, other_y, axis)

    return resampled(samples, less, paired=True)


def _pearson(x: np.ndarray, y: np.ndarray, axis: int = -1) -> np.ndarray:
    """0 where one of the two does not vary, as of a few downloads drawn anew."""
    x, y = x - x.mean(axis=axis, keepdims=True), y - y.mean(axis=axis, keepdims=True)
    size = np.asarray(np.sqrt((x**2).sum(axis=axis) * (y**2).sum(axis=axis)))
    return np.divide((x * y).sum(axis=axis), size, out=np.zeros_like(size), where=size > 0)


def text(found: Times) -> str:
    """`−0.41 (−0.70 to −0.05)`."""
    value, low, high = (f"{one:.2f}".replace("-", style.MINUS) for one in (found.value, found.low, found.high))
    return f"{value} ({low} to {high})"


def title(arm: str) -> str:
    """`QUIC CUBIC (quic-go)`."""
    protocol, cca, client = arm.split()
    return f"{style.PROTOCOL_LABELS[protocol]} {cca.upper()} ({NAMES[client]})"


def picture(data: BookData | None = None) -> LiveChart | HTML:
    """Time over first loss, a panel for each arm, of the newest column."""
    own = data or book_data.load()
    measured = [found for key, _, _ in COLUMNS if (found := Measured(own, key).first_losses())]
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
    return LiveChart(
        name="yu-first-loss",
        chart=dots_chart(frame, titles, has_limit=False),
        narrow=dots_chart(frame, titles, in_a_row=1, has_limit=False),
        alt_text=f"Time to the last byte over the number of the first lost packet. {_told(found)}",
        downloads=(Attachment("yu-first-loss.csv", frame.to_csv(index=False)),),
        note="A dot is a download; the nth one of every panel meets the same losses.",
        hint="Point at a dot for its numbers.",
    )


def _told(found: Points) -> str:
    known = {arm: correlation(found, arm) for arm in ARMS}
    return " ".join(f"{title(arm)}: correlation {text(one)}." for arm, one in known.items() if one is not None)
