"""Server `lsquic`: HTTP/3 by LSQUIC, as Bun's node:quic has it, in a program of ours (`programs/lsquic_serve.mjs`).

It says its controller only by how it was started. The window that it tells of a connection is the one at the end of the
handshake, which is the initial one as long as nothing was lost.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longlook.plan.arm import CCAS
from longlook.plan.offer import Offer
from longlook.server.base import CONGESTION_COLUMNS
from longlook.server.scripted import PROGRAMS, ScriptedServer
from longlook.stack.commands import BUN

if TYPE_CHECKING:
    import pandas as pd


class Lsquic(ScriptedServer):
    """It gives tickets, and ends no connection. It has no Reno: Bun takes the name, and its connections have CUBIC.

    At a loss its windows kept 0.8 by `reno` as by `cubic` (reference-matrix-windows-*); without loss both grew alike.
    """

    name = "lsquic"
    offer = Offer(protocols=("quic",), ccas=CCAS, cca_had={"reno": "cubic"})
    program = "lsquic_serve.mjs"
    component = "bun"
    cca_source = "start"

    def _interpreter(self) -> list[str]:
        watched = [f"WINDOWS={self._windows}"] if self.settings.trace else []
        return ["env", f"HOME={self.state}", *watched, str(self.stack.binary(self.component)), *BUN]

    @property
    def _windows(self) -> Path:
        return self.state / "windows.jsonl"

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

    def congestion(self) -> pd.DataFrame | None:
        """By its connections' counters, which it is told to look at every few milliseconds: Bun has no qlog of it."""
        if not self.settings.trace:
            return None
        import pandas as pd

        lines = self._windows.read_text(encoding="ascii").splitlines() if self._windows.exists() else []
        return pd.DataFrame([json.loads(line) for line in lines], columns=CONGESTION_COLUMNS)

    def early_data_by_connection(self) -> dict[str, bool]:
        return {one["connection"]: bool(one["early_data"]) for one in self._seen()}

    def _seen(self) -> list[dict[str, Any]]:
        """Every connection so far."""
        self._connections += self.new_log_records()
        return self._connections
