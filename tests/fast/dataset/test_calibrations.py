"""Records of calibrations, measured ones (calibrations/*.json) and changed ones, judged again by their own numbers."""

import copy
import json
from pathlib import Path

import pytest

from longlook.dataset.checks.calibration import calibration_problems
from longlook.plan.link import Link
from longlook.plan.trace import with_traces

FOLDER = Path(__file__).parent / "calibrations"
LINKS = {
    "loss": Link(bandwidth_mbps=10, rtt_ms=36, loss_pct=1),
    "jitter": Link(bandwidth_mbps=20, rtt_ms=112, jitter_ms=50),
    "slots": Link(bandwidth_mbps=10, rtt_ms=36, queue_packets=50),
    "burst": Link(bandwidth_mbps=10, rtt_ms=36, queue_packets=50, burst_bytes=2_000_000),
    "discipline": Link(bandwidth_mbps=5, upload_mbps=1, rtt_ms=28, queue_discipline="fq_codel", ecn=True),
    "controlled": Link(bandwidth_mbps=5, upload_mbps=1, rtt_ms=28, queue_discipline="dualpi2", ecn=True),
    "trace": Link.parse(with_traces({"trace": "markov.trace", "rtt_ms": 70})),
}


def record(name):
    return json.loads((FOLDER / f"{name}.json").read_text())


@pytest.mark.parametrize("name", LINKS)
def test_what_was_measured_stands(name):
    assert list(calibration_problems(LINKS[name], record(name))) == []


DOWN = ("measured", "queue_discipline", "server_to_client")
CHANGED = [
    ("loss", ("measured", "rtt_ms_median"), 37.0, "RTT 36 ms set"),
    ("loss", ("measured", "server_to_client", "mbps"), 10.5, "10 Mbit/s set, 10.5"),
    ("loss", ("measured", "server_to_client", "one_way_ms"), 19.0, "delay 18 ms set"),
    ("loss", ("measured", "client_to_server", "queue_bytes"), 9e6, "queue of 90000 bytes set"),
    ("loss", ("losses", "server_to_client", "lost"), 0, "packets lost"),
    ("loss", ("tolerance", "rate_pct"), 1000.0, None),
    ("jitter", ("measured", "jitter", "rtt_ms_mean"), 90.0, "mean RTT 90.0 ms"),
    ("jitter", ("measured", "jitter", "server_to_client", "changes"), 0, "the delay changed 0 times"),
    ("jitter", ("within_tolerance",), False, "not within tolerance"),
    ("jitter", ("within_tolerance",), 1, "not within tolerance"),
    ("slots", ("measured", "server_to_client", "queue_packets"), 76.0, "queue of 50 packets set, 76.0 measured"),
    ("slots", ("set", "queue_packets"), 100, "another link was calibrated: queue_packets 100, not 50"),
    ("slots", ("set", "queue_bytes"), 75_700, "another link was calibrated: queue_bytes 75700, not None"),
    ("burst", ("measured", "burst", "client_to_server", "burst_bytes"), 1.9e6, "a burst of 2000000 bytes set, 1900000"),
    ("burst", ("measured", "burst", "server_to_client", "first_mbps"), 10.0, "the burst passed at 10.00 Mbit/s"),
    ("burst", ("measured", "burst", "server_to_client", "then_mbps"), 99.0, "99.000 measured after the burst"),
    ("burst", ("set", "burst_bytes"), None, "another link was calibrated: burst_bytes None, not 2000000"),
    ("jitter", ("set", "jitter_ms"), 0.0, "another link was calibrated"),
    (
        "discipline",
        ("set", "queue_discipline"),
        "codel",
        "another link was calibrated: queue_discipline codel, not fq_",
    ),
    ("discipline", ("set", "ecn"), None, "another link was calibrated: ecn None, not True"),
    ("discipline", (*DOWN, "signals_ms"), [], "server_to_client: fq_codel: of an overload no packet was marked"),
    ("discipline", (*DOWN, "signals_ms"), [107.0], "fq_codel: 1 packets marked in 20"),
    ("discipline", (*DOWN, "dropped"), 3, "fq_codel: 3 packets of senders that understand marks were dropped"),
    ("discipline", (*DOWN, "above_ms"), 12.0, "the first packet was marked after 10"),
    ("discipline", (*DOWN, "sparse_ms_p95"), 9.0, "a sparse flow waits for 9.0 ms beside an overload, 6.8 at the most"),
    ("discipline", (*DOWN, "sparse_arrived"), 79, "1 of 80 packets of a sparse flow were lost"),
    ("discipline", (*DOWN, "filled"), False, "the sender was too slow to fill the queue"),
    (
        "controlled",
        (*DOWN, "held_ms_median"),
        30.0,
        "server_to_client: dualpi2: an overload waits for 30.0 ms, 15 ms is",
    ),
    ("controlled", (*DOWN, "sparse_marked"), 25, "31% of a sparse flow of the L queue were marked, 63% expected"),
    ("controlled", (*DOWN, "peak_ms"), 17.0, "it never waited for more than 17.0 ms"),
    ("trace", ("set", "trace", "sha256"), "0" * 64, "another link was calibrated: trace"),
    ("trace", ("set", "trace"), None, "another link was calibrated: trace None, not {'name': 'markov.trace'"),
    ("trace", ("measured", "traces", "client_to_server", "total_at_most"), 3000, "full packets passed, 3449 to 3000"),
    ("trace", ("measured", "traces", "server_to_client", "packets"), [59] * 58, "in 53 of 58 times 100 ms other bytes"),
    ("trace", ("measured", "server_to_client", "mbps"), 6.0, "5.37749 Mbit/s set, 6.000 measured"),
]


