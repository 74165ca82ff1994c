"""Classes of slips that a careful reader finds in prose: what is of no use in print, two documents that disagree."""

import re

import pytest

from longlook import paths

CHAPTERS = sorted([*paths.BOOK.glob("*.md"), *paths.BOOK.glob("[!_]*/*.md")])
SYSTEMS = re.compile(r"Debian (\d+) \W?or \w+\W*or Ubuntu (\d+\.\d+)")


def text_of(path):
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_what_is_said_of_clicks_is_for_the_screen_alone(path):
    """The style sheet hides `ll-screen` in print."""
    printed = re.sub(r"```\{container\} ll-screen\n.*?\n```", "", text_of(path), flags=re.S)
    assert re.findall(r".*\b[Cc]lick.*", printed) == []


def test_print_hides_what_is_for_the_screen():
    rules = text_of(paths.BOOK / "_static" / "longlook.css").partition("@media print {")[2]
    assert re.search(r"\.ll-screen[^{}]*\{ display: none", rules)


def test_readme_and_artifact_ask_for_the_same_systems():
    asked = [SYSTEMS.search(text_of(paths.ROOT / name)) for name in ("README.md", "ARTIFACT.md")]
    assert all(asked) and asked[0].groups() == asked[1].groups()
