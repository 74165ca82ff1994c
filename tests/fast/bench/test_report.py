"""The benchmark's table and its targets: pure, on made-up figures; the measurements themselves are `make bench`."""

import pytest

from longlook.bench.report import format_report, medians, targets
from longlook.bench.subjects import rattan_config
from longlook.errors import LonglookError
from longlook.plan.link import Link

ROW = {
    "plain_p50_ms": 0.05,
    "plain_p99_ms": 0.2,
    "plain_max_ms": 1.0,
    "rtt_p50_ms": 36.15,
    "rtt_p99_ms": 36.5,
    "rtt_max_ms": 37.0,
    "tcp_wire_mbps": 99.9,
    "tcp_cpu_pct": 20.0,
    "udp_cpu_pct": 15.0,
    "udp_sent": 1000,
    "udp_lost": 0,
    "udp_queue_drops": 0,
    "lost_outside": 0,
}


def test_a_good_emulator_reaches_every_target():
    assert all(reached for reached, _ in targets(100, ROW, ROW | {"tcp_cpu_pct": 50.0}).values())


def test_each_target_can_be_missed():
    bad = {
        "rtt_p50_ms": 36.5,
        "rtt_p99_ms": 37.0,
        "tcp_wire_mbps": 90.0,
        "udp_lost": 3,
        "tcp_cpu_pct": 60.0,
    }
    for key, value in bad.items():
        found = targets(100, ROW | {key: value}, ROW | {"tcp_cpu_pct": 50.0})
        assert sum(not reached for reached, _ in found.values()) == 1, key


def test_losses_of_single_rounds_do_not_hide_in_a_median():
    assert medians([ROW, ROW, ROW | {"udp_lost": 7}])["udp_lost"] == 7


def test_drops_in_the_emulated_queue_are_not_losses():
    found = targets(100, ROW | {"udp_lost": 5, "udp_queue_drops": 5}, None)
    assert found["no packet lost outside queue and loss"][0]


def test_the_table_has_a_row_per_link_and_says_what_was_not_measured():
    text = format_report(
        {(100.0, "linkpipe"): ROW, (100.0, "rattan"): ROW}, 3, ["netem was not measured: no sch_netem"]
    )
    assert "linkpipe" in text and "rattan" in text
    assert text.endswith("netem was not measured: no sch_netem")
    assert "MISSED" in text  # equal CPU is not below rattan's


def test_rates_beyond_the_targets_have_a_row_and_no_target():
    far = ROW | {"tcp_wire_mbps": 900.0}
    text = format_report({(500.0, "linkpipe"): ROW | {"tcp_wire_mbps": 499.0}, (2000.0, "linkpipe"): far}, 3, [])
    assert "2000 linkpipe" in text and "900.0" in text
    assert "MISSED" not in text and "500 Mbit/s  TCP" in text and "2000 Mbit/s" not in text


def test_a_queue_in_packets_is_not_benchmarked():
    with pytest.raises(LonglookError, match="set in bytes; the link's has 50 packets"):
        rattan_config(Link(bandwidth_mbps=100, rtt_ms=36, queue_packets=50))


def test_rattan_gets_the_same_link():
    text = rattan_config(Link(bandwidth_mbps=100, rtt_ms=36))
    assert 'bandwidth = "100Mbps"' in text and "byte_limit = 900000" in text and 'delay = "18ms"' in text
