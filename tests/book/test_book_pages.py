"""What the chapters show: columns, numbers, provenance and the audit, with sample data and without any."""

import pytest
from book_sample import AA_CAMPAIGN, REPOSITORY, write_sample

from longlook.book import audit_page, data as book_data
from longlook.book.figures import live_figure
from longlook.book.numbers import NOT_YET, figure_numbers, square_pct
from longlook.book.page import Chapter
from longlook.book.provenance import provenance
from longlook.book.thumbnail import make_thumbnail
from longlook.dataset.tables import TABLES, write_tables
from longlook.errors import LonglookError

PUBLISHED = REPOSITORY / "data" / "published"


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    root = tmp_path_factory.mktemp("sample")
    write_sample(root, figures=["4.6a", "4.6d"])
    return book_data.read(PUBLISHED, root / "data" / "processed")


@pytest.fixture(params=["no tables", "empty tables"])
def nothing(request, tmp_path):
    """Before the first run, and after processing when no campaign has a finished cell."""
    if request.param == "empty tables":
        write_tables(tmp_path, {name: [] for name in TABLES})
    return book_data.read(PUBLISHED, tmp_path)


def test_the_columns_are_published_reference_and_yours(sample):
    assert [source.key for source in sample.sources("4.6a")] == ["published", "reference", "yours"]
    assert [source.key for source in sample.sources("4.6b")] == ["published"]


def test_published_verdicts_are_welchs(sample):
    frame = sample.published.set_index(["table", "workload_size_kb", "workload_count", "bandwidth_mbps"])
    assert frame.loc[("B.1", 5, 1, 10), "verdict"] == "quic"
    assert frame.loc[("B.2", 10, 100, 50), "verdict"] == "tcp"
    assert frame.loc[("B.2", 5, 200, 100), "verdict"] == "none"


def test_numbers_are_computed_for_every_column(sample):
    texts = figure_numbers(sample, "4.6a")
    assert texts["4.6a.published.squares"] == texts["4.6a.reference.squares"] == "21"
    assert texts["4.6a.yours.squares"] == "2"
    assert texts["4.6a.published.min"] == "+0.5 % (10 MB at 10 Mbit/s)"
    assert "of 21 verdicts agree" in texts["4.6a.reference.agreement"]


def test_without_data_the_numbers_say_so(nothing):
    texts = figure_numbers(nothing, "4.6a")
    assert texts["4.6a.reference.summary"] == NOT_YET and texts["4.6a.yours.agreement"] == NOT_YET
    assert texts["4.6a.published.quic"] == "21"
    assert square_pct(nothing, "4.6a", "published", 5, 1, 10) == "+72 %"
    assert square_pct(nothing, "4.6a", "reference", 5, 1, 10) == NOT_YET


def test_provenance_names_campaign_digest_machine_and_date(sample):
    text = provenance(sample, ["4.6a", "4.6d"])
    for part in ("reference-figure-4.6a-20250801T101500", "quick-20250903T070000", "0a1b2c3d", "Sample CPU", "2025-08-01 10:15 UTC"):
        assert part in text


def test_a_live_figure_has_loads_facts_floors_and_raw_paths(sample):
    chart = live_figure(sample, "4.6d")
    square = "10kb-x100_50mbps_36ms_0pct_0msjitter"
    facts = chart.payload["facts"][square]
    assert facts["reference"]["raw"].startswith("data/raw/reference-figure-4.6d-20250801T101500/4.6d_")
    assert facts["published"]["raw"] == ""
    assert len([load for load in chart.payload["loads"][square]["reference:quic"] if load[2] == 0]) == facts["reference"]["quic"]["n"]
    floors = chart.payload["floors"][square]
    assert 72 < floors["quic"] < facts["published"]["quic"]["mean"] and floors["quic"] < floors["tcp"]
    assert [item.name for item in chart.downloads] == ["figure-4.6d-squares.csv", "figure-4.6d-loads.csv"]


def test_a_live_figure_without_data_shows_the_published_column(nothing):
    chart = live_figure(nothing, "4.6a")
    assert [source["key"] for source in chart.payload["sources"]] == ["published"]
    assert [item.name for item in chart.downloads] == ["figure-4.6a-squares.csv"]
    assert chart._repr_html_()


def test_the_status_names_what_is_missing_and_the_command(nothing, sample):
    text = Chapter("results-quicv1", ["4.6a"], nothing).status().data
    assert "4.6a" in text and "longlook chapter results-quicv1" in text
    assert Chapter("x", ["4.6a", "4.6d"], sample).status() is None
    assert "4.6b" in Chapter("x", ["4.6a", "4.6b"], sample).status().data


def test_tables_show_published_values_without_data(nothing):
    page = Chapter("appendix-b", [], nothing)
    for number in range(1, 17):
        assert "ll-table" in page.table(f"B.{number}").data
    assert "106.4" in page.table("B.1").data


def test_the_audit_page_works_without_data(nothing):
    page = audit_page.AuditPage(None, nothing)
    sections = (page.controls, page.order, page.agreement, page.disagreements, page.loads, page.floor, page.published, page.integrity, page.conclusion)
    for show in sections:
        assert "make reproduce" in show().data
    assert page.control_chart() is None


def test_the_audit_page_shows_the_control_first(tmp_path):
    from longlook.audit import run_audit

    write_sample(tmp_path, figures=["4.6a"])
    processed = tmp_path / "data" / "processed"
    data = book_data.read(PUBLISHED, processed)
    report = run_audit(raw_root=tmp_path / "none", processed_root=processed, published_root=PUBLISHED, verify_hashes=False)
    page = audit_page.AuditPage(report, data)
    assert AA_CAMPAIGN in page.controls().data and "pass" in page.controls().data
    assert page.control_chart()._repr_html_()
    assert "B.1" in page.agreement().data and "21 of 21" in page.agreement().data
    assert "averaged" in page.loads().data and "Chromium" in page.published().data
    assert page.disagreements().data and page.floor().data and page.conclusion().data


def test_the_audit_page_of_empty_tables_asks_for_a_measurement(tmp_path):
    from longlook.audit import run_audit

    write_tables(tmp_path, {name: [] for name in TABLES})
    report = run_audit(raw_root=tmp_path / "none", processed_root=tmp_path, published_root=PUBLISHED, verify_hashes=False)
    page = audit_page.AuditPage(report, book_data.read(PUBLISHED, tmp_path))
    assert "longlook run aa" in page.controls().data and "make reproduce" in page.agreement().data
    assert page.control_chart() is None and "nothing to audit" in page.conclusion().data


def test_a_missing_column_is_a_clear_error(tmp_path):
    (tmp_path / "plt_cells.csv").write_text("campaign,figure\nx,4.6a\n")
    with pytest.raises(LonglookError, match="lacks the columns .*verdict.*longlook process"):
        book_data.read(PUBLISHED, tmp_path)


def test_the_picture_of_the_result(sample, nothing, tmp_path):
    assert make_thumbnail(tmp_path / "x.png", sample).read_bytes().startswith(b"\x89PNG")
    with pytest.raises(LonglookError, match="nothing to draw"):
        make_thumbnail(tmp_path / "y.png", nothing)
