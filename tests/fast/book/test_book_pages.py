"""What the chapters show: columns, numbers, provenance and the audit, with sample data and without any."""

from dataclasses import replace
from urllib.parse import unquote

import pandas as pd
import pytest
from book_sample import AA_CAMPAIGN, LOCAL_CAMPAIGN, REPOSITORY, write_sample

from longlook.analysis.welch import Summary
from longlook.audit import run_audit
from longlook.book import agreement, agreement_charts, audit_page
from longlook.book import data as book_data
from longlook.book.chapter import Chapter, metric_of
from longlook.book.figure_numbers import figure_number
from longlook.book.heatmaps import live_heatmap
from longlook.book.muthuraj2024 import appendix, circumstances
from longlook.book.provenance import provenance
from longlook.book.thumbnail import make_thumbnail
from longlook.book.value import NOT_YET, Measured, NotMeasured
from longlook.book.value_role import value_of
from longlook.dataset.tables import TABLES, write_tables
from longlook.errors import LonglookError
from longlook.figure.heatmap import QUIC_TCP
from longlook.figure.squares import Axes

PUBLISHED = REPOSITORY / "data" / "published"
STUDY = "muthuraj2024"
PAGE = f"book/{STUDY}/results-quicv1"


def chapter(data, *series, name="x"):
    return Chapter(name, STUDY, series, data)


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    root = tmp_path_factory.mktemp("sample")
    write_sample(root, figures=["4.6a", "4.6d"])
    return book_data.read(PUBLISHED, root / "data" / "processed")


@pytest.fixture(scope="module", params=["no tables", "empty tables"])
def nothing(request, tmp_path_factory):
    """Before the first run, and after processing when no campaign has a finished cell."""
    folder = tmp_path_factory.mktemp("nothing")
    if request.param == "empty tables":
        write_tables(folder, {name: [] for name in TABLES})
    return book_data.read(PUBLISHED, folder)


def test_the_columns_are_published_reference_and_yours(sample):
    assert [source.key for source in sample.sources(STUDY, "4.6a", QUIC_TCP)] == ["published", "reference", "yours"]
    assert [source.key for source in sample.sources(STUDY, "4.6b", QUIC_TCP)] == ["published"]


def test_the_page_of_the_agreement_has_a_row_per_kind_of_link_and_one_of_all(sample):
    text = agreement.shares(sample).data
    assert text.count("quicv1, 36 ms<") == 1 and text.count("<tr>") == 3 and ">39<" in text


def test_the_page_of_the_agreement_says_what_was_found_and_beside_it_what_could_be(sample):
    found = agreement.squares(sample)
    differ = [one.compared.verdicts[0].agree is False for one in found]
    text = agreement.answer(sample).data
    assert text.count("<li>") == 3 and f"in {39 - sum(differ)} of 39 (kappa " in text
    verdicts = [one.compared.verdicts[0] for one in found]
    published = [one.published for one in verdicts]
    faster = [one.measured for one in verdicts].count("left")
    assert f"faster than TCP in {faster} of 39 squares without loss and jitter" in text.partition("</li>")[0]
    assert f"; a constant {published.count('left')};" in text, "which an agreement never stands without"
    assert "with loss" not in text, "figures 4.6a and 4.6d have none"


def test_the_picture_of_the_agreement_has_every_published_square_and_a_dot_where_the_verdicts_differ(sample):
    found = agreement.squares(sample)
    frame = agreement_charts.tiles(found)
    assert list(frame["panel"].unique()) == ["Table B.1", "Table B.2"]
    assert len(frame) == 39 and not frame.duplicated(["panel", "column", "row"]).any()
    assert (frame["row"].max(), frame["column"].max()) == (2, 6)
    differing = {one.compared.title for one in found if not one.compared.agrees}
    assert set(frame[frame["differs"]]["place"]) == differing and 0 < len(differing) < 39
    white = frame["published"] == "#ffffff"
    assert set(frame[white]["said_published"].str.contains("not shown")) == {True}
    assert f"differ in {len(differing)}" in agreement_charts.picture(sample).alt_text
    assert "78 re-measured means" in agreement_charts.means(sample).alt_text


