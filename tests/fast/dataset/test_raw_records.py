"""Campaigns, cells and loads on disk: resuming, kills, full disks, sealing, immutability, verification."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import campaigns
import pytest
from campaigns import STACK_DIGEST, loads_of, make_campaign, make_sample, make_sweep, write_cell

from longlook.errors import LonglookError
from longlook.record import durable
from longlook.record.campaigns import find_campaign, open_campaign, read_campaigns, verify
from longlook.record.samples import SamplesWriter, read_records


def start(root, **options):
    return open_campaign(
        root, make_sweep(**options.pop("sweep", {})), options.pop("role", "local"), STACK_DIGEST, **options
    )


def fill(campaign, cell):
    return write_cell(campaign, cell, loads_of(campaign.id, cell, [106.0, 107.0, 108.0], [180.0, 182.0, 184.0]))


def test_a_new_campaign_lists_its_cells_and_machine(tmp_path):
    campaign = start(tmp_path)
    info = json.loads((campaign.path / "campaign.json").read_text())
    assert info["schema"] == "longlook.campaign/2"
    assert info["campaign"] == campaign.id == campaign.path.name
    assert campaign.id.startswith("figure-4.6a-20")
    assert info["sealed"] is None and info["role"] == "local" and info["stack_digest"] == STACK_DIGEST
    assert info["cells"] == [cell.id for cell in make_sweep().cells()]
    assert info["machine"]["cpus"] >= 1 and info["machine"]["memory_bytes"] > 0
    assert os.uname().nodename not in json.dumps(info["machine"])


def test_reference_campaigns_have_their_prefix_and_ids_never_collide(tmp_path):
    names = [start(tmp_path, role="reference").id for _ in range(3)]
    assert len(set(names)) == 3 and sorted(names) == names
    assert all(name.startswith("reference-figure-4.6a-") for name in names)


def test_resume_continues_at_the_first_missing_cell(tmp_path):
    campaign = start(tmp_path)
    first, second = campaign.missing_cells()
    fill(campaign, first)
    campaign.close()
    again = start(tmp_path, resume="auto")
    assert again.id == campaign.id
    assert [cell.id for cell in again.missing_cells()] == [second.id]
    again.close()
    assert start(tmp_path, resume=campaign.id).id == campaign.id


@pytest.mark.parametrize("change", [{"loads": 5}, {"seed": 8}])
def test_another_definition_of_the_sweep_is_another_campaign(tmp_path, change):
    old = start(tmp_path)
    old.close()
    assert start(tmp_path, sweep=change, resume="auto").id != old.id
    with pytest.raises(LonglookError, match="another definition"):
        start(tmp_path, sweep=change, resume=old.id)


def test_another_stack_is_another_campaign(tmp_path):
    old = start(tmp_path)
    old.close()
    with pytest.raises(LonglookError, match="stack digest"):
        open_campaign(tmp_path, make_sweep(), "local", "ff" * 32, resume=old.id)
    assert open_campaign(tmp_path, make_sweep(), "local", "ff" * 32, resume="auto").id != old.id


def test_an_unknown_campaign_is_an_error_that_lists_the_known_ones(tmp_path):
    known = start(tmp_path).id
    with pytest.raises(LonglookError, match=known):
        find_campaign(tmp_path, "nonsense")


def test_two_processes_cannot_measure_into_one_campaign(tmp_path):
    campaign = start(tmp_path)
    with pytest.raises(LonglookError, match="another process"):
        start(tmp_path, resume=campaign.id)
    campaign.close()
    start(tmp_path, resume=campaign.id).close()


def test_an_interrupted_cell_is_kept_apart_and_never_looks_finished(tmp_path):
    campaign = start(tmp_path)
    cell = campaign.missing_cells()[0]
    partial = campaign.begin_cell(cell)
    (partial / "netlog.json").write_text("half")
    assert campaign.finished_cells() == [] and cell in campaign.missing_cells()
    fresh = campaign.begin_cell(cell)
    assert fresh == partial and list(fresh.iterdir()) == []
    kept = list((campaign.path / "interrupted").iterdir())
    assert len(kept) == 1 and kept[0].name.startswith(cell.id + "-20")
    assert (kept[0] / "netlog.json").read_text() == "half"
    campaign.begin_cell(cell)  # what was empty is not worth keeping
    assert len(list((campaign.path / "interrupted").iterdir())) == 1


def test_a_cell_that_is_not_whole_cannot_be_finished(tmp_path):
    campaign = start(tmp_path)
    cell = campaign.missing_cells()[0]
    partial = campaign.begin_cell(cell)
    with pytest.raises(
        LonglookError, match=r"lacks cell\.json, environment\.json, samples\.jsonl\.zst, executed\.ipynb"
    ):
        campaign.finish_cell(partial)
    assert partial.is_dir()


def test_a_cell_of_another_campaign_cannot_be_finished(tmp_path):
    campaign = start(tmp_path)
    cell = campaign.missing_cells()[0]
    with pytest.raises(LonglookError, match="says campaign somewhere-else"):
        write_cell(campaign, cell, loads_of("somewhere-else", cell, [1.0] * 3, [2.0] * 3))
    assert campaign.finished_cells() == []


def test_a_finished_cell_is_never_overwritten(tmp_path):
    campaign = start(tmp_path)
    cell = campaign.missing_cells()[0]
    fill(campaign, cell)
    with pytest.raises(LonglookError, match="measured already"):
        campaign.begin_cell(cell)


def test_loads_are_read_back_in_order_and_bit_for_bit(tmp_path):
    campaign = start(tmp_path)
    cell = campaign.missing_cells()[0]
    samples = loads_of(campaign.id, cell, [106.123456789, 107.0, 108.0], [180.0, 182.0, 184.0])
    samples.append(
        make_sample(
            campaign.id,
            cell,
            "tcp",
            1,
            8,
            None,
            accepted=False,
            reject_reason="load_failed",
            reject_detail="läuft nicht",
        )
    )
    assert list(read_records(write_cell(campaign, cell, samples))) == samples


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": "longlook.sample/9"}, "schema"),
        ({"metrics": {}}, "an accepted sample needs a metric"),
        ({"metrics": {"plt_ms": None}}, "an accepted sample needs a metric"),
        ({"metrics": {"plt_ms": -3.0}}, "metrics must map names to numbers"),
        ({"metrics": {"plt_ms": "fast"}}, "metrics must map names to numbers"),
        ({"metrics": {"plt_ms": True}}, "metrics must map names to numbers"),
        ({"metrics": 100.0}, "metrics must map names to numbers"),
        ({"set_aside": None}, "true or false"),
        ({"reject_reason": "status"}, "no reject_reason"),
        ({"reject_reason": "status"}, "no reject_reason"),
        ({"accepted": False}, "needs a reject_reason"),
        ({"accepted": None}, "true or false"),
        ({"har": float("nan")}, "cannot be written as JSON"),
    ],
)
def test_a_load_that_makes_no_sense_is_refused(tmp_path, change, message):
    cell = make_sweep().cells()[0]
    with SamplesWriter(tmp_path / "samples.jsonl.zst") as writer:
        with pytest.raises(LonglookError, match=message):
            writer.append(make_sample("c", cell, "quic", 1, 0, 100.0) | change)
        writer.append(make_sample("c", cell, "quic", 1, 0, 100.0))
    assert len(list(read_records(tmp_path))) == 1


def test_a_load_without_its_keys_is_refused(tmp_path):
    sample = make_sample("c", make_sweep().cells()[0], "quic", 1, 0, 100.0)
    del sample["order"], sample["attempt"]
    with (
        SamplesWriter(tmp_path / "samples.jsonl.zst") as writer,
        pytest.raises(LonglookError, match="lacks attempt, order"),
    ):
        writer.append(sample)


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_a_torn_last_load_is_cut_off_and_the_others_survive(tmp_path, cut):
    cell = make_sweep().cells()[0]
    path = tmp_path / "samples.jsonl.zst"
    with SamplesWriter(path) as writer:
        for order in range(3):
            writer.append(make_sample("c", cell, "quic", order, order, 100.0 + order))
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(LonglookError, match="damaged after byte"):
        list(read_records(tmp_path))
    assert [one["order"] for one in read_records(tmp_path, torn_ok=True)] == [0, 1]
    with SamplesWriter(path) as writer:
        assert writer.count == 2
        writer.append(make_sample("c", cell, "quic", 2, 7, 100.0))
    assert [one["order"] for one in read_records(tmp_path)] == [0, 1, 7]


def test_a_full_disk_is_a_clear_error_and_loses_no_load(tmp_path, monkeypatch):
    cell = make_sweep().cells()[0]
    path = tmp_path / "samples.jsonl.zst"
    with SamplesWriter(path) as writer:
        writer.append(make_sample("c", cell, "quic", 0, 0, 100.0))
        real_write = os.write

        def half_then_full(descriptor, data):
            if len(data) > 20:
                return real_write(descriptor, bytes(data[:20]))
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "write", half_then_full)
        with pytest.raises(LonglookError, match=r"disk that holds .* is full.*first missing cell"):
            writer.append(make_sample("c", cell, "quic", 1, 1, 101.0))
        monkeypatch.undo()
        assert [one["order"] for one in read_records(tmp_path)] == [0]  # nothing torn is left behind
        writer.append(make_sample("c", cell, "quic", 1, 2, 102.0))
    assert [one["order"] for one in read_records(tmp_path)] == [0, 2]


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to mount a small file system: run `sudo make test`")
def test_a_really_full_file_system_keeps_every_load_and_can_go_on(tmp_path):
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(tmp_path)], check=True)
    try:
        cell = make_sweep().cells()[0]
        padding = os.urandom(3000).hex()  # does not compress below 3 KB
        with SamplesWriter(tmp_path / "samples.jsonl.zst") as writer:
            with pytest.raises(LonglookError, match="is full"):
                for order in range(1000):
                    writer.append(make_sample("c", cell, "quic", 1, order, 100.0, har=padding))
            assert 5 < writer.count < 60
            assert [one["order"] for one in read_records(tmp_path)] == list(range(writer.count))
            with pytest.raises(LonglookError, match="is full"):
                durable.write_bytes(tmp_path / "cell.json", b"x" * 200_000)
        assert [item.name for item in tmp_path.iterdir()] == ["samples.jsonl.zst"]
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def test_a_full_disk_while_a_file_is_replaced_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "campaign.json"
    durable.write_json(path, {"a": 1})

    def full(_descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(LonglookError, match="is full"):
        durable.write_json(path, {"a": 2})
    assert durable.read_json(path) == {"a": 1}
    assert [item.name for item in tmp_path.iterdir()] == ["campaign.json"]


KILLED = """
import sys
sys.path[:0] = {path!r}
from pathlib import Path
from campaigns import STACK_DIGEST, make_sample, make_sweep
from longlook.record.campaigns import open_campaign
from longlook.record.samples import SamplesWriter
campaign = open_campaign(Path({root!r}), make_sweep(), "local", STACK_DIGEST, resume="auto")
cell = campaign.missing_cells()[0]
with SamplesWriter(campaign.begin_cell(cell) / "samples.jsonl.zst") as writer:
    for order in range(10**6):
        writer.append(make_sample(campaign.id, cell, "quic", 1, order, 100.0))
        print(order, flush=True)
