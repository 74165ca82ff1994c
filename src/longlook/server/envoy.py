"""Server `envoy`: HTTP/3 by Google QUICHE, the thesis's server library, inside Envoy."""

from __future__ import annotations

import http.client
import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from longlook.errors import LonglookError
from longlook.host import process
from longlook.host.kernel import SOCKET_BUFFER_BYTES
from longlook.plan.offer import Offer
from longlook.plan.quic_options import HEEDED
from longlook.probe import statsd_listen
from longlook.server.base import CONGESTION_COLUMNS, CcaSource, Server
from longlook.server.emulated import one_connection
from longlook.server.envoy_listeners import ROUTE, alt_svc, listeners_of, telling
from longlook.server.quiche import CONTROLLERS, RELOADABLE, controller
from longlook.site.tree import Site

if TYPE_CHECKING:
    import pandas as pd

UNQUOTED = "/!$&'()*+,;=:@~"
"""Besides letters, digits and -._ what stands in a URL's path as it is (RFC 3986, 3.3)."""
FLAG = "envoy.reloadable_features.FLAGS_envoy_quiche_reloadable_flag_{}"
DEFAULT_TO_BBR = FLAG.format("quic_default_to_bbr")
DRAFT_29 = "h3-29"
NO_DRAFT_29 = "quic_disable_version_draft_29"
"""A flag of QUICHE, which still has the last draft of HTTP/3, and speaks it where it is told to."""
SPIN = "function envoy_on_request(_) local done = os.clock() + %.6f repeat until os.clock() >= done end"
"""os.clock is CPU time, us: what counts is work, whoever else wants the processor. It is the whole process's, whose
other threads do little meanwhile: of 900 requests of 400 us the shortest took 388, its own work included."""
REQUEST_TIME = 'work_us: "%COMMON_DURATION(DS_RX_BEG:DS_TX_BEG:us)%"'
"""Of the access log: from a request's arrival to the first byte of its answer."""
LISTENER = Path(statsd_listen.__file__)
STATSD_PORT = 8125
"""Of the first server; each further one has the next."""
_SAMPLE = re.compile(r"^(\d+\.\d+) \S*\.(cx_rtt_us|cx_tx_estimated_bandwidth):([0-9.]+)\|")


def statsd_table(lines: Iterable[str]) -> pd.DataFrame:
    """Samples of statsd_listen.py -> columns CONGESTION_COLUMNS: RTT (us) and bandwidth (bytes/s) of one report belong
    together. One connection at a time: the samples do not name theirs."""
    import pandas as pd

    rows, rtt = [], None
    for line in lines:
        if not (found := _SAMPLE.match(line)):
            continue
        at, name, value = float(found.group(1)), found.group(2), float(found.group(3))
        if name == "cx_rtt_us":
            rtt = value
        elif rtt:
            rows.append({"time_s": at, "cwnd_bytes": value * rtt / 1e6, "smoothed_rtt_ms": rtt / 1e3})
    return pd.DataFrame(rows, columns=CONGESTION_COLUMNS)


def routes(site: Site) -> dict[str, dict]:
    """Path as it stands in a request -> the action that answers with its file, as of Envoy's matcher API; with its
    query too, where the file is asked for with one."""
    found = {}
    for path, one in site.files.items():
        asked = quote(path, safe=UNQUOTED)
        for name in dict.fromkeys((asked, f"{asked}?{one.query}" if one.query else asked)):
            found[name] = _route(f"{site.root}{path}", one.content_type)
    return found


def _route(filename: str, content_type: str) -> dict:
    header = {"header": {"key": "content-type", "value": content_type}, "append_action": "OVERWRITE_IF_EXISTS_OR_ADD"}
    return {
        "action": {
            "name": "route",
            "typed_config": {
                "@type": ROUTE,
                "match": {"prefix": "/"},
                "direct_response": {"status": 200, "body": {"filename": filename}},
                "response_headers_to_add": [header],
            },
        }
    }


