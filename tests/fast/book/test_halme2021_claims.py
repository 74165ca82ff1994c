"""The claims of Halme 2021: what is printed, and what intervals decide."""

import math

import pytest
from book_sample import PUBLISHED

from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.claimed import verdict
from longlook.book.halme2021 import direction
from longlook.book.halme2021.chart import ranges
from longlook.book.halme2021.evidence import HANDSHAKE, TABLES, TCP, printed
from longlook.book.judged import claim_columns, parts_of
from longlook.book.times import Times, times
from longlook.experiment.metrics import DURATION, PACKETS
from longlook.published.claims import claims_of
from longlook.published.halme2021 import STUDY

OPEN = ["halme2021-06", "halme2021-08", "halme2021-09"]
"""Claims that it prints no numbers for."""


@pytest.mark.parametrize(
    ("low", "high", "says"),
    [(1.1, 1.2, True), (0.9, 0.99, False), (0.99, 1.01, None), (1.35, 1.45, None), (1.5, 1.6, False)],
)
def test_an_interval_decides_where_it_lies_within_the_bounds_or_outside(low, high, says):
    assert Times((low + high) / 2, low, high).within(1.0, 1.4) is says


def test_a_mean_without_an_interval_decides_by_itself():
    assert Times(1.3).within(1.0, 1.4) is True and Times(1.5).within(1.0, 1.4) is False
    assert Times(1.3, math.nan, math.inf).within(1.0, 1.4) is None


def test_what_is_printed_holds_but_for_what_its_own_tables_deny(tmp_path):
    """LSQUIC has 7.9 % more packets in table 3; claims 6, 8 and 9 have no numbers. A copy without campaigns has this
    column alone."""
    columns = claim_columns(STUDY, book_data.read(PUBLISHED, tmp_path))
    assert list(columns) == ["Published"]
    said = {
        one.criterion.id: verdict(parts_of(one, claims_of(STUDY).judging), one.of)
        for one in columns["Published"]
        if one.found
    }
    assert sorted({f"halme2021-{one:02}" for one in range(1, 12)} - said.keys()) == OPEN
    failing = {name: text for name, text in said.items() if text != "holds"}
    assert failing == {"halme2021-07": "holds in 11 of 12, not in LSQUIC, table 3"}


def test_the_printed_numbers_are_those_of_the_tables():
    own = printed().summary(TABLES["4"], "aioquic", DURATION.name)
    assert (own.mean, own.n) == (17_010, 10)
    share = times(printed().summary(TABLES["2"], TCP, HANDSHAKE), printed().summary(TABLES["2"], "ngtcp2", HANDSHAKE))
    assert round((share.value - 1) * 100, 1) == -59.7
    assert printed().summary(TABLES["5"], "lsquic", PACKETS.name).mean == 1337
    assert printed().beside("lsquic").tcp.value == pytest.approx(1.954)
    assert len(ranges()) == 16


EACH_WAY_S = {
    "3": {"aioquic": 12.3, "lsquic": 8.8, "ngtcp2": 9.5, "tcp": 11.2},
    "5": {"aioquic": 72.0, "lsquic": 12.0, "ngtcp2": 33.0, "tcp": 48.0},
}


def row_of(table, times_of=1.0, ends_s=(0.01, 0.4), sd=0.05, **means_s):
    """Loss down only in times of loss each way, but for means of its own; standard deviations in times of the means."""
    down = {arm: mean * times_of for arm, mean in EACH_WAY_S[table].items()} | means_s
    each_way = {arm: Summary(mean * 1e3, sd * mean * 1e3, 20) for arm, mean in EACH_WAY_S[table].items()}
    own = {arm: Summary(mean * 1e3, sd * mean * 1e3, 10) for arm, mean in down.items()}
    return direction.Row(table, each_way, own, dict.fromkeys(down, ends_s))


@pytest.mark.parametrize(
    ("third", "fifth", "verdicts"),
    [
        ({}, {}, [True, True, True, True, True]),
        ({}, {"lsquic": 10.0}, [True, True, True, True, True]),  # one of eight may be told apart
        ({"tcp": 10.0}, {"lsquic": 10.0}, [False, True, True, True, True]),
        ({}, {"tcp": 30.0}, [False, True, False, True, True]),  # ngtcp2 is third
        ({"sd": 0.2}, {}, [True, None, True, True, True]),
        ({"ngtcp2": 13.0}, {}, [False, False, False, True, True]),
        ({}, {"aioquic": 40.0}, [False, False, False, True, True]),
        ({}, {"ngtcp2": 41.0}, [True, True, True, False, True]),
        ({"ends_s": (0.01, -0.21)}, {}, [True, True, True, True, False]),
        ({"ends_s": (0.01, 10.4)}, {}, [True, True, True, True, True]),  # of table 5 alone
        ({}, {"ends_s": (0.01, 10.4)}, [True, True, True, True, False]),
    ],
)
def test_each_prediction_on_one_direction_can_fail(third, fifth, verdicts):
    found = direction.judged([row_of("3", **third), row_of("5", **fifth)])
    assert [one.holds for one in found] == verdicts
    assert direction.judged([row_of("3")]) == []
