"""Whole traces come out of the raw records as they were kept."""

import json

import pytest
from campaigns import make_transfers, shared_sweep

from longlook.errors import LonglookError
from longlook.experiment import reading
from longlook.experiment.unpack import unpack


def traced():
    return shared_sweep({"replicates": 2}, experiment="traces", name="traced")


def test_each_cell_of_a_sweeps_newest_campaign_is_a_qlog(tmp_path):
    make_transfers(tmp_path / "raw", (3.0, 2.0), traced())
    newest = make_transfers(tmp_path / "raw", (3.0, 2.0), traced())
    found = list(unpack(tmp_path / "raw", "traced", tmp_path / "out"))
    assert [path.name for path in found] == [f"{cell.id}.qlog" for cell in newest.cells()]
    log = json.loads(found[0].read_text())
    assert log["qlog_version"] == "0.3" and [one["title"] for one in log["traces"]] == ["quic1", "tcp1"]
    assert list(unpack(tmp_path / "raw", newest.id, tmp_path / "out")) == found


def test_a_campaign_without_whole_traces_says_so(tmp_path):
    make_transfers(tmp_path / "raw", (3.0, 2.0), shared_sweep(name="watched"))
    for name in ("watched", "nothing"):
        with pytest.raises(LonglookError, match=f"called '{name}'.* keeps whole traces"):
            list(unpack(tmp_path / "raw", name, tmp_path / "out"))


@pytest.mark.parametrize("damage", [b"", b"no zstd", None])
def test_a_damaged_file_is_an_error_that_names_it(tmp_path, damage):
    campaign = make_transfers(tmp_path, (3.0, 2.0), traced())
    path = campaign.path / campaign.cells()[0].id / reading.TRACES
    path.write_bytes(path.read_bytes()[:-9] if damage is None else damage)
    with pytest.raises(LonglookError, match=r"traces\.qlog\.zst"):
        reading.traces(path.parent)
