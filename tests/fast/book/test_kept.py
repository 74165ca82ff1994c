"""What a chapter showed is taken again only where all that it was made of is what it was; in doubt it is executed."""

import pytest
from executed import execute

from longlook import paths
from longlook.book import code, reads
from longlook.book import execute as executor
from longlook.book.kept import Kept
from longlook.errors import LonglookError

HEADER = "---\njupytext:\n  text_representation:\n    extension: .md\n    format_name: myst\n---\n"


@pytest.fixture
def root(tmp_path, monkeypatch):
    """An empty root, and a recorder that knows nothing."""
    folder = tmp_path / "root"
    for name in ("book", "data/raw"):
        (folder / name).mkdir(parents=True)
    for name, value in {
        "ROOT": "",
        "BOOK": "book",
        "DATA": "data",
        "RAW": "data/raw",
        "PROCESSED": "data/none",
    }.items():
        monkeypatch.setattr(paths, name, folder / value)
    monkeypatch.setattr(executor, "_read_once", lambda _tables, _ceilings: None)
    monkeypatch.setattr(reads, "_RECORDER", reads._Recorder())
    return folder


@pytest.fixture
def build(root, tmp_path):
    """Pages by their name and their only cell -> the names of those that were executed. Cells say so outside the root,
    where nobody looks."""

    def executed(**pages):
        ran, place = tmp_path / "ran", tmp_path / f"build{sum(1 for _ in tmp_path.iterdir())}"
        ran.write_text("")
        (place / "scratch").mkdir(parents=True)
        files = []
        for name, cell in pages.items():
            files.append(root / "book" / f"{name}.md")
            said = f"with open({str(ran)!r}, 'a') as stream:\n    stream.write('{name} ')\n"
            text = f"{HEADER}# {name}\n\n```{{code-cell}}\n{said}{cell}\n```\n"
            if not files[-1].exists() or files[-1].read_text() != text:
                files[-1].write_text(text)
        execute(files, place / "scratch", Kept(tmp_path / "kept", executor.table, code.digest()))
        return set(ran.read_text().split())

    return executed


def test_nothing_is_executed_twice_and_a_changed_text_is(build):
    pages = {"one": "1", "two": "2"}
    assert build(**pages) == {"one", "two"}
    assert build(**pages) == set()
    assert build(**pages | {"two": "3"}) == {"two"}
    assert build(**pages) == {"two"}


def test_a_file_that_was_read_counts_by_its_content_and_for_its_readers_alone(build, root):
    (root / "data" / "x.txt").write_text("one")
    pages = {"reader": "print(open('../data/x.txt').read())", "other": "2"}
    assert build(**pages) == {"reader", "other"}
    (root / "data" / "x.txt").write_text("one")
    assert build(**pages) == set(), "written anew, and the same"
    (root / "data" / "x.txt").write_text("two")
    assert build(**pages) == {"reader"}
    (root / "data" / "x.txt").unlink()
    with pytest.raises(LonglookError, match="FileNotFoundError"):
        build(**pages)


@pytest.mark.parametrize(
    "cell",
    [
        "import os\nprint(os.path.exists('../data/raw/x'))",
        "from pathlib import Path\nprint(Path('../data/raw/x').is_file())",
        "import os\nprint(os.path.lexists('../data/raw/x'))",
        "from longlook import paths\nprint(sorted(paths.RAW.glob('*')))",
        "import os\nprint(os.listdir('../data/raw'))",
        "import os\nprint([one.name for one in os.scandir('../data/raw')])",
        "try:\n    open('../data/raw/x')\nexcept FileNotFoundError:\n    print('none')",
    ],
)
def test_what_was_looked_for_in_vain_counts_once_it_is_there(build, root, cell):
    assert build(page=cell) == {"page"}
    assert build(page=cell) == set()
    (root / "data" / "raw" / "x").write_text("there")
    assert build(page=cell) == {"page"}
    assert build(page=cell) == set()


@pytest.mark.parametrize(
    "cell",
    [
        "import subprocess\nsubprocess.run(['true'], check=True)",
        "import os\nos.system('true')",
        "open('../data/written', 'w').close()",
        "import sys\nprint('odd', file=sys.stderr)",
    ],
)
def test_what_no_list_can_tell_is_never_kept(build, cell):
    assert build(page=cell) == build(page=cell) == {"page"}


def test_a_chapter_that_failed_is_executed_again(build, tmp_path):
    pages = {"bad": f"import os\nassert os.path.exists({str(tmp_path / 'mended')!r})", "good": "1"}
    with pytest.raises(LonglookError, match=r"bad\.md failed"):
        build(**pages)
    (tmp_path / "mended").touch()
    assert build(**pages) == {"bad"}, "and the others are kept"
    assert build(**pages) == set()


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: whole[: len(whole) // 2],
        lambda whole: whole.replace(b"one", b"two"),
        lambda whole: b"",
        lambda whole: whole.partition(b"\n")[2],
    ],
)
def test_what_is_damaged_is_made_anew(build, tmp_path, damage):
    assert build(page="print('one')") == {"page"}
    file = tmp_path / "kept" / "book" / "page.json"
    file.write_bytes(damage(file.read_bytes()))
    assert build(page="print('one')") == {"page"}
    assert build(page="print('one')") == set()


def test_other_code_executes_everything(build, monkeypatch, tmp_path):
    own = tmp_path / "code"
    own.mkdir()
    (own / "module.py").write_text("x = 1\n")
    monkeypatch.setattr(code, "FOLDER", own)
    pages = {"one": "1", "two": "2"}
    assert build(**pages) == {"one", "two"}
    assert build(**pages) == set()
    (own / "module.py").write_text("x = 2\n")
    assert build(**pages) == {"one", "two"}
    (own / "schema.json").write_text("{}")
    assert build(**pages) == {"one", "two"}


def test_another_environment_executes_everything(build, monkeypatch, root):
    assert build(page="1") == {"page"}
    (root / "requirements.txt").write_text("pandas==1.0\n")
    assert build(page="1") == {"page"}
    monkeypatch.setenv("LONGLOOK_ANYTHING", "1")
    assert build(page="1") == {"page"}
    assert build(page="1") == set()


def test_a_chapters_front_matter_is_what_those_are_made_of_that_ask_for_it(build, root):
    pages = {"asks": "from longlook.book import chapters\nprint(list(chapters.chapters()))", "other": "2"}
    (root / "book" / "third.md").write_text("---\nlonglook: {name: third}\n---\n\nText.\n")
    assert build(**pages) == {"asks", "other"}
    (root / "book" / "third.md").write_text("---\nlonglook: {name: third}\n---\n\nOther text.\n")
    assert build(**pages) == set()
    (root / "book" / "third.md").write_text("---\nlonglook: {name: fourth}\n---\n\nText.\n")
    assert build(**pages) == {"asks"}


def test_what_changes_while_a_chapter_is_executed_is_not_kept(build, root):
    cell = "import os\nprint(open('../data/x').read())\nos.utime('../data/x')"
    (root / "data" / "x").write_text("text")
    assert build(page=cell) == build(page=cell) == {"page"}
