"""Server `envoy-425`: the Envoy that serves HTTP/3, which takes early data and answers what is asked for in them with
425 (RFC 8470, 5.2): the client asks again once the handshake is over. So do sites that may not answer a request twice.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from longlook.server.envoy import Envoy
from longlook.server.envoy_listeners import TOO_EARLY, listeners_of, refuse


class Envoy425(Envoy):
    """A connection has early data by its log only where they were refused: the oracle holds a load to that."""

    name = "envoy-425"
    offer = dataclasses.replace(
        Envoy.offer, handshakes=("0rtt",), ends_connections=False, left_open=True, alt_svc=False
    )

    def _command(self) -> list[str]:
        command = super()._command()
        if self.settings.faults.get("refuses", True):
            with listeners_of(self.state / "envoy.yaml") as (listener,):
                refuse(listener)
        return command

    def _requests_per_connection(self) -> int:
        """It ends none: the first load of a browser, which has no early data, asks for one less than those after it."""
        return 1_000_000

    def _had_early_data(self, record: dict[str, Any]) -> bool:
        return super()._had_early_data(record) and int(record["status"]) == TOO_EARLY
