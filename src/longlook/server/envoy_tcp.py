"""Server `envoy-tcp`: HTTP/2 over TLS 1.3 and Linux TCP by the Envoy that serves HTTP/3, with the same configuration
but for its listener: one program is compared with itself."""

from __future__ import annotations

import json
from typing import Any

import yaml

from longlook.plan.arm import CCAS
from longlook.plan.offer import Offer
from longlook.server.envoy import Envoy
from longlook.server.tcp import TcpServer

TLS = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext"
ONLY_13 = {"tls_minimum_protocol_version": "TLSv1_3", "tls_maximum_protocol_version": "TLSv1_3"}
OF_QUIC = ("udp_listener_config", "socket_options")
"""Of a listener. Buffers are the kernel's, as every other TCP server here has them: one that is set stops growing."""
NO_FLOOD = {"max_inbound_priority_frames_per_stream": 1_000_000}
"""Envoy closes a connection that has had more PRIORITY frames than a hundred for each stream begun. Chromium says anew
what objects depend on while they wait: every second load of a page of a hundred took several connections, or failed."""


class EnvoyTcp(TcpServer, Envoy):
    """One worker, as over QUIC. Its connections stay open, and the client's side ends them, as Apache's."""

    name = "envoy-tcp"
    offer = Offer(protocols=("tcp",), ccas=CCAS, handshakes=("1rtt", "resumed"))

    def _command(self) -> list[str]:
        self._set_cca()
        command = super()._command()
        path = self.state / "envoy.yaml"
        config = yaml.safe_load(path.read_text(encoding="utf-8"))
        (listener,) = config["static_resources"]["listeners"]
        self._over_tcp(listener)
        path.write_text(json.dumps(config), encoding="utf-8")  # JSON is YAML
        return command

    def _over_tcp(self, listener: dict[str, Any]) -> None:
        """An HTTP/3 listener made one of HTTP/2."""
        protocol = self.settings.faults.get("protocols", "h2")
        for key in OF_QUIC:
            del listener[key]
        listener["address"]["socket_address"]["protocol"] = "TCP"
        (chain,) = listener["filter_chains"]
        context = chain["transport_socket"]["typed_config"]["downstream_tls_context"]
        context["common_tls_context"] |= {"alpn_protocols": [protocol], "tls_params": ONLY_13}
        chain["transport_socket"] = {"name": "envoy.transport_sockets.tls", "typed_config": {"@type": TLS} | context}
        manager = chain["filters"][0]["typed_config"]
        for key in ("http3_protocol_options", "common_http_protocol_options"):
            del manager[key]
        manager |= {"codec_type": "HTTP2" if protocol == "h2" else "HTTP1", "stat_prefix": protocol}
        manager["http2_protocol_options"] = NO_FLOOD

    def _flags(self) -> list[str]:
        return []

    def _tracing(self) -> dict[str, str]:
        """The kernel's, of TCP's connections, is somebody else's."""
        return {"quic_options": "{}", "stats_sinks": ""}

    def congestion(self) -> None:
        return None

    def early_data_by_connection(self) -> None:
        return None
