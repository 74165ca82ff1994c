"""Chapters on transfers: tables and charts from small tables of their own."""

import pytest
from book_sample import PUBLISHED, campaign_row, tables_of
from transfers_sample import together

from longlook.book import data as book_data
from longlook.book.chapter import Chapter, open_chapter
from longlook.book.chapters import chapters
from longlook.dataset.rows import who
from longlook.dataset.tables import columns, write_tables
from longlook.errors import LonglookError

CAMPAIGN = "reference-table-4.1-20260101T000000"
STUDY = "muthuraj2024"


def lines(result):
    """Rows of `timelines` and `throughput` of the first run."""
    same = who(CAMPAIGN, result.cell)
    bins = [same | {"arm": name, "time_s": n / 4, "bytes": 25000} for name in ("quic1", "tcp1") for n in range(40)]
    empty = dict.fromkeys(columns("timelines")) | same | {"replicate": 0}
    found = [
        empty
        | {
            "arm": name,
            "source": source,
            "time_s": n / 10,
            "cwnd_bytes": 30000.0 + n,
            "rtt_ms": 40.0,
            "lost": float(n // 20),
        }
        for name, source in (("quic1", "envoy"), ("tcp1", "tcp_probe"))
        for n in range(100)
    ]
    found += [
        empty
        | {"arm": "quic1", "source": "rtt_parts", "time_s": n / 10, "down_ms": 18.0 + n, "hold_ms": 1.0, "up_ms": 18.0}
        for n in range(50)
    ]
    found += [
        empty | {"arm": "quic1", "source": "gquicd", "time_s": n / 10, "cwnd_bytes": 30000.0, "phase": "slow_start"}
        for n in range(5)
    ]
    return {"timelines": found, "throughput": bins}


@pytest.fixture
def chapter(tmp_path):
    result = together(CAMPAIGN, "table-4.1", "QUIC vs TCP", {"quic": 3.7, "tcp": 1.2}, runs=3)
    tables = tables_of([result], [campaign_row(CAMPAIGN, "reference", "table-4.1", 3, "fairness")])
    write_tables(tmp_path, tables | lines(result))
    return Chapter("fairness", STUDY, ("table-4.1", "table-4.2"), book_data.read(PUBLISHED, tmp_path))


def test_shares_stand_beside_the_published_ones(chapter):
    text = chapter.table("4.1").data
    assert "QUIC 3.74 (0.14)" in text and "QUIC 3.71 (0.01)" in text and text.count("QUIC has more") >= 2
    assert "QUIC vs TCPx4" in text  # published and not measured


def test_what_was_not_measured_is_said(chapter):
    assert "table-4.2" in chapter.status().data and "table-4.1," not in chapter.status().data


@pytest.mark.parametrize(
    ("what", "options", "words"),
    [
        (
            "throughput",
            {"published": True},
            ["Mbit/s", "published mean, QUIC", "published mean, TCP", "TCP CUBIC", "3.74"],
        ),
        ("windows", {}, ["congestion window, KB", "QUIC CUBIC, N = 2"]),
        ("windows", {"zoom_s": (3, 5)}, ["congestion window, KB"]),
        ("losses", {}, ["declared lost"]),
        ("rtt_parts", {}, ["queue on the way down"]),
        ("rtt_ms", {}, ["smoothed RTT, ms", "QUIC vs TCP: TCP CUBIC"]),
        ("cwnd_bytes", {}, ["congestion window, KB"]),
        ("phases", {}, ["slow_start"]),
    ],
)
def test_charts_hold_their_data_and_a_picture(chapter, what, options, words):
    text = chapter.timeline("table-4.1", "QUIC vs TCP", what, **options)._repr_html_()
    assert "data:image/svg+xml;base64," in text and "ll-data" in text and ".csv" in text
    assert all(word in text for word in words)


def test_colours_follow_the_protocol_and_not_the_label(chapter):
    chart = chapter.timeline("table-4.1", "QUIC vs TCP", "windows").chart.to_dict()
    scale = chart["vconcat"][0]["layer"][0]["encoding"]["color"]["scale"]
    assert dict(zip(scale["domain"], scale["range"], strict=True)) == {
        "QUIC CUBIC, N = 2": "#b2182b",
        "TCP CUBIC": "#2166ac",
    }


def test_the_run_with_the_smallest_window(chapter):
    assert chapter.run_with("smallest", "table-4.1", "QUIC vs TCP", "50000kb-x1") == 0
    assert chapter.run_with("largest", "table-4.1", "QUIC vs TCP", "50000kb-x1") == 2
    assert chapter.run_with("largest", "table-4.1", "QUIC vs TCP", "5kb-x1") == 0


def test_every_transfer_is_counted(chapter):
    text = chapter.counts("table-4.1").data
    assert (
        "3.71 (3.70–3.72)" in text
        and "50\N{NO-BREAK SPACE}MB\N{NO-BREAK SPACE}× 1".replace("× 1", "×\N{NO-BREAK SPACE}1") in text
    )
    assert chapter.loads("table-4.1").data.count("<tr>") == 1 + 6


def test_nothing_measured_draws_nothing_and_says_so(chapter):
    assert (
        "Not measured yet: QUIC BBR vs TCP BBR (table-4.2)"
        in chapter.timeline("table-4.2", "QUIC BBR vs TCP BBR", "windows").data
    )
    other = Chapter("x", STUDY, ("table-4.1-gquic37",), chapter.data)
    assert "Not measured yet" in other.table("table-4.1-gquic37").data


def test_an_unknown_timeline_and_several_scenarios_are_errors(chapter):
    with pytest.raises(LonglookError, match=r"no timeline 'speed'.*throughput"):
        chapter.timeline("table-4.1", "QUIC vs TCP", "speed")
    with pytest.raises(LonglookError, match="shows one scenario"):
        chapter.timeline("table-4.1", ["QUIC vs TCP", "TCP vs TCP"], "windows")


@pytest.mark.parametrize("name", sorted(chapters()))
def test_every_chapter_opens(name):
    assert open_chapter(name).series
