"""Chapters are executed apart from each other, whole, and anew; one that fails is told with its cell."""

import pytest
from executed import execute

from longlook import paths
from longlook.book import execute as executor
from longlook.book import value_role
from longlook.book.execute import has_cells, notebook_of
from longlook.book.value import StatedNumber
from longlook.errors import LonglookError

HEADER = "---\njupytext:\n  text_representation:\n    extension: .md\n    format_name: myst\n---\n"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Pages by their name and their cells -> the outputs of each."""
    monkeypatch.setattr(executor, "_read_once", lambda _tables, _ceilings: None)
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    (tmp_path / "book").mkdir()

    def outputs(**pages):
        files = []
        for name, cells in pages.items():
            body = "\n".join(f"```{{code-cell}}\n{cell}\n```\n" for cell in cells)
            files.append(tmp_path / "book" / f"{name}.md")
            files[-1].write_text(HEADER + body)
        return {name: one["outputs"] for name, one in execute(files, tmp_path).items()}

    return outputs


def test_a_cells_value_and_what_it_prints_are_its_outputs(run):
    cells = ["x = 1", "print('said')\nx + 1", "from IPython.display import HTML\nHTML('<b>x</b>')", "None"]
    nothing, both, markup, none = run(one=cells)["one"]
    assert nothing == none == []
    assert both[0]["text"] == "said\n" and both[1]["data"]["text/plain"] == "2"
    assert markup[0]["data"]["text/html"] == "<b>x</b>"


def test_what_a_chapter_leaves_behind_another_does_not_see(run):
    first = "import sys\nsys.modules['longlook'].left_behind = 1"
    seen = "import longlook\nprint(hasattr(longlook, 'left_behind'))"
    found = run(one=[first, seen], two=["2", seen], three=["3", seen])
    assert [found[name][-1][0]["text"] for name in ("one", "two", "three")] == ["True\n", "False\n", "False\n"]


def test_the_numbers_of_its_sentences_come_with_a_chapter(tmp_path, monkeypatch):
    def value_of(name, page, data):
        if name == "unknown":
            raise LonglookError("no number of this name")
        return StatedNumber(f"{name} of {page}", "data/raw/x")

    monkeypatch.setattr(executor, "_read_once", lambda _tables, _ceilings: None)
    monkeypatch.setattr(value_role, "value_of", value_of)
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    pages = [tmp_path / "book" / f"{name}.md" for name in ("one", "two")]
    (tmp_path / "book").mkdir()
    for page in pages:
        page.write_text(HEADER + "```{code-cell}\n1\n```\n\nIt is {value}`a-b`, not {value}`unknown`.\n")
    found = execute(pages, tmp_path)
    assert {name: {key: number["text"] for key, number in one["numbers"].items()} for name, one in found.items()} == {
        "one": {"a-b": "a-b of book/one"},
        "two": {"a-b": "a-b of book/two"},
    }


def test_two_chapters_may_have_the_same_cells(run):
    found = run(one=["1"], two=["1"])
    assert found["one"][0][0]["data"] == found["two"][0][0]["data"] == {"text/plain": "1"}


def test_the_first_that_fails_is_named_with_its_cell(run):
    with pytest.raises(LonglookError, match=r"(?s)bad\.md failed.*1 / 0.*ZeroDivisionError"):
        run(good=["1"], bad=["x = 2", "1 / 0", "never = 3"], worse=["raise KeyError('x')"])


def test_what_goes_to_stderr_is_kept_as_such(run):
    ((output,),) = run(one=["import sys\nprint('a warning', file=sys.stderr)"])["one"]
    assert (output["name"], output["text"]) == ("stderr", "a warning\n")


def test_a_chapter_that_never_ends_is_ended_and_named(run, monkeypatch):
    monkeypatch.setattr(executor, "CHAPTER_TIMEOUT_S", 1)
    with pytest.raises(LonglookError, match=r"(?s)stuck\.md failed.*took more than 1 s"):
        run(stuck=["import time\ntime.sleep(60)"])


def test_a_process_that_dies_is_named(run):
    with pytest.raises(LonglookError, match=r"gone\.md failed: its process ended without a result"):
        run(gone=["import os\nos._exit(1)"])


def test_a_page_without_cells_is_no_chapter(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    (tmp_path / "plain.md").write_text("# Plain\n\n```{code-cell}\n1\n```\n")
    (tmp_path / "empty.md").write_text(HEADER + "# Empty\n")
    pages = [tmp_path / "plain.md", tmp_path / "empty.md"]
    assert not any(notebook_of(page) or has_cells(page) for page in pages)
    running = executor.Execution(pages, tmp_path)
    running.finish()
    assert running.pending == [] and running.result("plain") is None


def test_who_waits_gets_what_has_ended_while_others_go_on(tmp_path, monkeypatch):
    monkeypatch.setattr(executor, "_read_once", lambda _tables, _ceilings: None)
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    go = tmp_path / "go"
    waits = f"import os, time\nwhile not os.path.exists({str(go)!r}):\n    time.sleep(0.01)\n'went'"
    for name, cell in {"slow": waits, "quick": "1"}.items():
        (tmp_path / f"{name}.md").write_text(HEADER + f"```{{code-cell}}\n{cell}\n```\n")
    running = executor.Execution([tmp_path / "slow.md", tmp_path / "quick.md"], tmp_path)
    assert running.result("quick")["outputs"][0][0]["data"] == {"text/plain": "1"}
    assert running.pending == ["slow"]
    go.touch()
    running.finish()
    assert running.pending == [] and running.result("slow")["outputs"][0][0]["data"] == {"text/plain": "'went'"}
