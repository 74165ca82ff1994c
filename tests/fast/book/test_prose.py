"""Classes of slips that a careful reader finds in prose: what is of no use in print, two documents that disagree."""

import ast
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


def prose(text):
    """Without code and names of numbers."""
    return re.sub(r"`[^`\n]+`", "", text)


def words():
    """Phrase -> what the pages have instead, from the glossary."""
    table = text_of(paths.BOOK / "glossary.md").partition(":name: tab-words")[2].partition("```")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")][2:]
    return {phrase: instead for phrases, instead in rows for phrase in phrases.split(", ")}


@pytest.mark.parametrize(
    "path", [*CHAPTERS, *map(paths.ROOT.joinpath, ("README.md", "ARTIFACT.md"))], ids=lambda path: path.stem
)
def test_the_pages_use_the_words_of_the_glossary(path):
    text = prose(re.sub(r":name: tab-words.*?```", "", text_of(path), flags=re.S))
    used = {one: instead for one, instead in words().items() if re.search(rf"\b{one}\b", text, re.I)}
    assert used == {}, f"{path.name}: write {used}"


def said_in(path):
    """Line and text of what a source file says to a person: texts of several words that are no docstrings."""
    tree = ast.parse(text_of(path))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = [one for one in ast.walk(tree) if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return [(one.lineno, prose(one.value)) for one in texts if id(one) not in docstrings and " " in one.value.strip()]


def test_messages_and_help_use_the_words_of_the_glossary():
    listed = {one: re.compile(rf"\b{one}\b", re.I) for one in words()}
    sources = sorted((paths.ROOT / "src").rglob("*.py"))
    used = [
        (f"{file.relative_to(paths.ROOT)}:{line}", one)
        for file in sources
        for line, text in said_in(file)
        for one, pattern in listed.items()
        if pattern.search(text)
    ]
    assert sources and used == []


def test_the_list_of_words_is_read_and_found():
    assert words()["by BBR"].startswith("with CUBIC") and len(words()) > 10
    assert "disturbed" not in prose("kept as `disturbed`") and "disturbed" in prose("was disturbed")
