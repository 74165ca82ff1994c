"""The chapter on pages: what was predicted, the claims, tables, the selection of loads, filmstrips."""

import re
from urllib.parse import unquote

import pytest
from book_sample import PUBLISHED
from table_rows import rows_of
from yu2021_pages_sample import write_pages

from longlook import paths
from longlook.book import data as book_data
from longlook.book.judged import claim_columns, judged_of
from longlook.book.registry import predicted
from longlook.book.value_role import numbers_of, value_of
from longlook.book.yu2021 import filmstrip, pages
from longlook.book.yu2021.names import newest
from longlook.book.yu2021.pages import LOSS, LOSSY_ONES, NINE, PAGES, SMALL, WITHOUT, Seen, selected
from longlook.figure.live import LiveChart

PAGE = "book/yu2021/pages"


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    root = tmp_path_factory.mktemp("pages")
    write_pages(root / "processed", root / "raw")
    return root


@pytest.fixture
def data(sample, monkeypatch):
    monkeypatch.setattr(paths, "RAW", sample / "raw")
    return book_data.read(PUBLISHED, sample / "processed")


def test_what_the_sample_says_of_the_predictions(data):
    assert [one.holds for one in judged_of("yu-pages", data)] == [True] * 5
    found = judged_of("yu-pages-loss", data)
    assert [one.holds for one in found] == [True, None, True, False]
    late = [one.estimate.value for one in found[-1].found if one.leaf.quantity == "late_share"]
    assert late == [0.25]  # one load in four is late, and thrown away
    assert "by the earlier rule" in predicted("yu-pages-loss", data=data).data


def test_claims_of_the_sample(data):
    (found,) = (own for title, own in claim_columns("yu2021", data, "pages").items() if title != "Published")
    said = {one.newest.criterion.id: [part.holds for part in one.parts] for one in found}
    assert said == {"yu-12": [True] * 4, "yu-13": [*[True] * 4, None, True], "yu-15": [True] * 9}


def test_a_selection_throws_away_whose_connection_was_late(data):
    lossy = next(one for one in LOSSY_ONES if one.condition.loss_pct == 1)
    found = selected(newest(data, LOSS), lossy)
    assert (found.thrown, found.of) == (1, 4) and found.change.value < 1
    quiet = selected(newest(data, PAGES), WITHOUT[0])
    assert quiet.thrown == 0 and quiet.change.value == 1
    assert selected(newest(data, PAGES), Seen(NINE[0], measured_in="nowhere")) is None


def test_tables_of_the_sample(data):
    nine = rows_of(pages.consists_of())
    assert len(nine) == 9 and nine[0][:3] == ["Facebook, small", "451", "18"]
    assert all(1 + sum(map(int, row[4:8])) == int(row[2]) for row in nine)
    quiet, lossy = rows_of(pages.times(data)), rows_of(pages.times_with_loss(data))
    assert len(quiet) == 2 * 9 and len(lossy) == 2 * 7
    assert "contentful" in unquote(pages.times(data).data)
    assert quiet[0][:2] == ["Speed Index", "Facebook, small"] and quiet[9][-1] == "< 0.0001"
    chosen = rows_of(pages.selection(data))
    assert len(chosen) == 6 and [row[1] for row in chosen] == ["0 of 4"] * 3 + ["1 of 4"] * 3


@pytest.mark.parametrize("where", filmstrip.SHOWN, ids=lambda one: one.label)
def test_a_strip_has_a_picture_for_each_moment_and_says_what_is_seen(data, where):
    shown = filmstrip.strip(where, data).data
    pictures = re.findall(r'<img alt="([^"]*)"', shown)
    assert len(pictures) == 2 * filmstrip.FRAMES
    assert pictures[0] == "HTTP/2 after 0 s: 0 % is seen"
    assert pictures[filmstrip.FRAMES - 1].endswith("100 % is seen") and pictures[-1].startswith("HTTP/3")
    curves = filmstrip.curves(where, data)
    assert isinstance(curves, LiveChart) and "HTTP/2: all seen after" in curves.alt_text
    assert curves.downloads[0].csv.count("\n") == 1 + 2 * 4
    assert "<img" in curves._repr_html_()


def test_without_records_there_is_no_strip(data, monkeypatch, tmp_path):
    monkeypatch.setattr(paths, "RAW", tmp_path)
    assert "Not measured yet" in filmstrip.strip(filmstrip.SHOWN[0], data).data


def test_numbers_of_the_text(data):
    texts = {name: value_of(name, PAGE, data).text.replace("\N{NO-BREAK SPACE}", " ") for name in numbers_of(PAGE)}
    assert texts["pages"] == "9" and texts["claims"] == "3" and texts["thrown"] == "3 of 24"
    assert re.fullmatch(r"−\d\.\d to −\d\.\d %", texts["plt-small"]), texts
    assert "data/" in value_of("si-larger", PAGE, data).origin


def test_small_pages_are_those_that_the_paper_calls_so():
    assert [one.title for one in SMALL] == ["Facebook, small", "Google, small", "Cloudflare, small"]
    assert Seen(SMALL[0]).label == "Facebook, small"
