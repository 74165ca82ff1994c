"""What follows from an arm and from a load's numbers, when it is judged and when its record is judged again. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from longlook.experiment.oracle import Expectation
from longlook.plan.arm import Arm
from longlook.site.film import MANIFEST
from longlook.site.tree import SiteFile

MAIN_METRICS = ("plt_ms", "ttlb_ms", "session_ms")
"""How long a load took: the first of these that its client tells."""
ENDS = ("client", "server")


def main_metric(metrics: Mapping[str, float | None]) -> float | None:
    """How long a load took, ms; None if its client does not tell."""
    return next((metrics[name] for name in MAIN_METRICS if metrics.get(name) is not None), None)


def expectation(
    arm: Arm, index: int, files: Mapping[str, SiteFile], protocol: str, rtt_ms: float, reorders: bool = False
) -> Expectation:
    """What a correct load of an arm looks like; `index` 0 is the cold one, `protocol` as its client names it, `rtt_ms`
    and `reorders` of the link."""
    resumed = index > 0 and not arm.is_cold if arm.may_send_early else None
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
        groups_stated=states_groups(arm),
    )


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
