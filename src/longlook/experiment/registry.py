"""Every experiment by name. A new one is its notebook, its module if it needs one, and one entry here."""

from __future__ import annotations

from dataclasses import replace

from longlook.experiment import estimate, metrics, reading
from longlook.experiment.base import Experiment
from longlook.experiment.connected import read_downloads, recheck_downloads
from longlook.experiment.first_byte import read_sites, recheck_sites
from longlook.experiment.recheck import read_interleaved, recheck_interleaved
from longlook.experiment.recheck_together import recheck_together
from longlook.experiment.sessions import SESSIONS, recheck_sessions
from longlook.plan.cell import Cell
from longlook.plan.offer import LOOKED_AT
from longlook.plan.value import PlanError

WATCHED = (
    metrics.RATE,
    metrics.FINISHED,
    metrics.LOST,
    metrics.SPURIOUS,
    metrics.RESPONSE_MEDIAN,
    metrics.RESPONSE_MAX,
    metrics.WINDOW_MAX,
    metrics.QUEUE_MAX,
    metrics.HOLD_MAX,
    metrics.CONNECT,
)

PLT = Experiment(
    name="plt",
    title="page load times",
    notebook="plt.ipynb",
    mode="interleaved",
    workloads=("page",),
    metrics=(metrics.PLT, metrics.BY_STAMPS, metrics.CLIENT_CPU, metrics.SERVER_CPU),
    read=read_interleaved,
    estimate_s=estimate.interleaved_s,
    recheck=recheck_interleaved,
)
DOWNLOAD = Experiment(
    name="download",
    title="downloads",
    notebook="download.ipynb",
    mode="interleaved",
    workloads=("download",),
    metrics=(
        metrics.TTLB,
        metrics.FILE_MEAN,
        metrics.CONNECT,
        metrics.TTFB,
        metrics.CLIENT_CPU,
        metrics.SERVER_CPU,
        metrics.DURATION,
        metrics.PACKETS,
        metrics.PACKETS_UP,
        metrics.BYTES_UP,
        metrics.BYTES_DOWN,
    ),
    read=read_downloads,
    estimate_s=estimate.interleaved_s,
    recheck=recheck_downloads,
)

PAGES = Experiment(
    name="pages",
    title="pages with visual metrics",
    notebook="pages.ipynb",
    mode="interleaved",
    workloads=LOOKED_AT,
    metrics=(
        metrics.SPEED_INDEX,
        metrics.FCP,
        metrics.LCP,
        metrics.COMPLETE,
        metrics.PLT,
        metrics.CONNECT,
        metrics.CLIENT_CPU,
        metrics.SERVER_CPU,
    ),
    read=read_interleaved,
    estimate_s=estimate.pages_s,
    recheck=recheck_interleaved,
)

SITE = replace(
    PAGES,
    name="site",
    title="sites that are asked about",
    workloads=("site",),
    metrics=(
        metrics.PLT,
        metrics.TTFB,
        metrics.FCP,
        metrics.LCP,
        metrics.SPEED_INDEX,
        metrics.COMPLETE,
        metrics.CONNECT,
        metrics.CLIENT_CPU,
        metrics.SERVER_CPU,
    ),
    read=read_sites,
    recheck=recheck_sites,
)

VIDEO = Experiment(
    name="video",
    title="films that are played",
    notebook="video.ipynb",
    mode="interleaved",
    workloads=("video",),
    metrics=(
        metrics.STARTUP,
        metrics.STALLS,
        metrics.STALLED,
        metrics.SWITCHES,
        metrics.SHOWN,
        metrics.LOADED,
        metrics.FRAMES,
        metrics.DROPPED,
        metrics.CONNECT,
        metrics.SESSION,
        metrics.CLIENT_CPU,
        metrics.SERVER_CPU,
    ),
    read=read_interleaved,
    estimate_s=estimate.sessions_s,
    recheck=recheck_sessions,
    files=(SESSIONS,),
)


def _watched(name: str, title: str, *files: str) -> Experiment:
    """Flows that start together and are watched from inside."""
    return Experiment(
        name=name,
        title=title,
        notebook=f"{name}.ipynb",
        mode="together",
        workloads=("page", "download"),
        metrics=WATCHED,
        read=reading.read_together,
        estimate_s=estimate.together_s,
        recheck=recheck_together,
        files=(reading.TIMELINE, reading.THROUGHPUT, *files),
        timed=True,
        timelines=reading.timelines,
    )


EXPERIMENTS: dict[str, Experiment] = {
    one.name: one
    for one in (
        PLT,
        DOWNLOAD,
        PAGES,
        SITE,
        VIDEO,
        _watched("fairness", "shares of a bottleneck"),
        _watched("cwnd", "congestion windows"),
        _watched("traces", "traces of transfers", reading.TRACES),
    )
}


def experiment_of(cell: Cell) -> Experiment:
    """The experiment that a cell asks for; an unknown one is an error that lists the known ones."""
    return named(cell.experiment, f"cell {cell.id}")


def named(name: str, who: str) -> Experiment:
    """The experiment of that name; `who` asks, for the message."""
    if name not in EXPERIMENTS:
        raise PlanError(f"{who}: no experiment {name!r} (known: {', '.join(EXPERIMENTS)})")
    return EXPERIMENTS[name]


def estimate_s(cell: Cell) -> float:
    """Expected wall time of a cell, s."""
    return experiment_of(cell).estimate_s(cell)