@pytest.mark.parametrize(("name", "way", "value", "words"), CHANGED)
def test_what_was_changed_is_named(name, way, value, words):
    changed = copy.deepcopy(record(name))
    *above, last = way
    place = changed
    for key in above:
        place = place[key]
    place[last] = value
    found = list(calibration_problems(LINKS[name], changed))
    assert found == [] if words is None else any(words in line for line in found), found


def test_a_calibration_of_loss_each_way_is_none_of_loss_in_one_direction():
    link = Link(bandwidth_mbps=10, rtt_ms=36, loss_pct=0.5, loss_direction="down")
    each_way = record("loss")
    found = list(calibration_problems(link, each_way))
    assert any("another link was calibrated" in line for line in found)
    each_way["set"] |= {"loss_pct": 0.5, "loss_direction": "down"}
    (wrong,) = calibration_problems(link, each_way)
    assert wrong.startswith("calibration: client_to_server: ") and wrong.endswith("0 to 0 expected at 0.000%")
    each_way["losses"]["client_to_server"]["lost"] = 0
    assert list(calibration_problems(link, each_way)) == []


def test_each_direction_is_judged_by_its_own_rate():
    link = Link(bandwidth_mbps=10, upload_mbps=1, rtt_ms=36, loss_pct=1, queue_bytes=90_000)
    changed = record("loss")
    assert any(
        "another link was calibrated: upload_mbps None, not 1" in line for line in calibration_problems(link, changed)
    )
    changed["set"]["upload_mbps"] = 1.0
    changed["measured"]["rtt_ms_median"] += 0.7  # of an echo on the narrow line
    (wrong,) = calibration_problems(link, changed)
    assert wrong.startswith("calibration: client_to_server: 1 Mbit/s set, ")
    changed["measured"]["client_to_server"]["mbps"] = 1.0
    assert list(calibration_problems(link, changed)) == []


def test_a_wider_tolerance_of_its_own_does_not_help():
    changed = record("loss")
    changed["tolerance"] |= {"rate_pct": 1000.0, "rtt_ms": 1000.0}
    changed["measured"]["server_to_client"]["mbps"] = 20.0
    assert any("20.000 measured (tolerance 3 %)" in line for line in calibration_problems(LINKS["loss"], changed))
