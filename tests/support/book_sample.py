"""Sample data for tests of the book: campaigns and processed tables in the fixed formats, made from the published
numbers.

Nothing here is a measurement. `python tests/support/book_sample.py ROOT` writes into ROOT/data (never into this
repository).
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np

from longlook import paths
from longlook.analysis.result import CellResult
from longlook.client.observation import Observation, SeenObject
from longlook.dataset import rows
from longlook.dataset.agreement import agreement_rows
from longlook.dataset.tables import TABLES, write_tables
from longlook.dataset.typical import typical_loads
from longlook.experiment.registry import named
from longlook.plan.arm import Arm
from longlook.plan.cell import Cell
from longlook.plan.workload import WebPage
from longlook.published.muthuraj2024 import page_load_times
from longlook.record.samples import Sample
from longlook.site.webpage import resources
from longlook.stack.arms import open_sweep

HEADER = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---
"""
"""Front matter of a chapter that has cells."""
REPOSITORY = Path(__file__).resolve().parents[2]
PUBLISHED = REPOSITORY / "data" / "published"
FIGURES = ["4.6a", "4.6b", "4.6c", "4.6d", "4.6e", "4.6f"]
AA_CAMPAIGN = "reference-aa-20250802T101500"
LOCAL_CAMPAIGN = "quick-20250903T070000"
DIGEST = "0a1b2c3d" * 8
QUICK = {"4.6a": [("5kb-x1", 10), ("1000kb-x1", 100)], "4.6d": [("10kb-x100", 50), ("5kb-x200", 100)]}


def make_root(root: Path) -> Path:
    """A copy of what the book is made of, without any data of this machine's own."""
    for name in ("_config.yml", "_toc.yml", "CITATION.cff"):
        shutil.copy(REPOSITORY / name, root)
    for name in ("book", "sweeps", "links", "data/published"):
        shutil.copytree(REPOSITORY / name, root / name)
    for name in ("envs", "tools"):  # what an arm is, its stack's files say
        (root / name).symlink_to(REPOSITORY / name)
    return root


def make_short(folder: Path, patch) -> Path:
    """The same with two short pages instead of the book's own, the index and one to be written; until `patch` ends this
    is the repository that is built."""
    root = make_root(folder)
    (root / "_toc.yml").write_text("format: jb-book\nroot: book/index\nchapters:\n- file: book/short\n")
    (root / "book" / "index.md").write_text("# Index\n")
    patch.setattr(paths, "ROOT", root)
    patch.setattr(paths, "STATE", root / ".longlook")
    return root


def write_sample(root: Path, local: bool = True, figures: list[str] = FIGURES) -> None:
    """Writes data/processed under `root`: the figures as reference campaigns, with `local` a reader's own, and A/A."""
    if root.resolve() == REPOSITORY:
        raise SystemExit("sample data must not be written into the repository")
    rng = np.random.default_rng(11)
    results: list[CellResult] = []
    campaigns: list[dict] = []
    for figure in figures:
        campaign = f"reference-figure-{figure}-20250801T101500"
        known = [one for one in page_load_times(PUBLISHED) if one.cell.series == figure]
        campaigns.append(campaign_row(campaign, "reference", f"figure-{figure}", len(known)))
        results += [loads(rng, one, campaign, 20) for one in known]
    if local:
        campaigns.append(campaign_row(LOCAL_CAMPAIGN, "local", "quick", 4))
        for one in page_load_times(PUBLISHED):
            if (one.cell.workload.id_part, one.cell.link.bandwidth_mbps) in QUICK.get(one.cell.series, []):
                results.append(loads(rng, one, LOCAL_CAMPAIGN, 6))
    campaigns.append(campaign_row(AA_CAMPAIGN, "reference", "aa", 40))
    results += control(np.random.default_rng(1))
    write_tables(root / "data" / "processed", tables_of(results, campaigns))


def write_sweeps(processed: Path, sweeps, study: str, result, joined=False) -> None:
    """Tables of the sweeps of a study, whose stack has its name, each measured once by reference; `result`: of a
    campaign, an experiment and a cell, the loads; `joined`: of all repeats of flows at once."""
    results, campaigns = [], []
    for name in sweeps:
        sweep = open_sweep(name)
        campaign = f"reference-{name}-20260101T000000"
        cells = sweep.cells()
        row = campaign_row(campaign, "reference", name, len(cells), sweep.experiment)
        campaigns.append(row | {"study": study, "stack": study})
        groups = {}
        for cell in cells:
            groups.setdefault(cell.label if joined and cell.mode == "together" else cell.id, []).append(cell)
        results += [result(campaign, sweep.experiment, *own) for own in groups.values()]
    write_tables(processed, tables_of(results, campaigns))


def interleaved(campaign: str, experiment: str, cell: Cell, metrics, number: int) -> CellResult:
    """So many loads of each arm in turns, all right, behind a first one that is set aside; `metrics`: of a cell, an arm
    and a load's number."""
    samples = [
        Sample(
            arm=arm.name, index=index, attempt=0, order=100 * index + place, accepted=True, set_aside=index == 0,
            reject_reason=None, disturbed=False, zero_rtt=None, metrics=metrics(cell, arm, index),
        )
        for index in range(number + 1)
        for place, arm in enumerate(cell.arms)
    ]  # fmt: skip
    return CellResult(campaign, named(experiment, "sample"), (cell,), tuple(samples), counts=())


