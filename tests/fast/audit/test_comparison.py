"""Two campaigns held against each other: equal ones agree, a slower arm is found and named, differences are said."""

import json

import pytest
from campaigns import (
    COLD,
    STACK_DIGEST,
    believed,
    control_sweep,
    loads_of,
    make_campaign,
    make_sample,
    make_sweep,
    make_transfers,
    shared_sweep,
    write_cell,
)
from campaigns import QUIC as QUIC_ARM
from campaigns import TCP as TCP_ARM

from longlook.audit import compare_campaigns, format_comparison, to_json
from longlook.errors import LonglookError
from longlook.record.campaigns import open_campaign

QUIC = [106.0, 107.0, 108.0]
TCP = [180.0, 182.0, 184.0]
MACHINE = {
    "testbed": {"name": "default", "driver": "netns"},
    "link_driver": "linkpipe",
    "link_driver_version": "0.1.0",
    "hostname_hash": "5bce98f73f3ed0c8",
    "cpu_model": "AMD EPYC",
    "kernel": "6.18",
    "git_commit": "a" * 40,
    "sysctls": {"server": {"net.core.rmem_max": "1"}},
    "calibration": {"measured": {"rtt_ms_median": 36.0, "server_to_client_mbps": 10.0, "client_to_server_mbps": 10.0}},
}


@pytest.fixture
def compared(tmp_path):
    """A function that compares two campaigns and checks the report's width."""

    def compare(a, b):
        found = compare_campaigns(a.id, b.id, tmp_path, believed)
        text = format_comparison(found)
        assert all(len(line) <= 120 for line in text.splitlines())
        assert json.loads(to_json(found))["a"]["campaign"] == a.id
        return found, text

    return compare


def test_equal_campaigns_are_alike(tmp_path, compared):
    found, text = compared(make_campaign(tmp_path), make_campaign(tmp_path))
    assert (
        found.outcome == "alike"
        and found.agreeing_share == 1.0
        and (found.significant, found.tested, found.allowed) == (0, 4, 0)
    )
    assert "verdicts that agree: 2 of 2 (100%)" in text and "largest differences" not in text
    assert "QUIC: median ratio 1.000; B slower in 0 of 2; 0 of 2 tested means differ significantly" in text
    assert "means that differ by at most 1 %: 4 of 4, 5 %: 4 of 4" in text
    assert (
        "Comparison: ALIKE, as far as these samples can tell. 0 of 4 means differ significantly, chance allows 0\n"
        in text
    )
    assert text.endswith("QUIC 3.5 %, TCP 4.1 %\n")  # 4.604 (t of 4 degrees of freedom) x sd x sqrt(2/3) / mean


def test_an_arm_that_is_a_tenth_slower_is_found_and_named(tmp_path, compared):
    found, text = compared(make_campaign(tmp_path), make_campaign(tmp_path, right=[value * 1.1 for value in TCP]))
    assert found.outcome == "different" and found.agreeing_share == 1.0
    assert (
        "Comparison: DIFFERENT. 2 of 4 means differ significantly, chance allows 0; 2 by more than the 2 % and 3.5 ms"
        in " ".join(text.split())
    )
    assert "\n  TCP in B is significantly slower in 2 of 2 cells, at the furthest x 1.100\n" in text
    assert "x 1.100 * TCP       182.00 ->    200.20 ms  [4.6a] 5 KB x 1, 10 Mbit/s, 36 ms" in text
    assert "QUIC in B" not in text


def test_a_small_difference_that_chance_does_not_explain_is_close(tmp_path, compared):
    steady = [180.0, 180.1, 180.2]
    found, text = compared(
        make_campaign(tmp_path, right=steady), make_campaign(tmp_path, right=[value * 1.015 for value in steady])
    )
    assert (found.outcome, found.significant, found.beyond_drift) == ("close", 2, 0)
    assert (
        "Comparison: CLOSE. 2 of 4 means differ significantly, chance allows 0; 0 by more than the 2 % and 3.5 ms that"
        in " ".join(text.split())
    )
    assert "TCP in B is significantly slower in 2 of 2 cells, at the furthest x 1.015" in text


def test_another_verdict_is_told(tmp_path, compared):
    found, text = compared(make_campaign(tmp_path), make_campaign(tmp_path, left=TCP, right=QUIC))
    assert found.agreeing_share == 0.0 and text.count("quic / tcp, VERDICTS DIFFER") == 2


