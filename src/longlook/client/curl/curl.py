"""Client `curl`: libcurl as the package curl_cffi has it, over HTTP/3 (ngtcp2) or HTTP/2."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from longlook.client.curl.timings import observation
from longlook.client.curl.trusted import trusted
from longlook.client.observation import Observation
from longlook.client.scripted import ScriptedClient
from longlook.plan.offer import Offer

CURVES = {"x25519": "X25519", "secp256r1": "P-256", "secp384r1": "P-384"}
"""Groups by BoringSSL's names."""


class Curl(ScriptedClient):
    """Times are libcurl's own, counted from the end of the name's look-up, as `curl -w` would give them."""

    name = "curl"
    offer = Offer(
        protocols=("quic", "tcp"),
        handshakes=("1rtt",),
        ends_connections=True,
        workloads=("download",),
        groups=True,
        unverified=True,
        authorities=True,
    )
    program = "curl_fetch.py"
    component = "curl-cffi"

    def _arguments(self) -> list[str]:
        own = self.settings
        http = "3" if own.arm.protocol == "quic" else "2"
        curves = ":".join(CURVES[group] for group in own.arm.client_groups)
        return [
            *(own.origin, str(own.port), own.address, str(trusted(own, self._folder)), http),
            *([f"--curves={curves}"] if curves else []),
            *([] if own.arm.verify else ["--insecure"]),
        ]

    def _observation(self, path: str, serial: int, reply: Mapping[str, Any]) -> Observation:
        return observation(path, serial, reply)

    def version(self) -> str:
        found = re.search(r"libcurl/(\S+)", self._version)
        return found.group(1) if found else self._version
