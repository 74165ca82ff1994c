"""Which edition this is: computed, and never ahead of its data."""

import hashlib
import io

import pandas as pd
from book_sample import REPOSITORY

from longlook import paths
from longlook.book import data as book_data
from longlook.book import edition


def test_the_citation_has_version_and_digest_of_the_data(tmp_path, monkeypatch):
    text = edition.cite().data
    index = (REPOSITORY / "data" / "raw" / "INDEX.sha256").read_bytes()
    assert f"Data {hashlib.sha256(index).hexdigest()[:12]}." in text and "Version 0." in text
    monkeypatch.setattr(paths, "RAW", tmp_path)
    assert "Data none." in edition.cite().data


def test_reference_campaigns_are_told_by_their_day_newest_first():
    data = book_data.load()
    text = edition.growth(data).data
    (table,) = pd.read_html(io.StringIO(text))
    assert list(table["day"]) == sorted(table["day"], reverse=True) and not table["day"].duplicated().any()
    reference = data.where("campaigns", role="reference")
    assert table["campaigns"].sum() == len(reference)
    assert table["cells"].sum() == reference["cells_measured"].sum()
