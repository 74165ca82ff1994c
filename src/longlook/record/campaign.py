"""A campaign: one execution of a sweep on one machine, and the rule that a sealed one is never written again.

Layout: `data/raw/<campaign>/{campaign.json, <cell_id>/...}`. A cell is measured in `<cell_id>.partial/` and
renamed when whole, so an interrupted cell leaves nothing that looks finished; what it did leave is kept in
`interrupted/` and never averaged. Sealing writes the RO-Crate description and then `manifest.sha256`: a
campaign is sealed if and only if that file exists.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from longlook.errors import LonglookError
from longlook.host import clock
from longlook.plan.cell import Cell
from longlook.plan.sweep import Sweep
from longlook.record import moments, upgrade
from longlook.record.durable import explain_disk_errors, fsync_folder, fsync_tree, read_json, write_json
from longlook.record.manifest import MANIFEST_NAME, write_manifest
from longlook.record.samples import SAMPLES_NAME, read_records, repack

CAMPAIGN_SCHEMA = "longlook.campaign/2"
OLD_SCHEMA = "longlook.campaign/1"
"""Of before there were arms; see upgrade.py."""
CELL_SCHEMA = "longlook.cell/2"
CAMPAIGN_NAME = "campaign.json"
INTERRUPTED = "interrupted"
PARTIAL = ".partial"
CELL_NAME, ENVIRONMENT_NAME, NOTEBOOK_NAME = "cell.json", "environment.json", "executed.ipynb"
WHOLE = (CELL_NAME, ENVIRONMENT_NAME, SAMPLES_NAME, NOTEBOOK_NAME)
"""Files that every cell has when it is whole; an experiment may add its own."""
Role = Literal["reference", "local"]


def utc_now() -> datetime:
    """The time, in UTC."""
    return datetime.fromtimestamp(clock.wall_s(), UTC)


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
    def experiment(self) -> str:
        """Name of its sweep's experiment; the first campaigns measured page loads and do not say."""
        return self.info["sweep_definition"].get("experiment", "plt")

    @property
    def study(self) -> str:
        """The study that its sweep belongs to."""
        return self.info["sweep_definition"].get("study", upgrade.STUDY)

    @property
    def is_old(self) -> bool:
        """Of before there were arms: its records are upgraded when they are read, and it is never measured into."""
        return self.info["schema"] == OLD_SCHEMA

    @property
    def stack_digests(self) -> dict[str, str]:
        """Stack -> its digest, for every stack of the sweep."""
        return split_digests(self.info["stack"], self.info["stack_digest"])

    @property
    def is_sealed(self) -> bool:
        return (self.path / MANIFEST_NAME).exists()

    def cells(self) -> list[Cell]:
        """Every cell of its sweep, in order; of an old campaign those that it has."""
        if self.is_old:
            return [self.cell_in(folder) for folder in self.finished_cells()]
        return Sweep.parse(self.info["sweep_definition"]).cells()

    def planned_cells(self) -> list[Cell]:
        """Every cell of its sweep, in order, from nothing but its definition."""
        definition = self.info["sweep_definition"]
        return upgrade.planned_cells(definition) if self.is_old else Sweep.parse(definition).cells()

    def cell_in(self, folder: Path) -> Cell:
        """The cell of a finished folder; a record that describes another one is a `LonglookError`."""
        record = read_json(folder / CELL_NAME)
        try:
            cell = (
                upgrade.cell_of(record, self.experiment) if upgrade.is_old(record) else Cell.parse(record.get("cell"))
            )
        except LonglookError as error:
            raise LonglookError(f"{folder / CELL_NAME}: {error}") from None
        if cell.id != folder.name:
            raise LonglookError(f"{folder / CELL_NAME} describes cell {cell.id}; it is kept as {folder.name}")
        return cell

    def finished_cells(self) -> list[Path]:
        """Folders of the cells that are whole, in the order of the sweep."""
        return [self.path / name for name in self.info["cells"] if (self.path / name).is_dir()]

    def records(self) -> Iterator[dict[str, Any]]:
        """What its finished cells say of themselves."""
        return (read_json(folder / CELL_NAME) for folder in self.finished_cells())

    def missing_cells(self) -> list[Cell]:
        """Cells not yet measured, in the order of the sweep."""
        return [cell for cell in self.cells() if not (self.path / cell.id).is_dir()]

    def begin_cell(self, cell: Cell) -> Path:
        """Make an empty `<cell_id>.partial/` and return it; the remains of an earlier try go to `interrupted/`."""
        self._refuse_if_sealed("measure a cell")
        if cell.id not in self.info["cells"]:
            raise LonglookError(f"campaign {self.id} has no cell {cell.id}; it executes sweep {self.sweep}")
        if (self.path / cell.id).exists():
            raise LonglookError(f"cell {cell.id} of campaign {self.id} is measured already; it is never overwritten")
        partial = self.path / (cell.id + PARTIAL)
        with explain_disk_errors(f"begin cell {cell.id}", self.path):
            self._set_aside(partial)
            partial.mkdir()
            fsync_folder(self.path)
        return partial

    def withdraw_cell(self, cell: Cell) -> Path:
        """Take a finished cell out of the campaign, to measure it again; its record, kept in `interrupted/`."""
        self._refuse_if_sealed("withdraw a cell")
        with explain_disk_errors(f"withdraw cell {cell.id}", self.path):
            kept = self._set_aside(self.path / cell.id)
            fsync_folder(self.path)
        if kept is None:
            raise LonglookError(f"campaign {self.id} has no record of cell {cell.id} to withdraw")
        return kept

    def restore_cell(self, cell: Cell, kept: Path) -> None:
        """Put a withdrawn record back, where measuring the cell again has failed."""
        self._refuse_if_sealed("restore a cell")
        with explain_disk_errors(f"restore cell {cell.id}", self.path):
            os.rename(kept, self.path / cell.id)
            fsync_folder(self.path)

    def finish_cell(self, partial: Path, files: Iterable[str] = ()) -> Path:
        """Check that the cell is whole (WHOLE and `files`), flush it to the disk and give it its final name.

        Its folder, by that name, is returned.
        """
        self._refuse_if_sealed("finish a cell")
        partial = Path(partial)
        cell_id = partial.name.removesuffix(PARTIAL)
        if partial.parent != self.path or not partial.name.endswith(PARTIAL) or cell_id not in self.info["cells"]:
            raise LonglookError(f"{partial} is not a cell in progress of campaign {self.id}")
        lacking = [name for name in dict.fromkeys((*WHOLE, *files)) if not (partial / name).is_file()]
        if lacking:
            raise LonglookError(f"cell {cell_id} is not whole, it lacks {', '.join(lacking)}; left in {partial}")
        self._check_content(partial, cell_id)
        with explain_disk_errors(f"finish cell {cell_id}", partial):
            repack(partial / SAMPLES_NAME)
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
        from longlook.record.crate import write_crate  # its library takes half a second to import

        missing = [cell.id for cell in self.missing_cells()]
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
            update: dict[str, Any] = {"sealed": iso(utc_now()), "wall_s": self._wall_s() if wall_s is None else wall_s}
            told = {"sealed": clock.Clock().record()} | (self.info.get("clock") or {})
            update["clock"] = told | {"steps": moments.steps(self.info | update | {"clock": told}, self.records())}
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
        claims = [(read_json(folder / CELL_NAME), CELL_NAME)]
        claims += [(one, f"{SAMPLES_NAME} sample {n}") for n, one in enumerate(read_records(folder), start=1)]
        for record, where in claims:
            if (record.get("campaign"), record.get("cell_id")) != (self.id, cell_id):
                raise LonglookError(
                    f"{folder / where}: says campaign {record.get('campaign')}, cell {record.get('cell_id')}; "
                    f"it is kept in campaign {self.id}, cell {cell_id}"
                )
        if len(claims) == 1:
            raise LonglookError(f"cell {cell_id} holds no sample; left in {folder}")

    def _wall_s(self) -> float:
        """Sum of its cells' wall times, s."""
        walls = (float(record.get("wall_s") or 0) for record in self.records())
        return round(sum(walls), 3)
