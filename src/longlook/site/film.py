"""A film in segments as a site has it: its paths, sizes and hashes, which are pinned, and the manifest that names them.

Pure, but for the list, which is read once.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from longlook.plan.workload import FILM_KBPS, MOST_FILM_S, SEGMENT_S, Video

MANIFEST = "/film.mpd"
LIST = Path(__file__).parent / "film.csv"
"""Of the longest film: a shorter one is its beginning."""
COLUMNS = ("path", "size_bytes", "sha256")
HEIGHTS = dict(zip(FILM_KBPS, (90, 180, 270, 360, 360, 360), strict=True))
FPS = 24
CODEC = "vp09.00.30.08"
"""VP9, profile 0, level 3, 8 bits."""


def width(height: int) -> int:
    """Of a picture of that height, pixels."""
    return height * 16 // 9


def init_path(kbps: int) -> str:
    """Path of what all segments of a bitrate have in common."""
    return f"/film/{kbps}/init.mp4"


def segment_path(kbps: int, index: int) -> str:
    """Path of the segment from `index` times `SEGMENT_S` on."""
    return f"/film/{kbps}/{index:03d}.m4s"


def segment_of(path: str) -> tuple[int, int] | None:
    """Bitrate (kbit/s) and index of a segment by its path; None of any other file."""
    parts = path.split("/")
    if len(parts) != 4 or parts[1] != "film" or not parts[3].endswith(".m4s"):
        return None
    return int(parts[2]), int(parts[3].removesuffix(".m4s"))


def paths(film: Video) -> Iterator[str]:
    """Every file of a film but its manifest."""
    for kbps in FILM_KBPS:
        yield init_path(kbps)
        yield from (segment_path(kbps, index) for index in range(film.segments))


@cache
def _list() -> Mapping[str, tuple[int, str]]:
    with LIST.open(encoding="utf-8", newline="") as file:
        return {row["path"]: (int(row["size_bytes"]), row["sha256"]) for row in csv.DictReader(file)}


def listed(film: Video) -> dict[str, tuple[int, str]]:
    """Path -> bytes and SHA-256 that a film's file must have, of every file but the manifest."""
    return {path: _list()[path] for path in paths(film)}


def film_sizes(film: Video) -> dict[str, int]:
    """Path -> bytes of each file of a film's site."""
    return {MANIFEST: len(manifest(film))} | {path: size for path, (size, _) in listed(film).items()}


def manifest(film: Video) -> bytes:
    """What a player reads first (MPEG-DASH, ISO/IEC 23009-1): the bitrates, and how their files are called."""
    offered = "".join(
        f'<Representation id="{kbps}" bandwidth="{kbps * 1000}" codecs="{CODEC}" width="{width(HEIGHTS[kbps])}" '
        f'height="{HEIGHTS[kbps]}" frameRate="{FPS}"/>\n'
        for kbps in FILM_KBPS
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-live:2011" type="static" '
        f'mediaPresentationDuration="PT{film.duration_s}S" minBufferTime="PT{SEGMENT_S}S">\n'
        f'<Period start="PT0S"><AdaptationSet contentType="video" mimeType="video/mp4" segmentAlignment="true" '
        'startWithSAP="1">\n'
        f'<SegmentTemplate timescale="1" duration="{SEGMENT_S}" startNumber="0" '
        'initialization="/film/$RepresentationID$/init.mp4" media="/film/$RepresentationID$/$Number%03d$.m4s"/>\n'
        f"{offered}</AdaptationSet></Period></MPD>\n"
    ).encode()


LONGEST = Video(duration_s=MOST_FILM_S)
