"""What a finished cell's samples say against what they were read from: numbers computed again, loads judged again.

Whoever can write a record can write any. This finds the record of which only a part was changed: a time that is not its
HAR's, a rejected load that became an accepted one, a load that is there twice or not at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from longlook.client.artefact import observed
from longlook.client.observation import Observation
from longlook.errors import LonglookError
from longlook.experiment import recheck_parts as parts
from longlook.experiment.carried import Crossed
from longlook.experiment.floor import floor
from longlook.experiment.in_force import DERIVED, in_force
from longlook.experiment.opened import LATER, OpenedConnections, spare_connections, stood_before
from longlook.experiment.oracle import LONG_MS, Evidence, Verdict, disturbance, judge
from longlook.experiment.reasons import PAIR_REPEATED
from longlook.experiment.schedule import Plan, Try, draw_of, load_seed, settled
from longlook.experiment.side import BEFORE, packets_lost
from longlook.experiment.told import cpu_metrics, expectation, main_metric, tolerated_in, waited_s
from longlook.plan.arm import Arm, Protocol
from longlook.plan.cell import Cell
from longlook.plan.offer import LOOKED_AT
from longlook.record import upgrade
from longlook.record.campaign import CELL_NAME
from longlook.record.durable import read_json
from longlook.record.moments import unix_s
from longlook.record.samples import Sample, read_records, sample_of
from longlook.server import SERVERS
from longlook.site.expected import sizes
from longlook.site.tree import SiteFile
from longlook.stack.spec import load_stack

ROUNDING = 0.0011
"""Metrics and the times of an artefact are kept to three digits."""
LATE_MS = 5.0
"""By which the last object may have ended after the browser's onLoad: what it reports of both is rounded to 1 ms."""
NOT_KEPT = ("load_failed", "compressed", "cached", "object_content", "cca", "link_changed")
"""Reasons of which a record does not keep the evidence."""


@dataclass
class Recheck:
    """What rechecking a cell found. `prints`: what tells each sample from every other one, wherever it was measured."""

    problems: list[str] = field(default_factory=list)
    samples: Sequence[Sample] = ()
    """As the experiment's `read` gives them."""
    prints: list[int] = field(default_factory=list)
    seen: dict[int, Observation] = field(default_factory=dict)
    """What each sample was read from, by its order; of arms that took turns."""


class _Cpu(BaseModel):
    client_s: float
    server_s: float
    machine_busy: float
    client_wait_s: float | None = None
    server_wait_s: float | None = None
    server_threads: float | None = None


class _Tcp(BaseModel):
    """As of host.tcpdiag.Info."""

    options: tuple[str, ...]
    mss_bytes: int
    mtu_bytes: int
    send_buffer_bytes: int


class _CrossFlow(BaseModel):
    """As of cross.between."""

    cca: str
    mbps: float
    protocol: str | None = None


class _Opened(BaseModel):
    """As of opened.OpenedConnections.record."""

    opened: int
    handshake_lost: int
    others: dict[str, int]
    asked: list[list[str]] | None = None
    retries: int | None = None
    other_bytes: int | None = None
    window_packets: int | None = None
    tls_resumed: int | None = None
    raced: int | None = None


class _Controller(BaseModel):
    """As of in_force.InForce.record."""

    cca: str
    evidence: str


