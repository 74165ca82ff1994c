"""`python -m longlook.stack [NAME ...]`: what tools/bootstrap calls. Installs stacks and builds their Go tools."""

from __future__ import annotations

import functools
import sys

from longlook import paths
from longlook.errors import LonglookError
from longlook.stack.gobuild import build_tool, tool_path
from longlook.stack.install import install
from longlook.stack.part import known_parts, load_part
from longlook.stack.spec import load_stack


def _tell(stack: str, text: str) -> None:
    print(f"stack {stack}: {text}", flush=True)


def needed(names: list[str]) -> list[str]:
    """Those of the named stacks' parts, and those that are no part's."""
    every = {module.parent.name for module in paths.TOOLS.glob("*/go.mod")}
    of_parts = {tool for name in known_parts() for tool in load_part(name).tools}
    of_stacks = {tool for name in names for part in load_stack(name).parts for tool in part.tools}
    return sorted(every - of_parts | of_stacks)


def main(names: list[str]) -> int:
    """Install each named stack, then build its tools and those that no stack has; prints what it does, and nothing
    where nothing is to be done."""
    try:
        for name in names:
            install(name, progress=functools.partial(_tell, name))
        for tool in needed(names):
            if not tool_path(tool).exists():
                print(f"building {tool}", flush=True)
            build_tool(tool)
    except LonglookError as error:
        print(f"longlook: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
