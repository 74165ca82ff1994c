"""Whether the queue of scenario 3 was short: what became of the predictions.

They stand in sweeps/halme2021/halme-parallel-queue.toml and were written before the campaign.
"""

from __future__ import annotations

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.halme2021.claims import percent_text
from longlook.book.halme2021.evidence import Evidence, Measured
from longlook.book.predicted import Prediction, predictions_table
from longlook.book.varied import REFERENCE

RIVAL = "lsquic"
SHORT, MIDDLE = 10, 50
MOST_TIMES, LEAST_TIMES = 1.25, 1.7


def predictions(data: BookData | None = None) -> HTML:
    """What the sweep predicted, and what was found."""
    return predictions_table(judged(Measured(data or book_data.load(), REFERENCE)))


def judged(evidence: Evidence) -> list[Prediction]:
    """None before both queues are measured."""
    short, middle = (evidence.beside(RIVAL, queue) for queue in (SHORT, MIDDLE))
    if short is None or middle is None:
        return []
    takes = short.quic.within(at_most=MOST_TIMES) is True and short.tcp.within(at_least=LEAST_TIMES) is True
    return [
        Prediction(
            f"with a queue of {SHORT} packets LSQUIC takes at most {MOST_TIMES:g} times its time alone, and TCP beside "
            f"it at least {LEAST_TIMES:g} times",
            f"LSQUIC {percent_text(short.quic)}, TCP {percent_text(short.tcp)}",
            takes,
        ),
        Prediction(
            f"with {MIDDLE} packets LSQUIC takes longer than with {SHORT}",
            f"{percent_text(middle.quic)} with {MIDDLE}, {percent_text(short.quic)} with {SHORT}",
            middle.quic.low > short.quic.high,
        ),
    ]
