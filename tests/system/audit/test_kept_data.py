"""The data that are kept in the repository can be trusted, by the same audit that its reader runs."""

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
