"""The chapter on every server with every client: which pairs there are, what is shown of them."""

import pytest
from book_sample import PUBLISHED
from matrix_sample import REJECTED, write_matrix
from table_rows import rows_of

from longlook.book import data as book_data
from longlook.book.matrix import chart, tables
from longlook.book.matrix.evidence import (
    CPU,
    GOODPUT,
    HANDSHAKE,
    LOSSY,
    QUIET,
    SMALL,
    TITLES,
    newest,
    shown,
)
from longlook.book.matrix.pairs import CLIENTS, NAMES, SERVERS, Pair, pairs, refused
from longlook.book.value_role import numbers_of, value_of
from longlook.client import CLIENTS as CLIENT_ADAPTERS
from longlook.figure import style
from longlook.figure.live import LiveChart
from longlook.server import SERVERS as SERVER_ADAPTERS
from longlook.stack.arms import open_sweep

PAGE = "book/matrix/matrix"
SWEEPS = {QUIET: (QUIET,), LOSSY: (LOSSY, "matrix-loss-rest"), SMALL: (SMALL,)}
"""By which a series is measured: the one with loss in two parts."""


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    processed = tmp_path_factory.mktemp("processed")
    write_matrix(processed)
    return book_data.read(PUBLISHED, processed)


@pytest.fixture
def nothing(tmp_path):
    return book_data.read(PUBLISHED, tmp_path)


def test_everybody_has_an_adapter_and_a_name():
    servers, clients = ({name for own in table.values() for name in own} for table in (SERVERS, CLIENTS))
    assert servers <= SERVER_ADAPTERS.keys() and clients <= CLIENT_ADAPTERS.keys()
    assert servers | clients == NAMES.keys()
    assert len(list(pairs())) == 3 * (5 * 5 + 3 * 2) == 3 * len(list(pairs("cubic")))


@pytest.mark.parametrize(
    ("pair", "why"),
    [
        (Pair("quic", "envoy", "curl", "cubic"), ""),
        (Pair("quic", "ngtcp2", "lsquic", "reno"), ""),
        (Pair("tcp", "nginx", "aiohttp", "bbr"), ""),
        (Pair("quic", "envoy", "curl", "reno"), "server envoy offers the controllers cubic, bbr, not reno"),
        (Pair("quic", "aioquic", "ngtcp2", "bbr"), "server aioquic offers the controllers cubic, reno, not bbr"),
        (Pair("quic", "quicgo", "curl", "cubic"), "server quicgo offers the controllers reno, not cubic"),
        (Pair("tcp", "apache", "curl", "cubic"), "client curl speaks h2, not http/1.1 of stack matrix"),
    ],
)
def test_who_cannot_be_paired_is_told_by_the_words_of_the_refusal(pair, why):
    assert refused(pair) == why


@pytest.mark.parametrize("series", TITLES)
def test_a_sweep_has_every_pair_that_can_be_with_each_controller_that_is_shown(series):
    """And each as the chapter takes it to be, so that a square and its refusal are of the same arm."""
    cells = [cell for name in SWEEPS[series] for cell in open_sweep(name).cells()]
    assert {cell.series for cell in cells} == {series}
    arms = [arm for cell in cells for arm in cell.arms]
    wanted = [pair for pair in shown(series) if not refused(pair)]
    assert {arm.condition_text for arm in arms} == {pair.arm.condition_text for pair in wanted}
    assert len(arms) == len(wanted)


def test_numbers_are_of_the_file_and_of_both_ends(data):
    own = newest(data, QUIET)
    quick, slow = (Pair("quic", "envoy", client, "cubic") for client in ("curl", "aioquic"))
    goodput = own.numbers(QUIET, GOODPUT)
    assert goodput[quick].mean == pytest.approx(80e3 / 1252) and goodput[slow].mean == pytest.approx(80e3 / 4002)
    assert goodput[quick].n == 3 and goodput[quick].sd / goodput[quick].mean == pytest.approx(1 / 1252)
    assert own.numbers(QUIET, CPU)[quick].mean == pytest.approx(30)
    assert own.numbers(SMALL, HANDSHAKE)[Pair("tcp", "nginx", "aiohttp", "cubic")].mean == 75
    lossy = own.numbers(LOSSY, GOODPUT)
    assert {pair.cca for pair in lossy} == {"cubic", "bbr", "reno"} and len(lossy) == 64
    assert own.numbers(SMALL, HANDSHAKE)[Pair("quic", "quicgo", "curl", "reno")].mean == 40


