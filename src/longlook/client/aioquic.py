"""Client `aioquic`: HTTP/3 by aioquic, in a program of ours (`programs/aioquic_fetch.py`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longlook.client.downloaded import observation
from longlook.client.observation import Observation
from longlook.client.scripted import ScriptedClient
from longlook.plan.offer import Offer


class AioquicClient(ScriptedClient):
    """Times count from when the first packet is about to leave."""

    name = "aioquic"
    offer = Offer(protocols=("quic",), ends_connections=True, workloads=("download",), initial_rtt=True)
    program = "aioquic_fetch.py"
    component = "aioquic"

    def _arguments(self) -> list[str]:
        own = self.settings
        assumed = own.arm.client_initial_rtt_ms
        return [
            own.origin,
            str(own.port),
            own.address,
            str(own.certificate),
            *([] if assumed is None else [str(assumed)]),
        ]

    def _observation(self, path: str, serial: int, reply: Mapping[str, Any]) -> Observation:
        return observation(path, serial, reply)