class _Told(BaseModel):
    """What the oracle went by, as a record keeps it."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)

    started_at: AwareDatetime
    stalls_ms: list[float]
    cpu: _Cpu
    link: dict[str, dict[str, float]]
    connections: list[str]
    protocols_seen: list[str]
    disturbed: bool
    stopped_s: dict[str, float] = {}
    clock_step_s: float = 0.0
    rule: Literal[1, 2] = 1
    """Of what disturbs a load (oracle.py)."""
    opened_over_link: _Opened | None = None
    controller: _Controller | None = None
    hosts: dict[str, dict[str, tuple[int, int]]] | None = None
    """None: of a record from before link, hosts and floor were held together; nothing of that is asked of it."""
    tcp: list[_Tcp] = []
    cross_traffic: list[_CrossFlow] = []


def recheck_interleaved(cell: Cell, folder: Path) -> Recheck:
    """Of a cell whose arms took turns: every sample, and that they are those that schedule and verdicts ask for."""
    record = read_json(folder / CELL_NAME)
    records = list(read_records(folder))
    found = Recheck(samples=[sample_of(one) for one in records])
    found.problems += [*strangers(cell, folder, records), *_walk(cell, records, record.get("repeated_together", 1) > 1)]
    if found.problems:  # without its place a sample cannot be judged
        return found
    judges = {arm.name: _Judge(cell, arm, upgrade.is_old(record)) for arm in cell.arms}
    told = []
    for one in records:
        where = f"sample {one['order']} ({one['arm']} {one['index']}, attempt {one['attempt']})"
        try:
            told.append(_Told.model_validate(one))
            seen = None if one.get("artefact") is None else observed(one["artefact"])
            found.problems += [f"{where}: {wrong}" for wrong in judges[one["arm"]].recheck(one, told[-1], seen)]
            if seen is not None:
                found.prints.append(_print(seen))
                found.seen[one["order"]] = seen
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            found.problems.append(f"{where}: {'.'.join(map(str, first['loc']))}: {first['msg']}")
        except LonglookError as error:
            found.problems.append(f"{where}: {error}")
        except upgrade.UNREADABLE as error:
            found.problems.append(f"{where}: it cannot be judged again: {error!r}"[:300])
    if len({one.controller is None for one in told if one.protocols_seen}) > 1:
        found.problems.append("some of its samples tell their connection's controller, and others do not")
    found.problems += _over_time(record, records, told)
    if not found.problems and not (record.get("clock") or {}).get("steps"):  # browsers stamp by the wall clock
        found.problems += _stamps(records)
    found.problems += _complete(cell, record, records)
    if not found.problems:
        found.samples = [sample_in(cell, one) for one in records]
    return found


def read_interleaved(cell: Cell, folder: Path) -> Sequence[Sample]:
    """Of a cell whose arms took turns, its samples; an arm that is none of its own is told by the caller."""
    return [sample_in(cell, one) for one in read_records(folder)]


def sample_in(cell: Cell, record: Mapping[str, Any]) -> Sample:
    """The sample of a cell's record. What was accepted before the link counted connections, and used one that stood
    when its load began, is rejected; it was not repeated, so that its arm has one less."""
    sample, kept = sample_of(record), record.get("artefact")
    if not sample.accepted or not cell.link.loses or kept is None or record.get("opened_over_link") is not None:
        return sample  # without loss no connection was there
    arm = next((one for one in cell.arms if one.name == sample.arm), None)
    if arm is None or not stood_before(arm, cell.link, observed(kept)):
        return sample
    return replace(sample, accepted=False, reject_reason="connection_reused")


def strangers(cell: Cell, folder: Path, records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The first sample that is of another cell or campaign, or of no arm of the cell."""
    right = (folder.parent.name, cell.id)
    for place, one in enumerate(records):
        if (one["campaign"], one["cell_id"]) != right:
            yield f"sample {place} is of campaign {one['campaign'][:80]}, cell {one['cell_id'][:80]}"
            return
        if one["arm"] not in cell.arm_names:
            yield f"sample {place} is of arm {one['arm'][:80]}; the cell's arms are {', '.join(cell.arm_names)}"
            return


