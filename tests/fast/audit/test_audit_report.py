"""The audit: known answers on synthetic campaigns, and every way in which it must fail."""

import json
import random
import re

import pandas as pd
import pytest
from audited import QUIC, TCP, aa_sweep
from campaigns import (
    COLD,
    STACK_DIGEST,
    loads_of,
    make_campaign,
    make_sample,
    make_sweep,
    make_transfers,
    write_cell,
)
from campaigns import (
    QUIC as QUIC_ARM,
)
from campaigns import (
    TCP as TCP_ARM,
)

from longlook import paths
from longlook.audit import (
    format_summary,
    format_text,
    to_json,
)
from longlook.audit.checks import samples_by_key
from longlook.dataset.tables import read_table
from longlook.errors import LonglookError
from longlook.record.campaigns import open_campaign


def test_known_agreement_of_one_campaign(data):
    make_campaign(data.raw, left=QUIC, right=TCP)
    report = data.audit()
    assert report.ok and report.failures == ()
    (section,) = report.sections
    assert section.title == "your newest campaigns" and section.unpublished_cells == 0
    (table,) = section.tables
    assert (table.table, table.series, table.published_cells, len(table.cells)) == ("B.1", ("4.6a",), 21, 2)
    first = table.cells[0]  # 5 KB at 10 Mbit/s: published 106.37 and 183.41
    assert [mean.ratio for mean in first.means] == [pytest.approx(107 / 106.37), pytest.approx(182 / 183.41)]
    (verdict,) = first.verdicts
    assert (verdict.left, verdict.published, verdict.measured, verdict.agree) == ("quic", "left", "left", True)
    assert table.overall.agreeing_share == 1.0
    # relative errors: QUIC |107/106.37-1|, |107/110.71-1|; TCP |182/183.41-1|, |182/185.87-1|; medians of two
    assert table.overall.median_errors == {
        "quic": pytest.approx((107 / 106.37 - 1 + 1 - 107 / 110.71) / 2),
        "tcp": pytest.approx((1 - 182 / 183.41 + 1 - 182 / 185.87) / 2),
    }
    assert section.overall == (table.overall,)
    _cell, mean = section.largest["plt_ms"][0]
    assert mean.arm == "quic" and mean.ratio == pytest.approx(107 / 110.71)
    assert (section.loads.accepted, section.loads.cold, section.loads.rejected) == (12, 4, {})


def test_disagreement_is_reported_and_is_no_failure(data):
    make_campaign(data.raw, left=TCP, right=[160.0, 161.0, 162.0])
    report = data.audit()
    assert report.sections[0].overall[0].agreeing_share == 0.0 and report.ok
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
    assert report.sections[1].tables[0].cells[0].means[0].measured_mean == 121.0


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


def loads_in_random_order(generator, campaign, cell, after_tcp_ms):
    """20 loads of each; a QUIC load takes `after_tcp_ms` longer if the load before it was TCP's."""
    order, before = ["quic", "tcp"] * 20, None
    generator.shuffle(order)
    taken = {"quic": 0, "tcp": 0}
    for place, arm in enumerate(order):
        taken[arm] += 1
        late = after_tcp_ms if (arm, before) == ("quic", "tcp") else 0
        yield make_sample(campaign, cell, arm, taken[arm], place, generator.gauss(300 + late, 3))
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


def test_arms_that_keep_their_connection_may_depend_on_it_and_it_is_said(data):
    """The QUIC arm of `loads_in_random_order` is TCP's here, and kept: late after another's load."""
    kept = TCP_ARM | {"name": "quic", "handshake": "warm"}
    campaign = open_campaign(data.raw, make_sweep({"arms": [kept, TCP_ARM | {"name": "tcp"}]}), "local", STACK_DIGEST)
    for cell in campaign.cells():
        write_cell(campaign, cell, loads_in_random_order(random.Random(3), campaign.id, cell, 36))
    report = data.audit()
    (section,) = report.sections
    assert (section.order.tested, section.kept.tested, len(section.kept.significant)) == (2, 2, 2)
    assert section.order.passed and report.ok
    assert "of arms that keep their connection, 2 of 2 depend on it" in format_text(report)


def test_only_the_first_metric_is_read_for_the_order_and_a_load_is_counted_once(data):
    """A load has several numbers; a rejected one may have none of the first metric, and still comes before the next."""
    campaign = open_campaign(data.raw, make_sweep({"workloads": [{"size_kb": 5}]}), "local", STACK_DIGEST)
    (cell,) = campaign.cells()
    samples = loads_of(campaign.id, cell, QUIC * 4, TCP * 4)
    for sample in samples:
        sample["metrics"] |= {"client_cpu_s": 0.1, "server_cpu_s": 0.01}
    failed = make_sample(
        campaign.id, cell, "quic", 1, len(samples), None, accepted=False, reject_reason="load_failed", attempt=1
    )
    failed["metrics"] = {"client_cpu_s": 0.1}
    write_cell(campaign, cell, [*samples, failed])
    loads = data.audit().sections[0].loads
    assert (loads.accepted, loads.cold, loads.rejected) == (24, 2, {"load_failed": 1})


