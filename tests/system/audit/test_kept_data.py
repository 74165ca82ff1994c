"""The data that are kept in the repository can be trusted, by the same audit that its reader runs."""

import csv
from pathlib import Path

import pytest

from longlook.audit import run_audit
from longlook.audit.rejections import KNOWN


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_audit_of_the_kept_data_passes():
    """Hashes and samples have tests of their own (tests/fast/dataset)."""
    found = run_audit(verify_hashes=False, anew=False)
    assert found.failures == ()
    assert {(one.campaign, one.reason) for one in found.rejections.named} == set(KNOWN)


def test_the_tables_have_no_campaign_that_is_not_there():
    """As the repository has both: what other tests read is without a reader's own campaigns (reference.py). One that
    was measured, processed and deleted makes the audit of every copy fail."""
    data = Path(__file__).parents[3] / "data"
    with (data / "processed" / "campaigns.csv").open(newline="", encoding="utf-8") as stream:
        listed = {row["campaign"] for row in csv.DictReader(stream)}
    again = "make them anew with: longlook process"
    assert listed - {path.name for path in (data / "raw").iterdir()} == set(), again
