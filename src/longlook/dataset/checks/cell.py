"""One finished cell, but for its samples: what it was, when, and in which environment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from longlook.dataset.checks.calibration import calibration_problems
from longlook.errors import LonglookError
from longlook.experiment import ecn, requestcost
from longlook.experiment.environment import APPARATUS, FIRST_APPARATUS
from longlook.experiment.recheck_parts import content, versions
from longlook.experiment.schedule import INDEX_TOGETHER, schedule
from longlook.plan.cell import Cell
from longlook.record import moments
from longlook.record.campaign import CELL_NAME, ENVIRONMENT_NAME, Campaign
from longlook.record.durable import read_json


def cell_problems(campaign: Campaign, planned: Cell, folder: Path) -> Iterator[str]:
    """`planned`: the cell as its campaign's sweep has it."""
    record, environment = read_json(folder / CELL_NAME), read_json(folder / ENVIRONMENT_NAME)
    if (claim := (record.get("campaign"), record.get("cell_id"))) != (campaign.id, planned.id):
        yield f"{CELL_NAME} is of campaign {str(claim[0])[:80]}, cell {str(claim[1])[:80]}"
        return
    if (cell := campaign.cell_in(folder)) != planned:
        yield f"its conditions are not those of its sweep: {_difference(cell, planned)}"
        return
    try:
        yield from _times(campaign, record)
        yield from _schedule(planned, record)
        yield from _environment(campaign, planned, environment)
        yield from _request_costs(planned, record)
        yield from content(planned.arms, record)
        yield from versions(planned.arms, environment)
        yield from calibration_problems(planned.link, environment.get("calibration"))
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise LonglookError(f"{CELL_NAME} or {ENVIRONMENT_NAME} cannot be read: {error!r}"[:300]) from None


def _difference(cell: Cell, planned: Cell) -> str:
    """The first field that differs."""
    one, other = cell.model_dump(), planned.model_dump()
    name = next(name for name in one if one[name] != other[name])
    return f"{name} is {str(one[name])[:120]}, not {str(other[name])[:120]}"


def _times(campaign: Campaign, record: Mapping[str, Any]) -> Iterator[str]:
    created, sealed = (campaign.info[key] for key in ("created", "sealed"))
    if not moments.in_order(campaign.info, record):
        yield (
            f"it was measured from {record['started_at']} to {record['ended_at']}; its campaign began {created}, "
            f"sealed {sealed or 'never'}"
        )


def _schedule(cell: Cell, record: Mapping[str, Any]) -> Iterator[str]:
    """The order of its samples follows from its seed."""
    given = record.get("schedule")
    if given is None and cell.mode == "together":  # before there were arms
        return
    drawn = schedule(cell) if cell.mode == "interleaved" else [(name, INDEX_TOGETHER) for name in cell.arm_names]
    if [tuple(one) for one in given or ()] != drawn:
        yield "its schedule is not the one that its seed draws"


def _environment(campaign: Campaign, cell: Cell, environment: Mapping[str, Any]) -> Iterator[str]:
    stacks = environment.get("stacks") or {environment["stack"]: {"digest": environment["stack_digest"]}}
    digests = {name: one["digest"] for name, one in stacks.items()}
    if digests != (right := {name: campaign.stack_digests[name] for name in cell.stacks}):
        yield f"it was measured with {_digests(digests)}, its campaign with {_digests(right)}"
    if (apparatus := environment.get("apparatus", FIRST_APPARATUS)) not in (FIRST_APPARATUS, APPARATUS):
        yield f"its apparatus is {str(apparatus)[:20]}, which this version does not know"
    said = environment["cca"]
    for arm in cell.arms:  # the first records name protocols, since all arms of one had the same controller
        if (found := said.get(arm.name, said.get(arm.protocol))) != arm.cca:
            yield f"arm {arm.name}: the controller in force was {found}, {arm.cca} asked for"
    for role in ecn.ENDS if cell.link.ecn else ():
        if (found := environment["sysctls"][role].get(ecn.SYSCTL)) != ecn.ON:
            yield f"the {role}'s {ecn.SYSCTL} was {found}, and its link asks for ECN"
    yield from _link(cell, environment.get("link_configuration"))


def _request_costs(cell: Cell, record: Mapping[str, Any]) -> Iterator[str]:
    """What each arm's requests were to cost its server, and sends its client, and what they did."""
    said = record.get("request_us") or {}
    for arm in cell.arms:
        if (problem := requestcost.wrong(arm, said.get(arm.name))) is not None:
            yield f"arm {arm.name}: {problem}"
        if (problem := requestcost.wrong_sends(arm, (record.get("sends") or {}).get(arm.name))) is not None:
            yield f"arm {arm.name}: {problem}"


def _link(cell: Cell, configured: Any) -> Iterator[str]:
    """What each direction was set to, as far as the driver says it in these words; a queue's limit of 0 is none, and
    `loss` is a share."""
    link = cell.link
    right = {
        "delay_ms": link.rtt_ms / 2,
        "queue_packets": link.queue_limit_packets or 0,
        "seed": cell.seed,
    }
    for direction, own in (configured or {}).items():
        if isinstance(own, Mapping) and own.get("burst_bytes") != link.burst_bytes:
            said = own.get("burst_bytes")
            yield f"the link's {direction} was set to burst_bytes = {said}, the cell asks for {link.burst_bytes}"
        one, lost_pct = link.one_way(direction), link.loss_pct_of(direction)
        stated = {"sha256": one.trace.sha256, "offset_ms": link.trace_offset_ms(cell.seed)} if one.trace else {}
        told = (own.get("trace") if isinstance(own, Mapping) else None) or {}
        if {key: told.get(key) for key in stated or told} != stated:
            yield f"the link's {direction} was set to the trace {told or 'none'}, the cell asks for {stated or 'none'}"
        queued = (own.get("queue_discipline") if isinstance(own, Mapping) else None) or {}
        managed = (queued.get("kind"), queued.get("ecn") or None)
        if managed != (link.queue_discipline, link.ecn):
            asked = "the cell asks for another"
            yield f"the link's {direction} was set to the queue discipline {queued or 'none'}, {asked}"
        rate = {"bandwidth_mbps": one.bandwidth_mbps, "queue_bytes": one.effective_queue_bytes or 0}
        for key, value in (rate | right | {"loss_pct": lost_pct, "loss": lost_pct / 100}).items():
            if isinstance(own, Mapping) and key in own and own[key] != value:
                yield f"the link's {direction} was set to {key} = {own[key]}, the cell asks for {value}"


def _digests(found: Mapping[str, str]) -> str:
    return ", ".join(f"{name} ({digest[:12]})" for name, digest in found.items())