def _walk(cell: Cell, records: Sequence[Mapping[str, Any]], pairs: bool) -> Iterator[str]:
    """The first sample that is not the one that was due; `pairs`: they were repeated as pairs."""
    due, marks = _due(cell, records, pairs), []
    if len({"draw" in one for one in records}) > 1:
        yield "some of its samples tell their draw of losses, and others do not"
    for place, one in enumerate(records):
        following, given = next(due, None), (one["arm"], one["index"], one["attempt"])
        wanted, replaced = following or (None, False)
        if wanted is None:
            yield f"sample {place} (arm, index, attempt: {given}) is one too many: a load added, or there twice"
            return
        if (one["order"], *given) != (place, *wanted):
            yield (
                f"sample {place} should be {wanted} (arm, index, attempt) and says order {one['order']}, {given}: "
                "a load is missing, added, there twice or in another place"
            )
            return
        if (draw := one.get("draw", one["attempt"])) != draw_of(one["attempt"]) and "draw" in one:
            due_draw = draw_of(one["attempt"])
            yield f"sample {place}: its draw of losses is {draw}; attempt {one['attempt']} meets {due_draw}"
        seed = load_seed(cell, one["arm"], one["index"], draw)
        if (said := one.get("trace_offset_ms")) != (right := cell.link.trace_offset_ms(seed)):
            yield f"sample {place}: the trace's clock stood at {said} ms, and its seed asks for {right}"
        if one["set_aside"] != (one["index"] == 0):
            yield f"sample {place}: set_aside is {one['set_aside']}; set aside is what has index 0, and nothing else"
        if (one["reject_reason"] == PAIR_REPEATED) != replaced:
            marks.append(
                f"sample {place}: {PAIR_REPEATED} is what was right in a pair that is measured again, and only that"
            )
    if (left := next(due, None)) is not None:
        yield f"the loads from {left[0]} (arm, index, attempt) on are missing"
    yield from marks[:1]


def _due(cell: Cell, records: Sequence[Mapping[str, Any]], pairs: bool) -> Iterator[tuple[Try, bool]]:
    """Every load that is due by what became of those before it, and whether its pair is measured again for another."""
    plan, at = Plan(cell, pairs), 0
    for loads in plan:
        kept = settled(plan, loads, [_by_itself(one) for one in records[at : at + len(loads)]])
        for load, one in zip_longest(loads, kept):
            yield load, one is not None and one["reject_reason"] == PAIR_REPEATED
        at += len(loads)


