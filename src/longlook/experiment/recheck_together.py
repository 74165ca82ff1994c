"""The same for arms that ran together: rates and counts against the throughput and the timeline that the cell keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longlook.experiment.in_force import SWITCHES
from longlook.experiment.reading import THROUGHPUT, TIMELINE, TRACES, records_together, table, traces, with_extremes
from longlook.experiment.recheck import Recheck, strangers
from longlook.experiment.recheck_timeline import contradictions, traced
from longlook.experiment.schedule import ATTEMPTS_TOGETHER, INDEX_TOGETHER
from longlook.experiment.verdict import MOST_STALLED
from longlook.plan.cell import Cell
from longlook.probe.throughput import BIN_S, mean_mbps
from longlook.record.campaign import CELL_NAME
from longlook.record.durable import read_json
from longlook.record.samples import Sample, sample_of
from longlook.server import SERVERS

if TYPE_CHECKING:
    import pandas as pd

MOST_OF_LINK = 1.05
"""All flows together, of the link's rate; calibration allows 3 %, and what waited in the queue comes on top."""
LAST_S = {"download": 0.06, "other": 0.25}
"""Between the end of a flow and the last that was seen of it: files came to 0.05 s, pages, which a browser works at
afterwards, to 0.16 (249 flows)."""
FINISH_S = 1.0
"""Between the last frame of a flow and what its client took for the end."""


def recheck_together(cell: Cell, folder: Path) -> Recheck:
    """Of a cell whose arms ran at once: its samples, and the numbers of the last attempt."""
    records = records_together(folder)
    samples = [sample_of(one) for one in records]
    found = Recheck([*strangers(cell, folder, records)] or list(_walk(cell, samples)))
    if found.problems:
        return found
    record = read_json(folder / CELL_NAME)
    accepted = samples[-1].accepted
    if record.get("complete", accepted) != accepted:
        found.problems.append(f"{CELL_NAME} says complete = {record['complete']}; its samples say {accepted}")
    bins, lines = table(folder / THROUGHPUT), table(folder / TIMELINE)
    found.samples = with_extremes(samples, lines)
    strange = sorted((set(bins["flow"]) | set(lines["flow"])) - set(cell.arm_names))
    lacking = sorted(set(cell.arm_names) - set(bins["flow"]))
    if strange or lacking:
        found.problems.append(
            f"{THROUGHPUT}, {TIMELINE}: flows {strange} are none of the cell's, {lacking} are missing"
        )
        return found
    last = [one for one in samples if one.attempt == samples[-1].attempt]
    found.problems += _numbers(cell, last, bins, lines)
    found.problems += [*_stalled(records, bins), *_controllers(cell, records)]
    if accepted:
        found.problems += contradictions(cell, lines, bins)
        if (folder / TRACES).exists():
            found.problems += traced(cell, traces(folder), lines, bins)
    found.prints = [one for name in cell.arm_names if (one := _print(lines[lines["flow"] == name])) is not None]
    return found


