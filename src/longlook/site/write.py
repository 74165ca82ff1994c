"""Writing a workload's site: the tree of its files, exact to the byte.

Files of one kind and size have one content; on the disk they are one file with several names (hard links)."""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from longlook.plan.recorded import RecordedSite
from longlook.plan.workload import Download, Page, Video, WebPage, Workload
from longlook.site.film import MANIFEST, listed, manifest
from longlook.site.jpeg import jpeg
from longlook.site.page import PAGE, file_path, html, image_path
from longlook.site.recorded import bodies
from longlook.site.tree import Site, SiteFile
from longlook.site.video import made_film
from longlook.site.webpage import TYPES, body, resources

HTML, JPEG, BINARY = "text/html", "image/jpeg", "application/octet-stream"
MPD, MP4 = "application/dash+xml", "video/mp4"
CHUNK_BYTES = 1 << 20


def write_site(root: Path, workload: Workload, seed: int) -> Site:
    """Write the files below `root` (made if absent), readable by the servers' unprivileged users."""
    _folder(root)
    if isinstance(workload, Page):
        return Site(root, _page(root, workload, seed), (PAGE,))
    if isinstance(workload, WebPage):
        return Site(root, _webpage(root, workload, seed), (PAGE,))
    if isinstance(workload, RecordedSite):
        return Site(root, _recorded(root, workload), (workload.start,))
    if isinstance(workload, Video):
        return Site(root, _film(root, workload), (MANIFEST,))
    files = _download(root, workload, seed)
    return Site(root, files, tuple(files))


def _page(root: Path, workload: Page, seed: int) -> dict[str, SiteFile]:
    """The document and its images; objects of several sizes are numbered on."""
    files = {PAGE: _write(root, PAGE, [html(workload.object_count)], HTML)}
    _folder(root / "img")
    first_of: dict[tuple[str, int], str] = {}
    sizes = [(one.kind, one.size_bytes) for one in workload.objects for _ in range(one.count)]
    for index, (kind, size) in enumerate(sizes):
        path = image_path(index)
        if (kind, size) in first_of:
            files[path] = _linked(root, path, first_of[kind, size], files)
        else:
            first_of[kind, size] = path
            files[path] = _write(root, path, [jpeg(size, seed)], JPEG)
    return files


def _webpage(root: Path, workload: WebPage, seed: int) -> dict[str, SiteFile]:
    _folder(root / "img")
    return {
        one.path: _write(root, one.path, [body(workload, one, seed)], TYPES[one.kind]) for one in resources(workload)
    }


def _film(root: Path, workload: Video) -> dict[str, SiteFile]:
    """Copies: what happens to a site must not happen to the film in the cache."""
    film = made_film(workload)
    files = {MANIFEST: _write(root, MANIFEST, [manifest(workload)], MPD)}
    for path in listed(workload):
        _folder((root / path.lstrip("/")).parent)
        files[path] = _write(root, path, [(film / path.lstrip("/")).read_bytes()], MP4)
    return files


def _recorded(root: Path, workload: RecordedSite) -> dict[str, SiteFile]:
    known, files = {one.path: one for one in workload.files}, {}
    for path, content in bodies(workload):
        for parent in reversed(Path(path).parents[:-1]):
            _folder(root / str(parent).lstrip("/"))
        files[path] = replace(_write(root, path, [content], known[path].type), query=known[path].query)
    return files


def _download(root: Path, workload: Download, seed: int) -> dict[str, SiteFile]:
    first = file_path(0)
    files = {first: _write(root, first, _noise(workload.size_bytes, seed), BINARY)}
    for index in range(1, workload.count):
        files[file_path(index)] = _linked(root, file_path(index), first, files)
    return files


def _noise(size_bytes: int, seed: int) -> Iterator[bytes]:
    """So many bytes that do not compress, in pieces."""
    generator = random.Random(seed)
    for start in range(0, size_bytes, CHUNK_BYTES):
        yield generator.randbytes(min(CHUNK_BYTES, size_bytes - start))


def _write(root: Path, path: str, pieces, content_type: str) -> SiteFile:
    size, digest = 0, hashlib.sha256()
    target = root / path.lstrip("/")
    target.unlink(missing_ok=True)  # it may be one of several names of an earlier site's file
    with target.open("wb") as file:
        for piece in pieces:
            file.write(piece)
            size += len(piece)
            digest.update(piece)
    target.chmod(0o644)
    return SiteFile(size, digest.hexdigest(), content_type)


def _linked(root: Path, path: str, first: str, files: dict[str, SiteFile]) -> SiteFile:
    target = root / path.lstrip("/")
    target.unlink(missing_ok=True)
    os.link(root / first.lstrip("/"), target)
    return files[first]


def _folder(path: Path) -> None:
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(0o755)
