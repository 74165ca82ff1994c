"""Campaigns from elsewhere, changed anywhere and sealed anew or not: what `longlook verify` and `process` say.

A campaign enters the tables as it was measured, or is left out with a reason on one line.
"""

import hashlib
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import pytest
from campaigns import shared_sweep
from click.testing import CliRunner
from fuzzing import WORDS, accepted, changed, few_or_many, rows_of, torn, within
from hypothesis import given
from hypothesis import strategies as st
from truthful import change_samples, truthful

from longlook import paths
from longlook.cli import cli
from longlook.dataset.process import make_tables, process
from longlook.errors import plain
from longlook.record.campaigns import find_campaign, scan_campaigns, verify
from longlook.record.manifest import MANIFEST_NAME, files_of, write_manifest
from longlook.record.samples import SAMPLES_NAME

JSON = ("campaign.json", "cell.json", "environment.json")
MEASURED = ("samples", "arms", "contrasts")
"""Tables of what was measured; others also hold what a campaign says of its machine."""


@dataclass(frozen=True)
class Whole:
    """A campaign that nobody changed."""

    path: Path
    numbers: str


def _numbers(made):
    """What its tables say that was measured."""
    return hashlib.sha256(repr([rows_of(made.tables[name]) for name in MEASURED]).encode()).hexdigest()


@pytest.fixture(scope="module")
def campaigns(tmp_path_factory):
    """Kind -> a campaign, and what its tables say of it."""
    sweeps = {"pages": None, "together": shared_sweep({"duration_s": 10, "replicates": 1})}
    found = {}
    for kind, sweep in sweeps.items():
        root = tmp_path_factory.mktemp(kind)
        campaign = truthful(root, sweep)
        made = make_tables(root)
        assert made.left_out == {} and made.tables["samples"]
        found[kind] = Whole(campaign.path, _numbers(made))
    return found


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz") / "raw"


def copied(campaigns, raw, kind):
    shutil.rmtree(raw, ignore_errors=True)
    whole = campaigns[kind].path
    return shutil.copytree(whole, raw / whole.name)


def judged(campaigns, raw, kind, campaign, sealed):
    """Whatever was changed: no traceback, no hang, and no other number in the tables."""
    if sealed:
        (campaign / MANIFEST_NAME).unlink(missing_ok=True)
        if accepted(lambda: write_manifest(campaign) or True) is None:
            return
    with within(), patch.object(paths, "RAW", raw), patch.object(paths, "DATA", raw.parent):
        told = CliRunner().invoke(cli, ["verify"])
    assert told.exception is None or isinstance(told.exception, SystemExit), told.exception
    with within():
        found = make_tables(raw)
    for name, why in found.left_out.items():
        assert plain(f"{name}{why}") == f"{name}{why}" and len(why) <= 400
    if not found.left_out and found.tables["samples"]:
        assert _numbers(found) == campaigns[kind].numbers, "other numbers"
    if not sealed and _bytes(campaign) != _bytes(campaigns[kind].path) and found.tables["campaigns"]:
        assert told.exit_code == 1 and found.left_out, "a change that no hash shows"
    accepted(lambda: find_campaign(raw, campaign.name))


def _bytes(folder):
    return {name: (folder / name).read_bytes() for name in files_of(folder) if (folder / name).is_file()}


@few_or_many(0.11)
@given(data=st.data(), kind=st.sampled_from(["pages", "together"]), sealed=st.booleans())
def test_values(campaigns, raw, data, kind, sealed):
    campaign = copied(campaigns, raw, kind)
    files = sorted(path for name in JSON for path in campaign.rglob(name))
    file = data.draw(st.sampled_from(files))
    tree = data.draw(changed(st.just(json.loads(file.read_text())), none=True))
    file.write_text(json.dumps(tree))
    judged(campaigns, raw, kind, campaign, sealed)


@few_or_many(0.06)
@given(data=st.data(), kind=st.sampled_from(["pages", "together"]))
def test_samples(campaigns, raw, data, kind):
    campaign = copied(campaigns, raw, kind)
    cell = data.draw(st.sampled_from(sorted(path.parent for path in campaign.rglob(SAMPLES_NAME))))
    change_samples(cell, lambda records: data.draw(changed(st.just(records), none=True)))
    judged(campaigns, raw, kind, campaign, True)


@few_or_many(0.04)
@given(data=st.data(), kind=st.sampled_from(["pages", "together"]), sealed=st.booleans())
def test_bytes(campaigns, raw, data, kind, sealed):
    campaign = copied(campaigns, raw, kind)
    file = campaign / data.draw(st.sampled_from([*files_of(campaign), MANIFEST_NAME]))
    file.write_bytes(data.draw(torn(st.just(file.read_bytes()))))
    judged(campaigns, raw, kind, campaign, sealed and file.name != MANIFEST_NAME)


@few_or_many(0.04)
@given(data=st.data(), kind=st.sampled_from(["pages", "together"]), sealed=st.booleans())
def test_files(campaigns, raw, data, kind, sealed):
    """Removed, renamed, added; folders, links and pipes in their place."""
    campaign = copied(campaigns, raw, kind)
    file = campaign / data.draw(st.sampled_from([*files_of(campaign), MANIFEST_NAME]))
    what = data.draw(st.sampled_from(["gone", "named", "folder", "link", "pipe", "more", "campaign"]))
    if what == "more":
        odd = data.draw(WORDS).replace("/", "_").replace("\0", "_")[:200].strip(".") or "x"
        (file.parent / odd).write_text("")
    elif what == "campaign":
        campaign = campaign.rename(raw / os.fsdecode(b"odd \xff\n\x1b name"))
    else:
        aside = file.rename(file.with_name("aside"))
        if what != "named":
            aside.unlink()
        {"folder": file.mkdir, "link": lambda: file.symlink_to("/dev/zero"), "pipe": lambda: os.mkfifo(file)}.get(
            what, lambda: None
        )()
    judged(campaigns, raw, kind, campaign, sealed and what != "campaign" and file.name != MANIFEST_NAME)


def test_one_that_nobody_changed_stands(campaigns, raw, tmp_path):
    for kind in campaigns:
        campaign = copied(campaigns, raw, kind)
        assert verify(campaign) == [] and scan_campaigns(raw)[1] == {}
        done = process(raw, tmp_path / "processed")
        assert done.left_out == {} and done.rows["samples"] > 0
