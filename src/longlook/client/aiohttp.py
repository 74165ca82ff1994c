"""Client `aiohttp`: HTTP/1.1 over TLS 1.3 by AIOHTTP, in a program of ours (`programs/aiohttp_fetch.py`).

TLS is Python's own: the version names the OpenSSL beneath it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longlook.client.downloaded import observation
from longlook.client.observation import Observation
from longlook.client.scripted import ScriptedClient
from longlook.host.sockets import await_closed
from longlook.plan.offer import Offer

CLOSING_S = 2.0
"""Of connections whose last packets are lost; they are sent again after 200 ms, 400 ms and so on."""


class AiohttpClient(ScriptedClient):
    """Times count from when the connection is about to be opened. Several files of one size come in one answer, if the
    server is AIOHTTP's."""

    name = "aiohttp"
    several = True
    offer = Offer(protocols=("tcp",), handshakes=("1rtt",), workloads=("download",))
    program = "aiohttp_fetch.py"
    component = "aiohttp"

    def _arguments(self) -> list[str]:
        own = self.settings
        return [own.origin, str(own.port), own.address, str(own.certificate)]

    def _observation(self, path: str, serial: int, reply: Mapping[str, Any]) -> Observation:
        return observation(path, serial, reply)


class AiohttpConnections(AiohttpClient):
    """It opens a connection for each file, all at once. Times count from when the first is about to be opened;
    `connect_ms` is until the last one stands, whose file is not the first that comes."""

    name = "aiohttp-connections"

    def _arguments(self) -> list[str]:
        return [*super()._arguments(), "each"]

    def drop_connections(self) -> None:
        """They are being closed: the last packets of a hundred connections are not to meet the next load's."""
        await_closed(self._running.pid, self.settings.address, self.settings.port, CLOSING_S)