def test_the_squares_that_the_scripts_change_stand_in_three_ways_beside_the_published_verdict(sample, monkeypatch):
    found, same = agreement.squares(sample), circumstances.three_ways(sample)
    assert (
        agreement_charts.changed(found, same).empty and "No confirmed cause" in agreement_charts.in_three(sample).data
    )
    tcp = {"quic": Summary(100, 1, 20), "tcp": Summary(50, 1, 20)}
    three = [replace(one, scripts=tcp, changed=True) for one in same]
    frame = agreement_charts.changed(found, three)
    assert len(frame) == 3 * 39 and not frame.duplicated(["panel", "square", "way"]).any()
    ways = {way: own.set_index("place") for way, own in frame.groupby("way")}
    scripts = ways["as the scripts did"]
    assert ways["published"]["agrees"].all() and set(scripts["said"]) == {"TCP faster by 50 %, shown"}
    assert set(scripts["ratio"]) == {0.5}
    differ = {one.compared.title for one in found if not one.compared.agrees} & set(frame["place"])
    text = ways["as the text says"]
    assert set(text[~text["agrees"]].index) == differ
    monkeypatch.setattr(agreement_charts, "three_ways", lambda data: three)
    chart = agreement_charts.in_three(sample)
    wrong = (~scripts["agrees"]).sum()
    assert f"from that as the scripts did in {wrong}." in chart.alt_text and wrong > 10
    assert len(chart.chart.to_dict()["hconcat"]) == 2 and len(chart.narrow.to_dict()["hconcat"]) == 1


def test_the_page_of_the_agreement_tells_what_the_scripts_explain_where_they_change_anything(sample, monkeypatch):
    assert "scripts and kernels" not in agreement.answer(sample).data
    changed = [replace(one, changed=True) for one in circumstances.three_ways(sample)]
    monkeypatch.setattr(agreement, "three_ways", lambda data: changed)
    text = agreement.answer(sample).data
    assert text.count("<li>") == 4 and "which change 39 squares" in text
    assert agreement.shares(sample).data.count("\N{EN DASH}") == 0


def test_published_verdicts_are_welchs(sample):
    found = {}
    for series in ("4.6a", "4.6d"):
        frame = sample.squares(STUDY, series, "published", QUIC_TCP)
        found |= {(series, row.workload, row.bandwidth_mbps): row.verdict for row in frame.itertuples()}
    assert found["4.6a", "5kb-x1", 10] == "left"
    assert found["4.6d", "10kb-x100", 50] == "right"
    assert found["4.6d", "5kb-x200", 100] == "none"


def test_numbers_are_computed_for_every_column(sample):
    texts = {
        (key, what): figure_number(sample, STUDY, "4.6a", key, what).text
        for key in ("published", "reference", "yours")
        for what in ("squares", "min", "left", "summary")
    }
    assert texts["published", "squares"] == texts["reference", "squares"] == "21"
    assert texts["yours", "squares"] == "2"
    assert texts["published", "min"] == "+0.5 % (10 MB at 10 Mbit/s)"
    assert texts["published", "summary"].startswith("QUIC is faster in 21 of 21 squares and TCP in 0; the")
    assert (
        "of 21 verdicts agree (the most frequent" in figure_number(sample, STUDY, "4.6a", "reference", "agreement").text
    )
    assert "of 2 verdicts agree" in figure_number(sample, STUDY, "4.6a", "yours", "agreement").text


def test_a_number_says_where_it_comes_from(sample):
    found = value_of("4.6a.reference.summary", PAGE, sample)
    assert "data/raw/reference-figure-4.6a-20250801T101500" in found.origin
    assert value_of(f"{PAGE.removeprefix('book/')}:4.6a.reference.summary", "book/index", sample) == found, (
        "of another page"
    )
    small = value_of("a.small", PAGE, sample)
    assert small.text == "+72\N{NO-BREAK SPACE}%" and f"data/published/{STUDY}" in small.origin


