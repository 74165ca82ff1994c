"""Files that are none: a pipe waits for its writer, a device never ends, and a file with a hole is larger than memory.
Whatever a user can name is refused, by name, within moments."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from longlook import paths
from longlook.errors import LonglookError
from longlook.host import files
from longlook.published import files as published
from longlook.record import durable, index, manifest
from longlook.stack import part

MOST_S, MOST_MEMORY = 60, 4 * 10**9
KINDS = ["pipe", "device", "hole"]


def make(kind, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        with path.open("wb") as stream:
            stream.truncate(10**13)
    return path


def call(*words, **variables):
    return subprocess.run(
        [sys.executable, "-m", "longlook.cli", *words],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=MOST_S,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY)),
    )


def refused(done, path):
    said = done.stdout + done.stderr
    assert done.returncode and str(path.name) in said and "Traceback" not in said, said
    assert any(word in said for word in ("no regular file", "MB", "symbolic link")), said


@pytest.mark.parametrize("kind", KINDS)
def test_what_commands_are_given(kind, tmp_path):
    file = make(kind, tmp_path / "one.toml")
    refused(call("run", str(file)), file)
    refused(call("run", "quick", "--testbeds", str(file)), file)
    refused(call("testbeds", str(file)), file)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["INDEX.sha256", "tiny-20260101T000000/campaign.json"])
def test_what_lies_below_the_data(kind, name, tmp_path):
    file = make(kind, tmp_path / "data" / "raw" / name)
    for word in ("verify", "process"):
        refused(call(word, LONGLOOK_DATA=str(tmp_path / "data")), file)


@pytest.mark.parametrize("kind", KINDS)
def test_a_manifest_and_what_it_lists(kind, tmp_path):
    folder = tmp_path / "tiny-20260101T000000"
    file = make(kind, folder / "cell.json")
    (folder / "manifest.sha256").write_text(f"{'0' * 64}  cell.json\n")
    (said,) = manifest.check_manifest(folder)
    assert "cell.json" in said and ("unreadable" in said or "symbolic link" in said)
    (folder / "manifest.sha256").unlink()
    file.rename(folder / "manifest.sha256")
    (said,) = manifest.check_manifest(folder)
    assert "manifest.sha256 could not be read" in said


@pytest.mark.parametrize("kind", KINDS)
def test_what_reads_each_of_them(kind, tmp_path):
    file = make(kind, tmp_path / "study" / "file")
    with pytest.raises(OSError, match=r"no regular file|MB|symbolic link"):
        durable.read_bytes(file)
    told = [lambda: files.read_text(file, "it"), lambda: durable.read_json(file)]
    for read in (*told, lambda: part.npm_packages(file), lambda: part._python_versions(file)):
        with pytest.raises(LonglookError, match=r"study/file"):
            read()
    if kind != "hole":
        with pytest.raises(LonglookError, match="cannot be read"):
            list(published.rows("study", "file", tmp_path))
        file.rename(file.with_name(index.INDEX_NAME))
        with pytest.raises(LonglookError, match="could not be read"):
            index.read_index(file.parent)


LOCKS = {
    "[]": "`packages` is to be a table",
    '{"packages": []}': "`packages` is to be a table",
    '{"packages": {"node_modules/a": []}}': "packages.node_modules/a is to be a table",
    '{"packages": {"node_modules/a": {"version": 5}}}': "its `version` a text",
    "{": "not JSON",
    "[" * 100_000: "not JSON",
    "3": "`packages` is to be a table",
}


@pytest.mark.parametrize("text", LOCKS, ids=range(len(LOCKS)))
def test_a_lock_that_is_none(text, tmp_path):
    lock = tmp_path / "package-lock.json"
    lock.write_text(text)
    with pytest.raises(part.StackError, match=LOCKS[text]) as told:
        part.npm_packages(lock)
    assert str(lock) in str(told.value)


@pytest.mark.parametrize("regex", ["(", "(a)(b)", "[", "a{99999999999}", "(?P<x"])
def test_a_part_whose_pattern_is_none_is_told_with_file_and_key(regex, tmp_path):
    real = next(path for path in sorted(paths.ENVS.glob("parts/*/part.toml")) if "regex = " in path.read_text())
    folder = tmp_path / "parts" / real.parent.name
    folder.mkdir(parents=True)
    for one in real.parent.iterdir():
        (folder / one.name).write_bytes(one.read_bytes())
    text = (folder / "part.toml").read_text()
    lines = [f"regex = '{regex}'" if line.strip().startswith("regex = ") else line for line in text.splitlines()]
    inline = [part_of(line, regex) for line in lines]
    (folder / "part.toml").write_text("\n".join(inline))
    with pytest.raises(part.StackError) as told:
        part.load_part(real.parent.name, tmp_path)
    assert "part.toml: components." in str(told.value) and "reports" in str(told.value) and "regex" in str(told.value)


def part_of(line, regex):
    """A line with its inline `regex = ...` exchanged."""
    before, mark, after = line.partition("regex = ")
    if not mark or line.startswith("regex"):
        return line
    quote = after[0]
    return f"{before}{mark}'{regex}'{after[after.index(quote, 1) + 1 :]}"


def test_an_ordinary_file_is_read(tmp_path):
    Path(tmp_path / "a").write_text("ä")
    assert files.read_text(tmp_path / "a", "it") == "ä"
    with pytest.raises(LonglookError, match=r"cannot read it .*a: it has more than 1e-06 MB"):
        files.read_text(tmp_path / "a", "it", 1)
