"""Sites of one's own, sites/NAME/: site.toml says what one load asks for, files/ has the bytes."""

from __future__ import annotations

import hashlib
import json
import mimetypes
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath

from longlook import paths
from longlook.errors import LonglookError
from longlook.host.files import read_regular
from longlook.host.toml import read_toml
from longlook.plan.recorded import MOST_SITE_BYTES, MOST_SITE_FILES, RecordedSite
from longlook.plan.value import checked_name, nearest

SITE_FILE, FILES = "site.toml", "files"
TYPES = {
    ".js": "text/javascript",
    ".woff2": "font/woff2",
    ".woff": "font/woff",
    ".ttf": "font/ttf",
    ".webp": "image/webp",
}
"""What Python's tables lack, or have otherwise on some machines."""
ANY = "application/octet-stream"
Bodies = Mapping[str, tuple[str, bytes]]
"""Path -> media type and bytes."""


def known_sites() -> list[str]:
    """Their names."""
    return sorted(path.parent.name for path in paths.SITES.glob(f"*/{SITE_FILE}"))


def open_site(name: str) -> RecordedSite:
    """The site of that name, as its site.toml has it; its bytes are held against that when they are written."""
    path = paths.SITES / checked_name(name, "site") / SITE_FILE
    if not path.is_file():
        known = ", ".join(known_sites()) or "none"
        raise LonglookError(
            f"there is no site {name!r}{nearest(name, known_sites())} in {paths.SITES} (known: {known})"
        )
    return RecordedSite.parse({"kind": "site", "name": name} | read_toml(path))


def bodies(site: RecordedSite) -> Iterator[tuple[str, bytes]]:
    """Path and bytes of each file; bytes that are not those of the site are a `LonglookError`."""
    root = paths.SITES / site.name / FILES
    for one in site.files:
        try:
            body = read_regular(root / one.path.lstrip("/"), MOST_SITE_BYTES)
        except OSError as error:
            raise LonglookError(f"site {site.name}: {one.path} cannot be read: {error.strerror}") from None
        if hashlib.sha256(body).hexdigest() != one.sha256:
            raise LonglookError(f"site {site.name}: {one.path} is not what its {SITE_FILE} says: add the site anew")
        yield one.path, body


def of_folder(folder: Path) -> Bodies:
    """Every file of a folder, which has a page index.html; hidden files are left out, and links refused."""
    if not (folder / "index.html").is_file():
        raise LonglookError(f"{folder} has no start page: put index.html into it, or name the folder that has it")
    found: dict[str, tuple[str, bytes]] = {}
    for top, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted([*names, *folders]):
            path = Path(top) / name
            if path.is_symlink():
                raise LonglookError(f"{path} is a symbolic link, which may lead out of the folder: put the file there")
        for name in sorted(one for one in names if not one.startswith(".")):
            path = Path(top) / name
            if not path.is_file():
                raise LonglookError(f"{path} is no ordinary file, which no server would send: take it out")
            with path.open("rb") as stream:  # no more than what is too much
                found[f"/{path.relative_to(folder).as_posix()}"] = (type_of(path), stream.read(MOST_SITE_BYTES + 1))
            _require_room(found, folder)
    return found


def type_of(path: PurePath) -> str:
    """The media type of a file by its name, as servers have it."""
    return TYPES.get(path.suffix.lower()) or mimetypes.guess_type(path.name)[0] or ANY


def _require_room(found: Bodies, source: Path) -> None:
    size = sum(len(body) for _, body in found.values())
    if len(found) > MOST_SITE_FILES or size > MOST_SITE_BYTES:
        raise LonglookError(
            f"{source} has more than {MOST_SITE_FILES} files or {MOST_SITE_BYTES:,} bytes: name a folder with one page"
        )


def described(
    name: str, found: Bodies, start: str, source: str, queries: Mapping[str, str] | None = None
) -> RecordedSite:
    """A site of these files; `queries`: with which some are asked for."""
    files = [
        {"path": path, "type": kind, "size_bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}
        | ({"query": queries[path]} if queries and path in queries else {})
        for path, (kind, body) in sorted(found.items())
    ]
    return RecordedSite.parse({"kind": "site", "name": name, "start": start, "source": source, "files": files})


def save(site: RecordedSite, found: Bodies) -> Path:
    """Write a new site: its folder, which is none yet."""
    root = paths.SITES / site.name
    if root.exists():
        raise LonglookError(f"there is a site {site.name} in {paths.SITES}: remove its folder, or give another --name")
    for one in site.files:
        target = root / FILES / one.path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(found[one.path][1])
    _write(root, site)
    return root


def _write(root: Path, site: RecordedSite) -> None:
    # JSON's strings are TOML's.
    lines = [f"start = {json.dumps(site.start)}", f"source = {json.dumps(site.source)}"]
    for one in site.files:
        lines += ["", "[[files]]", *(f"{key} = {json.dumps(value)}" for key, value in one.model_dump().items())]
    (root / SITE_FILE).write_text("\n".join(lines) + "\n", encoding="utf-8")


def keep(site: RecordedSite, asked: set[str]) -> RecordedSite:
    """A saved site with those files alone that its page asks for."""
    root = paths.SITES / site.name
    kept = site.model_copy(update={"files": tuple(one for one in site.files if one.path in asked)})
    for one in site.files:
        if one.path not in asked:
            (root / FILES / one.path.lstrip("/")).unlink()
    _write(root, kept)
    return kept


def remove(site: RecordedSite) -> None:
    """What `save` made."""
    shutil.rmtree(paths.SITES / site.name, ignore_errors=True)
