"""Server `ngtcp2`: HTTP/3 by ngtcp2 and nghttp3 with GnuTLS, the example server that Debian packages (`gtlsserver`).

It sends no Cache-Control header (clients fetch with empty caches), keeps connections open until the client leaves or
30 s pass, and tells its version and its controller only by how it was started. Its qlog says which connections there
were.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longlook.host.sockets import udp_listens
from longlook.plan.offer import Offer
from longlook.server import qlogs
from longlook.server.base import Server

if TYPE_CHECKING:
    import pandas as pd

HEAD_BYTES = 1 << 18
"""Of a qlog: early data comes in its first packets."""
MIME_TYPES = "text/html html\nimage/jpeg jpg jpeg\napplication/octet-stream bin\n"


class Ngtcp2(Server):
    """It gives tickets, and ends no connection."""

    name = "ngtcp2"
    offer = Offer(protocols=("quic",), ccas=("cubic", "reno", "bbr"), qlog=True, groups=True, initial_rtt=True)
    cca_source = "start"

    def _command(self) -> list[str]:
        own = self.settings
        self._qlogs = self.state / "qlog"
        self._qlogs.mkdir()
        types = self.state / "mime.types"
        types.write_text(MIME_TYPES, encoding="ascii")
        return [
            str(self.stack.binary("gtlsserver")),
            "--quiet",
            f"--htdocs={own.site.root}",
            f"--cc={own.arm.cca}",
            f"--qlog-dir={self._qlogs}",
            f"--mime-types-file={types}",
            *([f"--initial-rtt={own.arm.initial_rtt_ms}ms"] if own.arm.initial_rtt_ms is not None else []),
            *([f"--groups={_priorities(own.arm.server_groups)}"] if own.arm.server_groups else []),
            self.address,
            str(own.port),
            str(own.key),
            str(own.certificate),
        ]

    def _is_ready(self) -> bool:
        return udp_listens(self.testbed, self.settings.port)

    def version(self) -> str:
        return self.stack.component_version("gtlsserver")

    def cca_in_force(self) -> str:
        """As the running process was told: it has no way to be asked."""
        return controller_of(self.process.pid)

    def initial_window_bytes(self) -> int | None:
        """The first window in the newest connection's qlog."""
        newest = qlogs.newest(self._qlogs)
        return None if newest is None else _first_window(newest)

    def congestion(self) -> pd.DataFrame | None:
        """By the newest connection's qlog, in whole milliseconds."""
        newest = qlogs.newest(self._qlogs) if self.settings.trace else None
        return None if newest is None else qlogs.congestion(newest)

    def early_data_by_connection(self) -> dict[str, bool]:
        """One qlog file per connection; a 0-RTT packet among its first is early data."""
        return {path.stem: _has_early_data(path) for path in sorted(self._qlogs.iterdir())}


def controller_of(pid: int) -> str:
    """That a running gtlsserver was started with."""
    words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
    return next((word.partition("=")[2] for word in words if word.startswith("--cc=")), "cubic")


def _priorities(groups: Sequence[str]) -> str:
    """As GnuTLS wants them: `-GROUP-ALL:+GROUP-X25519`."""
    return ":".join(["-GROUP-ALL", *(f"+GROUP-{group.upper()}" for group in groups)])


def _has_early_data(path: Path) -> bool:
    """Whether it received a packet of type 0RTT."""
    events = _first_events(path, b"packet_received", b"0RTT")
    return any(event.get("data", {}).get("header", {}).get("packet_type") == "0RTT" for event in events)


def _first_window(path: Path) -> int | None:
    """Bytes, before anything was acknowledged."""
    event = next(_first_events(path, b"metrics_updated", b"congestion_window"), None)
    return None if event is None else int(event["data"]["congestion_window"])


def _first_events(path: Path, *words: bytes) -> Iterator[dict[str, Any]]:
    """Of the head of a qlog (JSON text sequences, RFC 7464), those in which all these words stand."""
    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
    for line in head.split(b"\x1e"):
        if all(word in line for word in words):
            with contextlib.suppress(ValueError):  # cut at the end of what was read
                yield json.loads(line)
