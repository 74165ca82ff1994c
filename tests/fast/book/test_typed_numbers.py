"""No re-measured number is typed into a chapter: each has a source in a list, is a setting, or is a value."""

from functools import cache

import pytest

from longlook import paths
from longlook.book import typed

CHAPTERS = sorted([*paths.BOOK.glob("*.md"), *paths.BOOK.glob("[!_]*/*.md")])


settings = cache(typed.settings)


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_typed_number_of_a_chapter_has_a_source(path):
    """A setting is one of the study whose chapter it is; of pages that all share, one of the thesis's."""
    study = "muthuraj2024" if path.parent == paths.BOOK else path.parent.name
    assert typed.problems(path, settings(study)) == []


def test_no_list_is_left_without_its_chapter():
    chapters = {(path.parent, path.stem) for path in CHAPTERS}
    lists = [*paths.BOOK.glob("typed/*.toml"), *paths.BOOK.glob("*/typed/*.toml")]
    assert len(lists) >= 15
    assert [path for path in lists if (path.parent.parent, path.stem) not in chapters] == []


def test_every_source_says_what_it_is():
    lists = [*paths.BOOK.glob("typed/*.toml"), *paths.BOOK.glob("*/typed/*.toml")]
    for path in lists:
        sources = typed.allowed(path.parent.parent / f"{path.stem}.md")
        assert sources and all(len(source) > 5 for source in sources.values()), path


def test_what_stands_in_a_box_is_prose_and_what_stands_in_code_is_not(chapter):
    (found,) = chapter("```{admonition} Finding\nIt takes 57 ms.\n```\n\n```\nIt takes 58 ms.\n```\n")
    assert "57 ms" in found


@pytest.fixture
def chapter(tmp_path, monkeypatch):
    """A chapter with this text, and problems of it."""
    monkeypatch.setattr(paths, "ROOT", tmp_path)

    def write(text, listed=""):
        (tmp_path / "typed").mkdir(exist_ok=True)
        (tmp_path / "typed" / "one.toml").write_text(listed)
        (tmp_path / "one.md").write_text(f"---\nx: 1\n---\n# One\n\n{text}\n", encoding="utf-8")
        return typed.problems(tmp_path / "one.md", {("36", "ms"), ("10", "Mbit/s"), ("50", "Mbit/s")})

    return write


@pytest.mark.parametrize(
    "text",
    [
        "It takes 57 ms.",
        "It takes 36 to 39 ms.",
        "A lead of +20 % is left.",
        "33 s here, and there",
        "some 8,000 packets",
    ],
)
def test_a_typed_number_is_found_and_the_message_says_what_to_do(chapter, text):
    (found,) = chapter(text)
    assert "one.md:6" in found and "{value}" in found and "typed/one.toml" in found


@pytest.mark.parametrize(
    "text",
    [
        "At 10 and 50 Mbit/s and 36 ms.",
        "It takes {value}`lead` of 36 ms.",
        "| 57 ms | in a table |",
        "```{code-cell}\nx = '57 ms'\n```",
        "$$\n57 ms\n$$",
        "the sweep `57 ms` and figure 4.10, 50 Mbit/s",
        "## 57 ms",
        "500 KB",
    ][:-1],
)
def test_settings_values_code_tables_and_mathematics_are_none(chapter, text):
    assert chapter(text) == []


def test_a_listed_piece_of_text_allows_its_numbers_and_no_others(chapter):
    assert chapter("published 41 to 47 %", '"41 to 47 %" = "thesis, section 4.3.1"') == []
    assert len(chapter("published 41 to 47 %, here 39 %", '"41 to 47 %" = "thesis, section 4.3.1"')) == 1


def test_a_listed_piece_that_is_gone_is_told(chapter):
    (found,) = chapter("Nothing here.", '"41 to 47 %" = "thesis, section 4.3.1"')
    assert "which is not there" in found
