"""Front matter of the chapters, and which sweeps `longlook chapter` measures."""

import pytest

from longlook.book.chapters import chapter_series, chapter_study, chapter_sweeps, chapters, front_matter
from longlook.errors import LonglookError


def write(folder, name, text):
    (folder / name).write_text(text, encoding="utf-8")


def test_the_chapters_of_this_book_name_the_sweeps_of_figures_4_5_and_4_6():
    gquic, quic = ({f"figure-{figure}{letter}" for letter in "abcdef"} for figure in ("4.5", "4.6"))
    assert set(chapter_sweeps("results-quicv1")) == quic
    assert set(chapter_sweeps("results-gquic37")) == gquic
    assert set(chapter_sweeps("appendix-b")) == gquic | quic | {f"figure-4.11{letter}" for letter in "abcd"}
    assert (
        set(chapter_sweeps("audit"))
        == {"aa", "aa-more", "aa-downloads", "aa-many", "aa-today", "aa-today-cubic"} | gquic | quic
    )


def test_the_name_is_the_front_matters_or_else_the_files(tmp_path):
    write(tmp_path, "one.md", "---\nlonglook:\n  name: first\n  sweeps: [a]\n---\n# x\n")
    write(tmp_path, "two.md", "---\nlonglook:\n  sweeps: [b, c]\n---\n# x\n")
    write(tmp_path, "three.md", "# no front matter\n")
    assert list(chapters(tmp_path)) == ["first", "two"]
    assert chapter_sweeps("two", tmp_path) == ["b", "c"]


def test_an_unknown_chapter_is_an_error_that_lists_the_known_ones(tmp_path):
    write(tmp_path, "one.md", "---\nlonglook: {sweeps: [a]}\n---\n")
    with pytest.raises(LonglookError, match=r"no chapter 'two'.*known: one"):
        chapter_sweeps("two", tmp_path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("---\nlonglook: {sweep: [a]}\n---\n", "may hold name, sweeps"),
        ("---\nlonglook: {sweeps: a}\n---\n", "must be a list"),
        ("---\nlonglook: [\n---\n", "not YAML"),
        ("---\nlonglook: {}\n", "no closing"),
    ],
)
def test_mistakes_in_front_matter_name_the_file(tmp_path, text, says):
    write(tmp_path, "bad.md", text)
    with pytest.raises(LonglookError, match=says) as error:
        chapters(tmp_path)
    assert "bad.md" in str(error.value)


def test_two_chapters_cannot_share_a_name(tmp_path):
    for name in ("one.md", "two.md"):
        write(tmp_path, name, "---\nlonglook: {name: same}\n---\n")
    with pytest.raises(LonglookError, match="both called 'same'"):
        chapters(tmp_path)


def test_a_page_without_front_matter_has_none(tmp_path):
    write(tmp_path, "x.md", "")
    assert front_matter(tmp_path / "x.md") == {}


def test_a_studys_chapters_are_in_its_folder_and_those_of_all_studies_above(tmp_path):
    (tmp_path / "study").mkdir()
    write(tmp_path, "shared.md", "---\nlonglook: {sweeps: [a]}\n---\n")
    write(tmp_path / "study", "own.md", "---\nlonglook: {sweeps: [b]}\n---\n")
    assert list(chapters(tmp_path)) == ["shared", "own"]
    assert chapter_study("own", tmp_path) == "study" and chapter_study("shared", tmp_path) == "muthuraj2024"


def test_the_series_of_a_chapter_are_those_of_its_sweeps():
    assert chapter_series("beyond") == ("beyond-threshold", "window-default", "window-quic10", "window-tcp32")
    assert chapter_series("fairness")[-2:] == ("fairness-paced", "fairness-paced-gquic37")


def test_a_sweep_that_is_not_there_is_named(tmp_path):
    write(tmp_path, "one.md", "---\nlonglook: {sweeps: [no-such-sweep]}\n---\n")
    with pytest.raises(LonglookError, match="names the sweep 'no-such-sweep'"):
        chapter_series("one", tmp_path)
