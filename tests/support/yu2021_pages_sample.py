"""Small results of the sweeps of the nine pages, with known times, and records with pictures."""

from __future__ import annotations

import base64

from book_sample import interleaved, write_sweeps

from longlook.record.samples import SAMPLES_NAME, SamplesWriter
from longlook.stack.arms import open_sweep

SWEEPS = ("yu-pages", "yu-pages-loss")
SERVERS = ("yu-pages-order", "yu-pages-buffer")
LOADS = 4
TRIPS = {"quic": 3, "tcp": 4}
SERVER_FACTORS = {"nginx": 0.9, "nginx-64kb": 0.9}
"""Of the Speed Index, by arm."""
LATE_INDEX, LATE_MS = 2, 200.0
"""With 1 % loss QUIC's connection of this load is late."""
JPEG = b"\xff\xd8\xff\xe0 no picture"


def times(protocol, size, rtt_ms, loss_pct, index):
    """Metrics of a load; each is 0.1 ms longer than the one before."""
    late = LATE_MS if (protocol, index) == ("quic", LATE_INDEX) and loss_pct >= 1 else 0.0
    connect = (TRIPS[protocol] - 2) * rtt_ms + late
    plt = TRIPS[protocol] * rtt_ms + size * 8 / 1e4 * 1.05 + late + index / 10
    return {
        "connect_ms": connect, "fcp_ms": connect + 2 * rtt_ms, "lcp_ms": plt * 0.8, "speed_index_ms": plt * 0.6,
        "complete_ms": plt * 0.9, "plt_ms": plt, "client_cpu_s": 0.4, "server_cpu_s": 0.1,
    }  # fmt: skip


def write_pages(processed, raw=None):
    """Tables of both; with `raw` also records of the first load of every cell's arms."""
    write_sweeps(processed, (*SWEEPS, *SERVERS), "yu2021", _result)
    for name in SWEEPS if raw else ():
        for cell in open_sweep(name).cells():
            folder = raw / f"reference-{name}-20260101T000000" / cell.id
            folder.mkdir(parents=True)
            with SamplesWriter(folder / SAMPLES_NAME) as writer:
                for place, arm in enumerate(cell.arms):
                    writer.append(_record(cell, arm, place))


def _metrics(cell, arm, index):
    found = times(arm.protocol, cell.workload.total_bytes, cell.link.rtt_ms, cell.link.loss_pct, index)
    return found | {"speed_index_ms": found["speed_index_ms"] * SERVER_FACTORS.get(arm.name, 1.0)}


def _result(campaign, experiment, cell):
    return interleaved(campaign, experiment, cell, _metrics, LOADS)


def _record(cell, arm, order):
    metrics = _metrics(cell, arm, 1)
    end = metrics["complete_ms"]
    picture = base64.b64encode(JPEG).decode()
    seen = {"progress": [[0, 0], [end / 2, 55], [end, 100]], "pictures": [[0, picture], [end, picture]]}
    return {
        "schema": "longlook.sample/1", "campaign": "c", "cell_id": cell.id, "arm": arm.name, "index": 1, "attempt": 0,
        "order": order, "accepted": True, "set_aside": False, "reject_reason": None, "metrics": metrics,
        "artefact": {"kind": "har", "paints": seen},
    }  # fmt: skip
