"""What a capture beside the server told of downloads: read with their samples, and held against them.

Kept in a cell's folder; how it is made: `downloads.py`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from longlook.experiment import recheck_parts as parts
from longlook.experiment.floor import PER_FILE
from longlook.experiment.metrics import DURATION, TTLB
from longlook.experiment.recheck import Recheck, recheck_interleaved
from longlook.plan.cell import Cell
from longlook.probe.connections import COUNTED
from longlook.record.campaign import CELL_NAME
from longlook.record.columns import BYTES, MILLISECONDS, NUMBER_OF, PACKETS, TEXT
from longlook.record.durable import read_json
from longlook.record.samples import Sample, read_records, read_samples

CONNECTIONS = "connections.parquet"
"""The first campaigns of downloads have none."""
SHORT = 0.9
"""Of the time to the last byte: a connection that was shorter by more than that and a round trip is not that load's.
Under loss it may be: where a client's first packets are lost, it begins for the server when the client has waited."""
LATE_TRIPS, LATE_MS = 2, 100.0
"""After the last byte, on a link without loss: a connection that ends later was held up by the machine when nothing
watched that any more, and tells no duration."""
LOST_TRIPS, LOST_MS = 12, 1500.0
"""And by so much more may a connection be shorter whose first packets were lost."""
Which = tuple[str, int, int]
"""Arm, index and attempt of a load."""
Connections = Mapping[Which, Mapping[str, float]]
"""Metrics of each load's connection."""
COLUMNS = {
    "arm": TEXT,
    "index": NUMBER_OF,
    "attempt": NUMBER_OF,
    "duration_ms": MILLISECONDS,
    "packets_up": PACKETS,
    "packets_down": PACKETS,
    "bytes_up": BYTES,
    "bytes_down": BYTES,
}


def client_port(record: Mapping[str, Any]) -> int | None:
    """Of the connection that a load opened, as its client tells: `3:51234`; None of one that does not."""
    port = str((record.get("artefact") or {}).get("connection", "")).rpartition(":")[2]
    return int(port) if port.isdecimal() else None


def read_downloads(cell: Cell, folder: Path) -> Sequence[Sample]:
    """The samples of a finished cell, with what its capture tells of their connections."""
    samples = read_samples(folder)
    if not _has(folder):
        return samples
    return _with_connections(cell, samples, _read(folder, _used_again(cell, folder)), _stepped(folder))


def _with_connections(
    cell: Cell, samples: Sequence[Sample], seen: Connections, stepped: Container[Which]
) -> Sequence[Sample]:
    found = []
    for one in samples:
        own = seen.get(_which(one), {})
        if is_late(cell, one, own) or _which(one) in stepped:
            own = {name: value for name, value in own.items() if name != DURATION.name}
        found.append(replace(one, metrics={**one.metrics, **own}))
    return found


def is_late(cell: Cell, sample: Sample, own: Mapping[str, float]) -> bool:
    """Whether a connection ended so late after its last byte that the machine must have held it up."""
    last_ms = sample.metrics.get(TTLB.name)
    if cell.link.loses or last_ms is None or DURATION.name not in own:
        return False
    return own[DURATION.name] > last_ms + LATE_TRIPS * cell.link.slowest_ms + LATE_MS


def _read(folder: Path, left_out: Container[Which]) -> Connections:
    from longlook.record.parquet import read_columns, records  # with pandas

    rows = records(read_columns(folder / CONNECTIONS, COLUMNS))
    return {
        which: {name: float(row[name]) for name in COUNTED}
        | {"packets": float(row["packets_up"] + row["packets_down"])}
        for row in rows
        if (which := (row["arm"], row["index"], row["attempt"])) not in left_out
    }


def _has(folder: Path) -> bool:
    return (folder / CONNECTIONS).exists()


def _told(folder: Path) -> set[Which]:
    """The loads whose client says which port was theirs: a browser does not."""
    return {
        (record["arm"], record["index"], record["attempt"])
        for record in read_records(folder)
        if client_port(record) is not None
    }


