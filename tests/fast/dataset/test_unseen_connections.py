"""A load whose connection the server did not tell in time: rejected as it was measured, and nothing else."""

import pytest
from truthful import truthful

from longlook.client.artefact import observed
from longlook.experiment.recheck import _Judge, _Told
from longlook.record.samples import read_records

SILENT = {"connections": [], "zero_rtt": None, "resumed": None}


@pytest.fixture
def recheck(tmp_path):
    """Problems of the second load of a protocol, with changes."""
    campaign = truthful(tmp_path)
    cell = campaign.cells()[0]

    def problems(protocol, **changes):
        records = read_records(tmp_path / campaign.id / cell.id)
        one = next(one for one in records if one["index"] == 1 and cell.arm(one["arm"]).protocol == protocol)
        changed = one | changes
        judge = _Judge(cell, cell.arm(one["arm"]), old=False)
        return list(judge.recheck(changed, _Told.model_validate(changed), observed(one["artefact"])))

    return problems


def test_a_load_that_was_rejected_for_it_stands(recheck):
    assert recheck("quic", **SILENT, accepted=False, reject_reason="connection_reused") == []


def test_one_that_was_accepted_all_the_same_does_not(recheck):
    (wrong,) = recheck("quic", **SILENT)
    assert wrong.startswith("it is accepted; judged again it is connection_reused")


def test_over_tcp_the_client_alone_tells_its_connections(recheck):
    assert any("connections are []" in wrong for wrong in recheck("tcp", **SILENT))
