"""Which testbeds there are: the file that `longlook run SWEEP --testbeds FILE` reads (no I/O besides that file).

[[testbed]]                      # three namespaces on this machine
name = "default"
driver = "netns"

[[testbed]]                      # three Emulab nodes; emulab/README.md says how to get this from a manifest
name = "emulab1"
driver = "emulab"
user = "alice"
server = { host = "pc1.emulab.net", address = "192.168.1.1" }
client = { host = "pc2.emulab.net", address = "192.168.1.2" }
bridge = { host = "pc3.emulab.net", pipes = { server_to_client = 60111, client_to_server = 60121 } }
"""

from __future__ import annotations

import ipaddress
import json
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from longlook.errors import LonglookError
from longlook.host.toml import read_toml
from longlook.plan.value import PlanError, Text, Value, worded
from longlook.testbed import names

SSH_PORT = 22
Name = Annotated[str, worded(f"^{names.PATTERN}$", names.WORDS)]
Host = Annotated[str, worded(r"^[A-Za-z0-9_][A-Za-z0-9_.:-]*$", "the name or address of a host", max_length=253)]
User = Annotated[str, worded(r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$", "the name of a user", max_length=64)]
Address = Annotated[str, AfterValidator(lambda text: str(ipaddress.IPv4Address(text)))]


class Node(Value):
    """One node, as its SSH server is reached on the control network."""

    host: Host
    port: int = Field(default=SSH_PORT, gt=0, lt=65536)


class EndNode(Node):
    """Server or client: also its address on the experiment network, from which its interface follows."""

    address: Address


class Pipes(Value):
    """Numbers of dummynet's pipes, one for each direction."""

    server_to_client: int = Field(ge=1, le=65535)
    client_to_server: int = Field(ge=1, le=65535)


class BridgeNode(Node):
    """The link bridge, which forwards at layer 2 through two pipes."""

    pipes: Pipes


class Control(Node):
    """Another machine that runs a testbed's worker, reached by SSH without a password."""

    user: User | None = Field(
        default=None, description="default: root for namespaces, which need it; else who runs this"
    )
    python: Text = Field(description="there, with longlook installed")
    key: Text | None = Field(default=None, description="private key file here; default: the agent's and ~/.ssh's")
    known_hosts: Text | None = Field(default=None, description="file of host keys here; default: ~/.ssh/known_hosts")


class _Controlled(Value):
    """A testbed, and where its cells are controlled from."""

    name: Name
    control: Control | None = Field(default=None, description="default: here")


class NetnsDescription(_Controlled):
    """Three network namespaces on the machine that runs the cell."""

    driver: Literal["netns"] = "netns"


class EmulabDescription(_Controlled):
    """Three nodes over SSH."""

    driver: Literal["emulab"]
    user: User
    server: EndNode
    client: EndNode
    bridge: BridgeNode
    key: Text | None = Field(default=None, description="private key file; default: the agent's and ~/.ssh's")
    known_hosts: Text | None = Field(default=None, description="file of host keys; default: ~/.ssh/known_hosts")
    folder: str = worded(
        r"^(/[\w-][\w.-]*)+/longlook[\w.-]*$",
        "an absolute path whose last part begins with longlook, as /var/tmp/longlook",
        default="/var/tmp/longlook",
        description="where code, stacks and cells go on server and client; root empties it, "
        "so its name must begin with longlook",
    )
    python: str = worded(
        r"^[\w./+-]+$",
        "the path of a program, without spaces",
        default="python3",
        description="on server and client: an environment's that has longlook's packages, "
        "or Python 3.11 or newer to make one with",
    )


Description = NetnsDescription | EmulabDescription
DRIVERS: dict[str, type[NetnsDescription | EmulabDescription]] = {
    "netns": NetnsDescription,
    "emulab": EmulabDescription,
}


def parse_description(data: dict) -> Description:
    """One testbed from plain data; an unknown driver or key is an error that lists the known ones."""
    driver = data.get("driver", "netns") if isinstance(data, dict) else None
    if not isinstance(driver, str) or driver not in DRIVERS:
        raise PlanError(f"no testbed driver {driver!r} (known: {', '.join(DRIVERS)})")
    return DRIVERS[driver].parse(data)


def load_testbeds(path: Path) -> tuple[Description, ...]:
    """Every testbed of a file, in its order; names are unique."""
    try:
        data = read_toml(path)
    except FileNotFoundError:
        raise LonglookError(f"cannot read the testbeds' file {path}: No such file or directory") from None
    unknown = sorted(set(data) - {"testbed"})
    if unknown or not isinstance(data.get("testbed"), list) or not data["testbed"]:
        others = f"; unknown: {', '.join(unknown)}" if unknown else ""
        raise LonglookError(f"{path}: a testbeds' file is one [[testbed]] table for each testbed{others}")
    found = tuple(parse_description(one) for one in data["testbed"])
    names = [one.name for one in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise LonglookError(f"{path}: two testbeds are called {', '.join(twice)}: name each differently")
    return found


def format_testbeds(testbeds: tuple[Description, ...]) -> str:
    """The file's text for these testbeds, which `load_testbeds` reads back."""
    return "\n".join(_block(one.model_dump(exclude_unset=True)) for one in testbeds)


def _block(data: dict) -> str:
    return "[[testbed]]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in data.items())


def _toml(value) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(inner)}" for key, inner in value.items()) + " }"
    return str(value) if isinstance(value, int) else json.dumps(str(value), ensure_ascii=False)
