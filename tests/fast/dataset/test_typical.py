"""The load that stands for an arm: the one nearest to the median of those that count."""

import pytest

from longlook.client.observation import Observation
from longlook.dataset.typical import typical_loads
from longlook.plan.cell import Cell
from longlook.record.samples import Sample

CELL = Cell.parse(
    {
        "study": "muthuraj2024", "series": "x", "experiment": "plt",
        "arms": [
            {"stack": "quicv1", "protocol": "quic", "client": "chromium", "server": "envoy"},
            {"stack": "quicv1", "protocol": "tcp", "client": "chromium", "server": "apache"},
        ],
        "workload": {"size_kb": 100}, "link": {"bandwidth_mbps": 10, "rtt_ms": 36},
    }
)  # fmt: skip


def sample(order, value, arm="quic", **changes):
    known = {
        "arm": arm, "index": order, "attempt": 0, "order": order, "accepted": True, "set_aside": False,
        "reject_reason": None, "disturbed": False, "zero_rtt": None, "metrics": {"plt_ms": value},
    }  # fmt: skip
    return Sample(**(known | changes))


def seen(*orders):
    return {order: Observation({"plt_ms": float(order)}, ()) for order in orders}


def test_it_is_the_one_nearest_to_the_median_and_of_two_the_first():
    samples = [sample(1, 100.0), sample(2, 190.0), sample(3, 119.0), sample(4, 121.0)]
    (load,) = typical_loads(CELL, samples, seen(1, 2, 3, 4))
    assert load.sample.order == 3 and load.seen.metrics["plt_ms"] == 3.0


def test_loads_that_do_not_count_do_not_stand_for_the_others():
    samples = [
        sample(0, 120.0, set_aside=True),
        sample(1, 100.0),
        sample(2, 120.0, accepted=False, reject_reason="status"),
        sample(3, 150.0),
        sample(4, 160.0),
    ]
    (load,) = typical_loads(CELL, samples, seen(0, 1, 2, 3, 4))
    assert load.sample.order == 3


@pytest.mark.parametrize("kept", [(), (7,)])
def test_an_arm_of_which_nothing_was_kept_has_none(kept):
    loads = typical_loads(CELL, [sample(1, 100.0, "tcp"), sample(7, 90.0)], seen(*kept))
    assert [load.sample.arm for load in loads] == ["quic"] * len(kept)