def _walk(cell: Cell, samples: Sequence[Sample]) -> Iterator[str]:
    """Attempts follow each other, each with a sample of every arm, until one is accepted."""
    arms = cell.arm_names
    if len(samples) % len(arms) or not samples:
        yield f"{len(samples)} samples of {len(arms)} arms: a sample is missing, added or there twice"
        return
    first = samples[0].attempt
    for place, one in enumerate(samples):
        wanted = (arms[place % len(arms)], INDEX_TOGETHER, first + place // len(arms))
        if (one.arm, one.index, one.attempt) != wanted or one.set_aside:
            given = (one.arm, one.index, one.attempt)
            yield f"sample {place} should be {wanted} (arm, index, attempt) and is {given}"
            return
        if one.order not in (place, one.attempt * len(arms) + place % len(arms)) or one.zero_rtt is not None:
            yield f"sample {place} has order {one.order} and zero_rtt {one.zero_rtt}: another place, or early data"
            return
        if one.accepted and one.disturbed:
            yield f"sample {place} is accepted, and says `disturbed`"
            return
        if one.accepted and one.attempt != samples[-1].attempt:
            yield f"attempt {one.attempt} was accepted and followed by another"
            return
    verdicts = {(one.attempt, one.accepted, one.reject_reason) for one in samples}
    if len(verdicts) != len({one.attempt for one in samples}):
        yield "what is wrong with one flow is wrong with all: the verdicts of an attempt differ"
    if samples[-1].attempt >= ATTEMPTS_TOGETHER:
        yield f"attempt {samples[-1].attempt}: there are at most {ATTEMPTS_TOGETHER}"


def _numbers(cell: Cell, samples: Sequence[Sample], bins: pd.DataFrame, lines: pd.DataFrame) -> Iterator[str]:
    rates = mean_mbps(bins, cell.arm_names)
    span_s = bins["time_s"].nunique() * BIN_S
    for one in samples:
        yield from _against(one, "mean_mbps", rates[one.arm], THROUGHPUT)
        yield from _ordered(cell, one, span_s)
        own = lines[lines["flow"] == one.arm]
        for name in ("lost", "spurious"):
            seen = own[name].dropna()
            yield from _against(one, name, float(seen.max()) if len(seen) else None, TIMELINE)
        yield from _finish(cell, one, bins[bins["flow"] == one.arm], span_s)
        yield from _last(cell, one, own, span_s)
    total = sum(rates.values())
    if total > MOST_OF_LINK * cell.link.bandwidth_mbps and cell.link.trace is None:  # which has faster parts
        yield f"{total:.2f} Mbit/s in all, over a link of {cell.link.bandwidth_mbps:g} Mbit/s"
    if cell.duration_s is not None and samples[0].accepted and abs(span_s - cell.duration_s) > 2 * BIN_S:
        yield f"{THROUGHPUT} spans {span_s:g} s of a transfer of {cell.duration_s:g} s"


def _stalled(records: Sequence[Mapping[str, Any]], bins: pd.DataFrame) -> Iterator[str]:
    """Of the last attempt, where its stalls are kept."""
    stalls, span_s = records[-1].get("stalls_ms") or [], bins["time_s"].nunique() * BIN_S
    if not isinstance(stalls, list) or not all(isinstance(one, int | float) for one in stalls):
        yield "stalls_ms are no list of numbers"
    elif records[-1]["accepted"] and sum(stalls) > MOST_STALLED * (span_s + BIN_S) * 1e3:
        yield f"it is accepted, and the machine stalled for {sum(stalls):.0f} ms of {span_s:g} s"
    if records[-1]["accepted"] and records[-1].get("clock_step_s"):
        yield "it is accepted, and the wall clock was set meanwhile, by which its captures go"
    if records[-1]["accepted"] and records[-1].get("stopped_s"):
        yield f"it is accepted, and programs were stopped: {', '.join(records[-1]['stopped_s'])}"


def _controllers(cell: Cell, records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Of each connection, where that is kept: from where its server knows it, and of an accepted one the arm's."""
    for one in records:
        arm, said = cell.arm(one["arm"]), one.get("controller")
        if said is None or arm.server not in SERVERS:
            continue
        known = {SERVERS[arm.server].cca_source, *([SWITCHES] if SERVERS[arm.server].cca_source == "hello" else [])}
        if not isinstance(said, Mapping) or said.get("evidence") not in known:
            yield f"{arm.name}: its controller is known by {said!r:.80}, that of {arm.server} by {' or '.join(known)}"
        elif one["accepted"] and said.get("cca") != arm.cca:
            yield f"{arm.name}: it is accepted, and its connection's controller was {said.get('cca')!r:.40}"


def _ordered(cell: Cell, one: Sample, span_s: float) -> Iterator[str]:
    """Numbers of one flow that bound each other."""
    median, longest, spurious, lost, connect = (
        one.metrics.get(name) or 0.0
        for name in ("response_ms_median", "response_ms_max", "spurious", "lost", "connect_ms")
    )
    if not one.accepted:
        return
    if not median <= longest <= (span_s + FINISH_S) * 1e3:
        yield f"{one.arm}: its server answered after {median} ms (median), {longest} ms at most, within {span_s:g} s"
    if spurious > lost:
        yield f"{one.arm}: {spurious:g} of {lost:g} packets were declared lost in vain"
    if connect and not 0.98 * (cell.link.rtt_ms - cell.link.swing_ms) <= connect <= (span_s + FINISH_S) * 1e3:
        yield f"{one.arm}: it connected within {connect} ms, over a link of {cell.link.rtt_ms:g} ms"


def _against(one: Sample, name: str, right: float | None, where: str) -> Iterator[str]:
    given = one.metrics.get(name)
    if given is None and right is None:
        return
    if given is None or right is None or abs(given - right) > 1e-9 * max(1.0, abs(right)):
        yield f"{one.arm}: {name} is {given}, {where} says {right}"


def _finish(cell: Cell, one: Sample, bins: pd.DataFrame, span_s: float) -> Iterator[str]:
    """A flow that ended did so with its last frames; what was sent in vain may still have waited in the queue."""
    given = one.metrics.get("finished_s")
    if given is None:
        if one.accepted and cell.duration_s is None and cell.at_most_s is None:
            yield f"{one.arm}: accepted, and it does not say when all was loaded"
        return
    filled = bins[bins["bytes"] > 0]["time_s"]
    last_s = float(filled.max()) + BIN_S if len(filled) else 0.0
    in_time = given - FINISH_S <= last_s <= given + FINISH_S + cell.link.drain_s
    if given > span_s + FINISH_S or (one.accepted and not in_time):
        yield f"{one.arm}: finished_s is {given}, its last frames came before {last_s:g} s"


def _last(cell: Cell, one: Sample, own: pd.DataFrame, span_s: float) -> Iterator[str]:
    """A flow that ended did so with the last that any of its sources saw of it, and all of that within the transfer."""
    given, last_s = one.metrics.get("finished_s"), own["time_s"].max()
    most_s = LAST_S["download" if cell.workload.kind == "download" and given is not None else "other"]
    wanted_s = last_s if given is None else given
    if one.accepted and (abs(wanted_s - last_s) > most_s or last_s > span_s + LAST_S["other"]):
        said = f"finished_s is {given}, {THROUGHPUT} spans {span_s:g} s"
        yield f"{one.arm}: {said}, its {TIMELINE} ends at {last_s:.3f} s"


def _print(lines: pd.DataFrame) -> int | None:
    """What no other transfer has: the points of a flow's timeline, to the microsecond."""
    if len(lines) < 10:
        return None
    return hash(tuple(lines["time_s"]) + tuple(lines["bytes_in_flight"].fillna(-1)))
