"""What a command has for itself, and what ends with it: a temporary folder into which nobody else can put anything, and
every process that it has started.

Libraries take names in the folder for temporary files that everybody can know beforehand (Dask's `dask-scratch-space`),
open what they find there, and look into it for modules. In a folder of the command's own nobody has been before.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import shutil
import signal
import stat
import tempfile
import time
from collections.abc import Collection, Iterator
from pathlib import Path

import psutil

from longlook import paths
from longlook.errors import LonglookError

PREFIX = "ll-"
"""Short: sockets have names of at most 107 bytes, and some lie below it."""
ENTERED = 0o711
"""Servers that have given root up read the pages in it: they must know a name, which is drawn at random."""
KERNELS = {"IPYTHONDIR": "ipython", "JUPYTER_CONFIG_DIR": "jupyter", "JUPYTER_DATA_DIR": "jupyter",
           "JUPYTER_RUNTIME_DIR": "runtime"}  # fmt: skip
"""Where notebooks' kernels look for programs to run first, and keep their keys."""
UNWANTED = ("DASK_", "JUPYTER_")
"""Variables by which somebody else's settings would reach Dask's processes and kernels."""
ENDING_S, POLL_S = 5.0, 0.01
PR_SET_CHILD_SUBREAPER = 36
INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
YOUNG_S = 60.0
"""A folder of this age may belong to a command that has not locked it yet."""

_own: contextlib.ExitStack | None = None


@contextlib.contextmanager
def command() -> Iterator[None]:
    """Of a program that somebody started: signals that end it, its folder, its processes. Nothing of it is left."""
    global _own
    with contextlib.ExitStack() as _own:
        _own.enter_context(_heeding_signals())
        _own.enter_context(own_folder())
        # Programs are started from it; of a checkout of his own, its owner may have made it.
        owners = _trusted() | {paths.ROOT.stat().st_uid}
        _require_unexchanged(paths.CACHE, "programs are kept (LONGLOOK_CACHE)", owners)
        _own.callback(end_descendants, {one.pid for one in psutil.Process().children()})
        _own.callback(_heed_no_more)  # what follows is bounded, and must be done
        yield
    _own = None


def leave() -> None:
    """Before this process becomes another program, which has a folder of its own."""
    if _own is not None:
        _own.close()


@contextlib.contextmanager
def _heeding_signals() -> Iterator[None]:
    """SIGTERM, SIGQUIT and a closed terminal are taken as Ctrl-C is, since shells start background jobs with that
    ignored."""
    before = {number: signal.getsignal(number) for number in INTERRUPTS}
    for number in INTERRUPTS:
        if before[number] is not signal.SIG_IGN:
            signal.signal(number, _interrupted)
    try:
        yield
    finally:
        for number in INTERRUPTS:
            signal.signal(number, before[number])


def _interrupted(*_) -> None:
    _heed_no_more()  # once is enough: a second one must not interrupt what tidies up
    raise KeyboardInterrupt


@contextlib.contextmanager
def unheeded() -> Iterator[None]:
    """Signals that end a command wait until what is inside is done. (A mask would be this thread's alone.)"""
    waiting: list[int] = []
    heeded = [number for number in INTERRUPTS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, lambda number, _: waiting.append(number)) for number in heeded}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for caught in waiting:
        signal.raise_signal(caught)


def _heed_no_more() -> None:
    for number in INTERRUPTS:
        signal.signal(number, signal.SIG_IGN)


# -- the folder -------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def own_folder() -> Iterator[Path]:
    """A new folder for all temporary files of this process and of what it starts, which goes with it."""
    place = _shared()
    _remove_left(place)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    folder.chmod(ENTERED)
    before, cached = dict(os.environ), tempfile.tempdir
    for name in [name for name in os.environ if name.startswith(UNWANTED)]:
        del os.environ[name]
    for variable, name in KERNELS.items():
        (folder / name).mkdir(mode=0o700, exist_ok=True)
        os.environ[variable] = str(folder / name)
    os.environ |= {
        "TMPDIR": str(folder),
        "PYTHONSAFEPATH": "1",
    }  # of a folder that it is started in, Python runs nothing
    tempfile.tempdir = str(folder)
    try:
        yield folder
    finally:
        tempfile.tempdir = cached
        os.environ.clear()
        os.environ |= before
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _shared() -> Path:
    """The folder for everybody's temporary files."""
    place = Path(tempfile.gettempdir())
    _require_unexchanged(place, "temporary files go (TMPDIR)", _trusted())
    return place


def _trusted() -> set[int]:
    """Root and this user. In a user namespace without root everybody else has one id, root too: whose a folder is was
    looked at before it was entered (userns.enter)."""
    mapped = [int(line.split()[0]) for line in Path("/proc/self/uid_map").read_text().splitlines()]
    return {os.geteuid(), 0 if 0 in mapped else int(Path("/proc/sys/kernel/overflowuid").read_text())}


def _require_unexchanged(place: Path, what: str, owners: Collection[int]) -> None:
    """Raise `LonglookError` where another user could exchange what is in a folder, or the folder, by what it lies in or
    by a link on the way."""
    place, real = place.absolute(), place.resolve()
    for one in dict.fromkeys((place, *place.parents, real, *real.parents)):
        if not os.path.lexists(one):  # it is still to be made, in what is
            continue
        found = one.lstat()
        exchanged = not one.is_symlink() and found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX
        if found.st_uid not in owners or exchanged:
            raise LonglookError(
                f"{place} is where {what}, and other users can exchange files in it"
                f"{'' if one == place else f' (by {one})'}: name a folder of your own there"
            )


def _remove_left(place: Path) -> None:
    """Folders of commands that were killed: this user's, and locked by nobody."""
    for folder in place.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            found = folder.lstat()
            if found.st_uid != os.geteuid() or time.time() - found.st_ctime < YOUNG_S:
                continue
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


# -- the processes ----------------------------------------------------------------------------------------------------


def end_descendants(spared: Collection[int] = (), within_s: float = ENDING_S) -> None:
    """Kill every process below this one, also what has lost its parent (Apache's children) or loses it now; `spared`:
    children that stay."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    deadline = time.monotonic() + within_s
    while (left := [one for one in _children() if one.pid not in spared]) and time.monotonic() < deadline:
        for one in left:
            kill_tree(one.pid)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(one.pid, os.WNOHANG)
        time.sleep(POLL_S)


def _children() -> Iterator[psutil.Process]:
    """Of this process, but for Python's own: it ends with it, and is started anew, with a warning, where it is gone."""
    for one in psutil.Process().children():
        with contextlib.suppress(psutil.Error):
            if not any("multiprocessing.resource_tracker" in word for word in one.cmdline()):
                yield one


def kill_tree(pid: int) -> None:
    """Kill a process and all that it has started and that still has its parents; gone already is fine."""
    with contextlib.suppress(psutil.Error):
        root = psutil.Process(pid)
        for one in [root, *root.children(recursive=True)]:
            with contextlib.suppress(psutil.Error):
                one.kill()