def test_cells_of_one_campaign_only_are_listed_also_of_one_that_still_grows(tmp_path, compared):
    sizes = [{"size_kb": 5}, {"size_kb": 100, "count": 10}, {"size_kb": 200}]
    sweep = make_sweep({"series": "4.6d", "workloads": sizes}, name="figure-4.6d")
    growing = open_campaign(tmp_path, sweep, "local", STACK_DIGEST)
    for cell in growing.cells()[:2]:
        write_cell(growing, cell, loads_of(growing.id, cell, QUIC, TCP))
    _, text = compared(make_campaign(tmp_path), growing)
    assert "cells in both: 1, in A only: 1, in B only: 1" in text
    assert "NOT SEALED, 2 of 3 cells measured" in text
    assert "[4.6a / 4.6d] 5 KB x 1" in text
    assert "In A only: 1\n  [4.6a] 10 KB x 1, 10 Mbit/s, 36 ms\n" in text
    assert "In B only: 1\n  [4.6d] 100 KB x 10, 10 Mbit/s, 36 ms\n" in text


def test_what_differs_between_testbeds_and_machines_is_said(tmp_path, compared):
    emulab = MACHINE | {
        "testbed": {"name": "b1", "driver": "emulab"},
        "link_driver": "dummynet",
        "link_driver_version": None,
        "kernel": "5.15",
        "sysctls": {"server": {"net.core.rmem_max": "2"}},
        "calibration": {"measured": {"rtt_ms_median": 36.4, "server_to_client_mbps": 9.8}},
    }  # fmt: skip
    found, text = compared(
        make_campaign(tmp_path, environment=MACHINE), make_campaign(tmp_path, digest="cd" * 32, environment=emulab),
    )  # fmt: skip
    assert "they differ in 5 facts: testbed, link, kernel, stack quicv1, server: net.core.rmem_max" in text
    lines = {line.split()[0]: line.split() for line in text.splitlines() if line.endswith("differs")}
    assert lines["testbed"][1:5] == ["default", "(netns)", "b1", "(emulab)"]
    assert lines["stack"][2:4] == ["abababababab", "cdcdcdcdcdcd"]
    assert (found.link.cells, found.link.rtt_ms, found.link.rate_pct) == (2, pytest.approx(0.4), pytest.approx(2.0))


def test_facts_of_every_stack_of_a_cell_are_told(tmp_path, compared):
    def both(digest):
        one = {"digest": "ab" * 32, "components": {"chromium": {"version": "111"}}, "templates_sha256": {}}
        return MACHINE | {"stacks": {"quicv1": one, "other": one | {"digest": digest}}}

    found, _ = compared(
        make_campaign(tmp_path, environment=both("cd" * 32)), make_campaign(tmp_path, environment=both("ef" * 32))
    )
    assert [fact.name for fact in found.facts if fact.differs] == ["stack other"]
    assert {"stack quicv1", "quicv1: chromium", "other: chromium"} <= {fact.name for fact in found.facts}


def test_what_a_record_does_not_tell_is_no_difference(tmp_path, compared):
    without = {key: value for key, value in MACHINE.items() if key not in ("testbed", "calibration")}
    found, text = compared(make_campaign(tmp_path, environment=without), make_campaign(tmp_path, environment=MACHINE))
    assert not any(fact.differs for fact in found.facts) and found.link is None
    assert "they differ in 0 facts" in text and "not recorded" in text


def test_losses_of_the_same_seed_are_said(tmp_path, compared):
    lossy = make_sweep({"series": "4.6b", "workloads": [{"size_kb": 5}], "loss_pct": [1]})
    found, text = compared(make_campaign(tmp_path, lossy), make_campaign(tmp_path, lossy))
    assert found.same_seeds == 1 and "losses or delays from the same seed in both: 1" in text
    assert (
        compared(make_campaign(tmp_path), make_campaign(tmp_path))[0].same_seeds == 0
    )  # without loss nothing is drawn


def test_rejected_and_cold_loads_do_not_count(tmp_path, compared):
    campaign = open_campaign(tmp_path, make_sweep(), "local", STACK_DIGEST)
    for cell in campaign.cells():
        samples = loads_of(campaign.id, cell, QUIC, TCP, cold_ms=5000.0)
        wrong = make_sample(
            campaign.id, cell, "quic", 3, len(samples), 9000.0, accepted=False, reject_reason="status", attempt=1
        )
        write_cell(campaign, cell, [*samples, wrong])
    assert compared(make_campaign(tmp_path), campaign)[0].outcome == "alike"


