"""Numbers of the sentences: taken by square, computed square by square, and each says where it comes from."""

import re

import pandas as pd
import pytest

from longlook import paths
from longlook.book import data as book_data
from longlook.book.figure_numbers import parse
from longlook.book.value import Measured, NotMeasured, Quantity
from longlook.book.value_role import module_of, numbers_of, study_of, value_of
from longlook.errors import LonglookError

NBSP = "\N{NO-BREAK SPACE}"
PAGES = sorted(
    path.relative_to(paths.ROOT).with_suffix("").as_posix()
    for path in [*paths.BOOK.glob("*.md"), *paths.BOOK.glob("[!_]*/*.md")]
)
ROLE = re.compile(r"\{value\}`([^`]+)`")


@pytest.fixture(scope="module")
def data():
    return book_data.load()


@pytest.fixture(scope="module")
def measured(data):
    return Measured(data, "muthuraj2024")


def quantity(*numbers, names=("a", "b", "c"), what="x"):
    index = pd.Index(list(names[: len(numbers)]), name="place")
    return Quantity(pd.Series(list(numbers), index=index, dtype=float), what, ("data/raw/one/cell",))


def used(page):
    return ROLE.findall((paths.ROOT / f"{page}.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES)
def test_every_number_that_is_defined_stands_in_its_chapter(page):
    assert set(numbers_of(page)) <= set(used(page))


def test_the_chapters_have_numbers():
    assert sum(len(used(page)) for page in PAGES) > 200
    assert not any("{glue" in (paths.ROOT / f"{page}.md").read_text(encoding="utf-8") for page in PAGES)


def test_numbers_of_two_arms_are_subtracted_square_by_square(measured):
    lead = measured.gap("4.7b", workload=("5kb-x1", "10kb-x1"))
    tcp, quic = (measured.arm("4.7b", arm, workload=("5kb-x1", "10kb-x1")) for arm in ("tcp", "quic"))
    assert len(lead.numbers) == 6 and (lead.numbers == tcp.numbers - quic.numbers.reindex(tcp.numbers.index)).all()
    assert lead.span("ms").text == f"33 to 35{NBSP}ms"
    assert (
        lead.span("ms").origin.count("data/raw/reference-figure-4.7b") == 3 and "and 3 more" in lead.span("ms").origin
    )


def test_percentages_are_those_of_the_table_of_contrasts(measured):
    from longlook.dataset.tables import read_table

    table = read_table(paths.PROCESSED, "contrasts")
    for series, contrast in (("4.6a", ("quic", "tcp")), ("4.7c", ("0rtt", "1rtt"))):
        own = table[(table["series"] == series) & (table["metric"] == "plt_ms")]
        assert sorted(measured.pct(series, contrast).numbers) == sorted(own["pct_diff"])


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (quantity(32.4, 33.6).span("ms"), f"32 to 34{NBSP}ms"),
        (quantity(32.4, 31.6).span("ms"), f"32{NBSP}ms"),
        (quantity(46.1, 51.6).span("ms", joint="and"), f"46 and 52{NBSP}ms"),
        (quantity(1.0, 4.0, 2.0).median("%", sign=True), f"+2{NBSP}%"),
        (quantity(-1.0, -4.0, -2.0).median("%", sign=True), f"−2{NBSP}%"),
        (quantity(0.45).one("s", 1), f"0.5{NBSP}s"),
        (quantity(12345.0).one(), "12,345"),
        (quantity(-29.65).signed(), f"−30{NBSP}%"),
        (quantity(-0.2).one(), "0"),
        (quantity(-3.0, 2.0).size().greatest("%"), f"3{NBSP}%"),
        (quantity(-3.0, 2.0).least("%"), f"−3{NBSP}%"),
        (quantity(1.0, 0.0, -1.0).count(bool), "2"),
        (quantity(1.0, 0.0, -1.0).only(lambda one: one > 0).count(), "1"),
        ((quantity(110.0, 120.0) / quantity(100.0, 100.0) * 100 - 100).span("%"), f"10 to 20{NBSP}%"),
        (quantity(1.0).joined(quantity(3.0)).span(), "1 to 3"),
        (quantity(1.0, 2.0, 3.0).at(quantity(9.0)).one(), "1"),
    ],
)
def test_how_a_number_reads(found, text):
    assert found.text == text


def test_three_of_five_against_none_of_five_may_be_chance(data):
    """10 of the 120 ways to choose three of ten are as unequal; those the other way round count too."""
    page = "book/muthuraj2024/slow-start"
    texts = [value_of(name, page, data).text for name in ("early-n2", "early-n1", "early-by-chance")]
    assert texts == ["3 of 5", "0 of 5", "0.17"]


def test_one_number_of_several_is_an_error():
    with pytest.raises(LonglookError, match="x: 2 numbers, not one"):
        quantity(1.0, 2.0).one()


def test_what_was_not_measured_makes_no_number():
    with pytest.raises(NotMeasured, match="not every number is there"):
        quantity(1.0, float("nan")).span()
    with pytest.raises(NotMeasured, match="not of the same squares"):
        quantity(1.0) - quantity(1.0, names=("b",))


def test_squares_that_differ_can_be_compared_by_what_they_share(measured):
    large, small = (measured.gap("4.7b", workload=name).by("bandwidth_mbps") for name in ("100kb-x1", "5kb-x1"))
    assert len((large - small).numbers) == 3
    with pytest.raises(LonglookError, match="does not tell its squares apart"):
        measured.gap("4.7b").by("bandwidth_mbps")


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda m: m.arm("4.6a", "quic", workload="7kb-x1"), "series 4.6a has no workload = 7kb-x1"),
        (lambda m: m.arm("4.6a", "quic", workload=("5kb-x1", "7kb-x1")), "has no workload = 7kb-x1"),
        (lambda m: m.arm("4.99", "quic"), "series 4.99 is not measured"),
        (lambda m: m.arm("4.6a", "bbr"), "series 4.6a is not measured"),
        (lambda m: m.arm("4.6a", "quic", speed=1), "no condition speed"),
        (lambda m: m.arm("table-4.1", "quic1", "mean_mbps"), "several cells on one square; name one of label"),
    ],
)
def test_what_is_not_there_is_said(measured, ask, says):
    with pytest.raises(LonglookError, match=says):
        ask(measured)


def test_an_unknown_name_is_an_error_that_knows_the_near_ones(data):
    with pytest.raises(
        LonglookError, match=r"no number of this name in longlook\.book\.muthuraj2024\.numbers\.zero_rtt.*lead-small"
    ):
        value_of("lead-smal", "book/muthuraj2024/zero-rtt", data)


def test_a_chapters_study_and_module_follow_from_its_place():
    assert study_of("book/muthuraj2024/zero-rtt") == "muthuraj2024" == study_of("book/audit")
    assert study_of("book/halme2021/one") == "halme2021"
    assert module_of("book/halme2021/one-two") == "longlook.book.halme2021.numbers.one_two"
    assert numbers_of("book/halme2021/one") == {}


def test_names_that_every_figure_has():
    assert parse("4.6a.reference.summary") == ("4.6a", "reference", "summary")
    assert parse("lead-small") is None and parse("a.b.c") is None
