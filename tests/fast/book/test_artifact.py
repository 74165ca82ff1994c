"""ARTIFACT.md, which no build renders: its numbers are those of the book, and none of them is typed."""

import pytest

from longlook.book import artifact, typed
from longlook.book import data as book_data
from longlook.errors import LonglookError


@pytest.fixture(scope="module")
def data():
    return book_data.load()


def test_every_marked_number_is_that_of_its_chapter(data):
    text = artifact.FILE.read_text(encoding="utf-8")
    again = artifact.restated(text, data)
    assert again == text, "python -m longlook.book.artifact writes them anew"
    assert len(artifact.MARKED.findall(text)) >= 20 and text.count("<!-- ") == text.count(" -->")


def test_no_expected_result_has_a_typed_number(tmp_path):
    """Of the thesis's claims; settings of the sweeps may be typed."""
    claims = artifact.FILE.read_text(encoding="utf-8").partition("### Claims of the artifact itself")[0]
    lines = [line for line in artifact.unmarked(claims).splitlines() if line.startswith("*Expected*")]
    (tmp_path / "x.md").write_text("\n".join(lines), encoding="utf-8")
    known = typed.settings("muthuraj2024") | {("99", "%")}
    found = [one for one in typed.typed_numbers(tmp_path / "x.md") if (one.number, one.unit) not in known]
    assert len(lines) >= 17 and [one.context for one in found] == []


def test_a_number_that_changed_is_written_anew_and_an_unknown_one_is_an_error(data, tmp_path):
    file = tmp_path / "ARTIFACT.md"
    file.write_text("some <!-- value zero-rtt:lead-small -->9 ms<!-- /value --> ahead", encoding="utf-8")
    assert artifact.restate(file) and not artifact.restate(file)
    assert file.read_text() == "some <!-- value zero-rtt:lead-small -->33 to 35 ms<!-- /value --> ahead"
    assert artifact.unmarked(file.read_text()) == "some  ahead"
    with pytest.raises(LonglookError, match="no number of this name"):
        artifact.restated("<!-- value zero-rtt:lead -->9 ms<!-- /value -->", data)