class Envoy(Server):
    """CUBIC emulates N = 2 connections, as in the thesis; one worker, so that every 0-RTT ticket is known."""

    name = "envoy"
    offer = Offer(
        protocols=("quic",),
        ccas=("cubic", "bbr"),
        ends_connections=True,
        emulated_connections=(1, 2),
        quic_options=HEEDED,
        request_cost=True,
        alt_svc=True,
        flags=True,
    )
    cca_source: CcaSource = "hello"

    def _command(self) -> list[str]:
        own, faults = self.settings, self.settings.faults
        config = self.fill(
            self.stack.template("envoy.yaml"),
            {
                "address": self.address,
                "port": own.port,
                "admin_socket": self.state / "admin.sock",
                "default_to_bbr": "true" if own.arm.cca == "bbr" else "false",
                "early_data": faults.get("early_data", "true"),
                "certificate": own.certificate,
                "key": own.key,
                "routes": json.dumps(routes(own.site)),
                "largest_file_bytes": max(own.site.sizes.values()),
                "requests_per_connection": faults.get("requests_per_connection", self._requests_per_connection()),
                "access_log": self.state / "access.log",
                "socket_buffer_bytes": SOCKET_BUFFER_BYTES,
                **self._cost(),
                **self._tracing(),
            },
            "envoy.yaml",
        )
        if own.arm.learns:
            self._tell(config)
        return [
            str(self._program()),
            "-c",
            str(config),
            "--concurrency",
            str(faults.get("concurrency", 1)),
            "--disable-hot-restart",
            "--log-level",
            "warning",
            "--file-flush-interval-msec",
            "20",
            *self._flags(),
        ]

    def _requests_per_connection(self) -> int:
        """After so many it ends one."""
        return self.settings.site.requests

    def _tell(self, path: Path) -> None:
        """Listen over TCP too, where answers tell of HTTP/3."""
        header = self.settings.faults.get("alt_svc", alt_svc(self.settings.port))
        with listeners_of(path) as listeners:
            listeners.append(telling(listeners[0], self.state / "tcp.log", header))

    def _flags(self) -> list[str]:
        """What is merged into the configuration: flags of QUICHE, for the stack's version and as it states them."""
        facts = self.stack.protocol("quic")
        flags = ({NO_DRAFT_29: False} if facts.version == DRAFT_29 else {}) | facts.server_flags
        if not flags:
            return []
        layer = {"name": "flags", "static_layer": {FLAG.format(name): value for name, value in flags.items()}}
        return ["--config-yaml", json.dumps({"layered_runtime": {"layers": [layer]}})]

    def _program(self) -> Path:
        """QUICHE's CUBIC emulates N = 2 connections; a copy of the program with two bytes changed emulates one."""
        if self.settings.arm.emulated_connections == 1:
            return one_connection(self.stack)
        return self.stack.binary("envoy")

    def _cost(self) -> dict[str, str]:
        """Pieces of the configuration that keep the worker busy at each request, and log how long it took."""
        cost_us = self.settings.arm.request_cost_us
        if cost_us is None:
            return {"request_cost": "", "request_time": ""}
        source = SPIN % (self.settings.faults.get("request_cost_us", cost_us) / 1e6)
        lua = {
            "name": "envoy.filters.http.lua",
            "typed_config": {
                "@type": "type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua",
                "default_source_code": {"inline_string": source},
            },
        }
        return {"request_cost": f"- {json.dumps(lua)}", "request_time": REQUEST_TIME}

    def _tracing(self) -> dict[str, str]:
        """Pieces of the configuration that make Envoy report RTT and bandwidth of its connection every 20 ms."""
        if not self.settings.trace:
            return {"quic_options": "{}", "stats_sinks": ""}
        port = STATSD_PORT + self.settings.port - 443
        listener = self.testbed.popen(
            "server",
            [sys.executable, "-S", str(LISTENER), str(port), str(self._trace)],
            stdout=subprocess.PIPE,
            text=True,
        )
        self._owned.callback(process.stop, listener)
        if process.piped(listener.stdout).readline().strip() != "ready":
            raise LonglookError("the listener for Envoy's samples did not start on the server")
        visitor = {
            "name": "envoy.quic.connection_debug_visitor.quic_stats",
            "typed_config": {
                "@type": "type.googleapis.com/envoy.extensions.quic.connection_debug_visitor.quic_stats.v3.Config",
                "update_period": "0.02s",
            },
        }
        sink = {
            "name": "envoy.stat_sinks.statsd",
            "typed_config": {
                "@type": "type.googleapis.com/envoy.config.metrics.v3.StatsdSink",
                "address": {"socket_address": {"protocol": "UDP", "address": "127.0.0.1", "port_value": port}},
            },
        }
        options = {"connection_debug_visitor_config": visitor}
        return {"quic_options": json.dumps(options), "stats_sinks": f"stats_sinks: {json.dumps([sink])}"}

    @property
    def _trace(self) -> Path:
        return self.state / "statsd.txt"

    def congestion(self) -> pd.DataFrame | None:
        """CUBIC's window is Envoy's bandwidth estimate times its smoothed RTT; BBR's is not to be had from it."""
        if not self.settings.trace:
            return None
        table = statsd_table(self._trace.read_text(encoding="utf-8").splitlines())
        if self.settings.arm.cca != "cubic":
            table["cwnd_bytes"] = None
        return table

    def _admin(self, path: str) -> str:
        """GET on the admin interface, a Unix socket; empty while it is not there yet."""
        connection = http.client.HTTPConnection("localhost", timeout=5)
        connection.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.sock.settimeout(5)
        try:
            connection.sock.connect(str(self.state / "admin.sock"))
            connection.request("GET", path)
            return connection.getresponse().read().decode()
        except OSError:
            return ""
        finally:
            connection.close()

    def _is_ready(self) -> bool:
        return self._admin("/ready").strip() == "LIVE"

    def version(self) -> str:
        match = re.search(r'"version":\s*"[0-9a-f]*/([^/"]+)/', self._admin("/server_info"))
        return match.group(1) if match else "unknown"

    def cca_in_force(self) -> str:
        """What connections begin with, by the flags that are set in the running program; of those that are not, Envoy
        has BBR's on and its second version's off."""
        entries = json.loads(self._admin("/runtime") or "{}").get("entries", {})
        usual = {"quic_default_to_bbr": "true"}
        found = {
            f"{RELOADABLE}{flag}": entries.get(FLAG.format(flag), {}).get("final_value", usual.get(flag)) == "true"
            for flag in CONTROLLERS
        }
        return controller(found)

    def __enter__(self):
        self._early_data: dict[str, bool] = {}
        self._request_us: list[float] = []
        return super().__enter__()

    def _read_log(self) -> None:
        for record in self.new_log_records():
            self._early_data.setdefault(str(record["connection"]), self._had_early_data(record))
            if record.get("work_us") is not None:
                self._request_us.append(float(record["work_us"]))

    def _had_early_data(self, record: dict[str, Any]) -> bool:
        """Of a connection's first request."""
        return record.get("early_data") == "1"

    def early_data_by_connection(self) -> dict[str, bool] | None:
        """Envoy marks a request that came as accepted early data with `early-data: 1` (RFC 8470)."""
        self._read_log()
        return dict(self._early_data)

    def request_us(self) -> list[float] | None:
        self._read_log()
        return None if self.settings.arm.request_cost_us is None else list(self._request_us)
