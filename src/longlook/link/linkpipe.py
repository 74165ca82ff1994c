"""Link driver `linkpipe`: our user-space emulator (tools/linkpipe), one process in the bridge namespace."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longlook import paths
from longlook.errors import LonglookError
from longlook.host import process
from longlook.host.hosts import Running
from longlook.link.base import DIRECTIONS, LinkDriver
from longlook.plan.link import CONTROLLED, CONTROLLED_TARGET_MS, GEMODEL, INTERVAL_MS, TARGET_MS, Link
from longlook.plan.trace import LinkTrace
from longlook.stack.gobuild import build_tool

START_TIMEOUT_S = 10
REPLY_TIMEOUT_S = 5
NO_LIMIT = 0
"""Of a queue, in bytes or in packets."""


def _netem(link: Link) -> dict[str, Any]:
    """What linkpipe is told of corruption, duplication and bursts of losses: only what is stated, as it tells it."""
    names = [name for name in link.netem if name.startswith(("corrupt", "duplicate"))]
    told: dict[str, Any] = {name: link.netem[name] for name in names}
    if link.gemodel_p_pct is not None:
        told["gemodel"] = {name.removeprefix("gemodel_"): link.netem[name] for name in GEMODEL}
    return told


def _bucket(link: Link) -> dict[str, int]:
    """The depth of a token bucket, where there is one."""
    return {} if link.burst_bytes is None else {"burst_bytes": link.burst_bytes}


def _trace(trace: LinkTrace | None, offset_ms: int | None) -> dict[str, Any]:
    """The file of a trace and where its clock stands, where there is one."""
    if trace is None:
        return {}
    return {"trace": {"path": str(paths.LINKS / trace.name), "sha256": trace.sha256, "offset_ms": offset_ms}}


def _discipline(link: Link) -> dict[str, Any]:
    """What decides on a queue's packets, where something does: with the defaults of its RFC and the kernel."""
    if link.queue_discipline is None:
        return {}
    own = {"target_ms": TARGET_MS, "interval_ms": INTERVAL_MS}
    if link.queue_discipline in CONTROLLED:
        own = {"target_ms": CONTROLLED_TARGET_MS}
    return {"queue_discipline": {"kind": link.queue_discipline, "ecn": bool(link.ecn)} | own}


def _direction(link: Link, way: str, seed: int, offset_ms: int | None) -> dict[str, Any]:
    """What linkpipe is told of one direction."""
    jitter: dict[str, Any] = {"mode": "none", "range_ms": 0, "interval_ms": 0}
    if link.jitter_ms:
        jitter = {"mode": "redraw", "range_ms": link.jitter_ms, "interval_ms": link.jitter_interval_ms}
    if link.jitter_sd_ms is not None:
        jitter |= {"mode": "normal", "sd_ms": link.jitter_sd_ms}
        if link.jitter_correlation_pct is not None:
            jitter["correlation_pct"] = link.jitter_correlation_pct
    return {
        "bandwidth_mbps": link.bandwidth_mbps,
        "delay_ms": link.rtt_ms / 2,
        "loss_pct": link.loss_pct_of(way),
        "queue_bytes": link.effective_queue_bytes or NO_LIMIT,
        "queue_packets": link.queue_limit_packets or NO_LIMIT,
        "seed": seed,
        "jitter": jitter,
        **_bucket(link),
        **_trace(link.trace, offset_ms),
        **_discipline(link),
        **_netem(link),
    }


def _recorded(own: dict[str, Any]) -> dict[str, Any]:
    """A direction's configuration without the folder that a trace lies in here."""
    return own | {"trace": own["trace"] | {"path": Path(own["trace"]["path"]).name}} if "trace" in own else own