def _by_itself(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """A record as it is without the other load of its pair."""
    replaced = record["reject_reason"] == PAIR_REPEATED
    return {**record, "accepted": True, "reject_reason": None} if replaced else record


def _over_time(record: Mapping[str, Any], records: Sequence[Mapping[str, Any]], told: Sequence[_Told]) -> Iterator[str]:
    """Loads follow each other, within the time of their cell."""
    moments = [one.started_at.timestamp() for one in told]
    for place, (one, before, now) in enumerate(zip(records, moments, moments[1:], strict=False)):
        took_ms = main_metric(one["metrics"]) or 0.0
        if (now - before) * 1e3 < took_ms - ROUNDING:
            yield f"sample {place + 1} began before sample {place} was over"
            break
    began, ended = (record.get(key) for key in ("started_at", "ended_at"))
    if moments and began and not unix_s(began) <= moments[0]:
        yield f"its first load began before the cell did ({began})"
    if moments and ended and not moments[-1] <= unix_s(ended):
        yield f"its last load began after the cell had ended ({ended})"


def _stamps(records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for one, following in zip_longest(records, records[1:]):
        if _by_itself(one)["accepted"] and (wrong := parts.stamped(one, following)) is not None:
            yield f"sample {one['order']} ({one['arm']} {one['index']}): {wrong}"
            return


def _complete(cell: Cell, record: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    counted = [one["arm"] for one in records if one["accepted"] and not one["set_aside"]]
    complete = all(counted.count(name) >= cell.loads for name in cell.arm_names)
    if record.get("complete", complete) != complete:
        yield f"{CELL_NAME} says complete = {record['complete']}; its samples say {complete}"


class _Judge:
    """Judges the loads of one arm again, in their order."""

    def __init__(self, cell: Cell, arm: Arm, old: bool):
        """`old`: its oracle may not yet have known that loss can take the early data of a load (0-RTT)."""
        self.arm, self.old, self.link = arm, old, cell.link
        self._spare = spare_connections(arm.protocol, cell.link.slowest_ms)
        self.total_bytes = cell.workload.total_bytes
        self._floor = floor(cell, arm)
        self._within = tolerated_in(cell)
        self._known: set[str] = set()
        self._looked_at = cell.workload.kind in LOOKED_AT
        self._files = {path: SiteFile(size, "", "") for path, size in sizes(cell.workload).items()}
        self._protocol = spoken(arm.stack, arm.protocol, arm.client)

    def recheck(self, record: Mapping[str, Any], told: _Told, seen: Observation | None) -> Iterator[str]:
        """What is wrong with one record; `seen`: what its artefact says."""
        record = _by_itself(record)
        if seen is None:
            if record["accepted"] or record["reject_reason"] != "load_failed":
                yield "it keeps nothing that its numbers and its verdict could be read from"
            return
        yield from _metrics(record["metrics"], seen, told)
        if list(seen.protocols) != told.protocols_seen:
            yield f"protocols_seen is {told.protocols_seen}, its artefact says {list(seen.protocols)}"
        if (
            record.get("zero_rtt") is None
            and not self._unseen(told, seen)
            and list(seen.connections) != told.connections
        ):
            yield f"connections are {told.connections}, its artefact says {list(seen.connections)}"
        yield from self._verdict(record, told, seen)
        if self.arm.learns and record["index"] == 0 and (pages := record.get("discovery") or [[]])[0] != [BEFORE]:
            yield f"its browser's first file came over {pages[0]}, not {BEFORE} alone: it was told of HTTP/3 before"
        if record.get("resumed") != record.get("zero_rtt"):
            yield f"resumed is {record.get('resumed')}, zero_rtt {record.get('zero_rtt')}: of one answer of the server"
        yield from parts.phases(record["artefact"])
        if record["accepted"]:
            yield from parts.times(self.arm, self.link, record["index"], self.total_bytes, record["metrics"])
            if seen.session is not None:
                yield from parts.film(record["artefact"])
        if not self.arm.may_send_early and record.get("zero_rtt") is not None:
            yield f"zero_rtt is {record['zero_rtt']}: this arm of TCP has none"
        least = self.total_bytes if seen.session is None else sum(one.size_bytes for one in seen.objects)
        if record["accepted"] and (out := _delivered(told)) is not None and out < least:
            yield f"the link delivered {out:.0f} bytes to the client, its objects alone have {least}"

    def _verdict(self, record: Mapping[str, Any], told: _Told, seen: Observation) -> Iterator[str]:
        yield from self._controller(told)
        reason, said = record["reject_reason"], {self._judge(record, told, seen, told.link)}
        if self.old and reason == "zero_rtt_rejected":
            said.add(self._judge(record, told, seen, {}))
        self._known.update(told.connections)
        if reason in NOT_KEPT and not (reason == "cca" and told.controller is not None):
            return
        disturbed = self._disturbed(record["metrics"], told)
        if told.disturbed not in disturbed:
            yield f"`disturbed` = {told.disturbed}; its stalls, CPU and link counters say {not told.disturbed}"
        wanted = {(one.reason or ("disturbed" if told.disturbed else None)) for one in said}
        if reason not in wanted:
            detail = next((one.detail for one in said if one.detail), None) or "what is kept of it is as it should be"
            given = "accepted" if reason is None else f"rejected ({reason})"
            right = " or ".join(one or "accepted" for one in sorted(wanted, key=str))
            yield f"it is {given}; judged again it is {right}: {detail}"

    def _judge(self, record: Mapping[str, Any], told: _Told, seen: Observation, link: Mapping) -> Verdict:
        early, protocol = record.get("zero_rtt"), self._protocol or seen.protocols[0]
        reorders, looked_at = self.link.reorders, self._looked_at
        wanted = expectation(self.arm, record["index"], self._files, protocol, self.link.rtt_ms, reorders, looked_at)
        opened = dict.fromkeys(told.connections, bool(early)) if early is not None or self._unseen(told, seen) else None
        lost = packets_lost(link)
        known = frozenset(self._known)
        plain = replace(seen, objects=tuple(replace(one, sha256=None) if one.sha256 else one for one in seen.objects))
        cca = self.arm.cca if told.controller is None else told.controller.cca
        over_link, server = self._opened(told), SERVERS.get(self.arm.server)
        options = None if server is None else in_force(cca, server.cca_source, over_link, self.arm).options
        flows = [one.model_dump() for one in told.cross_traffic]
        evidence = Evidence(known, opened, cca, lost, over_link, options, cross_traffic=flows)
        wanted = replace(wanted, crossed=Crossed.of(self.link))
        if told.hosts is not None:
            tcp = [one.model_dump() for one in told.tcp]
            evidence = replace(evidence, link=told.link, hosts=told.hosts, tcp=tcp)
            wanted = replace(wanted, floor=self._floor, ecn=bool(self.link.ecn))
        return judge(plain, wanted, evidence)

    def _controller(self, told: _Told) -> Iterator[str]:
        """What a record says of its connection's controller against where it can come from: the server's default is the
        arm's (dataset/checks/cell.py), and the client's hello may change it."""
        said, server = told.controller, SERVERS.get(self.arm.server)
        if said is None or server is None:
            return
        right = in_force(self.arm.cca, server.cca_source, self._opened(told), self.arm)
        if said.evidence != right.evidence:
            yield f"its controller is known by {said.evidence!r}, that of {self.arm.server} is by {right.evidence!r}"
        elif said.evidence in DERIVED and said.cca != right.cca:
            yield f"its controller is {said.cca}, and {right.cca} by what its client asked for"

    def _unseen(self, told: _Told, seen: Observation) -> bool:
        """The server, which tells its connections, told none of this load's in time; the client had one."""
        return self.arm.may_send_early and not told.connections and bool(seen.connections)

    def _opened(self, told: _Told) -> OpenedConnections | None:
        """What the link saw being opened, where it looks."""
        seen = told.opened_over_link
        if seen is None:
            return None
        later = {name: getattr(seen, name) for name in LATER}
        asked = None if seen.asked is None else tuple(map(tuple, seen.asked))
        return OpenedConnections(seen.opened, seen.handshake_lost, seen.others, self._spare, asked, **later)

    def _disturbed(self, metrics: Mapping[str, float], told: _Told) -> set[bool]:
        """Whether the machine spoiled a load; both where that depends on how long it took besides what its metrics
        tell: the longer, the less of it was spent waiting, and from `LONG_MS` on a busy machine counts."""
        took_ms = main_metric(metrics)
        if took_ms is None:
            return {True, False}
        waited = waited_s(self.arm, told.cpu.model_dump())
        cpu, link, step_s = told.cpu.machine_busy, told.link, told.clock_step_s
        within = None if told.rule == 1 else self._within
        return {
            disturbance(took_ms, told.stalls_ms, cpu, duration_ms, link, told.stopped_s, waited, step_s, within)
            is not None
            for duration_ms in (took_ms, max(took_ms, math.nextafter(LONG_MS, 0)), math.inf)
        }


def _print(seen: Observation) -> int:
    """Of a load: its times, which are kept to the microsecond."""
    took = (round(one.ended_ms - one.started_ms, 3) for one in seen.objects)
    return hash((*sorted(seen.metrics.items()), seen.connect_ms, *took))


@cache
def spoken(stack: str, protocol: Protocol, client: str) -> str | None:
    """What a stack's client calls its protocol; None of a stack that is not known here."""
    try:
        spec = load_stack(stack).spec
    except LonglookError:
        return None
    version = getattr(spec, protocol).version
    dialect = spec.dialects.get(client, {}).get(protocol, {}).get(version)
    return None if dialect is None else dialect.har_protocol


def _metrics(metrics: Mapping[str, float], seen: Observation, told: _Told) -> Iterator[str]:
    """Each number against what it was read from."""
    right = dict(seen.metrics) | cpu_metrics(told.cpu.model_dump())
    for name in dict.fromkeys((*metrics, *right)):
        given, computed = metrics.get(name), right.get(name)
        if given is None or computed is None or abs(given - computed) > ROUNDING:
            right_text = "nothing" if computed is None else f"{computed:.3f}"
            yield f"{name} is {given}, what it was read from says {right_text}"
    if seen.objects and "on_load_ms" in seen.metrics and not told.clock_step_s:  # browsers stamp by the wall clock
        last = max(one.ended_ms for one in seen.objects)
        if last > seen.metrics["on_load_ms"] + LATE_MS:
            yield f"its last object ended at {last:.0f} ms, after onLoad ({seen.metrics['on_load_ms']:.0f} ms)"


def _delivered(told: _Told) -> float | None:
    """Bytes that the link sent to the client; None where it does not count them."""
    return told.link.get("server_to_client", {}).get("bytes_out")
