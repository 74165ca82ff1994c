"""The data that are kept in the repository can be trusted, by the same audit that its reader runs."""

import pytest

from longlook.audit import run_audit


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_audit_of_the_kept_data_passes():
    """Hashes and samples have tests of their own (tests/dataset)."""
    assert run_audit(verify_hashes=False, anew=False).failures == ()
