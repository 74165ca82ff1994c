"""Client `systemcurl`: the system's curl, which is built with OpenSSL, over HTTP/2.

With TLS 1.2 it sends nothing before the server's Finished is there; libcurl with BoringSSL (`curl`) does (False Start,
RFC 7918). A process per fetch, which a program of ours starts (`programs/systemcurl_fetch.py`): what a process needs to
start is in its CPU seconds and in no time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longlook.client.curl.timings import observation
from longlook.client.curl.trusted import trusted
from longlook.client.observation import Observation
from longlook.client.scripted import ScriptedClient
from longlook.plan.offer import Offer


class SystemCurl(ScriptedClient):
    """Times are curl's own, counted from the end of the name's look-up."""

    name = "systemcurl"
    offer = Offer(protocols=("tcp",), handshakes=("1rtt",), workloads=("download",), unverified=True, authorities=True)
    program = "systemcurl_fetch.py"
    component = ""
    _earlier_cpu_s = 0.0

    def _arguments(self) -> list[str]:
        own = self.settings
        curl, version = str(self.stack.binary("curl")), self.stack.component_version("curl")
        return [
            *(curl, version, str(self._folder / "fetched")),
            *(own.origin, str(own.port), own.address, str(trusted(own, self._folder))),
            *([] if own.arm.verify else ["--insecure"]),
        ]

    def _observation(self, path: str, serial: int, reply: Mapping[str, Any]) -> Observation:
        self._earlier_cpu_s = reply["earlier_cpu_s"]
        return observation(path, serial, {key: value for key, value in reply.items() if key != "earlier_cpu_s"})

    def cpu_seconds(self) -> float:
        """With the processes of all fetches: the last one's is still there to be asked (it has not been reaped)."""
        return super().cpu_seconds() + self._earlier_cpu_s
