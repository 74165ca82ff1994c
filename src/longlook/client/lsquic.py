"""Client `lsquic`: HTTP/3 by LSQUIC, as Bun's node:quic has it, in a program of ours (`programs/lsquic_fetch.mjs`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longlook.client.downloaded import observation
from longlook.client.observation import Observation
from longlook.client.scripted import ScriptedClient
from longlook.plan.offer import Offer
from longlook.stack.commands import BUN


class LsquicClient(ScriptedClient):
    """Times count from when the session is about to be opened."""

    name = "lsquic"
    offer = Offer(protocols=("quic",), ends_connections=True, workloads=("download",))
    program = "lsquic_fetch.mjs"
    component = "bun"

    def _interpreter(self) -> list[str]:
        return [str(self.stack.binary(self.component)), *BUN]

    def _environment(self) -> dict[str, str]:
        return {"HOME": str(self._folder)}

    def _arguments(self) -> list[str]:
        own = self.settings
        return [own.origin, str(own.port), own.address, str(own.certificate)]

    def _observation(self, path: str, serial: int, reply: Mapping[str, Any]) -> Observation:
        return observation(path, serial, reply)