def test_equals_against_themselves_are_compared_arm_by_arm(tmp_path, compared):
    control = control_sweep({"arms": [QUIC_ARM, QUIC_ARM], "replicates": 2})
    found, text = compared(make_campaign(tmp_path, control, right=QUIC), make_campaign(tmp_path, control, right=QUIC))
    assert len(found.pairing.pairs) == 2 and [shift.kind for shift in found.shifts] == ["quic"]
    assert "QUIC CUBIC, N = 2 against QUIC CUBIC, N = 2: none / none, verdicts agree" in text


def test_cells_of_any_arms_are_compared(tmp_path, compared):
    """Resumed against cold loads, and three arms of which every two are a verdict."""
    handshakes = make_sweep({"arms": [QUIC_ARM, COLD], "series": "4.7c", "workloads": [{"size_kb": 5}]})
    found, text = compared(make_campaign(tmp_path, handshakes), make_campaign(tmp_path, handshakes))
    assert [shift.kind for shift in found.shifts] == ["0rtt", "1rtt"] and "0rtt / 0rtt, verdicts agree" in text
    three = make_sweep({"arms": [QUIC_ARM, COLD, TCP_ARM], "workloads": [{"size_kb": 5}]})
    found, text = compared(make_campaign(tmp_path, three), make_campaign(tmp_path, three))
    assert "verdicts that agree: 3 of 3 (100%)" in text
    assert "quic-0rtt and quic-1rtt: quic-0rtt / quic-0rtt, verdicts agree; quic-0rtt and tcp-1rtt:" in " ".join(
        text.split()
    )


def test_arms_of_other_names_and_order_are_the_same_arms(tmp_path, compared):
    swapped = make_sweep({"arms": [TCP_ARM | {"name": "apache"}, QUIC_ARM | {"name": "envoy"}]})
    found, _ = compared(make_campaign(tmp_path), make_campaign(tmp_path, swapped, left=TCP, right=QUIC))
    assert found.outcome == "alike" and [shift.kind for shift in found.shifts] == ["quic", "tcp"]


def test_transfers_are_compared_by_their_arms_rates(tmp_path, compared):
    found, text = compared(make_transfers(tmp_path, (3.0, 2.0)), make_transfers(tmp_path, (3.0, 1.5)))
    (one,) = found.pairing.pairs
    assert [(mean.arm, mean.a.n, mean.significant) for mean in one.means] == [("quic1", 3, False), ("tcp1", 3, True)]
    assert one.means[1].a.mean == pytest.approx(2.01) and one.verdicts[0].agrees
    assert (
        "[table-4.1] QUIC vs TCP, 50 MB x 1, 5 Mbit/s, 36 ms, queue 30720 bytes, 60 s: quic1 / quic1, verdicts agree"
        in " ".join(text.split())
    )
    assert "TCP in B is significantly slower in 1 of 1 cells, at the furthest x 0.751" in text


def test_mistakes_are_told(tmp_path):
    campaign, moved = make_campaign(tmp_path), make_transfers(tmp_path, (3.0, 2.0))
    watched = make_transfers(tmp_path, (3.0, 2.0), shared_sweep(experiment="cwnd", name="windows"))
    gquic = make_sweep({"arms": [QUIC_ARM | {"stack": "gquic37"}, TCP_ARM | {"stack": "gquic37"}]})
    other = make_campaign(tmp_path, gquic)
    empty = open_campaign(tmp_path, make_sweep(title="empty"), "local", STACK_DIGEST)
    for pair, words in (
        ((campaign.id, "nonsense"), "there is no campaign 'nonsense'"),
        ((campaign.id, campaign.id), "was named twice"),
        ((campaign.id, moved.id), r"page load times \(experiment plt\) and .* shares .*: they have no cell in common"),
        ((moved.id, watched.id), r"\(experiment fairness\) and .* \(experiment cwnd\): they have no cell in common"),
        ((campaign.id, other.id), "no cell in common: 4.6a_quicv1_.* and 1 more against 4.6a_gquic37_"),
        ((campaign.id, empty.id), "has no finished cell yet"),
    ):
        with pytest.raises(LonglookError, match=words):
            compare_campaigns(*pair, tmp_path, believed)


def test_too_few_loads_are_no_verdict(tmp_path, compared):
    one_load = make_campaign(tmp_path, left=QUIC[:1], right=TCP[:1])
    found, text = compared(make_campaign(tmp_path), one_load)
    assert (
        found.outcome == "untested"
        and "nothing could be tested" in text
        and "36 ms: quic / untested, too few samples\n" in text
    )
