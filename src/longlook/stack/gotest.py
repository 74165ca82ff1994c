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


def commands(source: Path, go: Path) -> list[list[str]]:
    """What to run in the folder of one tool."""
    modfile = prepare(source, paths.CACHE / "tools" / f"{source.name}-test", go)
    flags = ["-modfile", str(modfile)] if modfile else []
    added = {
        f"{module}/{test.parent.relative_to(changes / 'added').as_posix()}".removesuffix("/.")
        for module, changes in patched_modules(source).items()
        for test in (changes / "added").rglob("*_test.go")
    }
    return [[str(go), "vet", *flags, "./..."], [str(go), "test", *flags, "./...", *sorted(added)]]


def main() -> int:
    """Every tool; 1 if anything failed."""
    status = 0
    environment = go_environment()
    inside: list[str] = []
    if has_rights():
        environment["LINKPIPE_E2E"] = "1"
        # A user's own network namespace, to which `ip netns add` may come back.
        inside = [] if os.geteuid() == 0 else ["unshare", "--net"]
    for module in sorted(paths.TOOLS.glob("*/go.mod")):
        source = module.parent
        print(f"== go vet, go test: tools/{source.name}", flush=True)
        try:
            for command in commands(source, find_go(source)):
                status |= subprocess.run([*inside, *command], cwd=source, env=environment, check=False).returncode != 0
        except LonglookError as error:
            print(f"longlook: {error}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
