"""One cell's notebook, executed by papermill into the cell's folder."""

from __future__ import annotations

import contextlib
import logging
import sys
from pathlib import Path
from typing import Any

from longlook import paths
from longlook.errors import LonglookError, NotSupported
from longlook.experiment.failure import Failure
from longlook.experiment.hung import HUNG_NAME
from longlook.experiment.registry import experiment_of
from longlook.node.session import NodeError
from longlook.plan.cell import Cell
from longlook.plan.value import PlanError
from longlook.record.durable import disk_error

KERNEL_START_TIMEOUT_S = 60
EXTRA_S, TIMES_ESTIMATE = 600.0, 10
"""Bound of a cell's wall time: a link that crawls is given time, a notebook that hangs is ended."""
TOLD = {kind.__name__: kind for kind in (LonglookError, NotSupported, NodeError, PlanError)}
"""Errors that say what to do: by the name under which a notebook's kernel, another process, reports them."""


def limit_s(cell: Cell) -> float:
    """Most time that a cell's notebook may take, s."""
    return EXTRA_S + TIMES_ESTIMATE * experiment_of(cell).estimate_s(cell)


def execute(notebook: str, folder: Path, parameters: dict[str, Any], timeout_s: float) -> Failure | None:
    """Execute notebooks/<notebook>; None when it ran to its end. The executed copy is kept in either case."""
    import papermill  # takes long, and who is refused needs none of it
    from nbclient.exceptions import CellTimeoutError
    from papermill.exceptions import PapermillExecutionError

    logging.getLogger("papermill").setLevel(logging.ERROR)
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # a kernel that dies with an interrupted run is no news
    try:
        with contextlib.redirect_stdout(sys.stderr):
            papermill.execute_notebook(
                str(paths.NOTEBOOKS / notebook),
                str(folder / "executed.ipynb"),
                parameters=parameters,
                progress_bar=False,
                log_output=False,
                start_timeout=KERNEL_START_TIMEOUT_S,
                execution_timeout=round(timeout_s),
                extra_arguments=["--log-level=ERROR"],
                cwd=str(paths.ROOT),
            )
        return None
    except CellTimeoutError:
        where = f"; {folder / HUNG_NAME} has where it stood" if (folder / HUNG_NAME).exists() else ""
        return Failure("cell", f"the notebook was not done within {timeout_s:.0f} s and was ended{where}")
    except (TimeoutError, RuntimeError) as failure:  # DeadKernelError is a RuntimeError
        return Failure("cell", f"the notebook's kernel died or did not start: {failure}")
    except OSError as error:  # papermill writes the executed copy again and again
        return Failure("cell", str(disk_error("write the executed notebook", folder, error)))
    except PapermillExecutionError as failure:
        kind = TOLD.get(failure.ename)
        if kind is None:
            return Failure("cell", f"{failure.ename}: {failure.evalue} (see {folder}/executed.ipynb)")
        return Failure.of(kind, failure.evalue)
