"""Server `quicgo`: HTTP/3 by quic-go, in a program of ours (`tools/quicgo`).

It keeps connections until the client leaves, or is silent for half a minute.
"""

from __future__ import annotations

from typing import Any

from longlook.plan.offer import Offer
from longlook.server.scripted import ScriptedServer


class Quicgo(ScriptedServer):
    """It gives tickets, and ends no connection. quic-go has one controller and says no more of it than which."""

    name = "quicgo"
    offer = Offer(protocols=("quic",), ccas=("reno",))
    component = "quicgo"

    def _program(self) -> list[str]:
        return [str(self.stack.binary(self.component)), "serve"]

    def _command(self) -> list[str]:
        self._connections: list[dict[str, Any]] = []
        return self._started_with(str(self.state / "access.log"))

    def cca_in_force(self) -> str:
        return str(self._told()["cca"])

    def early_data_by_connection(self) -> dict[str, bool]:
        self._connections += self.new_log_records()
        return {one["connection"]: bool(one["early_data"]) for one in self._connections}
