"""Arms, cells and sweeps for tests, as short as a sweep's file."""

from longlook.plan.cell import Cell
from longlook.plan.sweep import Sweep
from longlook.plan.value import Value
from longlook.plan.workload import AnyWorkload
from longlook.stack.arms import complete, complete_arm

QUIC, TCP = {"protocol": "quic"}, {"protocol": "tcp"}
BLOCK = {
    "series": "tiny",
    "arms": [QUIC, TCP],
    "bandwidth_mbps": [10],
    "rtt_ms": [36],
    "workloads": [{"size_kb": 5}],
}


class _Tagged(Value):
    workload: AnyWorkload


def parse_workload(data):
    """A workload from plain data."""
    return _Tagged.parse({"workload": data}).workload


def arm(stack="quicv1", **given):
    """Plain data of one arm, completed by its stack."""
    return complete_arm(given, stack)


def cell(*arms, stack="quicv1", **given):
    """One cell; without arms QUIC against TCP, 5 KB at 10 Mbit/s and 36 ms."""
    data = {
        "study": "test",
        "series": "x",
        "experiment": "plt",
        "arms": [complete_arm(dict(one), stack) for one in arms or (QUIC, TCP)],
        "workload": {"size_kb": 5},
        "link": {"bandwidth_mbps": 10, "rtt_ms": 36},
    }
    return Cell.parse(data | given)


def sweep(*blocks, stack="quicv1", **given):
    """A sweep of these blocks, each over BLOCK."""
    data = {"name": "tiny", "study": "test", "title": "tiny", "stack": stack, "loads": 3, "seed": 5}
    whole = []
    for block in blocks or ({},):
        base = {key: value for key, value in BLOCK.items() if key != "arms" or "scenarios" not in block}
        whole.append(base | block)
    return Sweep.parse(complete(data | given | {"cells": whole}))
