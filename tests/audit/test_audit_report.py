"""The audit: known answers on synthetic campaigns, and every way in which it must fail."""

import json
import math
import random

import pandas as pd
import pytest
from campaigns import STACK_DIGEST, loads_of, make_campaign, make_run, make_sweep, write_cell

from longlook import paths
from longlook.audit import (
    allowed_by_chance,
    audit,
    format_summary,
    format_text,
    read_published,
    read_slips,
    run_audit,
    to_json,
)
from longlook.audit.checks import difference_follows
from longlook.dataset.process import process
from longlook.errors import LonglookError
from longlook.record.campaigns import open_campaign

QUIC = [106.0, 107.0, 108.0]
TCP = [180.0, 182.0, 184.0]


def aa_sweep(cells=1):
    sizes = [{"size_kb": 5 + index} for index in range(cells)]
    grid = {"figure": "aa", "protocols": ["quic", "quic"], "workloads": sizes, "bandwidth_mbps": [10], "rtt_ms": [36]}
    return make_sweep(name="aa", grid=[grid])


@pytest.fixture
def data(tmp_path):
    """Folders of raw and processed data, and a function that audits them."""

    class Data:
        raw, processed = tmp_path / "raw", tmp_path / "processed"

        def audit(self, again=True, **options):
            if again:
                process(self.raw, self.processed)
            return run_audit(
                raw_root=self.raw, processed_root=self.processed, published_root=paths.PUBLISHED, **options
            )

    return Data()


def test_known_agreement_of_one_campaign(data):
    make_campaign(data.raw, left=QUIC, right=TCP)
    report = data.audit()
    assert report.ok and report.failures == ()
    (section,) = report.sections
    assert section.title == "your newest campaigns" and section.unpublished_cells == 0
    (table,) = section.tables
    assert (table.table, table.figure, table.published_cells, len(table.cells)) == ("B.1", "4.6a", 21, 2)
    first = table.cells[0]  # 5 KB at 10 Mbit/s: published 106.37 and 183.41
    assert first.quic_ratio == pytest.approx(107 / 106.37) and first.tcp_ratio == pytest.approx(182 / 183.41)
    assert (first.a.verdict, first.b.verdict) == ("quic", "quic")
    assert table.agreeing_share == 1.0
    # relative errors: QUIC |107/106.37-1|, |107/110.71-1|; TCP |182/183.41-1|, |182/185.87-1|; medians of two
    assert table.quic_median_error == pytest.approx((107 / 106.37 - 1 + 1 - 107 / 110.71) / 2)
    assert table.tcp_median_error == pytest.approx((1 - 182 / 183.41 + 1 - 182 / 185.87) / 2)
    assert section.largest[0].protocol == "quic" and section.largest[0].ratio == pytest.approx(107 / 110.71)
    assert (section.loads.accepted, section.loads.cold, section.loads.rejected) == (12, 4, {})


def test_disagreement_is_reported_and_is_no_failure(data):
    make_campaign(data.raw, left=TCP, right=[160.0, 161.0, 162.0])
    report = data.audit()
    assert report.sections[0].agreeing_share == 0.0 and report.ok
    assert " NO\n" in format_text(report)


def test_reference_and_local_are_audited_apart_and_the_newest_counts(data):
    make_campaign(data.raw, role="reference", left=QUIC, right=TCP)
    make_campaign(data.raw, left=QUIC, right=TCP)
    newest = make_campaign(data.raw, left=[120.0, 121.0, 122.0], right=TCP)
    report = data.audit()
    assert [section.title for section in report.sections] == [
        "reference campaigns (in the repository)",
        "your newest campaigns",
    ]
    assert report.sections[1].campaigns == (newest.id,)
    assert report.sections[1].tables[0].cells[0].b.quic_mean_ms == 121.0


def test_one_campaign_can_be_chosen(data):
    chosen = make_campaign(data.raw, left=QUIC, right=TCP)
    make_campaign(data.raw, left=TCP, right=TCP)
    report = data.audit(campaign=chosen.id)
    assert [section.campaigns for section in report.sections] == [(chosen.id,)]
    with pytest.raises(LonglookError, match=chosen.id):
        data.audit(campaign="nonsense")


