"""`python -m longlook.stack [NAME ...]`: what tools/bootstrap calls. Installs stacks and builds the Go tools."""

from __future__ import annotations

import functools
import sys

from longlook import paths
from longlook.errors import LonglookError
from longlook.stack.gobuild import build_tool, tool_path
from longlook.stack.install import install


def _tell(stack: str, text: str) -> None:
    print(f"stack {stack}: {text}", flush=True)


def main(names: list[str]) -> int:
    """Install each named stack, then build every tool; prints what it does, and nothing where nothing is to be done."""
    try:
        for name in names:
            install(name, progress=functools.partial(_tell, name))
        for module in sorted(paths.TOOLS.glob("*/go.mod")):
            tool = module.parent.name
            if not tool_path(tool).exists():
                print(f"building {tool}", flush=True)
            build_tool(tool)
    except LonglookError as error:
        print(f"longlook: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