def test_without_data_the_numbers_say_so(nothing):
    for name in ("4.6a.reference.summary", "4.6a.yours.agreement", "4.6a.reference.min"):
        assert value_of(name, PAGE, nothing).text == NOT_YET
    assert value_of("4.6a.published.left", PAGE, nothing).text == "21"
    assert value_of("a.small", PAGE, nothing).text == "+72\N{NO-BREAK SPACE}%"
    assert value_of("lead-small", f"book/{STUDY}/zero-rtt", nothing).text == NOT_YET
    with pytest.raises(NotMeasured, match=r"series 4\.6a is not measured"):
        Measured(nothing, STUDY).pct("4.6a", workload="5kb-x1")


def test_provenance_names_campaign_digest_machine_and_date(sample):
    text = unquote(provenance(sample).data)
    for part in (
        "reference-figure-4.6a-20250801T101500",
        "quick-20250903T070000",
        "0a1b2c3d",
        "Sample CPU",
        ",20,",
        "appendix_b.csv",
    ):
        assert part in text


def test_a_live_figure_has_loads_facts_floors_and_raw_paths(sample):
    chart = live_heatmap(sample, STUDY, "4.6d", QUIC_TCP, Axes())
    square = "10kb-x100_50mbps_36ms_0pct_0msjitter"
    facts = chart.payload["facts"][square]
    assert facts["reference"]["raw"].startswith("data/raw/reference-figure-4.6d-20250801T101500/4.6d_")
    assert facts["published"]["raw"] == ""
    assert (
        len([load for load in chart.payload["loads"][square]["reference:left"] if load[2] == 0])
        == facts["reference"]["left"]["n"]
    )
    floors = chart.payload["floors"][square]
    assert 72 < floors["left"] < facts["published"]["left"]["mean"] and floors["left"] < floors["right"]
    assert [item.name for item in chart.downloads] == ["figure-4.6d-squares.csv", "figure-4.6d-loads.csv"]


def test_tooltip_and_table_of_a_square_print_the_same_means(sample):
    chart = live_heatmap(sample, STUDY, "4.6d", QUIC_TCP, Axes())
    (told,) = [rows for rows in chart.chart.to_dict()["datasets"].values() if "left_text" in rows[0]][:1]
    assert len(told) > 10
    for row in told:
        source = next(one["key"] for one in chart.payload["sources"] if one["title"] == row["source_title"])
        fact = chart.payload["facts"].get(row["square"], {}).get(source)
        for side in ("left", "right"):
            assert not fact or row[f"{side}_text"].startswith(fact[side]["text"] + " ms (n = ")


def test_a_live_figure_without_data_shows_the_published_column(nothing):
    chart = live_heatmap(nothing, STUDY, "4.6a", QUIC_TCP, Axes())
    assert [source["key"] for source in chart.payload["sources"]] == ["published"]
    assert [item.name for item in chart.downloads] == ["figure-4.6a-squares.csv"]
    assert chart._repr_html_()


def test_the_status_names_what_is_missing_and_the_command(nothing, sample):
    text = chapter(nothing, "4.6a", name="results-quicv1").status().data
    assert "4.6a" in text and "longlook chapter results-quicv1" in text
    assert chapter(sample, "4.6a", "4.6d").status() is None
    assert "4.6b" in chapter(sample, "4.6a", "4.6b").status().data


@pytest.mark.parametrize(
    ("own", "says"),
    [((-0.2, -0.3, -0.1), True), ((0.0, -0.02, 0.02), True), ((0.0, -5.0, 5.0), False), ((5.0, 4.5, 5.5), False)],
    ids=["the opposite", "a small one", "few loads", "more of the same"],
)
def test_what_the_readers_own_loads_exclude_of_the_reference_is_said_below_the_finding(tmp_path, own, says):
    write_sample(tmp_path, figures=["4.6a"])
    processed = tmp_path / "data" / "processed"
    rows = pd.read_csv(processed / "contrasts.csv")
    mine = (rows["campaign"] == LOCAL_CAMPAIGN) & (rows["series"] == "4.6a")
    p_value = 1e-6 if own[1] * own[2] > 0 else 0.5
    rows.loc[mine, ["log_ratio", "log_ratio_low", "log_ratio_high", "p_paired", "pairs"]] = [*own, p_value, 6]
    rows.to_csv(processed / "contrasts.csv", index=False)
    found = chapter(book_data.read(PUBLISHED, processed), "4.6a").status()
    assert mine.sum() == 2 and (found is not None) == says
    if says:
        assert "contradicts the reference campaigns in 2 of 2 comparisons" in found.data
        assert (
            found.data.count("QUIC faster by ") == 2 and "5 KB at 10 Mbit/s, RTT 36 ms: QUIC faster by " in found.data
        )


