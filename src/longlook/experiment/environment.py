"""The environment record of a cell: everything a reader needs to judge whether two cells are comparable."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from longlook.client.base import Client
from longlook.experiment.context import Context
from longlook.host import facts
from longlook.host.rights import rights
from longlook.server.base import RunningServer
from longlook.server.stated import kept
from longlook.stack import Installed
from longlook.testbed.netns import NetnsTestbed

FIRST_APPARATUS = 1
"""Of what drives and watches, and in no record: the driver read what the browser told of each request while the page
loaded, as a stack with `client_live` still does, and the stop watch looked at the programs of all arms."""
APPARATUS = 2
"""The driver reads afterwards, and the stop watch looks at the programs that a load rests on."""


class Ends(Protocol):
    """An arm's two programs."""

    server: RunningServer
    client: Client


def write_environment(context: Context, arms: Mapping[str, Ends]) -> None:
    """`environment.json`; `arms`: by name, their programs running."""
    record = environment_record(context, arms)
    (context.folder / "environment.json").write_text(json.dumps(record, indent=1) + "\n")


def environment_record(context: Context, arms: Mapping[str, Ends]) -> dict[str, Any]:
    """Versions come from the running programs, settings are read back from the kernel. `stack`, its digest, components
    and templates are the first arm's; `stacks`, where there are several, has those of each."""
    stacks = {name: _stack_record(stack) for name, stack in context.stacks.items()}
    first = next(iter(stacks))
    servers = {arm.server.name: arm.server for arm in arms.values()}
    clients = {f"{arm.client.name} ({name})": arm.client.version() for name, arm in arms.items()}
    bed, driver = context.bed, context.link
    return {
        "schema": "longlook.environment/1",
        "apparatus": APPARATUS,
        "stack": first,
        "stack_digest": stacks[first]["digest"],
        "components": stacks[first]["components"],
        "templates_sha256": stacks[first]["templates_sha256"],
        **({"stacks": stacks} if len(stacks) > 1 else {}),
        "server_versions": {name: server.version() for name, server in servers.items()},
        "client_versions": clients,
        **_stated(arm.server_file for arm in context.cell.arms),
        "testbed": {"name": bed.name, "driver": bed.driver},
        **({"rights": rights().record()} if bed.driver == NetnsTestbed.driver else {}),
        "machines": bed.machines(),
        "cca": {name: arm.server.cca_in_force() for name, arm in arms.items()},
        "link_driver": driver.name,
        "link_driver_version": driver.version(),
        "link_configuration": context.effective,
        "calibration": context.calibration,
        "sysctls": bed.sysctls(),
        **facts.machine(),
    }


def _stated(digests: Iterable[str | None]) -> dict[str, Any]:
    """What the files of servers by file state, by digest, where there are any."""
    found = {digest: kept(digest).model_dump(mode="json") for digest in digests if digest is not None}
    return {"server_files": found} if found else {}


def _stack_record(stack: Installed) -> dict[str, Any]:
    return {
        "digest": stack.digest,
        "components": stack.components(),
        "templates_sha256": templates_sha256(stack),
    }


def templates_sha256(stack: Installed) -> dict[str, str]:
    """Hash of each server configuration template of a stack; the stack's digest covers software."""
    return {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in stack.stack.templates.items()}
