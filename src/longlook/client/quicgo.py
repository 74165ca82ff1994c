"""Client `quicgo`: HTTP/3 by quic-go, in a program of ours (`tools/quicgo`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longlook.client.downloaded import observation
from longlook.client.observation import Observation
from longlook.client.scripted import ScriptedClient
from longlook.plan.offer import Offer


class QuicgoClient(ScriptedClient):
    """Times count from when the first packet is about to leave."""

    name = "quicgo"
    offer = Offer(protocols=("quic",), ends_connections=True, workloads=("download",))
    component = ""

    def _program(self) -> list[str]:
        return [str(self.stack.binary("quicgo")), "fetch"]

    def _arguments(self) -> list[str]:
        own = self.settings
        return [own.origin, str(own.port), own.address, str(own.certificate)]

    def _observation(self, path: str, serial: int, reply: Mapping[str, Any]) -> Observation:
        return observation(path, serial, reply)