class LinkPipe(LinkDriver):
    """Delay RTT/2, loss p/2 (or p in one direction and none in the other) and a queue of 2 x BDP bytes, or of so many
    packets, in each direction (thesis 3.2). With `burst_bytes` each has a token bucket, full after `configure` and
    after every `reseed`; with a trace each packet waits for an opportunity (tools/linkpipe/trace.go). With a queue
    discipline that decides as packets leave, or PIE as they arrive.

    Jitter: each direction's delay is drawn anew every 100 ms from RTT/2 +- jitter/2 (thesis 3.3), so that packets
    overtake each other when it falls. Netem's other parameters act in each direction as they are stated.
    """

    name = "linkpipe"

    def _start(self) -> None:
        self._process: Running | None = None
        self._connection: socket.socket | None = None
        self._wanted: dict[str, dict[str, Any]] = {}
        self._own: dict[str, Any] = {}
        self._folder = Path(tempfile.mkdtemp(prefix="linkpipe-"))
        control = self._folder / "control"
        self._errors = self._folder / "stderr"
        towards_server, towards_client = self.testbed.hosts["bridge"].interfaces
        with self._errors.open("wb") as errors:
            self._process = self.testbed.popen(
                "bridge",
                [
                    str(build_tool("linkpipe")),
                    *("-server-if", towards_server),
                    *("-client-if", towards_client),
                    *("-control", str(control)),
                ],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self._ready = self._first_line()
        self._connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._connection.settimeout(REPLY_TIMEOUT_S)
        self._connection.connect(str(control))
        self._replies = self._connection.makefile("r", encoding="utf-8")

    def _first_line(self) -> dict[str, Any]:
        line = process.hear(process.started(self._process, self.name), START_TIMEOUT_S)
        if not line:
            raise LonglookError(
                f"linkpipe was not ready within {START_TIMEOUT_S} s: {self._errors.read_text()[-500:] or 'no message'}"
            )
        return json.loads(line)

    def _stop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._process is not None:
            process.stop(self._process)
            self._process = None
        shutil.rmtree(self._folder, ignore_errors=True)

    def _ask(self, **request) -> dict[str, Any]:
        if self._connection is None:
            raise LonglookError(f"linkpipe is not running: it cannot be asked for {request['op']!r}")
        try:
            self._connection.sendall(json.dumps(request).encode() + b"\n")
            line = self._replies.readline()
        except OSError as error:
            line, reason = "", str(error)
        else:
            reason = "connection closed"
        if not line:
            raise LonglookError(f"linkpipe does not answer {request['op']!r} ({reason}); is it still running?")
        reply = json.loads(line)
        if not reply.get("ok"):
            raise LonglookError(f"linkpipe refused {request['op']!r}: {reply.get('error')}")
        return reply

    def configure(self, link: Link, seed: int) -> dict[str, Any]:
        self._link, offset_ms = link, link.trace_offset_ms(seed)
        self._wanted = {way: _direction(link.one_way(way), way, seed, offset_ms) for way in DIRECTIONS}
        self._own = self._ask(op="configure", **self._wanted)
        self._require(self._own)
        return {way: _recorded(self._own[way]) for way in DIRECTIONS}

    def verify(self) -> None:
        self._require(self._ask(op="config"))

    def _require(self, found: Mapping[str, Any]) -> None:
        if wrong := self._differences(found):
            raise LonglookError(f"the link is not as it was set: {'; '.join(wrong)}. Does somebody else configure it?")

    def changed(self) -> str | None:
        """Also what was changed and changed back: linkpipe counts who asks it for something."""
        now = self._ask(op="config")
        wrong = self._differences(now)
        wrong += [
            f"{what} {now[what] - self._own[what]} times by somebody else"
            for what in ("configured", "reseeded")
            if now[what] != self._own[what]
        ]
        self._own = now
        return "; ".join(wrong) or None

    def _differences(self, found: Mapping[str, Any]) -> list[str]:
        """In what a configuration is not the one that was asked for; what was not asked for is not to be there."""
        return [
            f"{way}: {name} = {wanted.get(name)} set, {found[way].get(name)} in force"
            for way, wanted in self._wanted.items()
            for name in dict.fromkeys([*wanted, *found[way]])
            if found[way].get(name) != wanted.get(name)
        ]

    def reseed(self, seed: int) -> None:
        offset_ms = self._link.trace_offset_ms(seed)
        for wanted in self._wanted.values():
            wanted["seed"] = seed
            if "trace" in wanted:
                wanted["trace"] |= {"offset_ms": offset_ms}
        self._own = self._ask(op="reseed", seed=seed, **({} if offset_ms is None else {"trace_offset_ms": offset_ms}))
        self._require(self._own)

    def connections(self) -> dict[str, dict[str, dict[str, Any]]]:
        reply = self._ask(op="connections")
        return {protocol: reply[protocol] for protocol in ("tcp", "quic", "other")}

    def counters(self) -> dict[str, dict[str, float]]:
        reply = self._ask(op="counters")
        return {way: reply[way] for way in DIRECTIONS}

    @property
    def pid(self) -> int:
        """Of the emulator's process."""
        return process.started(self._process, self.name).pid

    @property
    def pids(self) -> tuple[int, ...]:
        return (self.pid,)

    def cpu_seconds(self) -> float:
        return process.cpu_seconds(self.pid)

    def version(self) -> str:
        return str(self._ready.get("version", "unknown"))
