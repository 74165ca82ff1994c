"""A second build executes what changed and nothing else, and its pages are those of a build from nothing."""

import csv
import json
import math
import os
import shutil
from pathlib import Path

import pytest
from book_sample import HEADER, REPOSITORY, make_short, write_sample

from longlook.book import build as builder
from longlook.errors import LonglookError

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

SHOWS = """# {name}

```{{code-cell}}
from longlook.book import data

print(data.load().rows("arms", "muthuraj2024", "{series}", "reference")["mean"].sum())
```
"""
PAGES = {
    "shows": HEADER + SHOWS.format(name="Shows", series="4.6a"),
    "other": HEADER + SHOWS.format(name="Other", series="4.6b"),
    "says": HEADER + "# Says\n\n```{code-cell}\n1 + 1\n```\n\nAt most {value}`4.6a.reference.max`.\n",
    "plain": "# Plain\n\nIt is {value}`4.6a.reference.max` too.\n",
    "lists": HEADER
    + "# Lists\n\n```{code-cell}\nfrom longlook import paths\n\nprint(list(paths.RAW.glob('*')))\n```\n",
}
CHAPTERS = {f"book/{name}" for name in PAGES if name != "plain"}


@pytest.fixture(scope="module")
def patch():
    with pytest.MonkeyPatch.context() as made:
        yield made


@pytest.fixture(scope="module")
def root(tmp_path_factory, patch):
    """A small book of its own code, with two measured figures. Each test leaves it built."""
    root, code = make_short(tmp_path_factory.mktemp("book"), patch), tmp_path_factory.mktemp("code")
    shutil.copytree(REPOSITORY / "src" / "longlook", code / "longlook", ignore=shutil.ignore_patterns("__pycache__"))
    patch.setenv("PYTHONPATH", str(code))
    files = "".join(f"- file: book/{name}\n" for name in PAGES)
    (root / "_toc.yml").write_text(f"format: jb-book\nroot: book/index\nchapters:\n{files}")
    for name, text in PAGES.items():
        (root / "book" / f"{name}.md").write_text(text)
    write_sample(root, figures=["4.6a", "4.6b"], local=False)
    return root


@pytest.fixture(scope="module")
def first(root):
    """What the first build made of it."""
    return build(root)


def build(root, **how):
    """The pages' bytes by their paths, and which chapters were executed."""
    html = builder.build(root, **how).parent
    told = json.loads((html.parent / "execution.json").read_text())
    pages = {path.relative_to(html).as_posix(): path.read_bytes() for path in html.rglob("*") if path.is_file()}
    return pages, {name for name, page in told.items() if page["runtime_s"] is not None}


def change(root, series):
    """TCP takes 50 times as long in one cell of one series: in `arms`, and by pairs in `contrasts`."""
    one = rewrite(root, "arms", series, lambda row: row["arm"] == "tcp", mean=lambda mean: mean * 50)
    ratios = dict.fromkeys(("log_ratio", "log_ratio_low", "log_ratio_high"), lambda ratio: ratio + math.log(50))
    same = ("cell_id", "campaign", "metric")
    rewrite(root, "contrasts", series, lambda row: all(row[name] == one[name] for name in same), **ratios)


def rewrite(root, table, series, chosen, **changes):
    """The first such row of a table, with other numbers in it."""
    path = root / "data" / "processed" / f"{table}.csv"
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    one = next(row for row in rows if row["series"] == series and chosen(row))
    one |= {name: repr(made(float(one[name]))) for name, made in changes.items() if one[name]}
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(one), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return one


def test_what_changed_is_executed_and_nothing_else(root, first):
    pages, executed = first
    assert executed == CHAPTERS
    again, executed = build(root)
    pages_of = json.loads((root / "_build" / builder.EXECUTION).read_text())
    assert executed == set() and not any(one["runtime_s"] for one in pages_of.values())
    assert again == pages

    change(root, "4.6a")
    changed, executed = build(root)
    assert executed == {"book/shows", "book/says"}
    assert {name for name in pages if pages[name] != changed[name] and name.startswith("book/")} == {
        "book/shows.html", "book/says.html", "book/plain.html"
    }  # fmt: skip

    kept = root / builder.KEPT / "book" / "other.json"
    kept.write_bytes(kept.read_bytes()[:-1])
    (root / "data" / "raw" / "quick-20260101T000000").mkdir(parents=True)
    there, executed = build(root)
    assert executed == {"book/other", "book/lists"}
    assert b"quick-20260101T000000" in there["book/lists.html"]

    fresh, executed = build(root, fresh=True)
    assert executed == CHAPTERS and fresh == there


def test_other_code_executes_everything(root, first):
    with Path(os.environ["PYTHONPATH"], "longlook", "book", "times.py").open("a") as file:
        file.write("# touched\n")
    assert build(root)[1] == CHAPTERS


def test_a_page_that_is_no_longer_in_the_book_does_not_stay(root, first):
    toc = root / "_toc.yml"
    text = toc.read_text()
    toc.write_text(text.replace("- file: book/other\n", ""))
    pages, executed = build(root)
    assert executed == set() and "book/other.html" not in pages
    toc.write_text(text)


def test_a_chapter_that_fails_is_not_kept(root, first):
    page = root / "book" / "other.md"
    page.write_text(HEADER + "# Other\n\n```{code-cell}\nraise ValueError('no')\n```\n")
    for _ in range(2):
        with pytest.raises(LonglookError, match=r"other\.md failed"):
            builder.build(root)
    page.write_text(PAGES["other"])
    assert build(root)[1] == set(), "what is right again is what was kept"