def test_appendix_b_counts_what_comes_out_and_has_each_value_in_a_file(sample, nothing):
    text = unquote(appendix.values(chapter(sample, "4.6a")).data)
    assert text.count("<td>B.1</td>") == 2 and "<td>4.6a</td>" in text and "<td>4.6a, yours</td>" in text
    assert 'download="appendix-b.csv"' in text and ",106.37,2.17,20," in text
    assert "Not measured yet" in appendix.values(chapter(nothing)).data


def test_shares_show_published_values_without_data(nothing):
    assert "QUIC has more" in chapter(nothing).table("4.1").data
    with pytest.raises(LonglookError, match="no published table of shares and no series"):
        chapter(nothing).table("B.1")


def test_a_heatmap_of_nothing_is_a_sentence(nothing):
    assert "not measured yet" in chapter(nothing).heatmap("4.7c", contrast=("0rtt", "1rtt")).data


def test_a_metric_that_does_not_exist_is_an_error():
    with pytest.raises(LonglookError, match=r"no metric 'speed'.*plt_ms"):
        metric_of("speed")
    assert metric_of("mean_mbps").unit == "Mbit/s"


def test_any_two_conditions_make_a_heatmap(sample):
    chart = chapter(sample).heatmap("4.6d", x="bandwidth_mbps", y="workload")
    assert chart.payload["order"][0].startswith("10mbps_1000kb-x1")


def test_the_audit_page_shows_the_control_first(tmp_path):
    write_sample(tmp_path, figures=["4.6a"])
    processed = tmp_path / "data" / "processed"
    data = book_data.read(PUBLISHED, processed)
    report = run_audit(
        raw_root=tmp_path / "none", processed_root=processed, published_root=PUBLISHED, verify_hashes=False
    )
    page = audit_page.AuditPage(report, data)
    assert AA_CAMPAIGN in page.controls().data and "pass" in page.controls().data
    assert "of quicv1 TCP CUBIC" in page.controls().data
    assert page.control_chart()._repr_html_()
    assert "B.1" in page.agreement().data and "21 of 21" in page.agreement().data
    assert "averaged" in page.loads().data and "Chromium" in page.published().data
    assert page.floor().data and page.conclusion().data
    assert "depend on the arm" in page.rejections().data


def test_the_audit_page_of_empty_tables_asks_for_a_measurement(tmp_path):
    write_tables(tmp_path, {name: [] for name in TABLES})
    report = run_audit(
        raw_root=tmp_path / "none", processed_root=tmp_path, published_root=PUBLISHED, verify_hashes=False
    )
    page = audit_page.AuditPage(report, book_data.read(PUBLISHED, tmp_path))
    assert "longlook run aa" in page.controls().data and "make reproduce" in page.agreement().data
    assert "make reproduce" in page.control_chart().data and "nothing to audit" in page.conclusion().data


def test_a_missing_column_is_a_clear_error(tmp_path):
    (tmp_path / "arms.csv").write_text("campaign,series\nx,4.6a\n")
    with pytest.raises(LonglookError, match=r"lacks the columns .*mean.*longlook process"):
        book_data.read(PUBLISHED, tmp_path).whole("arms")


def test_the_picture_of_the_result(sample, nothing, tmp_path):
    assert make_thumbnail(tmp_path / "x.png", sample).read_bytes().startswith(b"\x89PNG")
    with pytest.raises(LonglookError, match="nothing to draw"):
        make_thumbnail(tmp_path / "y.png", nothing)
