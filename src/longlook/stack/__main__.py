"""`python -m longlook.stack [NAME ...]`: what tools/bootstrap calls. Installs stacks and builds the Go tools."""

from __future__ import annotations

import sys

from longlook import paths
from longlook.errors import LonglookError
from longlook.stack.gobuild import build_tool
from longlook.stack.install import install


def main(names: list[str]) -> int:
    """Install each named stack, then build every tool; one line for each thing that is there."""
    try:
        for name in names:
            installed = install(name, progress=lambda text: print(f"  {text}", flush=True))
            print(f"stack {name}: {installed.digest[:12]} ({installed.provider})", flush=True)
        for module in sorted(paths.TOOLS.glob("*/go.mod")):
            print(f"tool {module.parent.name}: {build_tool(module.parent.name)}", flush=True)
    except LonglookError as error:
        print(f"longlook: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
