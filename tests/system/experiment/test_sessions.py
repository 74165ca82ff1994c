"""A cell of sessions of a film over an emulated link: what each was like over its time, and read again."""

import os

import pandas as pd
import pytest

from longlook.client.artefact import observed
from longlook.experiment.registry import named
from longlook.experiment.sessions import SESSIONS, recheck_sessions, run_sessions, sessions
from longlook.plan.cell import Cell
from longlook.plan.workload import FILM_KBPS
from longlook.record.samples import read_records
from longlook.stack.arms import complete_arm
from longlook.stack.install import install
from longlook.testbed import netns

pytestmark = [
    pytest.mark.root,
    pytest.mark.netns,
    pytest.mark.browser,
    pytest.mark.quiet,
    pytest.mark.timeout(240),
]

STACK = "shreedhar2022video"
ARMS = ({"name": "quic", "protocol": "quic", "handshake": "1rtt"}, {"name": "tcp", "protocol": "tcp"})
CELL = Cell.parse(
    {
        "study": "s",
        "series": "s",
        "experiment": "video",
        "arms": [complete_arm(arm, STACK) for arm in ARMS],
        "workload": {"kind": "video", "duration_s": 4},
        "link": {"bandwidth_mbps": 20, "rtt_ms": 20},
        "loads": 1,
        "seed": 5,
    }
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Of a measured cell."""
    install(STACK)
    made = tmp_path_factory.mktemp("campaign") / CELL.id
    made.mkdir()
    name = f"v{os.getpid() % 100000}"
    try:
        summary = run_sessions(CELL, made, made.parent.name, name)
    finally:
        netns.remove(name)
    assert summary.complete, summary
    return made


def test_each_session_tells_what_it_was_like(folder):
    records = [one for one in read_records(folder) if one["accepted"]]
    assert {one["arm"]: one["protocols_seen"] for one in records} == {"quic": ["h3"], "tcp": ["h2"]}
    for one in records:
        found = one["metrics"]
        assert found.keys() >= {metric.name for metric in named("video", "the test").metrics}
        assert CELL.link.rtt_ms < found["connect_ms"] < found["startup_ms"] < 1000 * CELL.workload.duration_s
        assert found["frames"] > 50 and min(FILM_KBPS) <= found["mean_kbps"] <= max(FILM_KBPS)
        assert len(one["connections"]) == 1 and all(thing.sha256 for thing in observed(one["artefact"]).objects)


def test_each_session_is_there_over_its_time(folder):
    for _, own in sessions(folder).groupby(["arm", "index", "attempt"]):
        assert own["time_s"].is_monotonic_increasing and 4 <= own["time_s"].max() < 12
        assert own["position_s"].max() > 2 and set(own["kbps"]) <= {0, *FILM_KBPS}


def test_what_is_kept_says_the_same_when_it_is_read_again_and_a_change_shows(folder):
    assert recheck_sessions(CELL, folder).problems == []
    path = folder / SESSIONS
    before = path.read_bytes()
    changed = pd.read_parquet(path)
    changed.loc[0, "buffer_s"] = 9.0
    changed.to_parquet(path, index=False)
    assert recheck_sessions(CELL, folder).problems == [f"{SESSIONS} is not what the records of its sessions say"]
    path.write_bytes(before)
