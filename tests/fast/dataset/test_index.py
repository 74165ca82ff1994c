"""INDEX.sha256: which reference campaigns there are, as version control has it."""

import shutil
import subprocess

import pytest
from campaigns import make_sweep
from truthful import change_samples, forged, truthful

from longlook import paths
from longlook.audit import check_integrity
from longlook.dataset.checks import check_campaign
from longlook.dataset.process import process
from longlook.errors import LonglookError
from longlook.record.campaigns import find_campaign
from longlook.record.index import INDEX_NAME, add_to_index, check_index, read_index, verified
from longlook.record.manifest import MANIFEST_NAME


@pytest.fixture
def raw(tmp_path):
    """Two reference campaigns in an index, and a reader's own, which no index has."""
    raw = tmp_path / "raw"
    truthful(raw, role="reference", seed=1)
    truthful(raw, make_sweep({"series": "4.6b"}, name="figure-4.6b"), "reference", seed=2)
    truthful(raw, seed=3)
    assert len(add_to_index(raw)) == 2
    return raw


@pytest.fixture
def reference(raw):
    (found,) = raw.glob("reference-figure-4.6a-*")
    return found


def test_every_reference_campaign_of_the_repository_is_in_its_index():
    known = read_index(paths.ROOT / "data" / "raw")
    assert set(known) == {path.name for path in (paths.ROOT / "data" / "raw").glob("reference-*")}
    assert check_index(paths.ROOT / "data" / "raw") == []


def test_it_is_written_for_new_campaigns_only_and_sha256sum_reads_it(raw):
    before = (raw / INDEX_NAME).read_text()
    assert add_to_index(raw) == [] and check_index(raw) == [] and (raw / INDEX_NAME).read_text() == before
    assert subprocess.run(["sha256sum", "--strict", "--quiet", "-c", INDEX_NAME], cwd=raw).returncode == 0
    assert all(name.startswith("reference-") for name in read_index(raw))
    new = truthful(raw, make_sweep({"series": "4.6d"}, name="figure-4.6d"), "reference", seed=4)
    (line,) = check_index(raw)
    assert new.id in line and "does not know" in line
    assert add_to_index(raw) == [new.id] and check_index(raw) == []
    assert set(before.splitlines()) < set((raw / INDEX_NAME).read_text().splitlines())


def rewritten(campaign):
    with forged(campaign):
        (next(path for path in campaign.iterdir() if path.is_dir()) / "executed.ipynb").write_text('{"x": 1}')


DIFFERENT = {
    "rewritten with its manifest": (rewritten, "is not the one of INDEX.sha256"),
    "unsealed": (lambda campaign: (campaign / MANIFEST_NAME).unlink(), "knows it as sealed"),
    "gone": (shutil.rmtree, "it is not here"),
}


@pytest.mark.parametrize("kind", DIFFERENT)
def test_a_reference_campaign_that_differs_is_named_and_no_line_is_changed(raw, reference, tmp_path, kind):
    tamper, words = DIFFERENT[kind]
    tamper(reference)
    (line,) = check_index(raw)
    assert reference.name in line and words in line
    assert verified(raw)[INDEX_NAME] == [line]
    before = (raw / INDEX_NAME).read_bytes()
    with pytest.raises(LonglookError, match=words):
        add_to_index(raw)
    assert (raw / INDEX_NAME).read_bytes() == before
    left_out = process(raw, tmp_path / "processed").left_out
    assert list(left_out) == ([] if kind == "gone" else [reference.name])
    problems = check_integrity(raw, tmp_path / "processed").problems
    assert any(reference.name in one and words in one for one in problems)


def test_one_campaign_is_checked_against_the_index_too(raw, reference):
    rewritten(reference)
    (problem,) = verified(raw, [reference.name])[reference.name]
    assert "is not the one of INDEX.sha256" in problem


def test_a_campaign_that_does_not_verify_enters_no_index(raw):
    new = truthful(raw, make_sweep({"series": "4.6d"}, name="figure-4.6d"), "reference", seed=4)
    (new.path / new.info["cells"][0] / "executed.ipynb").write_text("{} ")
    with pytest.raises(LonglookError, match="changed: "):
        add_to_index(raw)
    assert new.id not in read_index(raw)


