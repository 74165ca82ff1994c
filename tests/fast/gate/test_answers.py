"""The gate of the studies' redesign: the book answers what it did, but for what `changed.toml` lists with its reason.

One page alone: `pytest tests/fast/gate/test_answers.py -k baxter2018`.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import answers
import pytest

from longlook import paths

PAGES = {page.relative_to(paths.ROOT).with_suffix("").as_posix(): page for page in answers.pages()}


@cache
def changed():
    """Item -> why it is not what it was. An item of a page covers what begins with it (a table, and its rows)."""
    text = (Path(__file__).parent / "changed.toml").read_text(encoding="utf-8")
    return {item: one["reason"] for one in tomllib.loads(text).get("changed", []) for item in one["items"]}


def listed(item):
    return next((one for one in changed() if item == one or item.startswith(f"{one} ")), None)


def differences(old, new):
    """(item, what is wrong with it) of all that is not the same and not listed."""
    found = []
    for item in {**old, **new}:
        if old.get(item) != new.get(item) and listed(item) is None:
            found.append(f"{item}: {_told(old.get(item), new.get(item))}")
    return found


def _told(old, new):
    if old is None or new is None:
        return f"is new: {new}" if old is None else f"is gone; it was {old}"
    rows = [text.split(" ") for text in (old[-1], new[-1])]
    if old[0] == new[0] and len(rows[0]) == len(rows[1]) > 1 and len(old) == 2:
        return f"rows {[n for n, (one, other) in enumerate(zip(*rows, strict=True), 1) if one != other]} differ"
    return f"\n    was {old}\n    is  {new}"


@pytest.mark.parametrize("kind", ["stacks", "sweeps", "campaigns"])
def test_stacks_and_cells_are_what_they_were(kind):
    """Sweeps and campaigns that came since may be there."""
    new, old = _plan()[kind], answers.frozen(kind)
    assert differences(old, {item: text for item, text in new.items() if item in old}) == []


@cache
def _plan():
    return answers.of_plan()


@pytest.fixture(scope="module")
def found(request):
    """The answers of the pages that are asked for, which are executed together, from one reading of the tables."""
    asked = [one for one in request.session.items if getattr(one, "function", None) is test_a_page_answers_what_it_did]
    pages = [one.callspec.params["page"] for one in asked]
    return answers.of_pages([PAGES[page] for page in dict.fromkeys(pages)])


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_a_page_answers_what_it_did(found, page):
    wrong = []
    for kind, everything in found.items():
        new = {item: text for item, text in everything.items() if item.split(" ")[0] == page}
        old = {item: text for item, text in answers.frozen(kind).items() if item.split(" ")[0] == page}
        wrong += differences(old, new)
        both = {item for item in {**old, **new} if old.get(item) != new.get(item)}
        wrong += [
            f"{item} is listed in changed.toml, and is what it was"
            for item in changed()
            if item.split(" ")[0] == page and _kind_of(item) == kind and not any(listed(one) == item for one in both)
        ]
    assert not wrong, "\n".join(wrong)


def _kind_of(item):
    """Of the frozen answers that an item of `changed.toml` is about."""
    known = (kind for kind in answers.OF_PAGES for one in answers.frozen(kind) if f"{one} ".startswith(f"{item} "))
    return next(known, None)


def test_the_frozen_answers_are_all_there():
    verdicts = Counter(row[-1] for row in answers.frozen("verdicts").values())
    assert verdicts == {"holds": 213, "does not hold": 76, "open": 58}
    assert len(answers.frozen("numbers")) == 596
    claims = {item.rpartition(" / ")[0] for item in answers.frozen("claims")}
    assert len(claims) == 71  # of 61 claims, and of those that are not judged
    assert {item.split(" ")[0] for item in answers.frozen("tables")} <= set(PAGES)


def test_a_reason_is_given_for_what_changed():
    assert all(reason.strip() for reason in changed().values())
