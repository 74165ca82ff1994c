"""Where things are: folders of this repository and of the per-user cache."""

import os
from pathlib import Path

from longlook.errors import LonglookError


def _given(variable: str, default: Path) -> Path:
    """The folder that a variable of the environment names; one that is empty counts as absent."""
    return Path(os.environ.get(variable) or default).absolute()


ROOT = _given("LONGLOOK_ROOT", Path(__file__).resolve().parents[2])
SWEEPS = ROOT / "sweeps"
SITES = ROOT / "sites"
LINKS = ROOT / "links"
NOTEBOOKS = ROOT / "notebooks"
ENVS = ROOT / "envs"
TOOLS = ROOT / "tools"
DATA = _given("LONGLOOK_DATA", ROOT / "data")
"""Where campaigns and tables go; the published numbers always come from the repository."""
RAW = DATA / "raw"
PROCESSED = DATA / "processed"
PUBLISHED = ROOT / "data" / "published"
BOOK = ROOT / "book"
SPOKEN = BOOK / "years" / "spoken.csv"
"""What each pinned browser says on the wire (`longlook browsers`)."""
BUILT_IN = BOOK / "years" / "servers.csv"
"""What each pinned Envoy has built in of QUICHE (`longlook servers`)."""
QUICHE_FLAGS = BOOK / "years" / "flags.csv"
"""QUICHE's flags in each of them, with their defaults."""
FLIGHTS = BOOK / "years" / "flights.csv"
"""How much browsers send before anybody answers (`longlook flights`)."""
PRIORITIES = BOOK / "years" / "priorities.csv"
"""In which order a browser says it wants a page (`longlook priorities`)."""
ALLOWED = BOOK / "yu2021" / "clients.csv"
"""What clients allow a server to send, and whether they look at its certificate (`longlook clients`)."""
SYSCALLS = BOOK / "shreedhar2022" / "syscalls.csv"
"""How often clients and servers call the kernel for a megabyte (`longlook syscalls`)."""
STILL = BOOK / "shreedhar2022" / "player.webp"
"""What a browser shows of the film (`python -m longlook.experiment.still`)."""
STATE = ROOT / ".longlook"
CACHE = _given("LONGLOOK_CACHE", Path.home() / ".cache" / "longlook")


def link_to(path: Path) -> Path | None:
    """The first symbolic link among a file or folder and what it lies in, up to the folder of the data or of the
    repository (elsewhere: to the folder that it is in). What links point to is somebody else's choice, and may be
    anything that this user can write or read: none of ours is one."""
    path = Path(os.path.abspath(path))
    way = [path, *path.parents]
    end = next((number for number, one in enumerate(way) if one in (DATA.parent, ROOT)), 2)
    return next((one for one in reversed(way[:end]) if one.is_symlink()), None)


def refuse_link(path: Path) -> None:
    """Raise `LonglookError` where a symbolic link leads to a file or folder of ours."""
    if (link := link_to(path)) is not None:
        raise LonglookError(
            f"{link} is a symbolic link: none is followed here, since it may lead anywhere; put the file or folder "
            "itself in its place, or name another one (LONGLOOK_DATA)"
        )


def require_raw() -> None:
    """Raise `LonglookError` unless there is a folder of campaigns, which may be empty."""
    refuse_link(RAW)
    if not RAW.is_dir():
        said = "LONGLOOK_DATA" if os.environ.get("LONGLOOK_DATA") else "LONGLOOK_ROOT"
        raise LonglookError(
            f"there is no folder {RAW}, in which campaigns would be: correct {said}, or unset it"
            if os.environ.get(said)
            else f"there is no folder {RAW}, in which campaigns would be; it comes with the repository"
        )


def require_data() -> None:
    """Raise `LonglookError` where LONGLOOK_DATA names what is no folder for data: one has campaigns in it (`raw`), or
    nothing yet; and where links lead to its folders."""
    for folder in (RAW, PROCESSED):
        refuse_link(folder)
    if not os.environ.get("LONGLOOK_DATA"):
        return
    try:
        names = os.listdir(DATA)
    except OSError as error:
        raise LonglookError(
            f"LONGLOOK_DATA names {DATA}, which is no folder that can be read ({error.strerror}): make it, or correct "
            "the name"
        ) from None
    if names and not RAW.is_dir():
        raise LonglookError(
            f"LONGLOOK_DATA names {DATA}, which holds other things and no folder raw: correct it, or name an empty one"
        )


def require_writable(*folders: Path) -> None:
    """Raise `LonglookError` unless these folders can be written into, or made."""
    for folder in folders:
        refuse_link(folder)
        there = next(one for one in (folder, *folder.parents) if os.path.lexists(one))
        if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
            raise LonglookError(
                f"{folder} cannot be written: give it to this user, run again with sudo, or set LONGLOOK_DATA"
            )
