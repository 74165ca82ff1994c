"""The synthetic campaigns of tests/dataset serve the audit's tests too."""

import sys
from pathlib import Path

import pytest

from longlook import paths
from longlook.audit import run_audit
from longlook.dataset.process import process

sys.path.insert(0, str(Path(__file__).parents[1] / "dataset"))

from campaigns import believed


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
