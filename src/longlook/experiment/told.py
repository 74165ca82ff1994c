"""What follows from an arm and from a load's numbers, when it is judged and when its record is judged again. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from longlook.experiment.floor import connections_of, floor
from longlook.experiment.oracle import Expectation, Tolerated, tolerated
from longlook.plan.arm import Arm
from longlook.plan.cell import Cell
from longlook.plan.workload import Video
from longlook.site.film import MANIFEST
from longlook.site.page import PAGE
from longlook.site.tree import SiteFile

BROWSER = "chromium"
MAIN_METRICS = ("plt_ms", "ttlb_ms", "session_ms")
"""How long a load took: the first of these that its client tells."""
ENDS = ("client", "server")


def main_metric(metrics: Mapping[str, float | None]) -> float | None:
    """How long a load took, ms; None if its client does not tell."""
    return next((metrics[name] for name in MAIN_METRICS if metrics.get(name) is not None), None)


def expectation(
    arm: Arm,
    index: int,
    files: Mapping[str, SiteFile],
    protocol: str,
    rtt_ms: float,
    reorders: bool = False,
    looked_at: bool = False,
) -> Expectation:
    """What a correct load of an arm looks like; `index` 0 is the cold one, `protocol` as its client names it, `rtt_ms`
    and `reorders` of the link; `looked_at`: the page's paints are watched."""
    resumed = (index > 0 or arm.learns) and not arm.is_cold if arm.tells_early else None
    reused = arm.keeps_connection and index > 0
    return Expectation(
        files,
        protocol,
        resumed,
        arm.cca,
        rtt_ms,
        reused,
        chosen=MANIFEST in files,
        reorders=reorders,
        options=arm.quic_options,
        initial_window=arm.initial_window,
        tls_resumed=_resumes_tls(arm, files, looked_at) if index > 0 else None,
        groups_stated=states_groups(arm),
        learns=arm.learns,
        counted=arm.protocol == "quic" and arm.server_file is not None,
        connections=connections_of(arm, len(files)),
    )


def tolerated_in(cell: Cell) -> Tolerated | None:
    """What each load of a cell may have met of the machine; None of films, whose session lasts as long as the film
    does, so that rule 1 is of no outcome."""
    if isinstance(cell.workload, Video):
        return None
    return tolerated(min(floor(cell, arm).total_ms for arm in cell.arms))


def _resumes_tls(arm: Arm, files: Collection[str], looked_at: bool) -> bool | None:
    """Whether TLS over TCP resumes the session of the load before: a browser does, but where all but plain pages have
    a fresh context each. Of other clients it is not asked, and early data tell it themselves."""
    if arm.protocol == "quic" or arm.client != BROWSER or arm.handshake not in ("1rtt", "resumed"):
        return None
    return arm.handshake == "resumed" or (PAGE in files and MANIFEST not in files and not looked_at)


def states_groups(arm: Arm) -> bool:
    """Which groups its ends know, so that its handshake may have to begin anew."""
    return bool(arm.client_groups or arm.server_groups)


def cpu_metrics(cpu: Mapping[str, float]) -> dict[str, float]:
    """CPU seconds of both ends as metrics; a process that has ended took its seconds with it."""
    return {f"{end}_cpu_s": max(cpu[f"{end}_s"], 0.0) for end in ENDS}


def waited_s(arm: Arm, cpu: Mapping[str, float | None]) -> dict[str, float]:
    """How long an arm's programs waited for a processor, where that is known: the client's threads all together, the
    server's for each that was busy, since the threads of a server that has several wait for each other. But not those
    that are throttled on purpose, which wait by design."""
    throttled = {"client": arm.client_cpu_pct, "server": arm.server_cpu_pct}
    threads = {"client": 1.0, "server": cpu.get("server_threads") or 1.0}
    waited = {end: cpu[f"{end}_wait_s"] for end in ENDS if throttled[end] is None}
    return {end: seconds / threads[end] for end, seconds in waited.items() if seconds is not None}