def test_a_pair_whose_downloads_were_all_rejected_says_so(data):
    found = newest(data, QUIET).found(QUIET, Pair("quic", *REJECTED, "cubic"))
    assert found.of("ttlb_ms") is None and found.why == "no download counts: disturbed 3"
    assert newest(data, SMALL).found(SMALL, Pair("quic", *REJECTED, "cubic")).why == ""


def test_a_pair_that_no_sweep_has_says_so(data):
    assert "no sweep" in newest(data, SMALL).found(SMALL, Pair("quic", "ngtcp2", "curl", "bbr")).why


def test_the_heatmap_says_in_words_what_it_shows_and_carries_its_data(data):
    asked, drawn = chart.CPU_SHOWN, chart.picture(data)
    assert isinstance(drawn, LiveChart) and drawn.narrow is not None
    assert "QUIC" in drawn.alt_text and "TCP" in drawn.alt_text
    frame = chart.squares(asked, newest(data, asked.series))
    assert len(frame) == len(shown(asked.series))
    none = frame[frame["value"].isna()]
    assert len(none) and set(none["label"]) == {style.DASH} and none["said"].str.len().min() > 20
    assert drawn.downloads[0].csv.count("\n") == 1 + len(frame)
    assert drawn._repr_html_().count("<img") == 1


def test_the_words_of_the_heatmap(data):
    said = chart.picture(data).alt_text
    assert said.startswith("CPU in ms per MB. CUBIC, QUIC: 19 of 25 pairs, from 30 ms per MB (")
    assert "BBR, QUIC: 15 of 25 pairs" in said and "RENO, TCP: 3 of 6 pairs, from 8" in said


def test_where_pairs_hardly_differ_a_table_has_their_ranges_and_files_every_pair(data):
    shown = chart.ranges(chart.GOODPUT_SHOWN, data)
    rows = rows_of(shown)
    cubic = {row[1]: row[2:] for row in rows if row[0] == "CUBIC"}
    assert set(cubic) == {"QUIC, without aioquic", "QUIC, with aioquic", "TCP"} and cubic["TCP"][0] == "3"
    assert cubic["QUIC, with aioquic"][1] == "20.0" and cubic["QUIC, without aioquic"][1] == "63.9"
    assert len(rows) == 9 and sum(int(row[2]) for row in rows) == 64
    assert shown.data.count("download=") == 2 and "matrix-loss.csv" in shown.data
    handshakes = rows_of(chart.ranges(chart.HANDSHAKE_SHOWN, data))
    assert [row[1:] for row in handshakes][-1] == ["TCP", "3", "75.0", "75.0"] and len(handshakes) == 3


def test_every_reason_has_a_row_with_the_pairs_that_it_is_of(data):
    found = {row[3]: row[:3] for row in rows_of(tables.reasons(data))}
    assert found["server envoy offers the controllers cubic, bbr, not reno"] == [
        "RENO", "Envoy with each client", "in any sweep"
    ]  # fmt: skip
    assert found["client curl speaks h2, not http/1.1 of stack matrix"][1] == "Apache with curl; AIOHTTP with curl"
    assert found["no download counts: disturbed 3"] == ["CUBIC, RENO", "aioquic with aioquic", "10 MB, no loss"]
    assert found["client curl does 1rtt, not 0rtt"][2] == "early data" and len(found) == 8


def test_a_copy_without_data_still_knows_who_cannot_be_paired(nothing):
    assert [row[2] for row in rows_of(tables.reasons(nothing))] == ["in any sweep"] * 6 + ["early data"]


def test_numbers_of_the_text(data):
    texts = {name: value_of(name, PAGE, data).text.replace("\N{NO-BREAK SPACE}", " ") for name in numbers_of(PAGE)}
    assert texts["pairs"] == "62" and texts["goodput-quick"] == "64 Mbit/s" and texts["goodput-slow"] == "20 Mbit/s"
    assert texts["bbr-over-cubic"] == "4.0 to 6.4 times" and texts["handshake-quic"] == "40 ms"
    assert texts["loss-to-slow"] == "10.0 to 20.0 Mbit/s" and texts["slow-cpu-loss"] == "0.2 s"
    assert texts["bbr-over-cubic-slow"] == "1.2 to 2.0 times" and texts["loss-pairs"] == "64"
    assert texts["cpu-quic"] == "30 ms per MB" and texts["cpu-tcp"] == "8 ms per MB"
    assert "data/raw/reference-matrix-2026" in value_of("goodput-quick", PAGE, data).origin
