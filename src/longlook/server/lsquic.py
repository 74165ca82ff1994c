"""Server `lsquic`: HTTP/3 by LSQUIC, as Bun's node:quic has it, in a program of ours (`programs/lsquic_serve.mjs`).

It says its controller only by how it was started. The window that it tells of a connection is the one at the end of the
handshake, which is the initial one as long as nothing was lost.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from longlook.plan.arm import CCAS
from longlook.plan.offer import Offer
from longlook.server.scripted import PROGRAMS, ScriptedServer
from longlook.stack.commands import BUN


class Lsquic(ScriptedServer):
    """It gives tickets, and ends no connection."""

    name = "lsquic"
    offer = Offer(protocols=("quic",), ccas=CCAS)
    program = "lsquic_serve.mjs"
    component = "bun"

    def _interpreter(self) -> list[str]:
        return ["env", f"HOME={self.state}", str(self.stack.binary(self.component)), *BUN]

    def _command(self) -> list[str]:
        self._connections: list[dict[str, Any]] = []
        return self._started_with(self.settings.arm.cca, str(self.state / "access.log"))

    def cca_in_force(self) -> str:
        """As the running process was told: it has no way to be asked."""
        words = Path(f"/proc/{self.process.pid}/cmdline").read_bytes().decode().split("\0")
        return words[words.index(str(PROGRAMS / self.program)) + 6]

    def initial_window_bytes(self) -> int | None:
        """The first connection's."""
        return next((int(one["window_bytes"]) for one in self._seen()), None)

    def early_data_by_connection(self) -> dict[str, bool]:
        return {one["connection"]: bool(one["early_data"]) for one in self._seen()}

    def _seen(self) -> list[dict[str, Any]]:
        """Every connection so far."""
        self._connections += self.new_log_records()
        return self._connections