def test_a_mean_below_the_floor_fails(data):
    make_campaign(data.raw, left=[60.0, 61.0, 62.0], right=TCP)  # two round trips alone are 72 ms
    report = data.audit()
    assert not report.ok and len(report.sections[0].below_floor) == 2
    assert "mean 61.0 ms, floor 76.2 ms" in report.failures[0]
    assert "Audit: FAILED, 2 reasons" in format_text(report)


def test_a_control_below_the_floor_fails_too(data):
    make_campaign(data.raw, aa_sweep(), left=[60.0, 61.0, 62.0], right=[60.0, 61.0, 62.0])
    report = data.audit()
    assert not report.ok and report.controls[0].verdict == "pass" and len(report.controls[0].below_floor) == 2


@pytest.mark.parametrize(("cells", "allowed"), [(0, 0), (1, 0), (10, 0), (11, 1), (40, 1), (53, 1), (54, 2), (100, 2)])
def test_how_many_false_alarms_chance_explains(cells, allowed):
    """1 of 40; for n cells the least k with P(more than k of n at 0.01) below one in ten."""
    assert allowed_by_chance(cells) == allowed
    if cells:
        above = 1 - sum(math.comb(cells, k) * 0.01**k * 0.99 ** (cells - k) for k in range(allowed + 1))
        assert above <= 0.1