@pytest.mark.parametrize(
    "line", ["nonsense", "ab  x/manifest.sha256", f"{'a' * 64}  ../x/manifest.sha256", f"{'a' * 64}  x/other"]
)
def test_a_line_that_is_none_is_named(raw, line):
    with (raw / INDEX_NAME).open("a") as stream:
        stream.write(line + "\n")
    with pytest.raises(LonglookError, match="line 3 is no entry"):
        read_index(raw)


def test_without_an_index_there_is_nothing_to_check(raw, reference, tmp_path):
    (raw / INDEX_NAME).unlink()
    rewritten(reference)
    assert check_index(raw) == [] and process(raw, tmp_path / "processed").left_out == {}


def test_of_two_copies_the_one_in_the_index_counts(raw, reference, tmp_path):
    """Even where the other one claims to be the older."""
    older = f"reference-figure-4.6a-2020{reference.name[-11:]}"
    shutil.copytree(reference, raw / older)
    created = f"2020-{older[-11:-9]}-{older[-9:-7]}T{older[-6:-4]}:{older[-4:-2]}:{older[-2:]}Z"
    with forged(raw / older) as copy:
        text = (copy / "campaign.json").read_text().replace(reference.name, older)
        (copy / "campaign.json").write_text(text.replace(find_campaign(raw, reference.name).info["created"], created))
        for folder in (path for path in copy.iterdir() if path.is_dir()):
            (folder / "cell.json").write_text((folder / "cell.json").read_text().replace(reference.name, older))
            change_samples(folder, lambda records: [one | {"campaign": older} for one in records])
    left_out = process(raw, tmp_path / "processed").left_out
    assert list(left_out) == [older] and f"are those of {reference.name}" in left_out[older]


@pytest.mark.parametrize("table", [None, "arms.csv", "samples.parquet"])
def test_rows_of_known_campaigns_may_be_kept_where_the_tables_are_what_was_written(raw, tmp_path, table):
    """A reader's own campaign is judged in any case; where a table was edited, all are."""
    folder = tmp_path / "processed"
    process(raw, folder)
    written = {path.name: path.read_bytes() for path in folder.iterdir()}
    if table:
        (folder / table).write_bytes(written[table][:-1])
    judged = []
    process(raw, folder, check=lambda campaign: judged.append(campaign.id) or check_campaign(campaign), keep=True)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == written
    assert [one for one in judged if one not in read_index(raw)] and len(judged) == (3 if table else 1)


@pytest.fixture
def signed(raw, tmp_path):
    """The index, signed by a key of its own."""
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "t", "-f", key], check=True, timeout=300)
    public = (tmp_path / "key.pub").read_text()
    (raw / "allowed_signers").write_text(f'maintainer@example.org namespaces="longlook" {public}')

    def sign(namespace="longlook"):
        (raw / f"{INDEX_NAME}.sig").unlink(missing_ok=True)
        argv = ["ssh-keygen", "-Y", "sign", "-n", namespace, "-f", str(key), str(raw / INDEX_NAME)]
        subprocess.run(argv, check=True, timeout=300, capture_output=True)

    sign()
    return sign


@pytest.mark.needs("ssh-keygen")
def test_a_signature_is_checked_where_there_is_one(raw, signed):
    assert check_index(raw) == []
    text = (raw / INDEX_NAME).read_text()
    (raw / INDEX_NAME).write_text("".join(text.splitlines(keepends=True)[::-1]))  # the same lines
    (line,) = check_index(raw)
    assert "is no signature of INDEX.sha256 as it is" in line
    signed()
    assert check_index(raw) == []
    signed(namespace="file")
    assert "is no signature" in check_index(raw)[0]


@pytest.mark.needs("ssh-keygen")
@pytest.mark.parametrize("name", [f"{INDEX_NAME}.sig", "allowed_signers", INDEX_NAME])
def test_a_part_of_a_signature_is_none(raw, signed, name):
    (raw / name).unlink()
    (line,) = check_index(raw)
    assert f"{name} is missing" in line


@pytest.mark.needs("ssh-keygen")
def test_a_signature_of_a_stranger_does_not_count(raw, signed):
    (raw / "allowed_signers").write_text(
        "maintainer@example.org ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + "A" * 43 + "\n"
    )
    assert "is no signature" in check_index(raw)[0]
