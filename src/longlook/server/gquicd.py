"""Server `gquicd`: Google QUIC, one version of it, our build of a pinned Go module (tools/gquicd)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longlook.host.kernel import SOCKET_BUFFER_BYTES
from longlook.plan.offer import Offer
from longlook.server.base import CONGESTION_COLUMNS, Server

if TYPE_CHECKING:
    import pandas as pd


class Gquicd(Server):
    """CUBIC with N = 1 or 2; ends each connection with its page and counts the REJ messages of each handshake."""

    name = "gquicd"
    offer = Offer(
        protocols=("quic",),
        ends_connections=True,
        quic_versions=("Q037", "Q039", "Q043"),
        ccas=("cubic",),
        emulated_connections=(1, 2),
        request_cost=True,
        reordering_threshold=True,
    )
    cca_source = "program"

    def __enter__(self):
        self._zero_rtt: dict[str, bool] = {}
        self._refused: dict[str, Any] | None = None
        self._request_us: list[float] = []
        return super().__enter__()

    def _command(self) -> list[str]:
        own = self.settings
        emulated, cost_us, threshold = (
            own.arm.emulated_connections,
            own.arm.request_cost_us,
            own.arm.reordering_threshold,
        )
        options = {
            "address": f"{self.address}:{own.port}",
            "certificate": own.certificate,
            "key": own.key,
            "www": own.site.root,
            "quic-version": self.stack.protocol("quic").version,
            "requests-per-page": own.site.requests,
            **({} if emulated is None else {"emulated-connections": emulated}),
            **({} if cost_us is None else {"request-cost-us": cost_us}),
            **({} if threshold is None else {"nack-threshold": threshold}),
            "socket-buffer-bytes": SOCKET_BUFFER_BYTES,
            "access-log": self.state / "access.log",
            **({"congestion-log": self._trace} if own.trace else {}),
        } | own.faults
        return [str(self.stack.binary("gquicd")), *(f"-{name}={value}" for name, value in options.items())]

    @property
    def _trace(self) -> Path:
        return self.state / "congestion.csv"

    def congestion(self) -> pd.DataFrame | None:
        if not self.settings.trace:
            return None
        import pandas as pd

        log = pd.read_csv(self._trace, on_bad_lines="skip")  # its last line may still be on the way
        busiest = log["connection"].mode()
        log = log[log["connection"].isin(busiest[:1])].rename(columns={"packets_lost": "lost"})
        return log.reindex(columns=CONGESTION_COLUMNS).reset_index(drop=True)

    def _is_ready(self) -> bool:
        return b" listens on " in (self.state / "output").read_bytes()

    def version(self) -> str:
        match = re.search(r"gquicd (\S+)", (self.state / "output").read_text(errors="replace"))
        return match.group(1) if match else "unknown"

    def cca_in_force(self) -> str:
        return "cubic"  # the only one in the program

    def _read_log(self) -> None:
        """Take in what the server has logged since: answered requests, work at them, refused versions."""
        for record in self.new_log_records():
            if "offered" in record:
                self._refused = record
            elif "worked_us" in record:
                self._request_us += [record["worked_us"] / record["requests"]] * record["requests"]
            else:
                self._zero_rtt.setdefault(record["connection"], record["rejections"] == 0 and not record["confirmed"])

    def early_data_by_connection(self) -> dict[str, bool]:
        """gQUIC's 0-RTT: a handshake without a REJ, and a request that did not wait for its end.

        Without a REJ: the CHLO is answered by a SHLO.
        """
        self._read_log()
        return dict(self._zero_rtt)

    def request_us(self) -> list[float] | None:
        self._read_log()
        return None if self.settings.arm.request_cost_us is None else list(self._request_us)

    def version_refused(self) -> str | None:
        self._read_log()
        if self._refused is None:
            return None
        return f"offered {', '.join(self._refused['offered'])}, server speaks {self._refused['spoken']}"
