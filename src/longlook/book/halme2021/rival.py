"""Whether the queue of scenario 3 was short: what became of the predictions.

They stand in sweeps/halme2021/halme-parallel-queue.toml and -short.toml and were written before the campaigns.
"""

from __future__ import annotations

from collections.abc import Callable

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.halme2021.evidence import QUEUES, Beside, Measured
from longlook.book.predicted import Prediction, all_of, predictions_table
from longlook.book.times import percent_text
from longlook.book.varied import REFERENCE

RIVAL, MORE = "lsquic", "parallel-short"
SHORT, MIDDLE = 10, 50
MOST_TIMES, LEAST_TIMES = 1.25, 1.7
TAKES = f"LSQUIC takes at most {MOST_TIMES:g} times its time alone, and TCP beside it at least {LEAST_TIMES:g} times"


def predictions(data: BookData | None = None) -> HTML:
    """What the sweeps predicted, and what was found."""
    evidence = Measured(data or book_data.load(), REFERENCE)
    more = evidence.together(RIVAL, MORE, QUEUES[SHORT][1])
    return predictions_table(judged(lambda queue: evidence.beside(RIVAL, queue), more))


def judged(of_queue: Callable[[int], Beside | None], more: Beside | None) -> list[Prediction]:
    """By what came of it with each queue, and with the short one in more runs; none before both queues are measured."""
    short, middle = of_queue(SHORT), of_queue(MIDDLE)
    if short is None or middle is None:
        return []
    found = [
        Prediction(f"with a queue of {SHORT} packets {TAKES}", _both(short), _takes(short)),
        Prediction(
            f"with {MIDDLE} packets LSQUIC takes longer than with {SHORT}",
            f"{percent_text(middle.quic)} with {MIDDLE}, {percent_text(short.quic)} with {SHORT}",
            middle.quic.low > short.quic.high,
        ),
    ]
    if more is not None:
        found.append(Prediction(f"with {SHORT} packets, in twenty runs, {TAKES}", _both(more), _takes(more)))
    return found


def _takes(beside: Beside) -> bool | None:
    return all_of(beside.quic.within(at_most=MOST_TIMES), beside.tcp.within(at_least=LEAST_TIMES))


def _both(beside: Beside) -> str:
    return f"LSQUIC {percent_text(beside.quic)}, TCP {percent_text(beside.tcp)}"
