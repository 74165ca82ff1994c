"""`manifest.sha256`: what a sealed campaign consists of, and whether it still does."""

from __future__ import annotations

import os
import re
from pathlib import Path

from longlook.errors import LonglookError, plain
from longlook.record.durable import explain_disk_errors, read_bytes, sha256_file, write_bytes

MANIFEST_NAME = "manifest.sha256"
_LINE = re.compile(r"^([0-9a-f]{64})  (\S.*)$")


def links_in(folder: Path) -> list[str]:
    """Symbolic links under `folder`, relative, sorted: a record has none, whatever they point to."""
    found = []
    for parent, folders, names in os.walk(folder):
        links = [name for name in (*folders, *names) if Path(parent, name).is_symlink()]
        found += [Path(parent, name).relative_to(folder).as_posix() for name in links]
    return sorted(found)


def files_of(folder: Path) -> list[str]:
    """Paths of every file (and symbolic link) under `folder`, relative, sorted; the manifest left out."""
    found = []
    for parent, folders, names in os.walk(folder):
        links = [name for name in folders if Path(parent, name).is_symlink()]
        found += [Path(parent, name).relative_to(folder).as_posix() for name in [*names, *links]]
    return sorted(name for name in found if name != MANIFEST_NAME)


def write_manifest(folder: Path) -> None:
    """Hash every file under `folder` into its manifest (the format of `sha256sum`, so `sha256sum -c` reads it)."""
    if links := links_in(folder):
        raise LonglookError(
            f"{folder}: {', '.join(links[:3])}: a symbolic link cannot be sealed; put the file in its place"
        )
    if odd := [name for name in files_of(folder) if plain(name) != name]:
        raise LonglookError(f"{folder}: {odd[0]!a}: a file of such a name cannot be sealed; rename or remove it")
    with explain_disk_errors("seal", folder):
        lines = [f"{sha256_file(folder / name)}  {name}\n" for name in files_of(folder)]
    write_bytes(folder / MANIFEST_NAME, "".join(lines).encode())


def _parse(text: str, problems: list[str], campaign: str) -> dict[str, str]:
    listed: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        match = _LINE.match(line)
        if match is None or match[2] in listed or match[2].startswith("/") or ".." in match[2].split("/"):
            problems.append(f"{campaign}: {MANIFEST_NAME} line {number} is not a valid entry: {line[:80]!r}")
        else:
            listed[match[2]] = match[1]
    return listed


def check_manifest(folder: Path) -> list[str]:
    """One line per problem: a file missing, changed or extra, or a manifest that is absent or broken."""
    campaign = folder.name
    try:
        text = read_bytes(folder / MANIFEST_NAME).decode()
    except FileNotFoundError:
        return [f"{campaign}: not sealed ({MANIFEST_NAME} is missing): nothing to check its files against"]
    except (OSError, UnicodeDecodeError) as error:
        return [f"{campaign}: {MANIFEST_NAME} could not be read: {error}"]
    problems: list[str] = []
    listed = _parse(text, problems, campaign)
    present = set(files_of(folder))
    links = set(links_in(folder))
    problems += [f"{campaign}: missing: {name}" for name in sorted(set(listed) - present)]
    problems += [f"{campaign}: extra: {name}" for name in sorted(present - set(listed))]
    for name in sorted(present & set(listed)):
        if name in links:
            problems.append(f"{campaign}: changed: {name} (is now a symbolic link)")
            continue
        try:
            digest = sha256_file(folder / name)
        except OSError as error:
            problems.append(f"{campaign}: unreadable: {name} ({error.strerror})")
            continue
        if digest != listed[name]:
            problems.append(f"{campaign}: changed: {name} (sha256 {digest[:12]}..., sealed as {listed[name][:12]}...)")
    return [plain(line) for line in problems]
