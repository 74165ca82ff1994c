"""Server `quicgo`: HTTP/3 by quic-go, in a program of ours (`tools/quicgo`).

It keeps connections until the client leaves, or is silent for half a minute.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from longlook.plan.offer import Offer
from longlook.server import qlogs
from longlook.server.scripted import ScriptedServer

if TYPE_CHECKING:
    import pandas as pd


class Quicgo(ScriptedServer):
    """It gives tickets, and ends no connection. quic-go has one controller and says no more of it than which."""

    name = "quicgo"
    offer = Offer(protocols=("quic",), ccas=("reno",), qlog=True)
    component = "quicgo"
    cca_source = "program"

    def _program(self) -> list[str]:
        folder = self._qlog_folder()
        return [*(("env", *folder) if folder else ()), str(self.stack.binary(self.component)), "serve"]

    def _command(self) -> list[str]:
        self._connections: list[dict[str, Any]] = []
        return self._started_with(str(self.state / "access.log"))

    def cca_in_force(self) -> str:
        return str(self._told()["cca"])

    def congestion(self) -> pd.DataFrame | None:
        """Of the newest connection, whose qlog it is told to write."""
        newest = qlogs.newest(self._qlogs) if self.settings.trace else None
        return None if newest is None else qlogs.congestion(newest)

    def early_data_by_connection(self) -> dict[str, bool]:
        self._connections += self.new_log_records()
        return {one["connection"]: bool(one["early_data"]) for one in self._connections}
