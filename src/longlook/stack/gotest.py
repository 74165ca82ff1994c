"""`python -m longlook.stack.gotest`: go vet and go test of every tool, the patched modules' own rooms included."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from longlook import paths
from longlook.errors import LonglookError
from longlook.host.userns import has_rights
from longlook.stack.gobuild import find_go
from longlook.stack.gopatch import go_environment, patched_modules, prepare

BUILT = ("-run", "^$")
"""Arguments by which tests are built and none is run."""


def commands(source: Path, go: Path, *arguments: str) -> list[list[str]]:
    """What to run in the folder of one tool; `arguments`: of go test."""
    modfile = prepare(source, paths.CACHE / "tools" / f"{source.name}-test", go)
    flags = ["-modfile", str(modfile)] if modfile else []
    added = {
        f"{module}/{test.parent.relative_to(changes / 'added').as_posix()}".removesuffix("/.")
        for module, changes in patched_modules(source).items()
        for test in (changes / "added").rglob("*_test.go")
    }
    return [[str(go), "vet", *flags, "./..."], [str(go), "test", *flags, *arguments, "./...", *sorted(added)]]


def tools() -> list[Path]:
    """Their folders."""
    return sorted(module.parent for module in paths.TOOLS.glob("*/go.mod"))


def run(source: Path, *arguments: str) -> bool:
    """Whether one tool passes, end to end too where this process may make namespaces; `arguments`: of go test."""
    environment = go_environment()
    inside: list[str] = []
    if has_rights():
        environment["LINKPIPE_E2E"] = "1"
        # A user's own network namespace, to which `ip netns add` may come back.
        inside = [] if os.geteuid() == 0 else ["unshare", "--net"]
    every = commands(source, find_go(source), *arguments)
    done = [subprocess.run([*inside, *one], cwd=source, env=environment, check=False) for one in every]
    return not any(one.returncode for one in done)


def main() -> int:
    """Every tool; 1 if anything failed."""
    status = 0
    for source in tools():
        print(f"== go vet, go test: tools/{source.name}", flush=True)
        try:
            status |= not run(source)
        except LonglookError as error:
            print(f"longlook: {error}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
