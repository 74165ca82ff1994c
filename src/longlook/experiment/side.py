"""One arm of a cell at work: a client that loads from a server, again and again, each load judged."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from longlook.client.base import Client, LoadFailed, Request
from longlook.client.observation import Observation
from longlook.errors import LonglookError, NotSupported
from longlook.experiment import cross, ends
from longlook.experiment.carried import NOTHING_BESIDE, Crossed, span
from longlook.experiment.floor import Floor
from longlook.experiment.in_force import in_force
from longlook.experiment.meanwhile import asked_meanwhile
from longlook.experiment.opened import Counts, OpenedConnections, opened_between
from longlook.experiment.oracle import RULE, Evidence, Tolerated, Verdict, disturbance, judge
from longlook.experiment.told import cpu_metrics, expectation, main_metric, waited_s
from longlook.host import process
from longlook.host.clock import Clock
from longlook.host.machine import cpu_times
from longlook.link.base import LinkDriver
from longlook.plan.arm import Arm
from longlook.probe.stallwatch import StallWatch
from longlook.probe.stopwatch import StopWatch
from longlook.server.base import RunningServer
from longlook.server.tcp import NO_CONNECTION
from longlook.site.tree import Site

SERVER_LOG_TIMEOUT_S = 1.0
PICTURED = 1
"""Number of the load, within its arm, of which a page that is looked at is kept in pictures."""
BEFORE = "h2"
"""What a browser loads first that learns of HTTP/3 by Alt-Svc, as it names it."""
METERED = ("client_s", "server_s", "link_s")
"""CPU seconds, and seconds of waiting for a CPU."""
NOT_SEEN: dict[str, Any] = {
    "connections": [],
    "protocols_seen": [],
    "resumed": None,
    "zero_rtt": None,
    "artefact": None,
}


@dataclass(frozen=True)
class Surroundings:
    """What an arm shares with the others: link, site, stall watch, time-out."""

    link: LinkDriver
    site: Site
    stalls: StallWatch
    timeout_s: float
    rtt_ms: float
    first_aside: bool = True
    """The first load of each arm, which is cold, is kept and never averaged."""
    slowest_ms: float = 0.0
    """What a round trip over the idle link may take."""
    reorders: bool = False
    """The link puts packets out of order."""
    ecn: bool = False
    """Its queues mark, and TCP negotiates that."""
    cross_traffic: cross.CrossTraffic | None = None
    """What runs beside every load."""
    stops: StopWatch | None = None
    """None: nobody watches whether the programs are stopped."""
    floors: Mapping[str, Floor] = field(default_factory=dict)
    """By arm: the least that a load takes."""
    clock: Clock = field(default_factory=Clock)
    within: Tolerated | None = None
    """What a load may meet of the machine; None: by rule 1."""


class Side:
    """Owns the client's history: which connections it has used, which the server has seen."""

    def __init__(self, arm: Arm, client: Client, server: RunningServer, protocol_name: str, around: Surroundings):
        """`protocol_name`: what the client calls the arm's protocol (`h3`, `h2`)."""
        self.arm, self.client, self.server, self.around = arm, client, server, around
        self.protocol_name = protocol_name
        self._known: set[str] = set()

    def discover(self) -> list[list[str]]:
        """Have the browser learn of HTTP/3 by loads that count for nothing; what each came over: a file over HTTP/2,
        whose answer tells, then a page over HTTP/3, whose connection its server ends, so that each load has its own.
        Of a page in place of the file the last objects may come over HTTP/3: each connection would serve parts of two
        loads.

        Raises LonglookError where it goes otherwise: it was told before, or learns nothing.
        """
        around, found = self.around, list[list[str]]()
        file = next(path for path in around.site.files if path not in around.site.start)
        for path in (file, around.site.start[0]):
            try:
                seen = self.client.discover(Request((path,), around.timeout_s))
            except LoadFailed as failure:
                raise LonglookError(f"{self.arm.name}: a load by which to learn of HTTP/3 failed: {failure}") from None
            found.append(list(seen.protocols))
            self.client.drop_connections()
        if found != (right := [[BEFORE], [self.protocol_name]]):
            raise LonglookError(f"{self.arm.name}: to learn of HTTP/3 a file and a page came over {found}, not {right}")
        return found

    def load(self, index: int) -> dict[str, Any]:
        """One load; everything about it except its place in the cell, as a sample's record (see data/raw/README.md)."""
        if self.around.stops is not None:
            self.around.stops.watch((*self.client.pids, *self.server.pids, *self.around.link.pids))
        before, served, counted = self._meters(), self._served(), self.around.link.connections()
        started = time.monotonic()
        tcp = self.arm.protocol == "tcp"
        soon_s = 2e-3 * self.around.rtt_ms
        asking = asked_meanwhile(self.server.cca_of_load, soon_s) if tcp else contextlib.nullcontext(list[str]())
        with asking as heard:
            try:
                seen, error = self._fetch(index), None
            except LoadFailed as failure:
                seen, error = None, str(failure)
            ended = time.monotonic()
            cca = self._controller(heard) if tcp and seen is not None else None
            told = self.server.tcp_of_load() if tcp and seen is not None else []
        opened = self._opened_over_the_link(counted)
        changed = self.around.link.changed()
        used = self._used(before, started, ended)
        record = {"arm": self.arm.name, "index": index, "set_aside": self.around.first_aside and index == 0} | used
        record |= {"opened_over_link": None if opened is None else opened.record()}
        cpu = cpu_metrics(used["cpu"])
        if seen is None:
            self._logged_since(served, opened)
            detail = error if changed is None else f"{error}; the link was changed: {changed}"
            failed = {"accepted": False, "reject_reason": "load_failed", "reject_detail": detail, "disturbed": False}
            return record | failed | NOT_SEEN | {"metrics": cpu}
        lost = packets_lost(used["link"])
        found = in_force(cca or self.server.cca_of_load(), self.server.cca_source, opened, self.arm)
        record |= {"controller": found.record()}
        verdict = self._judge(
            seen,
            index,
            Evidence(
                known_connections=frozenset(self._known),
                server_connections=self._logged_since(served, opened),
                cca=found.cca,
                options=found.options,
                client_packets_lost=lost,
                opened=opened,
                link=used["link"],
                hosts=used["hosts"],
                tcp=told,
                cross_traffic=used.get("cross_traffic", ()),
            ),
        )
        metrics = {name: round(value, 3) for name, value in seen.metrics.items()} | cpu
        record |= {"tcp": told} if told else {}
        return record | {"metrics": metrics} | self._outcome(seen, verdict, used, (ended - started) * 1e3, changed)

    def _controller(self, heard: list[str]) -> str:
        """TCP's after the load; where its connection is gone already, the last one that was heard of."""
        told = (self.server.cca_of_load(), *reversed(heard))
        return next((cca for cca in told if cca != NO_CONNECTION), NO_CONNECTION)

    def _fetch(self, index: int) -> Observation:
        around, pictures = self.around, index == PICTURED
        try:
            return self.client.fetch(Request(around.site.start, around.timeout_s, self.arm.is_cold, pictures))
        except LoadFailed:
            if refused := self.server.version_refused():
                raise NotSupported(
                    f"{self.client.name} {self.client.version()} and {self.server.name}: not supported: {refused}"
                ) from None
            raise

    def _meters(self) -> dict[str, Any]:
        return {
            "machine": cpu_times(),
            "client_s": self.client.cpu_seconds(),
            "server_s": self.server.cpu_seconds(),
            "link_s": self.around.link.cpu_seconds(),
            "schedule": {
                "client": process.schedule(self.client.pids),
                "server": process.schedule(self.server.pids),
                "link": process.schedule(self.around.link.pids),
            },
            "ends": ends.reading(self.around.link, self.client, self.server),
            "cross_traffic": None if self.around.cross_traffic is None else self.around.cross_traffic.reading(),
        }

    def _used(self, before: Mapping[str, Any], started: float, ended: float) -> dict[str, Any]:
        """What the meters say of the time since `before`."""
        after = self._meters()
        waiting = {who: process.Waiting.between(before["schedule"][who], now) for who, now in after["schedule"].items()}
        flows = before["cross_traffic"], after["cross_traffic"]
        return ({} if None in flows else {"cross_traffic": cross.between(*flows)}) | {
            "stalls_ms": self.around.stalls.gaps_ms(started, ended),
            "stopped_s": self._stopped(started, ended),
            "clock_step_s": self.around.clock.look(),
            "cpu": {name: round(after[name] - before[name], 4) for name in METERED}
            | {f"{who}_wait_s": round(told.seconds, 4) for who, told in waiting.items()}
            | {"server_threads": round(waiting["server"].threads, 2)}
            | {"machine_busy": round(after["machine"].busy_since(before["machine"]), 4)},
            "link": ends.between(before["ends"], after["ends"]),
            "hosts": span(before["ends"], after["ends"]),
        }

    def _stopped(self, started: float, ended: float) -> dict[str, float]:
        """Programs of the cell that somebody held, here or on the server's node."""
        if self.around.stops is None:
            return {}
        return self.around.stops.stopped(started, ended) | self.server.stopped(time.monotonic() - started)

    def _served(self) -> frozenset[str]:
        known = self.server.early_data_by_connection()
        return frozenset(known) if known is not None else frozenset()

    def _opened_over_the_link(self, before: Counts | None) -> OpenedConnections | None:
        after = self.around.link.connections()
        own = self.arm.protocol, self.server.settings.port, self.around.slowest_ms
        beside = [] if self.around.cross_traffic is None else [self.around.cross_traffic.place]
        return opened_between(before, after, *own, beside, races=self.arm.learns)

    def _judge(self, seen: Observation, index: int, evidence: Evidence) -> Verdict:
        around, looked_at = self.around, self.client.settings.paints
        wanted = expectation(
            self.arm, index, around.site.files, self.protocol_name, around.rtt_ms, around.reorders, looked_at
        )
        flows = around.cross_traffic
        crossed = NOTHING_BESIDE if flows is None else Crossed.of(flows.link)
        wanted = replace(wanted, floor=around.floors.get(self.arm.name), ecn=around.ecn, crossed=crossed)
        verdict = judge(seen, wanted, evidence)
        self._known.update(verdict.connections)
        return verdict

    def _logged_since(self, served: frozenset[str], over_link: OpenedConnections | None) -> dict[str, bool] | None:
        """Connections that the server accepted since. Its log may lag a little behind the client: it is waited for
        until it has all that the link saw, so that a late one is not taken for the next load's."""
        expected = 1 if over_link is None else over_link.own
        deadline = time.monotonic() + SERVER_LOG_TIMEOUT_S
        while (now := self.server.early_data_by_connection()) is not None:
            opened = {name: early for name, early in now.items() if name not in served}
            if len(opened) >= expected or time.monotonic() > deadline:
                return opened
            time.sleep(0.005)  # polling interval, bounded by the deadline
        return None

    def _outcome(
        self, seen: Observation, verdict: Verdict, used: Mapping[str, Any], duration_ms: float, changed: str | None
    ) -> dict[str, Any]:
        took_ms = main_metric(seen.metrics)
        took_ms = duration_ms if took_ms is None else took_ms
        disturbed = disturbance(
            took_ms,
            used["stalls_ms"],
            used["cpu"]["machine_busy"],
            duration_ms,
            used["link"],
            used["stopped_s"],
            waited_s(self.arm, used["cpu"]),
            used["clock_step_s"],
            self.around.within,
        )
        told = {"link_changed": changed, verdict.reason: verdict.detail, "disturbed": disturbed}
        reason = next((name for name, detail in told.items() if name is not None and detail is not None), None)
        return ({} if self.around.within is None else {"rule": RULE}) | {
            "accepted": reason is None,
            "reject_reason": reason,
            "reject_detail": None if reason is None else told[reason],
            "disturbed": disturbed is not None,
            "connections": list(verdict.connections),
            "protocols_seen": list(verdict.protocols_seen),
            "resumed": verdict.resumed,
            "zero_rtt": verdict.zero_rtt,
            "artefact": dict(seen.artefact) or None,
        }


def packets_lost(link: Mapping[str, Mapping[str, float]]) -> int:
    """Of the client's, by what the link counted: corrupted ones are as good as lost."""
    up = link.get("client_to_server", {})
    return int(up.get("dropped_loss", 0) + up.get("corrupted", 0))
