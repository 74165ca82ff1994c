"""The chapter on single files: the paper's rule, its claims, what was predicted, what is shown."""

from dataclasses import replace

import pytest
from book_sample import PUBLISHED
from table_rows import rows_of
from yu2021_sample import time_ms, write_objects

from longlook.analysis.correlation import correlation, correlation_difference
from longlook.analysis.estimate import Estimate
from longlook.analysis.lowest import growth_ratio, lowest_difference, lowest_ratio, spread
from longlook.book import data as book_data
from longlook.book.evidence import columns_of
from longlook.book.judged import claim_columns, judged, judged_of
from longlook.book.value_role import numbers_of, value_of
from longlook.book.yu2021 import chart, first_loss, tables
from longlook.book.yu2021.names import (
    BBR,
    LOSSY,
    MAIN,
    MIDDLE,
    MIXED,
    SMALL,
    newest,
    place,
    rule,
    verdict,
)
from longlook.experiment.schedule import load_seed
from longlook.figure import style
from longlook.figure.live import LiveChart
from longlook.link.drawn import lost_packets
from longlook.published.claims import claims_of
from longlook.stack.arms import open_sweep

PAGE = "book/yu2021/objects"
SWEEPS = (*MAIN.values(), "yu-clients", "yu-servers", "yu-each-way", "yu-queue", "yu-first-loss")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    processed = tmp_path_factory.mktemp("processed")
    write_objects(processed)
    return book_data.read(PUBLISHED, processed)


@pytest.fixture
def nothing(tmp_path):
    return book_data.read(PUBLISHED, tmp_path)


def test_the_rule_takes_the_lowest_medians(data):
    own = newest(data, *MAIN.values())
    found = own.one(**rule(place(SMALL), BBR))
    h3, h2 = (time_ms(protocol, "bbr", "curl", SMALL, 15, 0) + 0.25 for protocol in ("quic", "tcp"))
    assert found.value == pytest.approx(h3 / h2) and found.low < found.value < found.high < 0.95
    mixed, alike = (own.one(**rule(place(MIDDLE, LOSSY), pair)).value for pair in (MIXED, BBR))
    assert mixed > 1.15 > 1.05 > alike and own.one(**rule(place(SMALL), BBR, ["nobody"])) is None


A, B = (10.0, 11.0, 12.0, 13.0), (20.0, 21.0, 22.0, 23.0)


def test_medians_are_compared_with_intervals_that_know_of_the_choice():
    found = lowest_ratio((A, B), (B,))
    assert found.value == pytest.approx(11.5 / 21.5) and found.low < found.value < found.high
    assert lowest_ratio((A, B), (B,)) == found
    assert lowest_difference((B,), (A,)).value == pytest.approx(10)
    assert spread((A, B, A)).value == pytest.approx(21.5 / 11.5)
    alone = lowest_ratio(((10.0,),), (A,))
    assert alone.value == pytest.approx(10 / 11.5) and str(alone.low) == "nan"
    grown = growth_ratio((A, tuple(one * 1.2 for one in A)), (A, tuple(one * 1.1 for one in A)))
    assert grown.value == pytest.approx(2)


@pytest.mark.parametrize(
    ("found", "said"), [((0.9,), -1), ((1.0,), 0), ((1.2,), 1), ((0.9, 0.8, 1.1), 0), ((0.9, 0.8, 0.99), -1)]
)
def test_a_difference_is_told_where_its_interval_leaves_out_none(found, said):
    assert verdict(Estimate(*found)) == said


def verdicts(data, title):
    columns = claim_columns("yu2021", data, "objects")
    return {one.newest.criterion.id: one.verdict for one in columns[title] if one.parts}


def test_what_is_published_is_held_to_the_same_criteria(nothing):
    said = verdicts(nothing, "Published")
    assert said["yu-01"] == said["yu-03"] == said["yu-06"] == "holds"
    assert said["yu-02"].startswith("holds (4 of 10")
    assert said.keys() == {"yu-01", "yu-02", "yu-03", "yu-06", "yu-16"}
    assert said["yu-16"].startswith("holds in 18 of 21, not in Google, 1 MB, 65 ms, Google, 1 MB, 115 ms, Facebook")


def test_claims_of_the_sample(data):
    said = verdicts(data, "Re-measured (reference)")
    assert {name for name, text in said.items() if text == "holds"} == {
        "yu-01", "yu-02", "yu-03", "yu-05", "yu-06", "yu-09"
    }  # fmt: skip
    assert said["yu-08"] == "holds in 2 of 3, not in 100 KB (3 of 4 parts)"
    assert said["yu-16"].startswith("holds in 17 of 21, not in BBR against BBR, 1 MB, 65 ms")


def test_an_arm_that_is_not_measured_leaves_what_is_said_of_a_pattern_open(data):
    sweep = open_sweep("yu-clients")
    columns = dict(columns_of(data, sweep.study))
    whole = columns["reference"]
    columns["reference"] = replace(
        whole, of_series=lambda series: [row for row in whole.of_series(series) if row["arm"] != "quic bbr ngtcp2"]
    )
    found = judged(sweep, columns, "reference")
    assert [one.holds for one in found] == [None, True, None, None] and found[0].found == ()


