"""Building this repository's own Go programs (tools/<name>), once per content of their sources."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

from longlook import paths
from longlook.errors import LonglookError
from longlook.host.locking import exclusive
from longlook.stack.commands import answered
from longlook.stack.gopatch import go_environment, prepare
from longlook.stack.number import as_numbers

BUILD_TIMEOUT_S = 600.0


@functools.cache
def build_tool(name: str) -> Path:
    """Path of the program, built if its sources changed."""
    program = tool_path(name)
    if not program.exists():
        with exclusive(paths.CACHE / "tools" / f"{name}.lock", f"another build of {name}"):
            if not program.exists():
                _build(paths.TOOLS / name, program)
    return program


def given_tool(name: str) -> str | None:
    """Path of a program that was built elsewhere, which LONGLOOK_TOOL_<NAME> offers."""
    return os.environ.get(f"LONGLOOK_TOOL_{name.upper()}") or None


def tool_path(name: str) -> Path:
    """Where the program is, or will be once built; one that was built elsewhere comes first."""
    if given := given_tool(name):
        if not os.access(given, os.X_OK):
            raise LonglookError(
                f"LONGLOOK_TOOL_{name.upper()} names {given}, which cannot be executed: unset it or correct it"
            )
        return Path(given)
    source = paths.TOOLS / name
    if not (source / "go.mod").is_file():
        raise LonglookError(f"no tool {name!r}: {source / 'go.mod'} does not exist")
    return paths.CACHE / "tools" / f"{name}-{source_hash(source)[:12]}" / name


def source_hash(source: Path) -> str:
    """Hex SHA-256 over everything that goes into the program; its tests do not."""
    files = [
        path
        for path in source.rglob("*")
        if path.is_file() and (path.suffix in (".go", ".s", ".h", ".patch") or path.name in ("go.mod", "go.sum"))
    ]
    total = hashlib.sha256()
    for path in sorted(files):
        if path.name.endswith("_test.go"):
            continue
        content = path.read_bytes()
        total.update(f"{path.relative_to(source).as_posix()}\0{len(content)}\0".encode() + content)
    return total.hexdigest()


def find_go(source: Path) -> Path:
    """The first Go that is as new as the module asks for: PATH, the usual place, the one the bootstrap fetched."""
    found = re.search(r"^go\s+(\S+)", (source / "go.mod").read_text(encoding="utf-8"), flags=re.MULTILINE)
    wanted = found.group(1) if found else "1.0"
    seen = []
    for candidate in (shutil.which("go"), "/usr/local/go/bin/go", paths.ROOT / ".venv" / "go" / "go" / "bin" / "go"):
        if candidate is None or not Path(candidate).is_file():
            continue
        version = _go_version(Path(candidate))
        if as_numbers(version) >= as_numbers(wanted):
            return Path(candidate)
        seen.append(f"{candidate} is {version}")
    have = "; ".join(seen) or "none was found"
    raise LonglookError(f"{source.name} needs Go {wanted} or newer ({have}): run tools/bootstrap, which fetches one")


def _go_version(go: Path) -> str:
    try:
        # GOTOOLCHAIN=local: its own version, not that of one it could download.
        answer = subprocess.run(
            [str(go), "env", "GOVERSION"],
            capture_output=True,
            text=True,
            timeout=30,
            env={**os.environ, "GOTOOLCHAIN": "local"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return "0"
    return answer.stdout.strip().removeprefix("go") or "0"


def _build(source: Path, program: Path) -> None:
    program.parent.mkdir(parents=True, exist_ok=True)
    partial = program.with_name(f"{program.name}.partial-{os.getpid()}")
    go = find_go(source)
    modfile = prepare(source, program.parent / "modules", go)
    # -mod=readonly: what go.mod and go.sum lock, and nothing else. No cgo: no C compiler needed.
    command = [str(go), "build", "-trimpath", "-mod=readonly", "-buildvcs=false", "-o", str(partial)]
    command += ["-modfile", str(modfile), "."] if modfile else ["."]
    environment = {**go_environment(), "CGO_ENABLED": "0"}
    done = answered(command, f"go build of {source}", BUILD_TIMEOUT_S, source, environment)
    if done.returncode:
        raise LonglookError(
            f"go build of {source} ended with status {done.returncode}:\n{(done.stdout + done.stderr).strip()}"
        )
    partial.replace(program)
    shutil.rmtree(program.parent / "modules", ignore_errors=True)
