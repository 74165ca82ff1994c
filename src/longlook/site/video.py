"""The film: made once by FFmpeg from a picture that it draws itself, and kept in the cache.

Each bitrate is one run of the encoder, by a single thread that looks at nothing ahead: a shorter film is byte for byte
the beginning of a longer one, and every file is held to the list that is pinned (film.csv). The picture is FFmpeg's
test card with noise, so that there is something to spend each bitrate on.
"""

from __future__ import annotations

import csv
import hashlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from longlook import paths as places
from longlook.errors import LonglookError
from longlook.host.locking import exclusive
from longlook.plan.workload import FILM_KBPS, SEGMENT_S, Video
from longlook.site import film

ENCODER_TIMEOUT_S = 600.0
NOISE = 40
"""Of 100: FFmpeg's measure of its filter `noise`."""
HEAD = ("ftyp", "moov")
"""Boxes of an MP4 that all of its fragments have in common (ISO/IEC 14496-12)."""


def recipe(kbps: int, seconds: int) -> list[str]:
    """Arguments of FFmpeg that make one bitrate; the fragmented MP4 goes to standard output."""
    height, gop = film.HEIGHTS[kbps], film.FPS * SEGMENT_S
    picture = f"testsrc2=size={film.width(height)}x{height}:rate={film.FPS},noise=all_seed=2022:alls={NOISE}:allf=t"
    return [
        *("-nostdin", "-v", "error", "-filter_threads", "1"),
        *("-f", "lavfi", "-i", f"{picture},format=yuv420p", "-t", str(seconds), "-map_metadata", "-1"),
        *("-c:v", "libvpx-vp9", "-threads", "1", "-row-mt", "0", "-deadline", "realtime", "-cpu-used", "8"),
        *("-lag-in-frames", "0", "-b:v", f"{kbps}k", "-minrate", f"{kbps}k", "-maxrate", f"{kbps}k"),
        *("-bufsize", f"{kbps}k", "-g", str(gop), "-keyint_min", str(gop)),
        *("-fflags", "+bitexact", "-flags:v", "+bitexact", "-f", "mp4"),
        *("-movflags", "+frag_keyframe+empty_moov+default_base_moof+skip_trailer", "pipe:1"),
    ]


def made_film(wanted: Video) -> Path:
    """The folder that holds every file of a film but its manifest, each as it is listed.

    It is made where no film that long is in the cache. `LonglookError` where FFmpeg is missing or fails, or where what
    it made here is not what is listed.
    """
    store = places.CACHE / "films"
    store.mkdir(parents=True, exist_ok=True)
    with exclusive(store / "film.lock", "another making of the film"):
        found = next((one for one in _kept(store) if not wrong_file(one, wanted)), None)
        if found is None:
            found = store / f"{_name()}-{wanted.duration_s}s"
            partial = Path(tempfile.mkdtemp(prefix="partial-", dir=store))
            try:
                encode(partial, wanted.duration_s)
                if wrong := wrong_file(partial, wanted):
                    raise LonglookError(
                        f"this machine's FFmpeg ({_version()}) makes another film than the pinned one: {wrong}. A "
                        f"film that was made elsewhere may be put into {found}"
                    )
                shutil.rmtree(found, ignore_errors=True)
                partial.rename(found)
            finally:
                shutil.rmtree(partial, ignore_errors=True)
    return found


def _kept(store: Path) -> list[Path]:
    return sorted(store.glob(f"{_name()}-*s"))


def _name() -> str:
    """A film by another recipe is another film."""
    told = repr([recipe(kbps, 0) for kbps in FILM_KBPS])
    return hashlib.sha256(told.encode()).hexdigest()[:12]


def wrong_file(folder: Path, wanted: Video) -> str | None:
    """The first file of a film that is not as it is listed, and how; None where all are."""
    for path, (size, sha256) in film.listed(wanted).items():
        try:
            body = (folder / path.lstrip("/")).read_bytes()
        except OSError as error:
            return f"{path}: {error.strerror}"
        if (digest := hashlib.sha256(body).hexdigest()) != sha256:
            return f"{path}: {len(body)} bytes, sha256 {digest[:12]}...; {size} bytes, {sha256[:12]}... expected"
    return None


def encode(folder: Path, seconds: int) -> None:
    """Make every bitrate of a film of so many seconds, whatever is listed, and write its files below `folder`."""
    for kbps in FILM_KBPS:
        head, segments = split(_encoded(recipe(kbps, seconds)))
        if len(segments) != seconds // SEGMENT_S:
            raise LonglookError(f"FFmpeg made {len(segments)} segments of {seconds} s at {kbps} kbit/s")
        _put(folder, film.init_path(kbps), head)
        for index, segment in enumerate(segments):
            _put(folder, film.segment_path(kbps, index), segment)


def _put(folder: Path, path: str, body: bytes) -> None:
    target = folder / path.lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(body)


def _encoded(arguments: list[str]) -> bytes:
    program = shutil.which("ffmpeg")
    if program is None:
        raise LonglookError("ffmpeg is missing, it makes the film: apt-get install ffmpeg")
    try:
        done = subprocess.run(
            [program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=ENCODER_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise LonglookError(f"waited {ENCODER_TIMEOUT_S:g} s for FFmpeg to make one bitrate of the film") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()[-500:]
        raise LonglookError(f"FFmpeg ended with status {done.returncode}: {said}")
    return done.stdout


def _version() -> str:
    program = shutil.which("ffmpeg")
    if program is None:
        return "none"
    done = subprocess.run([program, "-version"], capture_output=True, text=True, timeout=20, check=False)
    return " ".join(done.stdout.split()[2:3])


def split(whole: bytes) -> tuple[bytes, list[bytes]]:
    """A fragmented MP4 as what all fragments have in common, and the fragments (`moof` and `mdat`)."""
    head, segments = b"", []
    for kind, box in boxes(whole):
        if kind in HEAD:
            head += box
        elif kind == "moof":
            segments.append(box)
        elif segments:
            segments[-1] += box
    return head, segments


def boxes(whole: bytes) -> Iterator[tuple[str, bytes]]:
    """Kind and bytes of each box of an MP4, one after the other; of one that does not end well a `LonglookError`."""
    at = 0
    while at < len(whole):
        size = int.from_bytes(whole[at : at + 4], "big")
        if size < 8 or at + size > len(whole):
            raise LonglookError(f"no MP4: a box of {size} bytes at {at} of {len(whole)}")
        yield whole[at + 4 : at + 8].decode("latin-1"), whole[at : at + size]
        at += size


def write_list(folder: Path) -> None:
    """Write the list of the longest film from a folder that `encode` filled."""
    with film.LIST.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(film.COLUMNS)
        for path in film.paths(film.LONGEST):
            body = (folder / path.lstrip("/")).read_bytes()
            writer.writerow([path, len(body), hashlib.sha256(body).hexdigest()])


if __name__ == "__main__":  # python -m longlook.site.video FOLDER: makes the film anew there, and its list
    made = Path(sys.argv[1])
    encode(made, film.LONGEST.duration_s)
    write_list(made)
