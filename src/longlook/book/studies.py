"""`longlook studies`: what each study has here, the table with which an extender begins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from longlook import paths
from longlook.analysis.compared import compared_cells
from longlook.analysis.newest import newest
from longlook.book import data as book_data
from longlook.book.data import COLUMNS, BookData
from longlook.book.judged import claim_columns
from longlook.published.claims import CLAIMS_NAME, claims_of
from longlook.published.files import studies
from longlook.published.registry import published_cells
from longlook.stack.arms import sweep_files

VERDICTS = ("holds", "in part", "does not hold", "open", "not measured")
"""Of claims: `in part` where it holds in some of its parts alone."""
HEAD = ("study", "published", "measured", "agreeing", *VERDICTS)


def counted(data: BookData | None = None) -> list[dict[str, Any]]:
    """Of each study: cells published, measured again and agreeing, and its claims by verdict; None for claims that are
    not data. Of the reference campaigns, and of a study that has none of the reader's own."""
    tables = data or book_data.load()
    own = sorted({*studies(), *(file.parent.name for file in sweep_files().values() if file.parent != paths.SWEEPS)})
    return [_of(tables, study) for study in own]


def _of(data: BookData, study: str) -> dict[str, Any]:
    means, verdicts, cells = (data.where(name, study=study) for name in ("means", "verdicts", "cells"))
    by_role = (compared_cells(newest(means, role), newest(verdicts, role), cells) for _, role, _ in COLUMNS)
    measured = next(filter(None, by_role), ())
    return {
        "study": study,
        "published": sum(one.cell.study == study for one in published_cells(paths.PUBLISHED)),
        "measured": len(measured),
        "agreeing": sum(one.agrees for one in measured),
        "claims": _claims(data, study),
    }


def _claims(data: BookData, study: str) -> Mapping[str, int] | None:
    """By the first of the measured columns that has numbers."""
    if not (paths.PUBLISHED / study / CLAIMS_NAME).is_file():
        return None
    columns = claim_columns(study, data)
    judged = next((columns[title] for _, _, title in COLUMNS if title in columns), [])
    words = [one.verdict for one in judged if one.parts]
    found = Counter("in part" if word.startswith("holds in") else word.partition(" (")[0] for word in words)
    found["not measured"] = len(claims_of(study).claims) - len(words)
    return {word: found[word] for word in VERDICTS}


def format_studies(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A line each, below a head; a dash where a study has no such numbers."""
    rows = [HEAD] + [
        (
            one["study"],
            *(str(one[name]) if one["published"] else "-" for name in HEAD[1:4]),
            *("-" if one["claims"] is None else str(one["claims"][word]) for word in VERDICTS),
        )
        for one in found
    ]
    widths = [max(len(row[at]) for row in rows) for at in range(len(HEAD))]
    for name, *numbers in rows:
        told = (text.rjust(wide) for text, wide in zip(numbers, widths[1:], strict=True))
        yield "  ".join([name.ljust(widths[0]), *told])
