"""The claims of Halme 2021: what is printed, and what intervals decide."""

import math

import pytest
from book_sample import PUBLISHED

from longlook.analysis.estimate import Estimate
from longlook.book import data as book_data
from longlook.book.halme2021.chart import ranges
from longlook.book.halme2021.evidence import HANDSHAKE, TABLES, TCP, beside, printed
from longlook.book.judged import claim_columns
from longlook.experiment.metrics import DURATION, PACKETS
from longlook.published.halme2021 import STUDY

OPEN = ["halme2021-06", "halme2021-08", "halme2021-09"]
"""Claims that it prints no numbers for."""


@pytest.mark.parametrize(
    ("low", "high", "says"),
    [(1.1, 1.2, True), (0.9, 0.99, False), (0.99, 1.01, None), (1.35, 1.45, None), (1.5, 1.6, False)],
)
def test_an_interval_decides_where_it_lies_within_the_bounds_or_outside(low, high, says):
    assert Estimate((low + high) / 2, low, high).within(1.0, 1.4) is says


def test_a_mean_without_an_interval_decides_by_itself():
    assert Estimate(1.3).within(1.0, 1.4) is True and Estimate(1.5).within(1.0, 1.4) is False
    assert Estimate(1.3, math.nan, math.inf).within(1.0, 1.4) is None


def test_what_is_printed_holds_but_for_what_its_own_tables_deny(tmp_path):
    """LSQUIC has 7.9 % more packets in table 3; claims 6, 8 and 9 have no numbers. A copy without campaigns has this
    column alone."""
    columns = claim_columns(STUDY, book_data.read(PUBLISHED, tmp_path))
    assert list(columns) == ["Published"]
    said = {one.newest.criterion.id: one.verdict for one in columns["Published"] if one.parts}
    assert sorted({f"halme2021-{one:02}" for one in range(1, 12)} - said.keys()) == OPEN
    failing = {name: text for name, text in said.items() if text != "holds"}
    assert failing == {"halme2021-07": "holds in 11 of 12, not in LSQUIC, table 3"}


def test_the_printed_numbers_are_those_of_the_tables(tmp_path):
    own = printed(book_data.read(PUBLISHED, tmp_path))
    mean = own.summary("aioquic", DURATION.name, **TABLES["4"].said)
    assert (mean.mean, mean.n) == (17_010, 10)
    share = own.one(ratio=["ngtcp2", TCP], metric=HANDSHAKE, **TABLES["2"].said)
    assert round((share.value - 1) * 100, 1) == -59.7
    assert own.summary("lsquic", PACKETS.name, **TABLES["5"].said).mean == 1337
    assert beside(own, "lsquic").tcp.value == pytest.approx(1.954)
    assert len(ranges()) == 16
