"""Server `aiohttp`: HTTP/1.1 over TLS 1.3 and Linux TCP by AIOHTTP, in a program of ours (`programs/aiohttp_serve.py`).

TLS is Python's own: the version names the OpenSSL beneath it.
"""

from __future__ import annotations

from longlook.plan.arm import CCAS
from longlook.plan.offer import Offer
from longlook.server.scripted import ScriptedServer
from longlook.server.tcp import TcpServer


class Aiohttp(ScriptedServer, TcpServer):
    """One thread; files are read at the start."""

    name = "aiohttp"
    offer = Offer(protocols=("tcp",), ccas=CCAS, handshakes=("1rtt",))
    program = "aiohttp_serve.py"
    component = "aiohttp"

    def _command(self) -> list[str]:
        self._set_cca()
        return self._started_with()
