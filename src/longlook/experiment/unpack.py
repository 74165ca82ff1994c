"""Whole traces out of the raw records, as files that other programs open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from longlook.errors import LonglookError
from longlook.experiment.reading import TRACES, traces
from longlook.record.campaign import Campaign
from longlook.record.campaigns import scan_campaigns
from longlook.record.durable import explain_disk_errors, write_bytes


def unpack(root: Path, name: str, folder: Path) -> Iterator[Path]:
    """A qlog in `folder` for each cell of the campaign under `root` that is called so, or of the newest one of the
    sweep that is; `LonglookError` where there is none that keeps whole traces."""
    found = [one for one in scan_campaigns(root)[0] if name in (one.id, one.info["sweep"]) and _cells(one)]
    if not found:
        raise LonglookError(
            f"no campaign in {root} is called {name!r}, or is of a sweep called so, and keeps whole traces "
            "(those of experiment traces do): longlook run matrix-windows measures one"
        )
    with explain_disk_errors("unpack traces", folder):
        folder.mkdir(parents=True, exist_ok=True)
    for cell in _cells(found[-1]):
        path = folder / f"{cell.name}.qlog"
        write_bytes(path, traces(cell).encode())
        yield path


def _cells(campaign: Campaign) -> list[Path]:
    """Folders of its cells that keep traces."""
    return sorted(
        path.parent for path in campaign.path.glob(f"*/{TRACES}") if path.parent.name in campaign.info["cells"]
    )
