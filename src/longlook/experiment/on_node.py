"""Runs on the client node: executes one cell's notebook with papermill and says what came of it, as one JSON line.

python -m longlook.experiment.on_node REQUEST.json      keys: notebook, folder, parameters (the notebook's), timeout_s
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from longlook.experiment.execute import execute


def main(path: str) -> None:
    request = json.loads(Path(path).read_text(encoding="utf-8"))
    failure = execute(request["notebook"], Path(request["folder"]), request["parameters"], request["timeout_s"])
    print(json.dumps({"failure": None if failure is None else asdict(failure)}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
