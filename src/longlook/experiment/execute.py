"""One cell's notebook, executed by papermill into the cell's folder."""

from __future__ import annotations

import contextlib
import logging
import sys
from pathlib import Path
from typing import Any

import papermill
from papermill.exceptions import PapermillExecutionError

from longlook import paths

KERNEL_START_TIMEOUT_S = 60


def execute(experiment: str, folder: Path, parameters: dict[str, Any]) -> str | None:
    """Execute notebooks/<experiment>.ipynb; None when it ran to its end, else the error's last line. The executed copy is
    kept in either case."""
    logging.getLogger("papermill").setLevel(logging.ERROR)
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # a kernel that dies with an interrupted run is no news
    try:
        with contextlib.redirect_stdout(sys.stderr):
            papermill.execute_notebook(
                str(paths.NOTEBOOKS / f"{experiment}.ipynb"),
                str(folder / "executed.ipynb"),
                parameters=parameters,
                progress_bar=False,
                log_output=False,
                start_timeout=KERNEL_START_TIMEOUT_S,
                extra_arguments=["--log-level=ERROR"],
                cwd=str(paths.ROOT),
            )
        return None
    except (TimeoutError, RuntimeError) as failure:  # DeadKernelError is a RuntimeError
        return f"the notebook's kernel died or did not start: {failure}"
    except PapermillExecutionError as failure:
        if failure.ename in ("LonglookError", "NotSupported", "NodeError"):
            return f"{failure.ename}: {failure.evalue}"
        return f"{failure.ename}: {failure.evalue} (see {folder}/executed.ipynb)"