def test_rejected_and_disturbed_loads_are_counted(data):
    campaign = open_campaign(data.raw, make_sweep(), "local", STACK_DIGEST)
    cell = campaign.cells()[0]
    reasons = ["disturbed", "disturbed", "object_count", "pair_repeated"]
    bad = [
        make_sample(campaign.id, cell, "quic", 1, 8 + n, 500.0, accepted=False, reject_reason=why)
        for n, why in enumerate(reasons)
    ]
    bad[2]["disturbed"] = True
    write_cell(campaign, cell, loads_of(campaign.id, cell, QUIC, TCP) + bad)
    report = data.audit()
    loads = report.sections[0].loads
    assert (loads.accepted, loads.cold, loads.rejected, loads.disturbed) == (
        6,
        2,
        {"disturbed": 2, "object_count": 1, "pair_repeated": 1},
        3,
    )
    assert (
        "6 accepted and averaged, 2 cold, 3 rejected (disturbed 2, object_count 1), 1 measured again with their pair; "
        "the machine was busy in 3" in " ".join(format_text(report).split())
    )
    assert report.integrity.unsealed == (campaign.id,)


def test_a_changed_file_of_a_sealed_campaign_fails(data):
    campaign = make_campaign(data.raw, left=QUIC, right=TCP)
    assert data.audit().ok
    path = campaign.path / campaign.cells()[0].id / "executed.ipynb"
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
    path = data.processed / "arms.csv"
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


def test_the_text_fits_a_terminal_and_the_json_has_it_all(data):
    make_campaign(data.raw, role="reference", left=[60.0, 61.0, 62.0], right=TCP)
    make_campaign(data.raw, aa_sweep(12), left=QUIC, right=TCP)
    campaign = open_campaign(data.raw, make_sweep(), "local", STACK_DIGEST)
    cell, other = campaign.cells()
    write_cell(campaign, cell, [make_sample(campaign.id, cell, "quic", 1, 0, 100.0)])  # no TCP load at all
    write_cell(campaign, other, loads_of(campaign.id, other, QUIC, TCP))
    report = data.audit()
    for text in (format_text(report), format_summary(report, [campaign.id])):
        assert max(map(len, text.splitlines())) <= 120
    plain = json.loads(to_json(report))
    assert plain["ok"] is False and plain["controls"][0]["verdict"] == "fail"
    local = plain["sections"][1]["tables"][0]["cells"][0]
    quic, tcp = local["means"]
    assert tcp["measured_mean"] is None and tcp["ratio"] is None and quic["ratio"] == pytest.approx(100 / 106.37)
    assert local["tested"] is False and local["agrees"] is False
    assert plain["sections"][1]["overall"][0]["agreeing_share"] == 1.0
    assert "figure 4.6a: 5 KB x 1, 10 Mbit/s, 36 ms: 1 quic and 0 tcp loads of 3" in format_text(report)
    assert "1 of 1 (100%)" in format_text(report)


def test_the_summary_is_of_the_campaigns_asked_for(data):
    make_campaign(data.raw, role="reference", left=QUIC, right=TCP)
    mine = make_campaign(data.raw, left=QUIC, right=TCP)
    text = format_summary(data.audit(), [mine.id])
    assert "your newest campaigns" in text and "reference campaigns" not in text
    assert "2 of 21" in text and text.endswith("Audit: ok")


@pytest.mark.parametrize(
    "blocks",
    [
        [{}, {"arms": [QUIC_ARM | {"quic_options": ["IW10"]}, TCP_ARM]}],
        [{"replicates": 2}],
        [{"arms": [TCP_ARM, QUIC_ARM]}],
        [{"arms": [QUIC_ARM, COLD, TCP_ARM]}],
        [{"workloads": [{"objects": [{"size_kb": 5, "count": 2}, {"size_kb": 100}]}]}],
    ],
    ids=["two variants of one figure", "replicates", "swapped arms", "three arms", "objects of two sizes"],
)
def test_whatever_was_measured_can_be_audited(data, blocks):
    slow = [480.0, 482.0, 484.0]
    campaign = make_campaign(data.raw, make_sweep(*blocks), left=slow, right=slow)
    report = data.audit()
    (section,) = report.sections
    assert report.ok and section.floors == sum(len(cell.arms) for cell in campaign.cells())
    assert section.loads.accepted == 3 * section.floors
    format_text(report)


