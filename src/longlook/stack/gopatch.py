"""Modules of others that one of our Go tools changes: fetched, checked, patched in a folder of their own.

`tools/<name>/_patches/<module path>/` holds `changes.patch` (a unified diff without context: our changed lines
and what they replace) and `added/` (files of ours). The module itself comes from the Go proxy, by the version in
go.mod and the checksum in go.sum; nothing of it is kept here. The tool is then built with a copy of its go.mod
that replaces the module by the patched folder (`go build -modfile`).
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

from longlook.errors import LonglookError
from longlook.stack.commands import answered
from longlook.stack.offline import go_options

PATCHES = "_patches"
CHANGES = "changes.patch"
DOWNLOAD_TIMEOUT_S = 300.0


def go_environment() -> dict[str, str]:
    """The environment of every go command: the reader's own, without what would change how ours are built."""
    return {**os.environ, "GOFLAGS": "", "GOWORK": "off", **go_options()}


def patched_modules(source: Path) -> dict[str, Path]:
    """Module path -> folder with its changes, for one tool; empty for most."""
    root = source / PATCHES
    return {changes.parent.relative_to(root).as_posix(): changes.parent for changes in sorted(root.rglob(CHANGES))}


def prepare(source: Path, work: Path, go: Path) -> Path | None:
    """Fetch, check and patch what a tool needs into `work`; its go.mod for `-modfile`, None if nothing is patched."""
    modules = patched_modules(source)
    if not modules:
        return None
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    replaced = []
    for module, changes in modules.items():
        version = _version(source, module)
        archive = _download(source, f"{module}@{version}", go)
        _verify(source, module, version, archive)
        folder = work / module.rsplit("/", 1)[-1]
        _unpack(archive, f"{module}@{version}/", folder)
        _apply(changes / CHANGES, folder, module)
        shutil.copytree(changes / "added", folder, dirs_exist_ok=True)
        replaced.append(f"replace {module} => {folder}\n")
    shutil.copy(source / "go.sum", work / "go.sum")
    modfile = work / "go.mod"
    modfile.write_text((source / "go.mod").read_text(encoding="utf-8") + "\n" + "".join(replaced), encoding="utf-8")
    return modfile


def _version(source: Path, module: str) -> str:
    found = re.search(
        rf"^\s*(?:require\s+)?{re.escape(module)}\s+(\S+)",
        (source / "go.mod").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    if found is None:
        raise LonglookError(f"{source / 'go.mod'} requires no {module}, but {source / PATCHES} changes it")
    return found.group(1)


def _download(source: Path, wanted: str, go: Path) -> Path:
    """The module's archive in Go's own cache."""
    command = [str(go), "mod", "download", "-json", wanted]
    done = answered(command, f"go mod download {wanted}", DOWNLOAD_TIMEOUT_S, source, go_environment())
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        answer = {}
    if "Zip" not in answer:
        reason = answer.get("Error") or (done.stdout + done.stderr).strip()
        raise LonglookError(f"cannot get module {wanted}; is the Go module proxy reachable? go said: {reason}")
    return Path(answer["Zip"])


def _verify(source: Path, module: str, version: str, archive: Path) -> None:
    """Hold the archive to go.sum, also when it has long been in Go's cache: go itself looks only as it downloads."""
    sums = (source / "go.sum").read_text(encoding="utf-8")
    pinned = re.search(rf"^{re.escape(module)} {re.escape(version)} (h1:\S+)$", sums, re.MULTILINE)
    if pinned is None:
        raise LonglookError(f"{source / 'go.sum'} has no checksum of {module} {version}: it must come from go mod tidy")
    try:
        found = module_hash(archive)
    except (OSError, zipfile.BadZipFile, EOFError) as error:
        raise LonglookError(f"{archive} is damaged ({error}): delete it, or run go clean -modcache") from None
    if found != pinned.group(1):
        raise LonglookError(
            f"{archive} is not the module that go.sum names: expected {pinned.group(1)}, found {found}; "
            "delete it, or run go clean -modcache"
        )


def module_hash(archive: Path) -> str:
    """Go's `h1:` hash of a module archive: SHA-256 over the sorted `<sha256>  <name>` lines of its files."""
    total = hashlib.sha256()
    with zipfile.ZipFile(archive) as opened:
        for name in sorted(opened.namelist()):
            total.update(f"{hashlib.sha256(opened.read(name)).hexdigest()}  {name}\n".encode())
    return "h1:" + base64.b64encode(total.digest()).decode()


def _unpack(archive: Path, prefix: str, folder: Path) -> None:
    """The module's files without its tests, whose own dependencies nobody needs here."""
    with zipfile.ZipFile(archive) as opened:
        for name in opened.namelist():
            if name.startswith(prefix) and not name.endswith(("_test.go", "/")):
                target = folder / name.removeprefix(prefix)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(opened.read(name))


def _apply(patch: Path, folder: Path, module: str) -> None:
    """Every hunk at exactly its line, or an error that names file and hunk."""
    if shutil.which("patch") is None:
        raise LonglookError("patch is missing, it applies our changes to a Go module: apt-get install patch")
    command = [
        "patch",
        "-p1",
        "--fuzz=0",
        "--batch",
        "--forward",
        "--no-backup-if-mismatch",
        "-r",
        "-",
        "-d",
        str(folder),
        "-i",
        str(patch),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C"}
    )
    trouble = _trouble(done.stdout + done.stderr)
    if done.returncode or trouble:
        raise LonglookError(
            f"{patch} does not apply to {module}: {'; '.join(trouble) or done.stderr.strip() or done.stdout.strip()}"
        )


def _trouble(output: str) -> list[str]:
    """`file: hunk ...` for each hunk that failed or that found its lines elsewhere."""
    found, file = [], "?"
    for line in output.splitlines():
        if named := re.match(r"(?:patching|checking) file (\S+)", line):
            file = named.group(1)
        elif re.match(r"Hunk #\d+ (FAILED|succeeded at .*(offset|fuzz))|can't find file to patch", line):
            found.append(f"{file}: {line}")
    return found
