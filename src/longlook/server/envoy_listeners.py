"""Listeners of an Envoy, as plain data: one of HTTP/3 made one of HTTP/2, and one of HTTP/2 that tells of HTTP/3."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

TLS = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext"
ONLY_13 = {"tls_minimum_protocol_version": "TLSv1_3", "tls_maximum_protocol_version": "TLSv1_3"}
OF_QUIC = ("udp_listener_config", "socket_options")
"""Of a listener. Buffers are the kernel's, as every other TCP server here has them: one that is set stops growing."""
NO_FLOOD = {"max_inbound_priority_frames_per_stream": 1_000_000}
"""Envoy closes a connection that has had more PRIORITY frames than a hundred for each stream begun. Chromium says anew
what objects depend on while they wait: every second load of a page of a hundred took several connections, or failed."""
HEADER = "type.googleapis.com/envoy.type.matcher.v3.HttpRequestHeaderMatchInput"
ROUTE = "type.googleapis.com/envoy.config.route.v3.Route"
TOO_EARLY = 425
REMEMBERED_S = 86_400
"""Alt-Svc's default (RFC 7838, 3.1)."""


@contextlib.contextmanager
def listeners_of(path: Path) -> Iterator[list[dict[str, Any]]]:
    """The listeners of a configuration, to be changed; its file is written anew."""
    config = yaml.safe_load(path.read_text(encoding="utf-8"))
    yield config["static_resources"]["listeners"]
    path.write_text(json.dumps(config), encoding="utf-8")  # JSON is YAML


def over_tcp(listener: dict[str, Any], protocol: str = "h2") -> None:
    """An HTTP/3 listener becomes one of HTTP/2."""
    for key in OF_QUIC:
        del listener[key]
    listener["address"]["socket_address"]["protocol"] = "TCP"
    (chain,) = listener["filter_chains"]
    context = chain["transport_socket"]["typed_config"]["downstream_tls_context"]
    context["common_tls_context"] |= {"alpn_protocols": [protocol], "tls_params": ONLY_13}
    chain["transport_socket"] = {"name": "envoy.transport_sockets.tls", "typed_config": {"@type": TLS} | context}
    manager = _manager(listener)
    for key in ("http3_protocol_options", "common_http_protocol_options"):
        del manager[key]
    manager |= {"codec_type": "HTTP2" if protocol == "h2" else "HTTP1", "stat_prefix": protocol}
    manager["http2_protocol_options"] = NO_FLOOD


def telling(listener: dict[str, Any], log: Path, header: str) -> dict[str, Any]:
    """Beside an HTTP/3 listener one of HTTP/2 on the port of the same number, whose answers have the header Alt-Svc;
    its requests are logged apart."""
    beside = copy.deepcopy(listener)
    over_tcp(beside)
    beside["name"] = "h2"
    manager = _manager(beside)
    manager["access_log"][0]["typed_config"]["path"] = str(log)
    told = {"header": {"key": "alt-svc", "value": header}, "append_action": "OVERWRITE_IF_EXISTS_OR_ADD"}
    manager["route_config"]["response_headers_to_add"].append(told)
    return beside


def refuse(listener: dict[str, Any]) -> None:
    """A listener answers requests that Envoy marks as early data with 425, and all others as before."""
    (host,) = _manager(listener)["route_config"]["virtual_hosts"]
    answer = {"@type": ROUTE, "match": {"prefix": "/"}, "direct_response": {"status": TOO_EARLY}}
    early = {
        "input": {"name": "early-data", "typed_config": {"@type": HEADER, "header_name": "early-data"}},
        "value_match": {"exact": "1"},
    }
    refused = {
        "predicate": {"single_predicate": early},
        "on_match": {"action": {"name": "refused", "typed_config": answer}},
    }
    host["matcher"] = {"matcher_list": {"matchers": [refused]}, "on_no_match": {"matcher": host["matcher"]}}


def alt_svc(port: int) -> str:
    """HTTP/3 on that port of the same host."""
    return f'h3=":{port}"; ma={REMEMBERED_S}'


def _manager(listener: dict[str, Any]) -> dict[str, Any]:
    return listener["filter_chains"][0]["filters"][0]["typed_config"]
