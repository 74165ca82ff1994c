"""Folders that the audit's tests share."""

import functools

import pytest
from campaigns import believed

from longlook import audit, paths
from longlook.audit import published_without_sweep, run_audit
from longlook.dataset.process import process

SEARCHED = functools.cache(published_without_sweep)


@pytest.fixture(autouse=True)
def searched_once(monkeypatch):
    """All sweeps are read for it, which takes longer than all else that an audit does: once for each folder of
    published numbers."""
    monkeypatch.setattr(audit, "published_without_sweep", SEARCHED)


@pytest.fixture
def data(tmp_path):
    """Folders of raw and processed data, and a function that audits them."""

    class Data:
        raw, processed = tmp_path / "raw", tmp_path / "processed"

        def audit(self, again=True, **options):
            if again:
                process(self.raw, self.processed, check=believed)
            roots = {"raw_root": self.raw, "processed_root": self.processed, "published_root": paths.PUBLISHED}
            return run_audit(**roots, check=believed, **options)

    return Data()
