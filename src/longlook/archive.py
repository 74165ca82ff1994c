"""`longlook archive`: a commit's code, data and locks with the built book, as one tarball to deposit.

The same commit and the same book give the same bytes: files in the order of their names, times of the commit, no owner.
"""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import yaml
from rocrate.rocrate import ROCrate

from longlook import paths
from longlook.errors import LonglookError
from longlook.host import git
from longlook.record.crate import CRATE_NAME
from longlook.record.durable import sha256_file

BOOK_FOLDER = "book-html"
"""Where the built book lies in the archive; `_build` is what one's own build writes."""
LINK = "120000 "
"""Git's mode of a symbolic link."""
TESTED = "tested"
"""In the state's folder: the tree on which every test has passed."""
LICENSES = {
    "https://spdx.org/licenses/MIT": "MIT License (code)",
    "https://spdx.org/licenses/CC-BY-4.0": "Creative Commons Attribution 4.0 International (text and data)",
}


@dataclass(frozen=True)
class Archive:
    """What was written."""

    path: Path
    sha256: str
    files: int
    bytes: int


def require_tested() -> None:
    """Raise LonglookError where `make test ALL=1` has not passed on the tree that is checked out (Makefile)."""
    tree = git.output(paths.ROOT, "rev-parse", "HEAD^{tree}").strip()
    stamp = paths.STATE / TESTED
    if not stamp.is_file() or stamp.read_text(encoding="utf-8").strip() != tree:
        raise LonglookError(
            f"an archive is of a commit on which every test passes, and of {tree[:12]} nothing says so: make test ALL=1"
        )


def make_archive(html: Path, out: Path | None = None) -> Archive:
    """Packs the commit that is checked out and the built book `html`; `out`: a file (default: dist/ in the root).

    LonglookError where files differ from the commit, or the root is no checkout.
    """
    root = paths.ROOT
    try:
        changed = git.output(root, "status", "--porcelain", "--untracked-files=no").splitlines()
    except git.GitError as error:
        raise LonglookError(
            f"an archive is of a commit, and {root} is no checkout that git can read: {error}"
        ) from None
    if changed:
        raise LonglookError(
            f"{len(changed)} files differ from the commit ({changed[0][3:]} is one): an archive is of a commit, so "
            "commit or stash them first"
        )
    commit, moment = git.output(root, "show", "-s", "--format=%H %ct", "HEAD").split()
    facts = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    name = f"longlook-{facts['version']}-{commit[:12]}"
    out = out or root / "dist" / f"{name}.tar.gz"
    out.parent.mkdir(parents=True, exist_ok=True)
    for line in git.output(root, "ls-files", "-sz").split("\0"):
        if line.startswith(LINK):
            raise LonglookError(f"{line.partition(chr(9))[2]} is a symbolic link in the commit: an archive has none")
    tracked = sorted(file for file in git.output(root, "ls-files", "-z").split("\0") if file)
    crate = _crate(facts, commit, int(moment), tracked)
    contents = [(file, root / file) for file in tracked]
    contents += [(f"{BOOK_FOLDER}/{file}", html / file) for file in _built(html)]
    partial = out.with_name(out.name + ".partial")
    with (
        partial.open("wb") as raw,
        gzip.GzipFile("", "wb", 6, raw, mtime=int(moment)) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        _add(tar, f"{name}/{CRATE_NAME}", crate, 0o644, int(moment))
        for inside, file in sorted(contents):
            mode = 0o755 if file.stat().st_mode & 0o100 else 0o644
            _add(tar, f"{name}/{inside}", file.read_bytes(), mode, int(moment))
    partial.replace(out)
    return Archive(out, sha256_file(out), len(contents) + 1, out.stat().st_size)


def _add(tar: tarfile.TarFile, name: str, content: bytes, mode: int, moment: int) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = len(content), mode, moment
    tar.addfile(member, io.BytesIO(content))


def _built(html: Path) -> Iterator[str]:
    """Files of the built book; Sphinx's own record of what it did is none."""
    for file in sorted(html.rglob("*")):
        if file.is_symlink():
            raise LonglookError(f"{file} is a symbolic link: the built book has none; build it again")
        if file.is_file() and file.name not in (".buildinfo", ".nojekyll"):
            yield file.relative_to(html).as_posix()


def _crate(facts: dict, commit: str, moment: int, tracked: list[str]) -> bytes:
    """An RO-Crate of the whole; each sealed campaign has one of its own, and is a part here."""
    crate = ROCrate(version="1.1")
    root = crate.root_dataset
    root["name"], root["description"], root["version"] = facts["title"], facts["abstract"].strip(), facts["version"]
    root["datePublished"] = datetime.fromtimestamp(moment, UTC).isoformat()
    root["keywords"] = ", ".join(facts["keywords"])
    root["identifier"] = f"git commit {commit}"
    root["author"] = root["publisher"] = {"@id": "#authors"}
    crate.add_jsonld({"@id": "#authors", "@type": "Organization", "name": facts["authors"][0]["name"]})
    root["license"] = [{"@id": one} for one in LICENSES]
    for one, words in LICENSES.items():
        crate.add_jsonld({"@id": one, "@type": "CreativeWork", "name": words})
    campaigns = sorted({str(Path(file).parent) for file in tracked if Path(file).name == "campaign.json"})
    crates = [file for file in tracked if file.startswith("data/raw/") and Path(file).name == CRATE_NAME]
    # Each folder and file is a part of what it lies in: nothing of a crate may hang loose.
    root["hasPart"] = _ids(_WORDS)
    for folder, words in _WORDS.items():
        inside = {"hasPart": _ids(campaigns)} if folder == "data/raw" and campaigns else {}
        crate.add_jsonld({"@id": f"{folder}/", "@type": "Dataset", "name": folder, "description": words} | inside)
    for folder in campaigns:
        has_own = f"{folder}/{CRATE_NAME}" in crates
        own = {"@id": f"{folder}/{CRATE_NAME}"}
        more = {"subjectOf": own, "hasPart": [own]} if has_own else {}
        name = f"campaign {Path(folder).name}"
        crate.add_jsonld({"@id": f"{folder}/", "@type": "Dataset", "name": name, "description": name} | more)
        if has_own:
            name = f"RO-Crate of {Path(folder).name}"
            crate.add_jsonld(
                own | {"@type": "File", "name": name, "description": name, "encodingFormat": "application/ld+json"}
            )
    return (json.dumps(crate.metadata.generate(), indent=1, sort_keys=True) + "\n").encode()


def _ids(folders: Iterable[str]) -> list[dict[str, str]]:
    return [{"@id": f"{folder}/"} for folder in folders]


_WORDS = {
    "data/raw": "what was measured: campaigns, sealed by their hashes",
    "data/processed": "tables made from it",
    "data/published": "numbers that the studies print",
    "book": "text of the book",
    "src": "source code",
    "sweeps": "what is measured",
    "envs": "software stacks, pinned",
    BOOK_FOLDER: "the built book",
}
