"""Records of campaigns that were sealed before there were arms, as today's.

FROZEN: what it makes of them never changes. Such a record (`longlook.cell/1`, `longlook.run/1`, `longlook.transfer/1`,
`longlook.campaign/1`) holds two arms called by their protocols, or flows, of the thesis's figures. Cells keep their ids
and seeds. Nothing on the disk is rewritten.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

from longlook.errors import LonglookError
from longlook.plan.cell import Cell
from longlook.plan.sweep import MOST_CELLS
from longlook.plan.value import PlanError, derived_seed

RUNS_NAME = "runs.jsonl.zst"
STUDY = "muthuraj2024"
CELL_SCHEMAS = ("longlook.cell/1", "longlook.transfer/1")
LISTS = ("workloads", "bandwidth_mbps", "rtt_ms", "loss_pct", "jitter_ms", "replicates", "scenarios")
"""Of a block of an old sweep: its cells are their product."""
RUN_SCHEMA = "longlook.run/1"
UNREADABLE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""What a record that is not what it says makes this raise."""
SERVERS = {
    "quicv1": {"quic": "envoy", "tcp": "apache"},
    "gquic37": {"quic": "gquicd", "tcp": "apache"},
    "gquic37nix": {"quic": "gquicd", "tcp": "apache"},
}
"""What served each protocol of a stack then; the client was Chromium."""
METRICS = ("plt_ms", "on_load_ms", "on_content_load_ms", "dns_ms")
FLOW_METRICS = ("mean_mbps", "finished_s", "lost", "spurious", "response_ms_median", "response_ms_max")
KEPT = (
    "campaign", "cell_id", "arm", "attempt", "order", "started_at", "accepted", "reject_reason", "reject_detail",
    "zero_rtt", "resumed", "protocols_seen", "stalls_ms", "cpu", "link",
)  # fmt: skip


def is_old(record: Mapping[str, Any]) -> bool:
    """Whether a cell's record is of before there were arms."""
    return record.get("schema") in CELL_SCHEMAS


def cell_of(record: Mapping[str, Any], experiment: str) -> Cell:
    """The cell of an old `cell.json`; `experiment` is its campaign's."""
    cell = record.get("cell")
    if not isinstance(cell, Mapping):
        raise LonglookError(f"cell {record.get('cell_id')!r}: its record describes no cell")
    try:
        return Cell.parse(_transfer(cell) if "flows" in cell else _pages(cell)).model_copy(
            update={"experiment": experiment, "id": str(record["cell_id"])}
        )
    except LonglookError:
        raise
    except UNREADABLE as error:
        raise PlanError(f"cell {record.get('cell_id')!r}: its record cannot be read: {error!r}") from None


def planned_cells(definition: Mapping[str, Any]) -> list[Cell]:
    """Every cell of an old sweep, with its id and seed, in the order of its campaigns."""
    experiment = definition.get("experiment", "plt")
    found = []
    try:
        for block in (*definition.get("grid", ()), *definition.get("transfers", ())):
            for plain in _of_block(block, definition):
                cell = Cell.parse(
                    (_transfer(plain) if "flows" in plain else _pages(plain)) | {"experiment": experiment}
                )
                found.append(cell.model_copy(update={"seed": derived_seed(definition["seed"], cell.id)}))
    except LonglookError:
        raise
    except UNREADABLE as error:
        raise PlanError(f"an old sweep's definition cannot be read: {error!r}") from None
    return found