def test_the_floor_of_a_cold_cell_counts_its_handshake(data):
    sweep = make_sweep({"arms": [COLD, TCP_ARM], "workloads": [{"size_kb": 5}]})
    make_campaign(data.raw, sweep, left=[89.0, 90.0, 91.0], right=TCP)  # 5 KB, 36 ms: at least 36 + 2 * 36 + 4
    (line,) = data.audit().sections[0].below_floor
    assert ": quic 5 KB x 1, 10 Mbit/s, 36 ms: mean 90.0 ms, floor 112.2 ms" in line


def test_floors_are_checked_of_resumed_against_cold_loads_too(data):
    sweep = make_sweep({"arms": [QUIC_ARM, COLD], "series": "4.7c", "workloads": [{"size_kb": 5}]})
    make_campaign(data.raw, sweep, left=[89.0, 90.0, 91.0], right=[89.0, 90.0, 91.0])
    (line,) = data.audit().sections[0].below_floor
    assert "quic (1rtt) 5 KB x 1" in line and "floor 112.2 ms" in line


def test_downloads_have_floors_loads_and_an_order_too(data):
    sweep = make_sweep({"workloads": [{"kind": "download", "size_kb": 5}]}, experiment="download")
    make_campaign(data.raw, sweep, left=[39.0, 39.5, 39.9], right=TCP)  # QUIC: 36 + 4.2
    (section,) = data.audit().sections
    (line,) = section.below_floor
    assert "quic download of 5 KB" in line and "floor 40.2 ms" in line
    assert (section.loads.accepted, section.loads.cold) == (6, 2)


@pytest.mark.parametrize("word", ["null", "None", "NA", "nan", "none", "4.8", "1e5"])
def test_a_series_of_any_name_keeps_it_in_every_table_and_in_the_audit(data, word):
    make_campaign(data.raw, make_sweep({"series": word}), left=QUIC, right=TCP)
    report = data.audit()
    assert len(report.sections) == 1 and report.ok
    for name in ("cells", "samples", "arms", "contrasts"):
        assert set(read_table(data.processed, name)["series"]) == {word}, name


def test_tables_of_shares_are_audited_like_the_others(data):
    make_transfers(data.raw, (3.6, 1.3))
    report = data.audit()
    (section,) = report.sections
    (table,) = section.tables
    assert (table.table, table.series, table.published_cells) == ("4.1", ("table-4.1",), 5)
    assert (table.overall.metric, table.overall.equal, table.overall.tested) == ("mean_mbps", 1, 1)
    assert section.loads.accepted == 0 and section.order.tested == 0 and section.floors == 0
    text = format_text(report)
    assert "QUIC vs TCP: agrees; Jain's index" in text and "3.74 (0.14) ->" in text and "3 runs" in text
    assert "mean rate: verdicts that agree: 1 of 1 (100%)" in text


def test_no_processed_table_is_read_but_by_its_one_reader():
    """Nor a published file but by published/, and no field is found by a protocol's name."""
    below = paths.ROOT / "src" / "longlook"
    text = {path.relative_to(below).as_posix(): path.read_text() for path in below.rglob("*.py")}
    readers = {name for name, own in text.items() if re.search(r"read_(csv|parquet)\(", own)}
    assert readers == {"dataset/tables.py", "server/gquicd.py"}  # of tables, a trace; records: record/parquet.py
    named = {name for name, own in text.items() if "appendix_b.csv" in own and not name.startswith("book/")}
    assert named == {"published/muthuraj2024.py"}  # the book links to it
    mine = {name: own for name, own in text.items() if name.split("/")[0] in ("analysis", "audit", "dataset")}
    places = r"getattr\([^)]*(protocol|arm)|quic_mean|tcp_mean|re\.\w+\(.*cell_id|label\.startswith"
    assert [name for name, own in mine.items() if re.search(places, own)] == []


def test_of_equal_cells_the_one_with_most_loads_counts_and_of_those_the_newest():
    def rows(*found):
        return pd.DataFrame(
            [("m", "k", "tcp", campaign, n, mean, 1.0) for campaign, n, mean in found],
            columns=["study", "key", "protocol", "campaign", "n", "mean", "sd"],
        )

    few, old, new = "reference-a-20260301T000000", "reference-z-20260101T000000", "reference-b-20260201T000000"
    found = samples_by_key(rows((new, 20, 2.0), (old, 20, 1.0), (few, 10, 3.0)))
    assert found["m", "k"]["tcp"].mean == 2.0
    assert samples_by_key(rows((old, 20, 1.0), (few, 10, 3.0)))["m", "k"]["tcp"].mean == 1.0