def _used_again(cell: Cell, folder: Path) -> set[Which]:
    return used_again(read_records(folder)) if any(arm.client == PER_FILE for arm in cell.arms) else set()


def used_again(records: Iterable[Mapping[str, Any]]) -> set[Which]:
    """The loads whose port one of the connections of a later load had, of which it has several: the capture knows none
    of these, and gives their packets to the load before."""
    found: set[Which] = set()
    of_port: dict[int, Which] = {}
    for record in records:
        if (port := client_port(record)) is not None:
            of_port[port] = record["arm"], record["index"], record["attempt"]
            continue
        ports = (one.get("port") for one in (record.get("artefact") or {}).get("files", ()))
        found.update(of_port.pop(port) for port in ports if port in of_port)
    return found


def _stepped(folder: Path) -> set[Which]:
    """The loads during which, or before the next one, the wall clock was set, by which captures go: how long their
    connections took nobody knows."""
    steps = (read_json(folder / CELL_NAME).get("clock") or {}).get("steps", ())
    records = list(read_records(folder)) if steps else []
    before = [[one for one in records if one["started_at"] <= step["at"]] for step in steps]
    return {(one[-1]["arm"], one[-1]["index"], one[-1]["attempt"]) for one in before if one}


def _which(sample: Sample) -> Which:
    return sample.arm, sample.index, sample.attempt


def recheck_downloads(cell: Cell, folder: Path) -> Recheck:
    """As recheck_interleaved; and the connection of each accepted download whose client tells its port is there, with
    room for its file."""
    found = recheck_interleaved(cell, folder)
    if found.problems or not _has(folder):
        return found
    again = _used_again(cell, folder)
    seen = _read(folder, again)
    stepped = _stepped(folder)
    found.problems += _implausible(cell, found.samples, seen, _told(folder) - again, stepped)
    for record in read_records(folder):
        own = seen.get((record["arm"], record["index"], record["attempt"]))
        if record["accepted"] and own is not None and not cell.arm(record["arm"]).keeps_connection:
            where = f"sample {record['order']} ({record['arm']} {record['index']}, attempt {record['attempt']})"
            found.problems += [f"{where}: {wrong}" for wrong in parts.connection(cell.link, own, record)]
    counted = [(one, seen[_which(one)]) for one in found.samples if one.accepted and _which(one) in seen]
    found.problems += parts.lasted(cell.link, cell.arms, [one for one in counted if _which(one[0]) not in stepped])
    found.samples = _with_connections(cell, found.samples, seen, stepped)
    return found


def _implausible(
    cell: Cell, samples: Sequence[Sample], seen: Connections, told: Container[Which], stepped: Container[Which]
) -> Iterator[str]:
    strange = seen.keys() - {_which(one) for one in samples}
    if strange:
        yield f"{CONNECTIONS} has connections of loads that there are not: {sorted(strange)[0]}"
    for one in samples:
        where = f"sample {one.order} ({one.arm} {one.index}, attempt {one.attempt})"
        own, last_ms = seen.get(_which(one)), one.metrics.get(TTLB.name)
        if not one.accepted or last_ms is None:
            continue
        if own is None:
            if _which(one) in told:
                yield f"{where}: it is accepted, and {CONNECTIONS} lacks its connection"
            continue
        if own["bytes_down"] < cell.workload.total_bytes:
            yield f"{where}: {own['bytes_down']:.0f} bytes came down, its file alone has {cell.workload.total_bytes}"
        trips_ms = LOST_TRIPS * cell.link.slowest_ms + LOST_MS
        if cell.link.loses and _which(one) not in stepped and own["duration_ms"] < last_ms - trips_ms:
            yield f"{where}: its connection took {own['duration_ms']:.0f} ms, its file {last_ms:.0f} ms"
        if (
            not cell.link.loses
            and _which(one) not in stepped
            and own["duration_ms"] < SHORT * last_ms - cell.link.rtt_ms
        ):
            yield f"{where}: its connection took {own['duration_ms']:.0f} ms, its file {last_ms:.0f} ms"
