"""Client `quicgo`: HTTP/3 by quic-go, in a program of ours (`tools/quicgo`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longlook.client.base import Request
from longlook.client.downloaded import observation
from longlook.client.observation import Observation
from longlook.client.scripted import ScriptedClient
from longlook.plan.offer import Offer


class QuicgoClient(ScriptedClient):
    """Times count from when the first packet is about to leave. Several files of one size are asked for at once, each
    on a stream of its own."""

    name = "quicgo"
    several = True
    offer = Offer(protocols=("quic",), ends_connections=True, workloads=("download",))
    component = ""

    def _program(self) -> list[str]:
        return [str(self.stack.binary("quicgo")), "fetch"]

    def _arguments(self) -> list[str]:
        own = self.settings
        return [own.origin, str(own.port), own.address, str(own.certificate)]

    def _observation(self, path: str, serial: int, reply: Mapping[str, Any]) -> Observation:
        return observation(path, serial, reply)


class QuicgoOneStream(QuicgoClient):
    """It asks for all files in one answer: on one stream, they are there in the order in which they were sent."""

    name = "quicgo-one-stream"

    def _asked(self, request: Request) -> dict[str, Any]:
        return super()._asked(request) | {"one_stream": True}
