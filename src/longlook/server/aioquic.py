"""Server `aioquic`: HTTP/3 by aioquic, in a program of ours (`programs/aioquic_serve.py`).

It keeps connections until the client leaves, or is silent for a minute. What it says of a connection - controller,
initial window, early data - it reads from that connection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from longlook.plan.offer import Offer
from longlook.server import qlogs
from longlook.server.scripted import ScriptedServer

if TYPE_CHECKING:
    import pandas as pd


class Aioquic(ScriptedServer):
    """It gives tickets where an arm is to resume. Its CUBIC emulates no connections."""

    name = "aioquic"
    offer = Offer(protocols=("quic",), ccas=("cubic", "reno"), early_when_asked=True, initial_rtt=True, qlog=True)
    program = "aioquic_serve.py"
    component = "aioquic"
    cca_source = "connection"

    def _command(self) -> list[str]:
        self._connections: list[dict[str, Any]] = []
        arm = self.settings.arm
        assumed = () if arm.initial_rtt_ms is None else (str(arm.initial_rtt_ms),)
        tickets = "tickets" if arm.handshake == "0rtt" else "none"
        return self._started_with(arm.cca, str(self.state / "access.log"), tickets, *assumed)

    def cca_in_force(self) -> str:
        return str(self._told()["cca"])

    def cca_of_load(self) -> str:
        """The newest connection's; before there is one, what new ones get."""
        known = self._seen()
        return str(known[-1]["cca"]) if known else self.cca_in_force()

    def initial_window_bytes(self) -> int | None:
        return int(self._told()["initial_window_bytes"])

    def early_data_by_connection(self) -> dict[str, bool]:
        return {one["connection"]: bool(one["early_data"]) for one in self._seen()}

    def congestion(self) -> pd.DataFrame | None:
        """Of the newest connection, whose qlog it is told to write."""
        newest = qlogs.newest(self._qlogs) if self.settings.trace else None
        return None if newest is None else qlogs.congestion(newest)

    def _seen(self) -> list[dict[str, Any]]:
        """Every connection so far."""
        self._connections += self.new_log_records()
        return self._connections
