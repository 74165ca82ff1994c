"""Server `envoy-tcp`: HTTP/2 over TLS 1.3 and Linux TCP by the Envoy that serves HTTP/3, with the same configuration
but for its listener: one program is compared with itself."""

from __future__ import annotations

from longlook.plan.arm import CCAS
from longlook.plan.offer import Offer
from longlook.server.envoy import Envoy
from longlook.server.envoy_listeners import listeners_of, over_tcp
from longlook.server.tcp import TcpServer


class EnvoyTcp(TcpServer, Envoy):
    """One worker, as over QUIC. Its connections stay open, and the client's side ends them, as Apache's."""

    name = "envoy-tcp"
    offer = Offer(protocols=("tcp",), ccas=CCAS, handshakes=("1rtt", "resumed"))

    def _command(self) -> list[str]:
        self._set_cca()
        command = super()._command()
        with listeners_of(self.state / "envoy.yaml") as (listener,):
            over_tcp(listener, self.settings.faults.get("protocols", "h2"))
        return command

    def _flags(self) -> list[str]:
        return []

    def _tracing(self) -> dict[str, str]:
        """The kernel's, of TCP's connections, is somebody else's."""
        return {"quic_options": "{}", "stats_sinks": ""}

    def congestion(self) -> None:
        return None

    def early_data_by_connection(self) -> None:
        return None
