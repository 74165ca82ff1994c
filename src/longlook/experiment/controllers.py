"""TCP's congestion controller in a cell whose arms have several.

Linux gives a new connection the namespace's controller as it stands when the connection is opened; a listener's own is
taken over only where its program chose it with `setsockopt`, which Apache, nginx and AIOHTTP do not. So the server's
namespace is told before each load whose connections these will be; the controller of each is read back after it.
"""

from __future__ import annotations

from longlook.host.hosts import Hosts
from longlook.plan.cell import Cell


def own(cell: Cell) -> dict[str, str]:
    """Name of each TCP arm -> its controller, where they differ; else empty: what a server set at its start stays."""
    asked: dict[str, str] = {arm.name: arm.cca for arm in cell.arms if arm.protocol == "tcp"}
    return asked if len(set(asked.values())) > 1 else {}


def set_controller(bed: Hosts, cca: str) -> None:
    """Have the server's TCP connections that are opened from now on use it."""
    bed.set_cca("server", cca)
