"""Runs on the client node: executes one cell's notebook with papermill and says what came of it, as one JSON line.

python -m longlook.experiment.on_node PARAMETERS.json      keys: experiment, folder, parameters (the notebook's)
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from longlook.experiment.execute import execute


def main(path: str) -> None:
    request = json.loads(Path(path).read_text(encoding="utf-8"))
    error = execute(request["experiment"], Path(request["folder"]), request["parameters"])
    print(json.dumps({"error": error}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
