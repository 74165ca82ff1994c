"""A campaign: one execution of a sweep on one machine, and the rule that a sealed one is never written again.

Layout: `data/raw/<campaign>/{campaign.json, <cell_id>/...}`. A cell is measured in `<cell_id>.partial/` and
renamed when whole, so an interrupted cell leaves nothing that looks finished; what it did leave is kept in
`interrupted/` and never averaged. Sealing writes the RO-Crate description and then `manifest.sha256`: a
campaign is sealed if and only if that file exists.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from longlook.errors import LonglookError
from longlook.record.crate import write_crate
from longlook.record.durable import explain_disk_errors, fsync_folder, fsync_tree, read_json, write_json
from longlook.record.manifest import MANIFEST_NAME, write_manifest
from longlook.record.runs import RUNS_NAME, read_runs, repack
from longlook.scenario import Cell
from longlook.sweep import Sweep
from longlook.transfers import TransferCell

CAMPAIGN_SCHEMA = "longlook.campaign/1"
CAMPAIGN_NAME = "campaign.json"
INTERRUPTED = "interrupted"
PARTIAL = ".partial"
CELL_FILES = {
    "plt": ("cell.json", "environment.json", RUNS_NAME, "executed.ipynb"),
    "transfer": ("cell.json", "environment.json", "timeline.parquet", "throughput.parquet", "executed.ipynb"),
}
"""By kind of cell: a page load cell, or a transfer (sweeps of experiment `fairness` and `cwnd`)."""
Role = Literal["reference", "local"]


def utc_now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


def stamp(moment: datetime) -> str:
    """As in campaign ids: yyyymmddThhmmss."""
    return moment.strftime("%Y%m%dT%H%M%S")


def iso(moment: datetime) -> str:
    """As in records: ISO 8601 to the second, ended by Z."""
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def iso_now() -> str:
    """The time, as in records of cells and loads: ISO 8601 to the millisecond, ended by +00:00."""
    return utc_now().isoformat(timespec="milliseconds")


def split_digests(stacks: str, digests: str) -> dict[str, str]:
    """Stack -> digest, from the two texts of a campaign, in which several are joined by ", "."""
    return dict(zip(stacks.split(", "), digests.split(", "), strict=True))


@dataclass
class Campaign:
    """One execution of a sweep on one machine. `info` is the content of its `campaign.json`."""

    path: Path
    info: dict[str, Any]
    _lock: weakref.finalize | None = field(default=None, repr=False, compare=False)

    @property
    def id(self) -> str:
        return self.info["campaign"]

    @property
    def sweep(self) -> str:
        """Name of the sweep that was executed."""
        return self.info["sweep"]

    @property
    def role(self) -> Role:
        """`reference`: kept in the repository; `local`: the reader's own."""
        return self.info["role"]

    @property
    def experiment(self) -> Literal["plt", "fairness", "cwnd"]:
        """Its sweep's experiment; campaigns of before there were transfers do not say."""
        return self.info["sweep_definition"].get("experiment", "plt")

    @property
    def kind(self) -> Literal["plt", "transfer"]:
        """Kind of its cells."""
        return "plt" if self.experiment == "plt" else "transfer"

    @property
    def stack_digests(self) -> dict[str, str]:
        """Stack -> its digest, for every stack of the sweep."""
        return split_digests(self.info["stack"], self.info["stack_digest"])

    @property
    def is_sealed(self) -> bool:
        return (self.path / MANIFEST_NAME).exists()

    def cells(self) -> list[Cell] | list[TransferCell]:
        """Every cell of its sweep, in order."""
        return Sweep.parse(self.info["sweep_definition"]).cells()

    def finished_cells(self) -> list[Path]:
        """Folders of the cells that are whole, in the order of the sweep."""
        return [self.path / name for name in self.info["cells"] if (self.path / name).is_dir()]

    def missing_cells(self) -> list[Cell]:
        """Cells not yet measured, in the order of the sweep."""
        return [cell for cell in self.cells() if not (self.path / cell.cell_id).is_dir()]

    def begin_cell(self, cell: Cell) -> Path:
        """Make an empty `<cell_id>.partial/` and return it; the remains of an earlier try go to `interrupted/`."""
        self._refuse_if_sealed("measure a cell")
        if cell.cell_id not in self.info["cells"]:
            raise LonglookError(f"campaign {self.id} has no cell {cell.cell_id}; it executes sweep {self.sweep}")
        if (self.path / cell.cell_id).exists():
            raise LonglookError(
                f"cell {cell.cell_id} of campaign {self.id} is measured already; it is never overwritten"
            )
        partial = self.path / (cell.cell_id + PARTIAL)
        with explain_disk_errors(f"begin cell {cell.cell_id}", self.path):
            self._set_aside(partial)
            partial.mkdir()
            fsync_folder(self.path)
        return partial

    def withdraw_cell(self, cell: Cell) -> Path:
        """Take a finished cell out of the campaign, to measure it again; its record is kept in `interrupted/` (returned)."""
        self._refuse_if_sealed("withdraw a cell")
        with explain_disk_errors(f"withdraw cell {cell.cell_id}", self.path):
            kept = self._set_aside(self.path / cell.cell_id)
            fsync_folder(self.path)
        return kept

    def restore_cell(self, cell: Cell, kept: Path) -> None:
        """Put a withdrawn record back, where measuring the cell again has failed."""
        self._refuse_if_sealed("restore a cell")
        with explain_disk_errors(f"restore cell {cell.cell_id}", self.path):
            os.rename(kept, self.path / cell.cell_id)
            fsync_folder(self.path)

    def finish_cell(self, partial: Path, *, required: Iterable[str] | None = None) -> Path:
        """Check that the cell is whole, flush it to the disk and give it its final name (returned)."""
        self._refuse_if_sealed("finish a cell")
        partial = Path(partial)
        cell_id = partial.name.removesuffix(PARTIAL)
        if partial.parent != self.path or not partial.name.endswith(PARTIAL) or cell_id not in self.info["cells"]:
            raise LonglookError(f"{partial} is not a cell in progress of campaign {self.id}")
        lacking = [
            name for name in (CELL_FILES[self.kind] if required is None else required) if not (partial / name).is_file()
        ]
        if lacking:
            raise LonglookError(f"cell {cell_id} is not whole, it lacks {', '.join(lacking)}; left in {partial}")
        self._check_content(partial, cell_id)
        with explain_disk_errors(f"finish cell {cell_id}", partial):
            if self.kind == "plt":
                repack(partial / RUNS_NAME)
            fsync_tree(partial)
            final = self.path / cell_id
            os.rename(partial, final)
            fsync_folder(self.path)
        return final

    def seal(self, wall_s: float | None = None, *, allow_missing: bool = False) -> None:
        """Write the final `campaign.json`, the RO-Crate and the manifest; nothing can be added afterwards.

        `wall_s` is the time the campaign took; by default the sum over its cells. With `allow_missing` an
        incomplete campaign is sealed and says which cells it lacks.
        """
        if self.is_sealed:
            raise LonglookError(f"campaign {self.id} is sealed already")
        missing = [cell.cell_id for cell in self.missing_cells()]
        if missing and not allow_missing:
            shown = ", ".join(missing[:3]) + (", ..." if len(missing) > 3 else "")
            raise LonglookError(
                f"campaign {self.id} still lacks {len(missing)} cells ({shown}): run its sweep again first"
            )
        with explain_disk_errors(f"seal campaign {self.id}", self.path):
            for partial in sorted(self.path.glob("*" + PARTIAL)):
                self._set_aside(partial)
            for leftover in self.path.glob(".*.tmp"):  # of a process killed while it wrote one
                leftover.unlink()
            walls, plts = self._durations()
            update = {"sealed": iso(utc_now()), "wall_s": walls if wall_s is None else wall_s, "plt_sum_s": plts}
            if missing:
                update["missing_cells"] = missing
            info = self.info | update
            write_json(self.path / CAMPAIGN_NAME, info)
            write_crate(self.path, info)
            write_manifest(self.path)
        self.info = info

    def close(self) -> None:
        """Let go of the lock that keeps other processes from measuring into this campaign."""
        if self._lock is not None:
            self._lock()

    def _refuse_if_sealed(self, what: str) -> None:
        if self.is_sealed or self.info.get("sealed"):
            raise LonglookError(
                f"cannot {what}: campaign {self.id} is sealed and is never written again; start a new one"
            )

    def _set_aside(self, partial: Path) -> Path | None:
        """Move the remains of an interrupted cell to `interrupted/<cell_id>-<time>/` (returned); drop them if empty."""
        if not partial.exists():
            return None
        if not any(partial.iterdir()):
            partial.rmdir()
            return None
        folder = self.path / INTERRUPTED
        folder.mkdir(exist_ok=True)
        name = f"{partial.name.removesuffix(PARTIAL)}-{stamp(utc_now())}"
        target, number = folder / name, 1
        while target.exists():
            number += 1
            target = folder / f"{name}-{number}"
        os.rename(partial, target)
        fsync_folder(folder)
        return target

    def _check_content(self, folder: Path, cell_id: str) -> None:
        """The records must be about this cell of this campaign, and readable."""
        claims = [(read_json(folder / "cell.json"), "cell.json")]
        if self.kind == "plt":
            claims += [(run, f"{RUNS_NAME} load {n}") for n, run in enumerate(read_runs(folder), start=1)]
        for record, where in claims:
            if (record.get("campaign"), record.get("cell_id")) != (self.id, cell_id):
                raise LonglookError(
                    f"{folder / where}: says campaign {record.get('campaign')}, cell {record.get('cell_id')}; "
                    f"it is kept in campaign {self.id}, cell {cell_id}"
                )
        if len(claims) == 1 and self.kind == "plt":
            raise LonglookError(f"cell {cell_id} holds no load; left in {folder}")

    def _durations(self) -> tuple[float, float]:
        """Seconds: sum of the cells' wall times, and sum of the PLTs of all loads, cold and rejected included."""
        cells = self.finished_cells()
        walls = sum(float(read_json(cell / "cell.json").get("wall_s") or 0) for cell in cells)
        plts = (
            sum((run["plt_ms"] or 0) for cell in cells for run in read_runs(cell)) / 1000 if self.kind == "plt" else 0.0
        )
        return round(walls, 3), round(plts, 3)
