"""What the sweeps after Yu and Benson predicted, and what became of it.

The predictions stand in the heads of sweeps/yu2021/*.toml and were written before the campaigns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.predicted import Prediction, all_of, predictions_table
from longlook.book.times import Times, percent_text
from longlook.book.varied import REFERENCE
from longlook.book.yu2021 import first_loss
from longlook.book.yu2021.evidence import (
    FIRST_LOSS,
    H2,
    H3,
    Condition,
    Measured,
)
from longlook.figure import style

Found = Mapping[str, Times | None]
"""By what a reader calls it; None where it is not measured."""
Both = Mapping[str, tuple[Times | None, Times | None]]
"""Two numbers of the same square."""
EACH_WAY_CONDITION = Condition(loss_pct=2.0)
"""1 % each way, as links count it: both together."""
SIX = ("chromium", "chromium126", "curl", "ngtcp2", "quicgo", "lsquic")
THREE = ("chromium", "chromium126", "curl")
QUIC_SERVERS = ("envoy", "ngtcp2", "lsquic")
SENDERS = (*(f"{cca} {one}" for cca in ("bbr", "cubic") for one in QUIC_SERVERS), "cubic envoy two")
ARMS = tuple(
    f"{protocol} {cca} {one}"
    for protocol, clients in (("quic", H3), ("tcp", H2))
    for cca in ("bbr", "cubic")
    for one in clients
)
FEW = 3
"""So many numbers are all told; of more their ends, and those that are not as predicted."""


def predictions(*sweeps: str, data: BookData | None = None) -> HTML:
    """Those of some sweeps, as far as they are measured."""
    own = Measured(data or book_data.load(), REFERENCE)
    return predictions_table([one for sweep in sweeps if own.is_measured(sweep) for one in OF[sweep](own)])


def judged(
    said: str,
    found: Found,
    low: float = -math.inf,
    high: float = math.inf,
    text: Callable[[Times], str] = percent_text,
) -> Prediction:
    """Whether every number lies within its bounds."""
    known = {name: one for name, one in found.items() if one is not None}
    verdicts = {name: one.within(low, high) for name, one in known.items()}
    missing = [name for name in found if name not in known]
    parts = [_numbers(known, text)]
    for word, which in (("not", False), ("open", None)):
        own = [_named(name, known, text) for name, one in verdicts.items() if one is which]
        parts += [f"{word}: {', '.join(own)}"] if own else []
    parts += [f"not measured: {', '.join(missing)}"] if missing else []
    return Prediction(said, "; ".join(filter(None, parts)), all_of(*verdicts.values(), *(None for _ in missing)))


def _named(name: str, known: Mapping[str, Times], text: Callable[[Times], str]) -> str:
    """With its number where that is not told anyway."""
    return name if len(known) <= FEW else f"{name} {text(known[name])}"


def _numbers(known: Mapping[str, Times], text: Callable[[Times], str]) -> str:
    if len(known) <= FEW:
        return "; ".join(f"{name} {text(one)}" for name, one in known.items())
    ends = [text(Times(choose(one.value for one in known.values()))) for choose in (min, max)]
    return f"{ends[0]} to {ends[1]} ({len(known)} numbers)"


def apart(both: Both) -> dict[str, float]:
    """How many percentage points two numbers are apart, where both are measured."""
    return {
        name: abs(one.value - other.value) * 100
        for name, (one, other) in both.items()
        if one is not None and other is not None
    }


def of_first_loss(own: Measured) -> list[Prediction]:
    found = own.first_losses()
    bbr = (first_loss.QUIC_BBR, first_loss.TCP_BBR)
    by_bbr = {first_loss.title(arm): first_loss.correlation(found, arm) for arm in bbr}
    cubic = first_loss.correlation(found, first_loss.QUIC_CUBIC)
    pairs = ((first_loss.QUIC_CUBIC, first_loss.TCP_BBR), (first_loss.TCP_CUBIC, first_loss.QUIC_BBR))
    of_quic, of_tcp = ({"difference": first_loss.difference(found, *pair)} for pair in pairs)
    text = first_loss.text
    return [
        judged("by CUBIC over QUIC the correlation is negative", {"correlation": cubic}, high=0.0, text=text),
        judged("it is more negative than by BBR over TCP", of_quic, high=0.0, text=text),
        judged("by CUBIC over TCP it is more negative than by BBR over QUIC", of_tcp, high=0.0, text=text),
        judged(f"by BBR it is between {style.MINUS}0.5 and 0.5", by_bbr, -0.5, 0.5, text=text),
    ]


OF: Mapping[str, Callable[[Measured], list[Prediction]]] = {
    FIRST_LOSS: of_first_loss,
}
