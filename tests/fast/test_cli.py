"""The command line: mistakes are one message with the remedy, never a traceback."""

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from longlook.cli import cli


def longlook(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "longlook.cli", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | environment,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "figure-9.9"), "no sweep 'figure-9.9'"),
        (("verify", "nothing-like-it"), "nothing-like-it"),
        (("compare", "nothing-like-it", "reference-figure"), "no campaign 'nothing-like-it'"),
        (("chapter", "nothing-like-it"), "results-quicv1"),
        (("stack", "install", "quicv9"), "no stack 'quicv9'"),
        (("nonsense",), "No such command 'nonsense'"),
    ],
)
def test_mistakes_are_told_in_one_message(arguments, words):
    done = longlook(*arguments)
    assert done.returncode != 0
    assert words in done.stderr
    assert "Traceback" not in done.stderr + done.stdout


def test_a_sweep_file_with_an_unknown_key_names_it_and_the_known_ones(tmp_path):
    path = tmp_path / "wrong.toml"
    path.write_text(
        'name = "wrong"\nstudy = "t"\ntitle = "t"\nstack = "quicv1"\nloadz = 3\n[[cells]]\nseries = "x"\n'
        'arms = [{ protocol = "quic" }, { protocol = "tcp" }]\nbandwidth_mbps = [10]\nrtt_ms = [36]\n'
        "workloads = [{ size_kb = 5 }]\n"
    )
    done = longlook("run", str(path))
    assert done.returncode == 1
    assert "loadz" in done.stderr and "keys of a sweep: name, study" in done.stderr and str(path) in done.stderr


@pytest.fixture(scope="module")
def unmeasured(tmp_path_factory):
    """A data folder without a campaign, processed."""
    folder = tmp_path_factory.mktemp("unmeasured")
    (folder / "raw").mkdir()
    assert longlook("process", LONGLOOK_DATA=str(folder)).returncode == 0
    return folder


def test_with_no_campaign_processing_makes_empty_tables_and_the_audit_says_not_measured(unmeasured):
    done = longlook("audit", LONGLOOK_DATA=str(unmeasured))
    assert "NOT MEASURED" in done.stdout
    assert "Traceback" not in done.stderr


def test_studies_are_listed_with_what_was_measured_again_and_became_of_their_claims():
    text, data = (CliRunner().invoke(cli, ["studies", *how], catch_exceptions=False).output for how in ([], ["--json"]))
    head, *lines = text.splitlines()
    assert head.split()[:4] == ["study", "published", "measured", "agreeing"]
    told = {line.split()[0]: line.split()[1:] for line in lines}
    assert {"baxter2018", "matrix", "muthuraj2024", "years"} <= told.keys()
    assert set(told["matrix"]) == {"-"}  # no published numbers, and no claims.toml
    own = {one["study"]: one for one in json.loads(data)}
    baxter, thesis = own["baxter2018"], own["muthuraj2024"]
    assert baxter["published"] == baxter["measured"] > baxter["agreeing"] > baxter["published"] / 2
    assert sum(baxter["claims"].values()) == 9 and baxter["claims"]["not measured"] == 0
    assert told["baxter2018"] == [str(baxter[name]) for name in head.split()[1:4]] + list(
        map(str, baxter["claims"].values())
    )
    assert thesis["published"] == 316 and sum(thesis["claims"].values()) == 13 and own["matrix"]["claims"] is None


def test_without_a_campaign_every_claim_is_not_measured(unmeasured):
    own = json.loads(longlook("studies", "--json", LONGLOOK_DATA=str(unmeasured)).stdout)
    baxter = next(one for one in own if one["study"] == "baxter2018")
    assert (baxter["published"], baxter["measured"], baxter["agreeing"]) == (145, 0, 0)
    assert {word for word, number in baxter["claims"].items() if number} == {"not measured"}
