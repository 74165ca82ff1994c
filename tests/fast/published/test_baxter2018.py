"""Baxter and Simmons's samples: every condition once, with its link, and in a sweep."""

import statistics

import pytest

from longlook import paths
from longlook.audit.published import published_without_sweep
from longlook.errors import LonglookError
from longlook.published import baxter2018
from longlook.published.baxter2018 import NEW, QUIC, WARM

POSTER, REPORT = baxter2018.poster(), baxter2018.report()


def counted(cells):
    found = {}
    for one in cells:
        found[one.table] = found.get(one.table, 0) + 1
    return found


def test_the_poster_has_21_conditions_in_two_places():
    assert counted(POSTER) == {"poster-local": 21, "poster-vlan": 21}
    for one in POSTER:
        assert set(one.arms) == {QUIC, NEW} and set(one.cell.arm_names) == {QUIC, NEW, WARM}
        assert {mean.n for mean in one.arms.values()} == {100}
    local = [one.cell.link for one in POSTER if one.table == "poster-local"]
    assert {link.rtt_ms for link in local} == {87, 187, 287, 487}
    assert {link.loss_pct for link in local} == {0, 0.2, 1, 2, 4, 6}


def test_no_condition_of_the_report_is_there_twice_and_jitter_is_in_all():
    assert counted(REPORT) == {"report-local": 32, "report-vlan": 39, "report-west": 32}
    assert len({(one.table, one.cell.key) for one in REPORT}) == len(REPORT)
    links = [one.cell.link for one in REPORT]
    assert {link.jitter_sd_ms for link in links} == {5, 20, 40, 60, 80, 100}
    assert all(link.rtt_ms == 40.8 for link in links if link.jitter_sd_ms > 5), (
        "elsewhere theirs was cut at other delays"
    )
    assert {link.gemodel_p_pct for link in links} == {None, 1, 2, 3, 5}
    assert all(link.corrupt_correlation_pct == 25 for link in links if link.corrupt_pct)


def test_a_queue_holds_any_whole_page():
    for one in (*POSTER, *REPORT):
        assert one.cell.link.queue_packets * 1300 > one.cell.workload.total_bytes


def test_every_condition_is_in_a_sweep():
    assert not [line for line in published_without_sweep() if baxter2018.STUDY in line]


def test_the_round_trips_deduced_are_those_of_the_slopes():
    """The difference of two places' baselines, in round trips."""
    baseline = {}
    for one in POSTER:
        link = one.cell.link
        if (one.cell.workload.total_bytes, link.bandwidth_mbps, link.loss_pct, link.rtt_ms) == (51200, 50, 0, 87):
            baseline.setdefault("local", one.arms[QUIC].mean)
        if (one.cell.workload.total_bytes, link.bandwidth_mbps, link.loss_pct, link.rtt_ms) == (51200, 50, 0, 0.8):
            baseline["vlan"] = one.arms[QUIC].mean
    assert (baseline["local"] - baseline["vlan"]) / 2 == pytest.approx(86.5, abs=0.1)
    stated = [float(row["value"]) for row in baxter2018.slopes() if row["metric"] == "base_rtt_ms"]
    assert round(statistics.mean(stated)) == baxter2018.BASE_RTT_MS["local"]


def test_a_mistake_is_told_with_its_file_and_line(tmp_path):
    folder = tmp_path / baxter2018.STUDY
    folder.mkdir()
    text = (paths.PUBLISHED / baxter2018.STUDY / "poster.csv").read_text()
    (folder / "poster.csv").write_text(text.replace(",195.866,", ",soon,", 1))
    with pytest.raises(LonglookError, match=r"poster\.csv, line 2: .*soon"):
        baxter2018.poster(tmp_path)
