"""From the manifest of an Emulab experiment to testbeds: one for each replica of `emulab/profile.py`.

A manifest is the request that the profile made, with what Emulab added: which machine each node became, how its SSH
server is reached (one `login` for every user of the project) and the host names. Replica N is the nodes `server-N`,
`client-N` and `link-N_bridge`; it becomes the testbed `emulabN`.

A manifest does not say which pipes Emulab made on a bridge. What its public sources say
(clientside/tmcc/freebsd/delaysetup and doc/delay-implementation.txt of emulab-devel):

- certain: a bridged link has two pipes and two ipfw rules of the same numbers; pipe 0 takes what comes in on the
  bridge's first interface and pipe 1 what comes in on the second; FreeBSD adds 60000 to the numbers of Emulab's
  database;
- observed by others, and not derived from the sources: on a node that bridges one link the two are 60111 and 60121
  (published GENI exercises; scripts for link bridges of Emulab by the author of the thesis);
- not certain: that Emulab takes the bridge's `if0`, where the profile puts the server, for its first interface. The
  same settings go to both pipes of every link here, so a swap would show only in which direction's drops are counted.

On the node, `/var/emulab/boot/delay_mapping` holds the truth: LINK duplex END0 END1 INTERFACE0 INTERFACE1 PIPE0 PIPE1.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from longlook.errors import LonglookError
from longlook.host.files import read_text
from longlook.testbed.description import EmulabDescription, Pipes

if TYPE_CHECKING:
    from geni.rspec.pgmanifest import ManifestNode

PIPES = Pipes(server_to_client=60111, client_to_server=60121)
"""The default, see above."""
BRIDGE = re.compile(r"link-(\d+)_bridge")
PYTHON = "/local/repository/.venv/bin/python"
"""Of the environment that setup-node.sh makes, with every package that longlook needs."""


def load_manifest(path: Path, user: str | None = None, pipes: Pipes = PIPES) -> tuple[EmulabDescription, ...]:
    """The testbeds of a manifest that was saved in a file; see `read_manifest`."""
    text = read_text(path, "the manifest")
    try:
        return read_manifest(text, user, pipes)
    except LonglookError as error:
        raise LonglookError(f"{path}: {error}") from None


def read_manifest(text: str, user: str | None = None, pipes: Pipes = PIPES) -> tuple[EmulabDescription, ...]:
    """The testbeds of a manifest's text, in the order of the replicas' numbers.

    `user` is who logs in; it may be left out where the manifest knows but one. `pipes` holds for every bridge.
    Raises `LonglookError` for what is no manifest, one without a bridge, and a replica that lacks a node, login or
    address.
    """
    nodes = _nodes(text)
    numbers = sorted(int(found[1]) for name in nodes if (found := BRIDGE.fullmatch(name)))
    if not numbers:
        known = ", ".join(sorted(nodes)) or "none"
        raise LonglookError(
            f"no link bridge in this manifest (no node is called link-N_bridge; nodes: {known}): "
            "was it made by emulab/profile.py?"
        )
    return tuple(_replica(nodes, number, user, pipes) for number in numbers)


def _nodes(text: str) -> dict[str, ManifestNode]:
    from geni.rspec.pgmanifest import Manifest  # here: only this command needs it
    from lxml.etree import XMLSyntaxError

    remedy = "save the whole text under the portal's tab Manifest"
    if not text.strip():
        raise LonglookError(f"not XML (it is empty): {remedy}")
    try:
        nodes = {node.client_id: node for node in Manifest(xml=text).nodes}
    except XMLSyntaxError as error:
        raise LonglookError(f"not XML ({error.msg}): {remedy}") from None
    except (TypeError, ValueError):  # from the library: int() of a port that is missing or no number
        raise LonglookError(f"a login without a port: {remedy}") from None
    if None in nodes:
        raise LonglookError(f"a node without client_id, its name: {remedy}")
    return nodes


def _replica(nodes: dict[str, ManifestNode], number: int, user: str | None, pipes: Pipes) -> EmulabDescription:
    names = {"server": f"server-{number}", "client": f"client-{number}", "bridge": f"link-{number}_bridge"}
    if missing := [name for name in names.values() if name not in nodes]:
        raise LonglookError(
            f"replica {number} lacks {' and '.join(missing)}: the manifest is cut short, or not of this profile"
        )
    server, client, bridge = (nodes[name] for name in names.values())
    user = user or _only_user(server)
    return EmulabDescription.parse(
        {
            "name": f"emulab{number}",
            "driver": "emulab",
            "user": user,
            "server": {**_login(server, user), "address": _address(server)},
            "client": {**_login(client, user), "address": _address(client)},
            "bridge": {**_login(bridge, user), "pipes": pipes},
            "python": PYTHON,
        }
    )


def _only_user(node: ManifestNode) -> str:
    users = sorted({login.username for login in node.logins})
    if not users:
        raise LonglookError(f"{node.client_id} has no login: the experiment was not ready yet; get its manifest again")
    if len(users) > 1:
        raise LonglookError(f"several users may log in ({', '.join(users)}): say which with --user")
    return users[0]


def _login(node: ManifestNode, user: str) -> dict[str, str | int]:
    for login in node.logins:
        if login.username == user:
            return {"host": login.hostname, "port": login.port}
    if node.logins:
        users = ", ".join(sorted({login.username for login in node.logins}))
        raise LonglookError(f"{user} has no login on {node.client_id}; who has: {users}")
    if node.hostfqdn:  # a bridge that lists no logins: every user of the project has one on every node
        return {"host": node.hostfqdn}
    raise LonglookError(f"{node.client_id} has no login: the experiment was not ready yet; get its manifest again")


def _address(node: ManifestNode) -> str:
    for interface in node.interfaces:
        if interface.address_info:
            return interface.address_info[0]
    raise LonglookError(
        f"{node.client_id} has no address on the experiment's network: "
        "the manifest is cut short, or not of this profile"
    )
