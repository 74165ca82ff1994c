"""What `make reproduce` and `longlook chapter` do: measure, process, audit, build, summarise."""

from __future__ import annotations

import time
from pathlib import Path

import click

from longlook import paths
from longlook.audit import format_summary, run_audit
from longlook.book.build import build
from longlook.book.chapters import chapter_series, chapter_sweeps, chapters
from longlook.book.data import load
from longlook.book.share import machine
from longlook.dataset.process import process
from longlook.doctor import make_ready
from longlook.errors import LonglookError
from longlook.experiment.offered import offered
from longlook.experiment.run import run_sweep
from longlook.plan.sweep import Sweep
from longlook.stack.arms import open_sweep

QUICK_TRANSFER_S = 15.0


def reproduce(sweep: Sweep) -> None:
    """Everything, in order; prints where the book is and a short summary table. Exit 1 where a cell failed or is
    short."""
    _measure_and_render([sweep])


def remeasure_chapter(name: str, quick: bool) -> None:
    """The same for all sweeps that a chapter names in its front matter."""
    names = chapter_sweeps(name)
    if not names:
        raise LonglookError(f"chapter {name} has no measurements of its own in this edition")
    sweeps = [open_sweep(one) for one in names]
    if quick:
        sweeps = [_quick(one) for one in sweeps if one.quick_loads]
    _measure_and_render(sweeps)


def _quick(sweep: Sweep) -> Sweep:
    """The same cells, but for blocks that are left out of it, with as few samples as the sweep says; transfers once
    each and not for long."""
    blocks = [
        block.model_copy(
            update={
                "replicates": 1,
                "duration_s": block.duration_s and min(block.duration_s, QUICK_TRANSFER_S),
            }
        )
        for block in sweep.cells_of
        if block.quick
    ]
    update = {"name": f"{sweep.name}-quick", "loads": min(sweep.loads, sweep.quick_loads), "cells_of": blocks}
    return Sweep.parse(sweep.model_copy(update=update).definition())


def _measure_and_render(sweeps: list[Sweep]) -> None:
    began = time.monotonic()
    sweeps = [offered(sweep) for sweep in sweeps]
    make_ready((cell for sweep in sweeps for cell in sweep.cells()), click.echo)
    unfinished, campaigns = [], []
    for sweep in sweeps:
        found = run_sweep(sweep)
        unfinished.append(found.unfinished)
        campaigns.append(found.campaign.id)
    measured = time.monotonic()
    for name, why in process(paths.RAW, paths.PROCESSED, keep=True).left_out.items():
        click.echo(f"left out of the tables: {name}: {why}", err=True)
    click.echo(format_summary(run_audit(anew=False), campaigns))
    if said := machine(load(), campaigns):
        click.echo(said)
    click.echo("building the book")
    index = build()
    click.echo(f"measured in {measured - began:.0f} s, rendered in {time.monotonic() - measured:.0f} s")
    for page in _pages(sweeps):
        click.echo(f"your numbers: {index.parent / page}")
    click.echo(f"book: {index}")
    if any(unfinished):
        raise LonglookError("\n".join(filter(None, unfinished)))


def _pages(sweeps: list[Sweep]) -> list[Path]:
    """Of the book's pages those that show a series of these sweeps."""
    own = {block.series for sweep in sweeps for block in sweep.cells_of}
    found = [one.path for name, one in chapters().items() if own & set(chapter_series(name))]
    return [path.relative_to(paths.ROOT).with_suffix(".html") for path in found]
