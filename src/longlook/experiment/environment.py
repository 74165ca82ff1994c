"""The environment record of a cell: everything a reader needs to judge whether two cells are comparable."""

from __future__ import annotations

from typing import Any

from longlook import sysinfo
from longlook.experiment.arm import Arm
from longlook.link.base import LinkDriver
from longlook.scenario import Cell
from longlook.testbed.base import Testbed


def environment_record(
    cell: Cell, stack, bed: Testbed, driver: LinkDriver, calibration: dict, effective: dict, arms: dict[str, Arm]
) -> dict[str, Any]:
    """Versions come from the running programs, settings are read back from the kernel."""
    servers = {arm.server.name: arm.server for arm in arms.values()}
    clients = {f"{arm.client.name} ({name})": arm.client.version() for name, arm in arms.items()}
    return {
        "schema": "longlook.environment/1",
        "stack": cell.stack,
        "stack_digest": stack.digest,
        "components": stack.components(),
        "server_versions": {name: server.version() for name, server in servers.items()},
        "client_versions": clients,
        "cca": {arm.protocol: arm.server.cca_in_force() for arm in arms.values()},
        "link_driver": driver.name,
        "link_driver_version": driver.version(),
        "link_configuration": effective,
        "calibration": calibration,
        "sysctls": bed.sysctls(),
        **sysinfo.machine(),
    }
