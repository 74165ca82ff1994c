"""What of a cell nobody can do, found before anything is started: what arms ask, against what adapters offer."""

from __future__ import annotations

from collections.abc import Callable

from longlook.client import CLIENTS
from longlook.errors import LonglookError, NotSupported
from longlook.plan.arm import Arm
from longlook.plan.cell import Cell
from longlook.plan.offer import client_refusals, pair_refusals, server_refusals, unheeded
from longlook.server import SERVERS
from longlook.stack import Stack, adapters, load_stack


def refusals(cell: Cell, look: Callable[[str], Stack] = load_stack) -> list[str]:
    """Why the cell cannot be measured, each with the arm that asks for it; empty where it can."""
    found = [
        f"arm {arm.name} ({arm.label}): {reason}"
        for arm in cell.arms
        for reason in of_arm(arm, cell.workload.kind, look)
    ]
    found += [
        f"arm {arm.name} ({arm.label}): arms that run together begin with connections of their own, none is warm"
        for arm in cell.arms
        if cell.mode == "together" and arm.keeps_connection
    ]
    for field, usual in (("initial_window", "the kernel's"), ("remembered_ssthresh", "none")):
        asked = {getattr(arm, field) for arm in cell.arms if arm.protocol == "tcp"}
        if cell.mode == "together" and len(asked) > 1:
            each = ", ".join(usual if one is None else str(one) for one in sorted(asked, key=lambda one: one or 0))
            found.append(f"arms that run together share one route, which has one {field}, not {each}")
    return found


def require_possible(cell: Cell) -> None:
    """Raise `NotSupported` with all of `refusals`, and with what only sealed cells may ask for, if there are any."""
    found = refusals(cell)
    for arm in cell.arms:
        if arm.server in SERVERS:
            reasons = unheeded(f"server {arm.server}", SERVERS[arm.server].offer, arm)
            found += [f"arm {arm.name} ({arm.label}): {reason}" for reason in reasons]
    if found:
        raise NotSupported(f"cell {cell.id} cannot be measured: {'; '.join(found)}")


def of_arm(arm: Arm, workload: str, look: Callable[[str], Stack] = load_stack) -> list[str]:
    """Why an arm cannot be measured with a kind of workload, whatever else its cell has; empty where it can. `look`
    reads a stack by its name."""
    found = _of_stack(arm, look)
    if arm.server in SERVERS:
        found += server_refusals(f"server {arm.server}", SERVERS[arm.server].offer, arm)
    else:
        found.append(f"no server {arm.server!r} (known: {', '.join(SERVERS)})")
    if arm.client in CLIENTS:
        found += client_refusals(f"client {arm.client}", CLIENTS[arm.client].offer, arm, workload)
    else:
        found.append(f"no client {arm.client!r} (known: {', '.join(CLIENTS)})")
    found += _lacking(arm, workload, look)
    if not found:
        server, client = SERVERS[arm.server], CLIENTS[arm.client]
        found = pair_refusals(arm.server, server.offer, arm.client, client.offer, arm)
    return found


def _lacking(arm: Arm, workload: str, look: Callable[[str], Stack]) -> list[str]:
    """What a server or a client needs, for a kind of workload too, and the arm's stack has not."""
    try:
        has = look(arm.stack).spec.components
    except LonglookError:
        return []  # _of_stack says it
    needed = [(f"server {arm.server}", one, "") for one in adapters.of(adapters.SERVERS, arm.server).components]
    client = adapters.of(adapters.CLIENTS, arm.client)
    needed += [(f"client {arm.client}", one, "") for one in client.components]
    needed += [(f"client {arm.client}", one, f" for a {workload}") for one in client.of_workloads.get(workload, ())]
    return [f"{who} needs {one}{why}, which stack {arm.stack} has not" for who, one, why in needed if one not in has]


def _of_stack(arm: Arm, look: Callable[[str], Stack]) -> list[str]:
    """A stack says which controllers its client can ask for, which version of QUIC its server is told to speak, and
    which versions of a protocol its clients can."""
    try:
        spec = look(arm.stack).spec
    except LonglookError as error:
        return [str(error)]
    facts = getattr(spec, arm.protocol)
    found = []
    if arm.cca not in facts.controllers and arm.server_file is None:
        found.append(f"stack {arm.stack} offers {', '.join(facts.controllers)} for {arm.protocol}, not {arm.cca}")
    spoken = SERVERS[arm.server].offer.quic_versions if arm.server in SERVERS else ()
    if arm.protocol == "quic" and spoken and facts.version not in spoken:
        found.append(f"server {arm.server} speaks {', '.join(spoken)}, not {facts.version} of stack {arm.stack}")
    if facts.server_flags and arm.server in SERVERS and not SERVERS[arm.server].offer.flags:
        found.append(f"server {arm.server} has no flags, which stack {arm.stack} sets")
    if facts.client_changes and arm.client in CLIENTS and not CLIENTS[arm.client].offer.changes:
        found.append(f"client {arm.client} cannot be changed as stack {arm.stack} asks")
    known = spec.dialects.get(arm.client, {}).get(arm.protocol, {})
    if known and facts.version not in known:
        found.append(f"client {arm.client} speaks {', '.join(known)}, not {facts.version} of stack {arm.stack}")
    return found
