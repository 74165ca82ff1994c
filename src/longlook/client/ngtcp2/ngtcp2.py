"""Client `ngtcp2`: HTTP/3 by ngtcp2 and nghttp3 with GnuTLS, the example client that Debian packages (`gtlsclient`).

A process per fetch, which a program of ours starts (`programs/gtlsclient_fetch.py`): what a process needs to start is
in its CPU seconds and in no time. It checks no certificate: that the bytes are right is the oracle's to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longlook.client import downloaded
from longlook.client.base import LoadFailed
from longlook.client.ngtcp2 import accounts
from longlook.client.observation import Observation
from longlook.client.scripted import ScriptedClient
from longlook.plan.offer import Offer


class Ngtcp2Client(ScriptedClient):
    """Times are those of its qlog, in whole milliseconds, from its first packet; `process_ms`, by our clock, is its
    process's from start to end, and tells samples apart that are equal by the qlog."""

    name = "ngtcp2"
    offer = Offer(protocols=("quic",), ends_connections=True, workloads=("download",), qlog=True)
    program = "gtlsclient_fetch.py"
    component = ""
    _earlier_cpu_s = 0.0

    @property
    def _fetched(self) -> Path:
        return self._folder / "fetched"

    def _arguments(self) -> list[str]:
        own = self.settings
        client, version = str(self.stack.binary("gtlsclient")), self.stack.component_version("gtlsclient")
        return [client, version, str(self._fetched), own.origin, str(own.port), own.address]

    def _observation(self, path: str, serial: int, reply: Mapping[str, Any]) -> Observation:
        self._earlier_cpu_s = reply["earlier_cpu_s"]
        try:
            said, qlog = (self._fetched / "debug").read_text(errors="replace"), (self._fetched / "qlog").read_bytes()
            told = accounts.of_debug_output(said) | accounts.of_qlog(qlog)
            told["early_data"] = accounts.has_early_request(qlog) and accounts.EARLY_REJECTED not in said
        except (OSError, ValueError) as error:
            raise LoadFailed(f"gtlsclient's own account of the fetch cannot be read: {error}") from None
        told |= {name: reply[name] for name in ("size", "sha256", "process_ms")}
        return downloaded.observation(path, serial, told)

    def cpu_seconds(self) -> float:
        """With the processes of all fetches: the last one's is still there to be asked (it has not been reaped)."""
        return super().cpu_seconds() + self._earlier_cpu_s
