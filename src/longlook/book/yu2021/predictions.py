"""What the sweeps after Yu and Benson predicted, and what became of it.

The predictions stand in the heads of sweeps/yu2021/*.toml and were written before the campaigns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.predicted import Prediction, judged, predictions_table
from longlook.book.times import Times
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


def predictions(*sweeps: str, data: BookData | None = None) -> HTML:
    """Those of some sweeps, as far as they are measured."""
    own = Measured(data or book_data.load(), REFERENCE)
    return predictions_table([one for sweep in sweeps if own.is_measured(sweep) for one in OF[sweep](own)])


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