def test_what_the_sample_says_of_predictions_that_are_data(data):
    data_of = {sweep: [one.holds for one in judged_of(sweep, data)] for sweep in SWEEPS}
    small, servers, _ = (data_of.pop(f"yu-{name}") for name in ("100kb", "servers", "first-loss"))
    assert small == [True, True, False, True, True] and False not in servers
    assert {sweep: len(holds) for sweep, holds in data_of.items() if all(holds)} == {
        "yu-1mb": 5, "yu-5mb": 4, "yu-queue": 2, "yu-clients": 4, "yu-each-way": 2,
    }  # fmt: skip


@pytest.mark.parametrize("draw", [chart.best, chart.by_client])
def test_a_picture_says_in_words_what_it_shows_and_carries_its_data(data, draw):
    shown = draw(data)
    assert isinstance(shown, LiveChart) and shown.narrow is not None
    panels = 6 if draw is chart.best else 9
    assert shown.downloads[0].csv.count("\n") == 1 + 15 * panels
    assert shown._repr_html_().count("<img") == 1
    assert shown.alt_text.count(" of 15 squares") == panels


def test_the_words_of_the_best_against_the_best(data, nothing):
    said = chart.best(data).alt_text
    assert "Google (BBR against BBR): quicker in 11, slower in 0 of 15 squares, from −33.6 % (100 KB, 65 ms)" in said
    assert "CUBIC against BBR: quicker in 12, slower in 3 of 15 squares" in said
    alone = chart.best(nothing)
    assert alone.alt_text.count(" of 15 squares") == 3 and "Re-measured: not measured yet" in alone.note


def test_tables_of_the_sample(data):
    best = rows_of(tables.against_best(data))
    assert len(best) == 9 and best[0] == ["100 KB, 15 ms", "119 ms (+2.6 %)", "116 ms (0 %)", "116 ms (0 %)"]
    who = rows_of(tables.clients(data))
    assert len(who) == 9 and who[0][:3] == ["Chromium 111", "HTTP/3", "15.0"]
    assert [row[-1] for row in who] == [style.DASH, style.DASH, "50", "50", "50", "50", style.DASH, style.DASH, "50"]
    sent = rows_of(tables.servers(data))
    assert [row[0] for row in sent[-3:]] == ["Envoy, CUBIC for two connections", "Apache, BBR", "nginx, BBR"]
    assert sent[-2][2] == style.DASH
    assert len(rows_of(tables.direction(data))) == 6 and len(rows_of(tables.queue(data))) == 6 + 20


def test_numbers_of_the_text(data):
    texts = {name: value_of(name, PAGE, data).text.replace("\N{NO-BREAK SPACE}", " ") for name in numbers_of(PAGE)}
    assert texts["squares"] == "45" and texts["small-quiet"] == "−11 %" and texts["small-far"] == "−27 %"
    assert texts["mixed-lossy-1mb"].startswith("+") and texts["mixed-lossy-5mb"].endswith(" downloads of each client")
    assert texts["bbr-lossy"] == "−1.6 to −0.3 %"
    assert texts["claims"] == "9" and texts["browser-behind"] == "3.0 ms"
    assert " of 45 (" in texts["agree"] and "data/" in value_of("agree", PAGE, data).origin
    assert sum(int(texts[f"claims-{one}"]) for one in ("hold", "fail", "partly")) == 9


def test_the_first_lost_packet_follows_from_the_seed_of_the_load(data):
    found = first_loss.points(data, "reference")
    (cell,) = open_sweep("yu-first-loss").cells()
    assert found.keys() == set(first_loss.ARMS) == set(cell.arm_names)
    for number, (first, _) in found[first_loss.TCP_BBR].items():
        lost = lost_packets(cell.link, "server_to_client", load_seed(cell, first_loss.TCP_BBR, *number))
        assert first == next(lost) and found[first_loss.QUIC_CUBIC][number][0] == first
    shown = first_loss.picture(data)
    assert shown.downloads[0].csv.count("\n") == 1 + 16 and shown.alt_text.count("correlation") == 4


def test_a_correlation_has_an_interval_and_needs_some_downloads():
    lost = {index: 10.0 * (7 * index % 40) for index in range(1, 41)}
    falls, flat = ({i: (one, 1000 + slope * one + 17 * i % 40) for i, one in lost.items()} for slope in (-1, 0))
    own = correlation(list(falls.values()))
    assert own.low < own.value < own.high < -0.9
    assert abs(correlation(list(flat.values())).value) < 0.3
    assert correlation_difference(falls, flat).high < 0 < correlation_difference(flat, falls).low
    few = {1: (3.0, 900.0), 2: (5.0, 901.0)}
    assert correlation(list(few.values())) is None and correlation_difference(few, few) is None
    assert correlation([(3.0, 900.0 + index) for index in range(5)]).value == 0


def test_every_claim_is_judged_or_its_reason_is_told():
    told = [one.id for one in (*claims_of("yu2021").claims, *claims_of("yu2021").undecided)]
    assert set(told) == {f"yu-{number:02d}" for number in range(1, 17)} | {"yu-12 to yu-15"}