def _of_block(block: Mapping[str, Any], sweep: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Its cells as an old `cell.json` has them; of transfers the replicates are outermost, of page loads innermost."""
    same = {key: value for key, value in block.items() if key not in LISTS}
    same |= {"stack": block.get("stack") or sweep["stack"], "loads": sweep["loads"], "seed": 1}
    sizes = [len(block[name]) for name in LISTS if name in block and name != "replicates"]
    if (number := math.prod(sizes) * int(block.get("replicates", 1))) > MOST_CELLS:
        raise PlanError(f"{number} cells, at most {MOST_CELLS}")
    repeats = range(block.get("replicates", 1))
    links = [
        {"rtt_ms": rtt, "loss_pct": loss, "jitter_ms": jitter, "bandwidth_mbps": bandwidth}
        | {key: block[key] for key in ("jitter_interval_ms", "queue_bytes") if block.get(key) is not None}
        for rtt, loss, jitter, bandwidth in itertools.product(
            block["rtt_ms"], block.get("loss_pct", [0.0]), block.get("jitter_ms", [0.0]), block["bandwidth_mbps"]
        )
    ]
    if "scenarios" not in block:
        for link, workload, replicate in itertools.product(links, block["workloads"], repeats):
            yield same | {"link": link, "workload": workload, "replicate": replicate}
        return
    for replicate, link, workload, scenario in itertools.product(
        repeats, links, block["workloads"], block["scenarios"]
    ):
        own = {"scenario": scenario["name"], "flows": scenario["flows"]}
        yield same | own | {"link": link, "workload": workload, "replicate": replicate}


def _pages(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Page loads of two protocols, or of one against itself."""
    handshakes = cell.get("handshakes", ("0rtt", "0rtt"))
    arms = []
    for protocol, handshake in zip(cell.get("protocols", ("quic", "tcp")), handshakes, strict=True):
        arm = _arm(cell["stack"], protocol, cell.get("cca", "cubic"), cell.get("emulated_connections", 2))
        if protocol == "quic":
            arm |= {"handshake": handshake, "quic_options": cell.get("quic_options", ())}
            arm["server_cpu_pct"] = cell.get("quic_server_cpu_pct")
        else:
            arm["initial_window"] = cell.get("tcp_initial_window")
        arms.append(arm | {"client_cpu_pct": cell.get("client_cpu_pct")})
    return _common(cell) | {
        "experiment": "plt",
        "mode": "interleaved",
        "arms": arms,
        "control": arms[0] == arms[1],
        "loads": cell["loads"],
    }


def _transfer(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Flows that started together."""
    arms = []
    for flow in cell["flows"]:
        arm = _arm(cell["stack"], flow["protocol"], flow.get("cca", "cubic"), flow.get("emulated_connections", 2))
        if flow["protocol"] == "quic":
            arm["quic_options"] = flow.get("quic_options", ())
        arms.append(arm | {"paced": flow.get("paced", False)})
    return _common(cell) | {
        "experiment": "transfer",
        "mode": "together",
        "label": cell["scenario"],
        "arms": arms,
        "duration_s": cell.get("duration_s"),
        "at_most_s": cell.get("at_most_s"),
        "loads": 1,
    }


def _common(cell: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "study": STUDY,
        "series": cell["figure"],
        "workload": cell["workload"],
        "link": cell["link"],
        "replicate": cell.get("replicate", 0),
        "seed": cell["seed"],
    }


def _arm(stack: str, protocol: str, cca: str, emulated: int) -> dict[str, Any]:
    if stack not in SERVERS:
        raise PlanError(f"no campaign of before there were arms used stack {stack!r}")
    return {
        "stack": stack,
        "protocol": protocol,
        "server": SERVERS[stack][protocol],
        "client": "chromium",
        "cca": cca,
        "emulated_connections": emulated if protocol == "quic" and cca == "cubic" else None,
    }


def sample_record(record: dict[str, Any], where: str) -> dict[str, Any]:
    """An old load as a sample; a record of today as it is."""
    if record.get("schema") != RUN_SCHEMA:
        return record
    lacking = [key for key in ("arm", "load_index", "attempt", "order", "accepted", "plt_ms") if key not in record]
    if lacking:
        raise LonglookError(f"{where}: the load lacks {', '.join(lacking)}")
    cpu = record.get("cpu")
    cpu = {key: value for key, value in cpu.items() if isinstance(value, int | float)} if isinstance(cpu, dict) else {}
    own = {key: record.get(key) for key in KEPT}
    return own | {
        "schema": "longlook.sample/1",
        "index": record["load_index"],
        "set_aside": record["load_index"] == 0,
        "disturbed": bool(record.get("disturbed")),
        "metrics": {name: record.get(name) for name in METRICS if _positive(record.get(name))}
        | {f"{end}_cpu_s": max(cpu[f"{end}_s"], 0.0) for end in ("client", "server") if f"{end}_s" in cpu},
        "connections": record.get("connection_ids") or [],
        "artefact": {"kind": "har", "log": record["har"]} if record.get("har") else None,
    }


def _positive(value: Any) -> bool:
    """Browsers give -1 for a phase that did not happen."""
    return isinstance(value, int | float) and value >= 0


def flow_records(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The samples of an old transfer: one per flow."""
    found = []
    try:
        for order, (name, said) in enumerate((record.get("flows") or {}).items()):
            found.append(_flow_record(record, order, name, said))
    except UNREADABLE as error:
        raise LonglookError(f"cell {record.get('cell_id')!r}: its flows cannot be read: {error!r}") from None
    return found


def _flow_record(record: Mapping[str, Any], order: int, name: str, said: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "schema": "longlook.sample/1",
        "campaign": record["campaign"],
        "cell_id": record["cell_id"],
        "arm": name,
        "index": 1,
        "attempt": len(record.get("rejected_attempts") or []),
        "order": order,
        "accepted": record["accepted"],
        "set_aside": False,
        "reject_reason": (record["reject_reason"] or "").partition(":")[0] or None,
        "reject_detail": record["reject_reason"],
        "metrics": {key: said[key] for key in FLOW_METRICS if said.get(key) is not None},
    }
