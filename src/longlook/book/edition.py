"""Which edition of the book this is: how to cite it, and how its data grew. Computed from CITATION.cff and the data."""

from __future__ import annotations

import hashlib
import html

import pandas as pd
import yaml
from IPython.display import HTML

from longlook import paths
from longlook.analysis.newest import role_of
from longlook.book.data import BookData, load
from longlook.book.provenance import DIGEST_CHARACTERS
from longlook.figure.table import shown_table
from longlook.record.index import INDEX_NAME

HEAD = ("day", "campaigns", "cells", "sweeps")


def cite() -> HTML:
    """How to cite this edition, with its version and the digest of its data."""
    facts = yaml.safe_load((paths.ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    authors = " and ".join(str(one["name"]) for one in facts["authors"])
    year = str(facts["date-released"])[:4]
    text = f"{authors}: {facts['title']}. Version {facts['version']}, {year}. Data {digest() or 'none'}."
    return HTML(f'<blockquote class="ll-cite"><p>{html.escape(text)}</p></blockquote>')


def digest() -> str:
    """Of the sealed reference campaigns, all of them: the SHA-256 of their index, shortened; empty without one."""
    index = paths.RAW / INDEX_NAME
    return hashlib.sha256(index.read_bytes()).hexdigest()[:DIGEST_CHARACTERS] if index.is_file() else ""


def growth(data: BookData | None = None) -> HTML:
    """The reference campaigns by the day on which they were measured, newest first."""
    campaigns = (data or load()).whole("campaigns")
    own = campaigns[campaigns["campaign"].map(role_of) == "reference"]
    days = own.assign(day=own["created"].astype(str).str[:10])
    rows = [_day(str(day), of_day) for day, of_day in sorted(days.groupby("day"), reverse=True)]
    return shown_table(HEAD, rows, numeric={1, 2})


def _day(day: str, own: pd.DataFrame) -> list[str]:
    return [day, str(len(own)), str(int(own["cells_measured"].sum())), ", ".join(sorted(set(own["sweep"])))]
