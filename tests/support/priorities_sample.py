"""Small results of the sweep today-priorities with known times: tables, and records with the objects of each load."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from book_sample import interleaved, write_sweeps

from longlook.record.samples import SAMPLES_NAME, SamplesWriter
from longlook.site.webpage import resources
from longlook.stack.arms import open_sweep

SWEEP = "today-priorities"
CAMPAIGN = f"reference-{SWEEP}-20260101T000000"
LOADS = 4
AS_PREDICTED = {
    "quic": {"fcp_ms": 300, "main_ms": 500, "styles_ms": 250, "speed_index_ms": 500, "plt_ms": 1500},
    "turns": {"fcp_ms": 450, "main_ms": 1200, "styles_ms": 400, "speed_index_ms": 700, "plt_ms": 1500},
    "sequence": {"fcp_ms": 300, "main_ms": 600, "styles_ms": 250, "speed_index_ms": 550, "plt_ms": 1500},
    "tcp": {"fcp_ms": 350, "main_ms": 600, "styles_ms": 300, "speed_index_ms": 560, "plt_ms": 1560},
}
SMALL_ENDS_MS = {"turns": 390}
"""When scripts were there; else after the main image."""
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


def write_priorities(processed, raw, times):
    """Tables, and in `raw` records; `times`: arm -> metric -> ms, of the first load: each later one takes 0.1 more."""
    write_sweeps(processed, [SWEEP], "years", lambda campaign, kind, cell: _result(campaign, kind, cell, times))
    for cell in open_sweep(SWEEP).cells():
        folder = raw / CAMPAIGN / cell.id
        folder.mkdir(parents=True)
        with SamplesWriter(folder / SAMPLES_NAME) as writer:
            for order, (index, arm) in enumerate((i, a) for i in range(LOADS + 1) for a in cell.arm_names):
                writer.append(_record(cell, arm, index, order, times[arm]))


def _metrics(times, index):
    found = {name: value + index / 10 for name, value in times.items() if name not in ("main_ms", "styles_ms")}
    return found | {"lcp_ms": found["fcp_ms"], "complete_ms": found["plt_ms"], "connect_ms": 40.0}


def _result(campaign, experiment, cell, times):
    return interleaved(campaign, experiment, cell, lambda _, arm, index: _metrics(times[arm.name], index), LOADS)


def _record(cell, arm, index, order, times):
    metrics = _metrics(times, index)
    ends = [_entry(one, _ended(one, arm, times) + index / 10) for one in resources(cell.workload)]
    seen = {"speed_index_ms": metrics["speed_index_ms"], "fcp_ms": metrics["fcp_ms"], "lcp_ms": metrics["lcp_ms"]}
    seen |= {"complete_ms": metrics["complete_ms"], "progress": [[0, 0], [metrics["speed_index_ms"], 100]]}
    page = {"startedDateTime": BEGAN.isoformat(), "pageTimings": {"onLoad": metrics["plt_ms"], "onContentLoad": 1}}
    return {
        "schema": "longlook.sample/1", "campaign": CAMPAIGN, "cell_id": cell.id, "arm": arm, "index": index,
        "attempt": 0, "order": order, "accepted": True, "set_aside": index == 0, "reject_reason": None,
        "metrics": metrics, "artefact": {"kind": "har", "log": {"page": page, "entries": ends}, "paints": seen},
    }  # fmt: skip


def _ended(one, arm, times):
    if one.kind == "style":
        return times["styles_ms"]
    if one.path == "/img/000.png":
        return times["main_ms"]
    return SMALL_ENDS_MS.get(arm, times["main_ms"] + 10) if one.kind == "script" else times["main_ms"] + 20


def _entry(one, ended_ms):
    began = BEGAN + timedelta(milliseconds=10)
    return {
        "url": f"https://longlook.test{one.path}", "startedDateTime": began.isoformat(), "time": ended_ms - 10,
        "status": 200, "httpVersion": "h3", "size": one.size_bytes, "connection": "0",
        "timings": {"dns": 0, "connect": 40, "receive": 1},
    }  # fmt: skip
