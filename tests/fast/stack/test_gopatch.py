"""Patching a Go module: the archive is held to go.sum, every hunk to its line."""

import zipfile

import pytest

from longlook.errors import LonglookError
from longlook.stack import gopatch

MODULE, VERSION = "example.org/greeting", "v1.2.3"
SOURCE = 'package greeting\n\nconst Word = "hello"\n\nfunc Twice() string { return Word + Word }\n'
PATCH = """--- a/greeting.go
+++ b/greeting.go
@@ -3 +3 @@
-const Word = "hello"
+const Word = "servus"
"""


@pytest.fixture
def tool(tmp_path):
    """A tool's folder with one patch, a module archive, and a `go` that knows nothing but where the archive lies."""
    archive = tmp_path / "module.zip"
    write_archive(archive, SOURCE)
    source = tmp_path / "tool"
    changes = source / gopatch.PATCHES / MODULE
    (changes / "added").mkdir(parents=True)
    (changes / gopatch.CHANGES).write_text(PATCH)
    (changes / "added" / "more.go").write_text("package greeting\n")
    (source / "go.mod").write_text(f"module tool\n\ngo 1.19\n\nrequire {MODULE} {VERSION}\n")
    (source / "go.sum").write_text(f"{MODULE} {VERSION} {gopatch.module_hash(archive)}\n")
    go = tmp_path / "go"
    go.write_text(f'#!/bin/sh\necho \'{{"Zip": "{archive}"}}\'\n')
    go.chmod(0o755)
    return source, tmp_path / "work", go


def write_archive(path, text):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{MODULE}@{VERSION}/greeting.go", text)
        archive.writestr(f"{MODULE}@{VERSION}/greeting_test.go", "package greeting\n")


def test_the_module_is_patched_and_replaces_the_original(tool):
    modfile = gopatch.prepare(*tool)
    folder = modfile.parent / "greeting"
    assert 'Word = "servus"' in (folder / "greeting.go").read_text()
    assert {path.name for path in folder.iterdir()} == {"greeting.go", "more.go"}
    assert f"replace {MODULE} => {folder}" in modfile.read_text()


def test_a_tool_without_patches_needs_nothing(tmp_path):
    assert gopatch.prepare(tmp_path, tmp_path / "work", tmp_path / "no-go") is None


def test_a_modified_module_is_refused(tool, tmp_path):
    write_archive(tmp_path / "module.zip", SOURCE.replace("hello", "hallo"))
    with pytest.raises(LonglookError, match=r"not the module that go.sum names: expected h1:.*, found h1:"):
        gopatch.prepare(*tool)


def test_a_damaged_archive_is_refused(tool, tmp_path):
    (tmp_path / "module.zip").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(LonglookError, match="damaged"):
        gopatch.prepare(*tool)


@pytest.mark.parametrize("line", ['-const Word = "hallo"', '-var Word = "hello"'])
def test_a_patch_that_does_not_apply_names_file_and_hunk(tool, line):
    source, work, go = tool
    changes = source / gopatch.PATCHES / MODULE / gopatch.CHANGES
    changes.write_text(PATCH.replace('-const Word = "hello"', line))
    with pytest.raises(LonglookError, match=rf"does not apply to {MODULE}: greeting.go: Hunk #1 FAILED at 3"):
        gopatch.prepare(source, work, go)


def test_lines_found_elsewhere_count_as_not_found(tool):
    source, work, go = tool
    changes = source / gopatch.PATCHES / MODULE / gopatch.CHANGES
    changes.write_text(PATCH.replace("@@ -3 +3 @@", "@@ -1 +1 @@"))
    with pytest.raises(LonglookError, match=r"greeting\.go: Hunk #1"):
        gopatch.prepare(source, work, go)


def test_a_module_that_cannot_be_had_says_why(tool, tmp_path):
    source, work, go = tool
    go.write_text('#!/bin/sh\necho \'{"Error": "no such version"}\'\nexit 1\n')
    with pytest.raises(LonglookError, match=rf"cannot get module {MODULE}@{VERSION}.*no such version"):
        gopatch.prepare(source, work, go)


def test_a_module_without_a_checksum_is_refused(tool):
    source, work, go = tool
    (source / "go.sum").write_text("")
    with pytest.raises(LonglookError, match="has no checksum"):
        gopatch.prepare(source, work, go)
