"""Server `envoy-425`: the Envoy that serves HTTP/3, which takes early data and answers what is asked for in them with
425 (RFC 8470, 5.2): the client asks again once the handshake is over. So do sites that may not answer a request twice.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import yaml

from longlook.server.envoy import Envoy

INPUT = "type.googleapis.com/envoy.type.matcher.v3.HttpRequestHeaderMatchInput"
ROUTE = "type.googleapis.com/envoy.config.route.v3.Route"
TOO_EARLY = 425


class Envoy425(Envoy):
    """A connection has early data by its log only where they were refused: the oracle holds a load to that."""

    name = "envoy-425"
    offer = dataclasses.replace(
        Envoy.offer, handshakes=("0rtt",), ends_connections=False, left_open=True, alt_svc=False
    )

    def _command(self) -> list[str]:
        command = super()._command()
        path = self.state / "envoy.yaml"
        config = yaml.safe_load(path.read_text(encoding="utf-8"))
        if self.settings.faults.get("refuses", True):
            refuse(config["static_resources"]["listeners"][0])
        path.write_text(json.dumps(config), encoding="utf-8")  # JSON is YAML
        return command

    def _requests_per_connection(self) -> int:
        """It ends none: the first load of a browser, which has no early data, asks for one less than those after it."""
        return 1_000_000

    def _had_early_data(self, record: dict[str, Any]) -> bool:
        return super()._had_early_data(record) and int(record["status"]) == TOO_EARLY


def refuse(listener: dict[str, Any]) -> None:
    """A listener answers requests that Envoy marks as early data with 425, and all others as before."""
    manager = listener["filter_chains"][0]["filters"][0]["typed_config"]
    (host,) = manager["route_config"]["virtual_hosts"]
    answer = {"@type": ROUTE, "match": {"prefix": "/"}, "direct_response": {"status": TOO_EARLY}}
    early = {
        "input": {"name": "early-data", "typed_config": {"@type": INPUT, "header_name": "early-data"}},
        "value_match": {"exact": "1"},
    }
    refused = {
        "predicate": {"single_predicate": early},
        "on_match": {"action": {"name": "refused", "typed_config": answer}},
    }
    host["matcher"] = {"matcher_list": {"matchers": [refused]}, "on_no_match": {"matcher": host["matcher"]}}