"""


def test_kill_9_loses_at_most_the_load_under_way(tmp_path):
    script = KILLED.format(path=[str(Path(campaigns.__file__).parent)], root=str(tmp_path))
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        acknowledged = -1
        deadline = time.monotonic() + 60
        while acknowledged < 20 and time.monotonic() < deadline:
            acknowledged = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        rest = process.stdout.read().split()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    acknowledged = max([acknowledged, *map(int, rest)])
    campaign = start(tmp_path, resume="auto")  # the lock went with the process
    cell = campaign.missing_cells()[0]
    partial = campaign.path / f"{cell.id}.partial"
    kept = [one["order"] for one in read_records(partial, torn_ok=True)]
    assert kept[: acknowledged + 1] == list(range(acknowledged + 1))
    assert len(kept) <= acknowledged + 2
    fill(campaign, cell)
    assert [folder.name for folder in campaign.finished_cells()] == [cell.id]
    assert len(list((campaign.path / "interrupted").iterdir())) == 1


def test_sealing_needs_every_cell(tmp_path):
    campaign = start(tmp_path)
    fill(campaign, campaign.missing_cells()[0])
    with pytest.raises(LonglookError, match="still lacks 1 cells"):
        campaign.seal()
    campaign.seal(allow_missing=True)
    assert len(read_campaigns(tmp_path)[0].info["missing_cells"]) == 1
    assert verify(campaign.path) == []


def test_sealing_records_times_and_the_manifest_is_that_of_sha256sum(tmp_path):
    campaign = make_campaign(tmp_path)
    info = read_campaigns(tmp_path)[0].info
    assert info["sealed"].endswith("Z") and info["wall_s"] == 4.0
    checked = subprocess.run(["sha256sum", "--strict", "--quiet", "-c", "manifest.sha256"], cwd=campaign.path)
    assert checked.returncode == 0
    assert verify(campaign.path) == []


def test_a_sealed_campaign_is_never_written_again(tmp_path):
    campaign = make_campaign(tmp_path)
    before = {path: path.read_bytes() for path in campaign.path.rglob("*") if path.is_file()}
    cell = campaign.cells()[0]
    for attempt in (
        lambda: campaign.begin_cell(cell),
        lambda: campaign.finish_cell(campaign.path / f"{cell.id}.partial"),
        lambda: campaign.seal(),
        lambda: start(tmp_path, resume=campaign.id),
    ):
        with pytest.raises(LonglookError, match="sealed"):
            attempt()
    campaign.close()
    assert start(tmp_path, resume="auto").id != campaign.id
    assert {path: path.read_bytes() for path in campaign.path.rglob("*") if path.is_file()} == before


def test_a_kill_between_campaign_json_and_manifest_can_be_finished(tmp_path):
    campaign = make_campaign(tmp_path)
    campaign.close()
    (campaign.path / "manifest.sha256").unlink()
    again = find_campaign(tmp_path, campaign.id)
    assert not again.is_sealed
    with pytest.raises(LonglookError, match="sealed"):
        again.begin_cell(again.cells()[0])  # only the sealing itself may be finished
    again.seal()
    assert verify(campaign.path) == []


def test_verify_names_each_missing_changed_and_extra_file(tmp_path):
    campaign = make_campaign(tmp_path)
    first, second = (cell.id for cell in campaign.cells())
    (campaign.path / first / "environment.json").unlink()
    samples = campaign.path / second / "samples.jsonl.zst"
    data = bytearray(samples.read_bytes())
    data[len(data) // 2] ^= 1  # one bit
    samples.write_bytes(data)
    (campaign.path / second / "added.txt").write_text("x")
    problems = verify(campaign.path)
    assert len(problems) == 3
    assert problems[0] == f"{campaign.id}: missing: {first}/environment.json"
    assert problems[1] == f"{campaign.id}: extra: {second}/added.txt"
    assert problems[2].startswith(f"{campaign.id}: changed: {second}/samples.jsonl.zst")


def test_verify_notices_a_changed_campaign_json_and_a_broken_manifest(tmp_path):
    campaign = make_campaign(tmp_path)
    path = campaign.path / "campaign.json"
    path.write_text(path.read_text().replace('"local"', '"reference"'))
    (problem,) = verify(campaign.path)
    assert problem.startswith(f"{campaign.id}: changed: campaign.json")
    manifest = campaign.path / "manifest.sha256"
    manifest.write_text(manifest.read_text() + "nonsense\n" + "0" * 64 + "  ../elsewhere\n")
    problems = verify(campaign.path)
    assert sum("is not a valid entry" in line for line in problems) == 2


def test_verify_says_when_there_is_nothing_to_check_against(tmp_path):
    campaign = start(tmp_path)
    assert len(verify(campaign.path)) == 1 and "not sealed" in verify(campaign.path)[0]
    assert "no such campaign" in verify(tmp_path / "nowhere")[0]


def test_a_file_replaced_by_a_link_is_changed(tmp_path):
    campaign = make_campaign(tmp_path)
    path = campaign.path / campaign.cells()[0].id / "executed.ipynb"
    path.rename(tmp_path / "moved")
    path.symlink_to(tmp_path / "moved")
    assert len(verify(campaign.path)) == 1 and "symbolic link" in verify(campaign.path)[0]


def test_folders_that_are_no_campaign_are_passed_over(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / ".half-made.12.partial").mkdir()
    (tmp_path / ".half-made.12.partial" / "campaign.json").write_text("{}")
    assert read_campaigns(tmp_path) == [] == read_campaigns(tmp_path / "nowhere")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "campaign.json").write_text("{")
    with pytest.raises(LonglookError, match="could not be read as JSON"):
        read_campaigns(tmp_path)
