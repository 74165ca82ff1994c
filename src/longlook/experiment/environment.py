"""The environment record of a cell: everything a reader needs to judge whether two cells are comparable."""

from __future__ import annotations

import hashlib
from typing import Any

from longlook.experiment.arm import Arm
from longlook.host import facts
from longlook.link.base import LinkDriver
from longlook.paths import ENVS
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
        "templates_sha256": templates_sha256(cell.stack),
        "server_versions": {name: server.version() for name, server in servers.items()},
        "client_versions": clients,
        "testbed": {"name": bed.name, "driver": bed.driver},
        "machines": bed.machines(),
        "cca": {arm.protocol: arm.server.cca_in_force() for arm in arms.values()},
        "link_driver": driver.name,
        "link_driver_version": driver.version(),
        "link_configuration": effective,
        "calibration": calibration,
        "sysctls": bed.sysctls(),
        **facts.machine(),
    }


def templates_sha256(stack: str) -> dict[str, str]:
    """Hash of each server configuration template of a stack; the stack's digest covers software only."""
    found = [path for path in sorted((ENVS / stack).iterdir()) if path.suffix in (".yaml", ".conf")]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in found}