def control(coloured, cells=40):
    """A table of A/A cells of which the first few are significant."""
    rows = [
        {
            "campaign": "aa-20260101T000000", "stack": "quicv1", "figure": "aa", "workload_size_kb": 5 + n, "workload_count": 1,
            "bandwidth_mbps": 10.0, "rtt_ms": 36.0, "loss_pct": 0.0, "jitter_ms": 0.0, "protocol": "quic", "cca": "cubic",
            "emulated_connections": 2, "a_mean_ms": 110.0, "b_mean_ms": 111.0, "pct_diff": 0.9,
            "p_value": 0.001 if n < coloured else 0.5, "verdict": "a" if n < coloured else "none",
        }
        for n in range(cells)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def empty(name):
    from longlook.dataset.tables import columns

    return pd.DataFrame(columns=columns(name))


@pytest.mark.parametrize(("coloured", "verdict"), [(0, "pass"), (1, "pass"), (2, "fail"), (7, "fail")])
def test_the_control_passes_with_at_most_1_in_40(coloured, verdict):
    report = audit(read_published(paths.PUBLISHED), empty("plt_cells"), empty("plt_runs"), control(coloured))
    (one,) = report.controls
    assert (one.verdict, len(one.significant), one.allowed) == (verdict, coloured, 1)
    assert report.ok == (verdict == "pass")
    text = format_text(report)
    assert text.startswith("A/A control") and f"local: {verdict.upper()}. {coloured} of 40" in text


def test_an_absent_control_is_said_first_and_is_no_failure(data):
    make_campaign(data.raw, left=QUIC, right=TCP)
    report = data.audit()
    assert [one.verdict for one in report.controls] == ["not measured"] and report.ok
    assert "NOT MEASURED" in format_text(report).splitlines()[1]


def test_cells_of_the_control_with_too_few_loads_count_neither_way(data):
    campaign = open_campaign(data.raw, aa_sweep(), "local", STACK_DIGEST)
    (cell,) = campaign.cells()
    write_cell(campaign, cell, [make_run(campaign.id, cell, arm, 1, order, 110.0) for order, arm in enumerate("ab")])
    one = data.audit().controls[0]
    assert (one.cells, one.untested, one.verdict) == (1, 1, "not measured")


def test_equal_arms_pass_and_different_arms_fail(data):
    generator = random.Random(5)
    campaign = open_campaign(data.raw, aa_sweep(12), "local", STACK_DIGEST)
    for cell in campaign.cells():
        left, right = ([generator.gauss(110, 3) for _ in range(20)] for _ in "ab")
        write_cell(campaign, cell, loads_of(campaign.id, cell, left, right))
    assert data.audit().controls[0].verdict == "pass"
    biased = open_campaign(data.raw, aa_sweep(13), "local", STACK_DIGEST)
    for cell in biased.cells():
        left, right = ([generator.gauss(mean, 3) for _ in range(20)] for mean in (110, 118))
        write_cell(biased, cell, loads_of(biased.id, cell, left, right))
    report = data.audit()
    assert report.controls[0].verdict == "fail" and not report.ok


def loads_in_random_order(generator, campaign, cell, after_tcp_ms):
    """20 loads of each; a QUIC load takes `after_tcp_ms` longer if the load before it was TCP's."""
    order, before = ["quic", "tcp"] * 20, None
    generator.shuffle(order)
    taken = {"quic": 0, "tcp": 0}
    for place, arm in enumerate(order):
        taken[arm] += 1
        late = after_tcp_ms if (arm, before) == ("quic", "tcp") else 0
        yield make_run(campaign, cell, arm, taken[arm], place, generator.gauss(300 + late, 3))
        before = arm


@pytest.mark.parametrize(("after_tcp_ms", "passed"), [(0, True), (36, False)])
def test_arms_that_disturb_each_other_fail(data, after_tcp_ms, passed):
    generator = random.Random(3)
    campaign = open_campaign(data.raw, make_sweep(), "local", STACK_DIGEST)
    for cell in campaign.cells():
        write_cell(campaign, cell, loads_in_random_order(generator, campaign.id, cell, after_tcp_ms))
    report = data.audit()
    order = report.sections[0].order
    assert order.tested == 4 and order.passed is passed and report.ok is passed
    assert f"{'PASS' if passed else 'FAIL'}. {len(order.significant)} of 4 significant" in format_text(report)
    assert [line.startswith("order control") for line in report.failures] == ([] if passed else [True])


def test_rejected_and_disturbed_loads_are_counted(data):
    campaign = open_campaign(data.raw, make_sweep(), "local", STACK_DIGEST)
    cell = campaign.cells()[0]
    reasons = ["disturbed", "disturbed", "object_count"]
    bad = [
        make_run(campaign.id, cell, "quic", 1, 8 + n, 500.0, accepted=False, reject_reason=why)
        for n, why in enumerate(reasons)
    ]
    bad[2]["disturbed"] = True
    write_cell(campaign, cell, loads_of(campaign.id, cell, QUIC, TCP) + bad)
    report = data.audit()
    loads = report.sections[0].loads
    assert (loads.accepted, loads.cold, loads.rejected, loads.disturbed) == (
        6,
        2,
        {"disturbed": 2, "object_count": 1},
        3,
    )
    assert "6 accepted and averaged, 2 cold, 3 rejected (disturbed 2, object_count 1); 3 disturbed" in format_text(
        report
    )
    assert report.integrity.unsealed == (campaign.id,)


def test_a_changed_file_of_a_sealed_campaign_fails(data):
    campaign = make_campaign(data.raw, left=QUIC, right=TCP)
    assert data.audit().ok
    path = campaign.path / campaign.cells()[0].cell_id / "executed.ipynb"
    path.write_text('{"changed": true}')
    report = data.audit()
    assert not report.ok and "changed" in report.failures[0] and "executed.ipynb" in report.failures[0]
    path.unlink()
    assert "missing" in data.audit().failures[0]


def test_a_deleted_manifest_fails(data):
    campaign = make_campaign(data.raw, left=QUIC, right=TCP)
    (campaign.path / "manifest.sha256").unlink()
    assert "manifest is missing" in data.audit().failures[0]


def test_edited_and_stale_tables_fail(data):
    make_campaign(data.raw, left=QUIC, right=TCP)
    data.audit()
    path = data.processed / "plt_cells.csv"
    path.write_text(path.read_text().replace(",107.0,", ",105.0,"))
    assert "is not what longlook process wrote" in data.audit(again=False).failures[0]
    assert data.audit().ok
    make_campaign(data.raw, left=QUIC, right=TCP)
    assert "not those of the raw records" in data.audit(again=False).failures[0]


def test_without_tables_the_remedy_is_named(data):
    with pytest.raises(LonglookError, match="longlook process"):
        data.audit(again=False)


def test_nothing_measured_is_said(data):
    data.raw.mkdir()
    report = data.audit()
    assert report.ok and "No cell has been measured yet" in format_text(report)


def test_the_published_differences_follow_from_their_means():
    report = audit(read_published(paths.PUBLISHED), empty("plt_cells"), empty("plt_runs"), empty("aa_cells"))
    assert report.published.cells == 309
    assert report.published.wrong_differences == () and report.published.below_floor == ()


def test_a_wrong_published_difference_is_found():
    published = read_published(paths.PUBLISHED)
    published.loc[3, "printed_pct_diff"] = "11"  # the means give 10.29
    published.loc[5, "quic_mean_ms"] = 95.14  # a digit lost: far below the floor, and 1012 %
    report = audit(published, empty("plt_cells"), empty("plt_runs"), empty("aa_cells"))
    assert len(report.published.wrong_differences) == 2
    assert "printed 11 %, the means give 10.29 %" in report.published.wrong_differences[0]
    (below,) = report.published.below_floor
    assert below.startswith("B.1: quic 1 MB x 1")


@pytest.mark.parametrize(
    ("quic", "tcp", "printed", "follows"),
    [
        (100.0, 172.4, "72", True), (100.0, 172.6, "72", False), (100.0, 204.9, "1e+02", True), (100.0, 206.1, "1e+02", False),
        (1000.0, 1005.3, "0.53", True), (1000.0, 1005.34, "0.53", True), (1000.0, 1005.4, "0.53", False), (1000.0, 1007.0, "0.53", False), (100.0, 73.0, "-27", True),
        (100.0, 73.0, "27", False), (100.0, 100.0, "0", True), (100.0, 110.0, "0", False),
    ],
)  # fmt: skip
def test_two_significant_digits_are_the_tolerance(quic, tcp, printed, follows):
    assert difference_follows(quic, tcp, printed) is follows


def test_known_slips_are_reported_and_nothing_is_corrected():
    slips = read_slips(paths.PUBLISHED)
    said = {(slip["says"], slip["elsewhere_says"]) for slip in slips}
    assert ("60.0.3108.0", "60.0.3108.1") in said and ("111.0.3112.101", "111.0.5563.0") in said
    report = audit(
        read_published(paths.PUBLISHED), empty("plt_cells"), empty("plt_runs"), empty("aa_cells"), slips=slips
    )
    text = format_text(report)
    assert all(slip["item"] in text for slip in slips)


def test_the_text_fits_a_terminal_and_the_json_has_it_all(data):
    make_campaign(data.raw, role="reference", left=[60.0, 61.0, 62.0], right=TCP)
    make_campaign(data.raw, aa_sweep(12), left=QUIC, right=TCP)
    campaign = open_campaign(data.raw, make_sweep(), "local", STACK_DIGEST)
    cell, other = campaign.cells()
    write_cell(campaign, cell, [make_run(campaign.id, cell, "quic", 1, 0, 100.0)])  # no TCP load at all
    write_cell(campaign, other, loads_of(campaign.id, other, QUIC, TCP))
    report = data.audit()
    for text in (format_text(report), format_summary(report, [campaign.id])):
        assert max(map(len, text.splitlines())) <= 120
    plain = json.loads(to_json(report))
    assert plain["ok"] is False and plain["controls"][0]["verdict"] == "fail"
    local = plain["sections"][1]["tables"][0]["cells"][0]
    assert (
        local["b"]["tcp_mean_ms"] is None
        and local["tcp_ratio"] is None
        and local["quic_ratio"] == pytest.approx(100 / 106.37)
    )
    assert local["tested"] is False and local["agrees"] is False and plain["sections"][1]["agreeing_share"] == 1.0
    assert "figure 4.6a: 5 KB x 1, 10 Mbit/s, 36 ms: 1 QUIC and 0 TCP loads of 3" in format_text(report)
    assert "1 of 1 (100%)" in format_text(report)


def test_the_summary_is_of_the_campaigns_asked_for(data):
    make_campaign(data.raw, role="reference", left=QUIC, right=TCP)
    mine = make_campaign(data.raw, left=QUIC, right=TCP)
    text = format_summary(data.audit(), [mine.id])
    assert "your newest campaigns" in text and "reference campaigns" not in text
    assert "2 of 21" in text and text.endswith("Audit: ok")
