"""The conditions of a cell and of an arm as columns: what the tables have, and what criteria select by. No I/O."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from longlook.plan.arm import Arm
from longlook.plan.cell import Cell
from longlook.plan.link import CORRELATED, CROSS, GEMODEL, NETEM
from longlook.plan.naming import SERVER_DIGITS
from longlook.plan.trace import RATES

MANAGED = ("queue_discipline", "ecn")
BESIDE = ("upload_mbps", "loss_direction", *RATES, *MANAGED, *CROSS)
"""What one direction alone has, traces, how queues manage themselves, and cross traffic; in the tables beside netem's
parameters."""
WORDS = ("loss_direction", "queue_discipline", "cross_cca", "cross_protocol", *RATES)
"""Those that are no numbers."""
Row = Mapping[str, Any]
"""One arm under one condition, by column; None where a condition is not stated."""
PLACE = (
    "series", "label", "experiment", "mode", "control", "replicate", "workload", "workload_kind", "object_bytes",
    "object_count", "total_bytes", "bandwidth_mbps", "rtt_ms", "upload_mbps", *RATES, "loss_pct",
    "loss_each_way_pct", "loss_direction", "jitter_ms", "jitter_interval_ms", "queue_bytes", "queue_packets",
    "burst_bytes", *MANAGED, *CROSS, *NETEM, "duration_s", "at_most_s",
)  # fmt: skip
"""Columns of a cell."""
ARM = ("arm", "arm_label", *(name for name in Arm.model_fields if name not in ("name", "server_file")))
"""Columns of an arm."""
_PAGE = ("workload", "workload_kind", "object_bytes", "object_count", "total_bytes")
_QUEUE = ("queue_bytes", "queue_packets")
_LOSS = ("loss_pct", "loss_each_way_pct", "loss_direction")
_FOLLOW = (
    (_PAGE, (*_PAGE, *_QUEUE)),
    (("bandwidth_mbps", "rtt_ms", "upload_mbps"), _QUEUE),
    (tuple(RATES), (*RATES, *RATES.values(), *_QUEUE)),
    (_QUEUE, _QUEUE),
    (MANAGED, (*MANAGED, *_QUEUE)),
    (CROSS, CROSS),
    (_LOSS, _LOSS),
    (GEMODEL, GEMODEL),
    *((pair, pair) for pair in CORRELATED.items()),
)
"""Columns, and what changes with any of them: a queue follows from what has to fit into it."""


def conditions(cell: Cell) -> dict[str, Any]:
    """What defines a cell, but for its arms; `netem` has what is stated of `BESIDE` and netem's parameters."""
    work, link = cell.workload, cell.link
    stated = {name: value for name in (*BESIDE, *NETEM) if (value := getattr(link, name)) is not None}
    return {
        "key": cell.key,
        "experiment": cell.experiment,
        "mode": cell.mode,
        "control": cell.control,
        "replicate": cell.replicate,
        "workload": work.id_part,
        "workload_kind": work.kind,
        "object_bytes": work.object_bytes,
        "object_count": work.object_count,
        "total_bytes": work.total_bytes,
        **{name: value for name, value in link.conditions().items() if name not in (*BESIDE, *NETEM)},
        "queue_packets": link.queue_limit_packets,
        "burst_bytes": link.burst_bytes,
        "netem": " ".join(f"{k}={format(v, 'g') if isinstance(v, float) else v}" for k, v in stated.items()) or None,
        "duration_s": cell.duration_s,
        "at_most_s": cell.at_most_s,
    }


def arm_conditions(arm: Arm) -> dict[str, Any]:
    """What defines an arm, with its name."""
    own = arm.model_dump(mode="json")
    del own["name"]
    own.setdefault("discovery", None)  # empty where nothing is learnt
    if statement := own.pop("server_file", None):
        own["server"] += f" {statement[:SERVER_DIGITS]}"
    several = {"quic_options": arm.quic_options, "client_groups": arm.client_groups, "server_groups": arm.server_groups}
    return (
        {"arm": arm.name, "arm_label": arm.label}
        | own
        | {name: "+".join(values) or None for name, values in several.items()}
    )


def rows_of(cell: Cell) -> Iterator[Row]:
    """A row for each arm of a cell."""
    same = {"study": cell.study, "series": cell.series, "label": cell.label or None, "cell_id": cell.id}
    same |= conditions(cell)
    for arm in cell.arms:
        yield spelled(same | arm_conditions(arm))


def spelled(row: Mapping[str, Any]) -> Row:
    """A row of a table with a column for each of netem's parameters, and None where it has NaN."""
    found: dict[str, Any] = {name: None if value != value else value for name, value in row.items()}
    found |= dict.fromkeys((*BESIDE, *NETEM))
    for stated in (found.get("netem") or "").split():
        name, _, value = stated.partition("=")
        if name == "ecn":
            found[name] = True
        else:
            found[name] = value if name in WORDS else float(value)
    return found | {"loss_each_way_pct": found["loss_pct"] / 2}


def changed_with(columns: Iterable[str]) -> set[str]:
    """These columns, and those that change with one of them."""
    found = set(columns)
    return found.union(*(follow for leading, follow in _FOLLOW if found.intersection(leading)))
