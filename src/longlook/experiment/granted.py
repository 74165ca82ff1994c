"""What a cell asks of this machine that only root has, or an administrator grants: told before anything is measured."""

from __future__ import annotations

from collections.abc import Sequence

from longlook.experiment.failure import Failure
from longlook.host.kernel import SOCKET_BUFFER_BYTES
from longlook.host.rights import Rights
from longlook.plan.arm import Arm
from longlook.plan.cell import Cell
from longlook.probe.stallwatch import THRESHOLD_MS
from longlook.testbed.description import Description, NetnsDescription

PAUSE_S = 2 * THRESHOLD_MS / 1e3
"""For so long a reader may stand still without a packet lost to its buffer: twice the gap that spoils a load anyway."""
TRACE = "run those cells with sudo"
BUFFERS = f"sudo sysctl -w net.core.rmem_max={SOCKET_BUFFER_BYTES} net.core.wmem_max={SOCKET_BUFFER_BYTES}"


def lacking(cell: Cell, granted: Rights) -> list[str]:
    """What the cell needs and this process may not have, each with what gives it; empty where it can be measured."""
    found = [reason for arm in cell.arms for reason in _of_arm(arm, granted)]
    if cell.mode == "together" and any(arm.protocol == "tcp" for arm in cell.arms) and not granted.kernel_trace:
        found.append(f"TCP's windows are read from the kernel's trace, which is root's ({TRACE})")
    needed = round(cell.link.bandwidth_mbps * 1e6 / 8 * PAUSE_S)
    if any(arm.protocol == "quic" for arm in cell.arms) and granted.socket_buffer_bytes < needed:
        found.append(
            f"QUIC at {cell.link.bandwidth_mbps:g} Mbit/s needs socket buffers of {needed:,} bytes, the most that is "
            f"allowed are {granted.socket_buffer_bytes:,} ({BUFFERS})"
        )
    return found


def _of_arm(arm: Arm, granted: Rights) -> list[str]:
    found = []
    if (arm.client_cpu_pct or arm.server_cpu_pct) and not granted.cpu_limits:
        found.append(f"arm {arm.name} is held to a share of a processor, which takes root (control groups)")
    if arm.protocol == "tcp" and not granted.root and arm.cca not in granted.controllers:
        allowed = " ".join(sorted({*granted.controllers, arm.cca}))
        found.append(
            f"arm {arm.name}: TCP {arm.cca} is not allowed to everybody here "
            f'(sudo sysctl -w net.ipv4.tcp_allowed_congestion_control="{allowed}")'
        )
    return found


def refused(cells: Sequence[Cell], granted: Rights, testbeds: Sequence[Description]) -> dict[str, Failure]:
    """Of a run, the cells (ids) that cannot be measured for want of a right; other machines ask for none here."""
    if not any(isinstance(bed, NetnsDescription) and bed.control is None for bed in testbeds):
        return {}
    found = {cell.id: lacking(cell, granted) for cell in cells}
    return {
        name: Failure("not_supported", f"not measured: {'; '.join(dict.fromkeys(reasons))}")
        for name, reasons in found.items()
        if reasons
    }
