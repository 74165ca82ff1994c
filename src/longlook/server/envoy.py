"""Server `envoy`: HTTP/3 by Google QUICHE, the thesis's server library, inside Envoy."""

from __future__ import annotations

import http.client
import json
import re
import socket

from longlook.paths import ENVS
from longlook.server.base import NotSupported, Server
from longlook.testbed.netns import SOCKET_BUFFER_BYTES

DEFAULT_TO_BBR = "envoy.reloadable_features.FLAGS_envoy_quiche_reloadable_flag_quic_default_to_bbr"


class Envoy(Server):
    """CUBIC emulates N = 2 connections, as in the thesis; one worker, so that every 0-RTT ticket is known."""

    name = "envoy"
    protocol = "quic"

    def _command(self) -> list[str]:
        if self.settings.cca not in ("cubic", "bbr"):
            raise NotSupported(f"envoy offers cubic and bbr, not {self.settings.cca}")
        if self.settings.cca == "cubic" and self.settings.emulated_connections != 2:
            raise NotSupported("envoy's CUBIC emulates N = 2 connections; N = 1 needs another server")
        options = self.settings.options
        config = self.fill(
            ENVS / self.stack.name / "envoy.yaml",
            {
                "address": self.address,
                "port": self.settings.port,
                "admin_socket": self.state / "admin.sock",
                "default_to_bbr": "true" if self.settings.cca == "bbr" else "false",
                "early_data": options.get("early_data", "true"),
                "certificate": self.settings.certificate,
                "key": self.settings.key,
                "www": self.settings.www,
                "requests_per_connection": options.get("requests_per_connection", self.settings.requests_per_page),
                "access_log": self.state / "access.log",
                "socket_buffer_bytes": SOCKET_BUFFER_BYTES,
            },
            "envoy.yaml",
        )
        workers = str(options.get("concurrency", 1))
        binary = str(self.stack.binary("envoy"))
        return [binary, "-c", str(config), "--concurrency", workers, "--disable-hot-restart", "--log-level", "warning", "--file-flush-interval-msec", "20"]

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
        entries = json.loads(self._admin("/runtime") or "{}").get("entries", {})
        value = entries.get(DEFAULT_TO_BBR, {}).get("final_value", "true")
        return "bbr" if value == "true" else "cubic"

    def __enter__(self):
        self._early_data: dict[str, bool] = {}
        return super().__enter__()

    def early_data_by_connection(self) -> dict[str, bool]:
        """Envoy marks a request that came as accepted early data with `early-data: 1` (RFC 8470)."""
        for record in self.new_log_records():
            self._early_data.setdefault(str(record["connection"]), record.get("early_data") == "1")
        return dict(self._early_data)
