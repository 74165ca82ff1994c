"""One arm of a cell: a browser that loads the page over one protocol, again and again, each load judged."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from longlook.client.base import Client, LoadFailed
from longlook.errors import NotSupported
from longlook.experiment.oracle import Evidence, Expectation, Verdict, disturbance, judge, page_load_time_ms
from longlook.host.machine import cpu_times
from longlook.link.base import DIRECTIONS, LinkDriver
from longlook.probe.stallwatch import StallWatch
from longlook.server.base import Server
from longlook.site.www import PAGE, Site

SERVER_LOG_TIMEOUT_S = 1.0
COUNTED = (
    "packets_in",
    "bytes_in",
    "dropped_loss",
    "dropped_queue",
    "packets_out",
    "bytes_out",
    "socket_drops",
    "late_over_1ms",
)


@dataclass(frozen=True)
class Surroundings:
    """What an arm shares with the other: link, site, stall watch, time-out."""

    link: LinkDriver
    site: Site
    stalls: StallWatch
    timeout_s: float
    rtt_ms: float


class Arm:
    """Owns the browser's history: which connections it has used, which the server has seen."""

    def __init__(
        self,
        name: str,
        client: Client,
        server: Server,
        har_protocol: str,
        cca: str,
        around: Surroundings,
        cold: bool = False,
    ):
        """`cold`: every load in a browser context of its own, so that none can be resumed."""
        self.cold = cold
        self.name, self.client, self.server, self.around = name, client, server, around
        self.protocol = client.settings.protocol
        self.har_protocol, self.cca = har_protocol, cca
        self._known: set[str] = set()

    def load(self, index: int) -> dict[str, Any]:
        """One load; everything about it except its place in the cell, as a record (see data/raw/README.md)."""
        around = self.around
        before = self._meters()
        served = self._served()
        started = time.monotonic()
        try:
            har = self.client.load(PAGE, around.timeout_s, fresh_context=self.cold)
        except LoadFailed as failure:
            if refused := self.server.version_refused():
                raise NotSupported(
                    f"{self.client.name} {self.client.version()} and {self.server.name}: not supported: {refused}"
                ) from None
            har, error = None, str(failure)
        ended = time.monotonic()
        after = self._meters()
        record = {
            "arm": self.name,
            "protocol": self.protocol,
            "load_index": index,
            "stalls_ms": around.stalls.gaps_ms(started, ended),
            "cpu": {name: round(after[name] - before[name], 4) for name in ("client_s", "server_s", "link_s")}
            | {"machine_busy": round(after["machine"].busy_since(before["machine"]), 4)},
            "link": {way: _counted(before["link"][way], after["link"][way]) for way in DIRECTIONS},
        }
        if har is None:
            return record | {"plt_ms": None, "accepted": False, "reject_reason": "load_failed", "reject_detail": error}
        lost = int(record["link"]["client_to_server"].get("dropped_loss", 0))
        verdict = self._judge(har, index, served, lost)
        return record | self._outcome(har, verdict, record, (ended - started) * 1e3)

    def _meters(self) -> dict[str, Any]:
        return {
            "machine": cpu_times(),
            "client_s": self.client.cpu_seconds(),
            "server_s": self.server.cpu_seconds(),
            "link_s": self.around.link.cpu_seconds(),
            "link": self.around.link.counters(),
        }

    def _served(self) -> frozenset[str]:
        known = self.server.early_data_by_connection()
        return frozenset(known) if known is not None else frozenset()

    def _judge(self, har, index: int, served: frozenset[str], client_packets_lost: int) -> Verdict:
        wanted = Expectation(
            sizes=self.around.site.sizes,
            har_protocol=self.har_protocol,
            zero_rtt=None if self.protocol == "tcp" else index > 0 and not self.cold,
            cca=self.cca,
            rtt_ms=self.around.rtt_ms,
        )
        opened = self._opened_since(served)
        evidence = Evidence(frozenset(self._known), opened, self.server.cca_in_force(), client_packets_lost)
        verdict = judge(har, wanted, evidence)
        self._known.update(verdict.connection_ids)
        return verdict

    def _opened_since(self, served: frozenset[str]) -> dict[str, bool] | None:
        """Connections that the server accepted since; its log may lag a little behind the browser."""
        deadline = time.monotonic() + SERVER_LOG_TIMEOUT_S
        while (now := self.server.early_data_by_connection()) is not None:
            opened = {name: early for name, early in now.items() if name not in served}
            if opened or time.monotonic() > deadline:
                return opened
            time.sleep(0.005)  # polling interval, bounded by the deadline
        return None

    def _outcome(self, har, verdict: Verdict, record, duration_ms: float) -> dict[str, Any]:
        plt = page_load_time_ms(har)
        timings = har["pages"][0]["pageTimings"]
        disturbed = disturbance(plt, record["stalls_ms"], record["cpu"]["machine_busy"], duration_ms, record["link"])
        accepted = verdict.accepted and disturbed is None
        return {
            "plt_ms": round(plt, 3),
            "on_load_ms": round(timings["onLoad"], 3),
            "on_content_load_ms": round(timings["onContentLoad"], 3),
            "dns_ms": round(har["entries"][0]["timings"]["dns"], 3),
            "accepted": accepted,
            "reject_reason": verdict.reason or (None if disturbed is None else "disturbed"),
            "reject_detail": verdict.detail or disturbed,
            "disturbed": disturbed is not None,
            "connection_ids": list(verdict.connection_ids),
            "protocols_seen": list(verdict.protocols_seen),
            "resumed": verdict.resumed,
            "zero_rtt": verdict.zero_rtt,
            "har": trim(har),
        }


def _counted(before: dict[str, float], after: dict[str, float]) -> dict[str, float]:
    """What a direction of the link counted in between; a link that does not count something says nothing of it."""
    return {key: after[key] - before.get(key, 0) for key in COUNTED if key in after}


def trim(har: dict[str, Any]) -> dict[str, Any]:
    """A HAR without the headers and fields that are equal in every load; timings to the microsecond."""
    return {
        "creator": har["creator"],
        "page": {"startedDateTime": har["pages"][0]["startedDateTime"], "pageTimings": har["pages"][0]["pageTimings"]},
        "entries": [
            {
                "url": entry["request"]["url"],
                "startedDateTime": entry["startedDateTime"],
                "time": round(entry["time"], 3),
                "status": entry["response"]["status"],
                "httpVersion": entry["response"]["httpVersion"],
                "size": entry["response"]["content"]["size"],
                "transferSize": entry["response"].get("_transferSize"),
                "connection": entry["connection"],
                "timings": {name: round(value, 3) for name, value in entry["timings"].items()},
            }
            for entry in har["entries"]
        ],
    }
