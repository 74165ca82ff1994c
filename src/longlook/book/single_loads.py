"""Single loads in a report on a campaign, from its records: of each arm the one nearest to its median, object by object
as a waterfall and as a table; and what was seen of the one that is kept in pictures."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longlook.analysis.result import CellResult
from longlook.book.filmstrip import table
from longlook.client.artefact import observed
from longlook.dataset.rows import object_columns
from longlook.dataset.typical import typical_samples
from longlook.errors import plain
from longlook.experiment.metrics import PLT
from longlook.experiment.pictures import Film, films
from longlook.experiment.side import PICTURED
from longlook.figure.live import svg
from longlook.figure.waterfall import KEY, DrawnLoad, picture
from longlook.plan.offer import LOOKED_AT
from longlook.record.samples import read_records

SIDE_OF = {"quic": "left", "tcp": "right"}
"""A protocol's colour, by the side that it has in the book's figures."""
MOST_ARMS = 4
"""Of a cell whose loads are shown: nobody compares more by eye."""
WIDTH_PX = 340
"""A phone's."""


@dataclass(frozen=True)
class ShownLoad:
    """The load of an arm that counts and whose page load time is nearest to the median."""

    title: str
    """Of its cell."""
    label: str
    """Of its arm."""
    protocol: str
    index: int
    """Its number within its arm."""
    plt_ms: float
    objects: tuple[Mapping[str, Any], ...]
    """As the table `objects` has them, in the order of asking."""

    @property
    def name(self) -> str:
        return f"{self.label}, load {self.index}: {self.plt_ms:.0f} ms"


def shown_loads(folder: Path, result: CellResult, labels: Mapping[str, str]) -> Iterator[ShownLoad]:
    """Of the cell in `folder`; none where it loads no pages, or has more than `MOST_ARMS`. `labels`: of its arms."""
    cell = result.cell
    if cell.mode == "together" or len(cell.arms) > MOST_ARMS:
        return
    chosen = typical_samples(cell, result.samples, {one.order for one in result.samples})
    orders = {one.order for one in chosen}
    records = read_records(folder) if chosen else ()
    kept = {one["order"]: one.get("artefact") for one in records if one["order"] in orders}
    for one in chosen:
        if (artefact := kept.get(one.order)) is None:
            continue
        objects = tuple(object_columns(seen) for seen in observed(artefact).objects)
        if objects and all(seen["answered_ms"] is not None for seen in objects):
            plt_ms = float(one.metrics[PLT.name] or 0)
            yield ShownLoad(
                cell.full_label, labels[one.arm], cell.arm(one.arm).protocol, one.index, plt_ms,
                tuple(seen | {"path": plain(seen["path"])} for seen in objects),
            )  # fmt: skip


def pictured(folder: Path, result: CellResult) -> dict[str, Film]:
    """Arm -> what was seen of its load number `PICTURED`, of pages that are looked at."""
    cell = result.cell
    if cell.workload.kind not in LOOKED_AT or len(cell.arms) > MOST_ARMS:
        return {}
    found = films(folder)
    return {arm: found[arm] for arm in cell.arm_names if arm in found}


def drawing(spec: dict[str, Any], words: str) -> str:
    """A chart as a picture: to screen readers it is one, and says these words."""
    drawn = svg(spec).replace("<svg ", '<svg aria-hidden="true" ', 1)
    return f'<div role="img" aria-label="{html.escape(words)}">{drawn}</div>'


def waterfalls(loads: Sequence[ShownLoad]) -> str:
    """Loads of one cell as a picture, with their times as a table to be opened; empty without any."""
    if not loads:
        return ""
    drawn = [DrawnLoad(one.name, SIDE_OF[one.protocol], one.plt_ms, one.objects) for one in loads]
    words = f"Waterfalls of {'; '.join(one.name for one in loads)}: their times are in the tables below."
    tables = "".join(_times(one) for one in loads)
    return (
        f"<h3>One load of each, object by object</h3>{drawing(picture(drawn, WIDTH_PX), words)}"
        f"<p>{html.escape(KEY)}</p>"
        f"<details><summary>Times of each object</summary>{tables}</details>"
    )


def _times(load: ShownLoad) -> str:
    head = ("object", "bytes", "asked", "answered", "whole")
    heads = "".join(f'<th scope="col">{one}</th>' for one in head)
    rows = "".join(
        f'<tr><th scope="row">{number}. {html.escape(str(one["path"]))}</th><td>{one["size_bytes"]:,}</td>'
        + "".join(f"<td>{one[f'{key}_ms']:.0f}</td>" for key in ("started", "answered", "ended"))
        + "</tr>"
        for number, one in enumerate(load.objects, start=1)
    )
    return f"<table><caption>{html.escape(load.name)}; of objects, ms</caption><tr>{heads}</tr>{rows}</table>"


def strip(title: str, found: Mapping[str, Film], labels: Mapping[str, str]) -> str:
    """Pictures of the loads of the cell with that title at equal times; empty without any."""
    if not found:
        return ""
    words = html.escape(f"Filmstrip: {title}")
    return (
        f"<h3>What was seen of load {PICTURED} of each</h3>"
        f'<div class="scroll" role="region" tabindex="0" aria-label="{words}">{table(found, labels, "after")}</div>'
    )