def campaign_row(name: str, role: str, sweep: str, cells: int, experiment: str = "plt") -> dict:
    """A row of `campaigns`."""
    stamp = name[-15:]
    return {
        "campaign": name, "sweep": sweep, "role": role, "sealed": "2025-09-04T00:00:00Z", "stack": "quicv1",
        "study": "muthuraj2024", "experiment": experiment,
        "created": f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}T{stamp[9:11]}:{stamp[11:13]}:00Z",
        "stack_digest": DIGEST, "hostname_hash": "x", "cpu_model": "Sample CPU", "cpus": 2, "memory_bytes": 8 << 30,
        "kernel": "6.18", "git_commit": None, "cells": cells, "cells_measured": cells, "wall_s": 120.0,
        "left_out": None,
    }  # fmt: skip


def tables_of(results: list[CellResult], campaigns: list[dict]) -> dict[str, list[dict]]:
    """Every table of these results, as `longlook process` makes them."""
    tables: dict[str, list[dict]] = {name: [] for name in TABLES} | {"campaigns": campaigns}
    for result in results:
        for cell in result.cells:
            tables["cells"].append(
                rows.who(result.campaign, cell)
                | {"title": f"{cell.workload.label}, {cell.link.label}"}
                | rows.conditions(cell)
                | {"arms": " ".join(cell.arm_names), "stacks": " ".join(cell.stacks)}
                | {"loads": cell.loads, "seed": str(cell.seed), "complete": True, "apparatus": 2}
            )
            for arm in cell.arm_names:
                tables["objects"] += rows.object_rows(result.campaign, cell, typical_of(result, cell, arm))
        tables["samples"] += rows.sample_rows(result)
        tables["arms"] += rows.arm_rows(result)
        tables["contrasts"] += rows.contrast_rows(result)
    means, verdicts = agreement_rows(results, PUBLISHED)
    return tables | {"agreement_means": means, "agreement_verdicts": verdicts}


def typical_of(result: CellResult, cell: Cell, arm: str):
    """The load of an arm that stands for it, with objects that share its time: asked for together, one after the
    other."""
    own = [one for one in result.samples if one.arm == arm and one.counts and "plt_ms" in one.metrics]
    return typical_loads(cell, own, {one.order: seen(cell, one.metrics["plt_ms"]) for one in own})


def seen(cell: Cell, plt_ms: float) -> Observation:
    """A page in the first third of a load, its objects in the rest."""
    count, size = cell.workload.object_count or 0, cell.workload.object_bytes or 0
    page = SeenObject("/index.html", 200, "h3", 3000, 0.0, plt_ms * 0.33, "1", answered_ms=plt_ms * 0.3)
    step = plt_ms * 0.3 / max(count, 1)
    paths = [f"/img/{number:03}.jpg" for number in range(count)]
    if isinstance(cell.workload, WebPage):
        paths = [one.path for one in resources(cell.workload)[1:]]
    objects = [
        SeenObject(
            paths[number], 200, "h3", size, plt_ms * 0.35, plt_ms * 0.7 + step * (number + 1), "1",
            answered_ms=plt_ms * 0.65 + step * number,
        )
        for number in range(count)
    ]  # fmt: skip
    return Observation({"plt_ms": plt_ms}, (page, *objects))


def loads(rng, published, campaign: str, count: int) -> CellResult:
    """Loads of one cell around its published means; a cold one, and now and then a rejected or disturbed one."""
    cell, scale = published.cell, rng.normal(1.0, 0.04)
    found = []
    for arm in cell.arms:
        known = published.arms[arm.name]
        for index in range(count + 1):
            cold = cell.link.rtt_ms if index == 0 and arm.protocol == "quic" else 0
            value = max(known.mean * scale + rng.normal(0, known.sd), cell.link.rtt_ms * 2.5) + cold
            found.append(sample(arm.name, index, value, zero_rtt=arm.protocol == "quic" and index > 0))
            if rng.random() < 0.03:
                found.append(sample(arm.name, index, value * 1.3, reason="disturbed"))
            if rng.random() < 0.01:
                found.append(sample(arm.name, index, None, reason="load_failed"))
    return CellResult(campaign, named("plt", "sample"), (cell,), tuple(found))


def sample(
    arm: str, index: int, value: float | None, reason: str | None = None, zero_rtt: bool | None = None
) -> Sample:
    """One load."""
    return Sample(
        arm=arm, index=index, attempt=0, order=index, accepted=reason is None, set_aside=index == 0,
        reject_reason=reason, disturbed=reason == "disturbed", zero_rtt=zero_rtt, metrics={"plt_ms": value},
    )  # fmt: skip


def control(rng) -> list[CellResult]:
    """An A/A campaign: 40 cells, each with two equal arms."""
    found = []
    for replicate in range(40):
        protocol, mean = (("quic", 188), ("tcp", 303))[replicate % 2]
        fields = {"stack": "quicv1", "protocol": protocol, "client": "chromium"}
        fields |= {"server": "envoy", "emulated_connections": 2} if protocol == "quic" else {"server": "apache"}
        cell = Cell.parse(
            {
                "study": "muthuraj2024", "series": "aa", "experiment": "plt", "control": True, "replicate": replicate,
                "arms": [Arm.parse(fields)] * 2, "workload": {"size_kb": 100},
                "link": {"bandwidth_mbps": 10, "rtt_ms": 36},
            }
        )  # fmt: skip
        own = [sample(arm, index, mean + rng.normal(0, 3)) for arm in ("a", "b") for index in range(21)]
        found.append(CellResult(AA_CAMPAIGN, named("plt", "sample"), (cell,), tuple(own)))
    return found


if __name__ == "__main__":
    write_sample(Path(sys.argv[1]))
