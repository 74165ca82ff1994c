"""The network's settings of a cell: at its end they are as they were at its beginning, on every host.

Sysctls, interfaces (MTU, offloads, queueing disciplines, filters, how often the carrier came and went), addresses,
neighbours, routes and rules, as the kernel tells them there. Each takes part in how long a load takes. What is changed
and changed back meanwhile the kernel tells as it happens, on hosts that are this machine (probe/reconfigured.py); of
sysctls it tells nothing.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from longlook.errors import LonglookError
from longlook.experiment import slowstart
from longlook.host import process
from longlook.host.hosts import Hosts, Running
from longlook.plan.cell import Cell
from longlook.probe import reconfigured

Settings = Mapping[str, str]
"""Name, which begins with the host's role -> value."""
TIMEOUT_S = 30.0
SCRIPT = """
show() { printf '\\n== %s\\n' "$1"; shift; "$@" 2>/dev/null; }
cd /proc/sys
files="net/core/* net/ipv4/* net/ipv4/route/*"
for name in "$@" all default; do
    files="$files net/ipv4/conf/$name/* net/ipv4/neigh/$name/* net/ipv6/conf/$name/disable_ipv6"
done
for name in "$@"; do
    files="$files /sys/class/net/$name/carrier_changes"
    show link/$name ip -json -details link show dev $name
    show address/$name ip -4 -json address show dev $name
    show neighbour/$name ip -json neighbour show dev $name nud permanent
    show route/$name ip -4 -json -details route show table all dev $name
    show qdisc/$name tc -json qdisc show dev $name
    show offload/$name ethtool -k $name
done
show file grep -Hsd skip . $files
show rule ip -json rule show
show firewall nft --stateless list ruleset
"""
"""What a host tells, each kind behind a line with its name; its arguments are the experiment's interfaces."""
NAMED_BY = {
    "link": (),
    "address": (),
    "neighbour": ("dst",),
    "route": ("type", "dst", "table"),
    "rule": ("priority",),
    "qdisc": ("kind", "parent"),
}
"""Kind that is told as JSON -> what names an entry beside its interface."""
OF_CAPTURES = ("promiscuity", "allmulti", "PROMISC", "ALLMULTI", "valid_life_time", "preferred_life_time")
"""What changes by itself: who captures has an interface promiscuous, an address may have been given for some time."""
MACHINES = ("tcp_allowed_congestion_control", "tcp_available_congestion_control", "tcp_fastopen_key")
"""Sysctls of the whole machine that a testbed beside this one may add to, or the kernel."""
OF_LOADS = ("server: sysctl net.ipv4.tcp_congestion_control",)
"""Set when a server starts or before a load; the oracle reads back that of each connection."""
OF_SLOW_START = ("server: sysctl net.ipv4.tcp_no_ssthresh_metrics_save", "server: route ")
"""The same where arms begin differently (slowstart.py)."""


def read_settings(bed: Hosts) -> Settings:
    """Of all hosts that have an interface here: a bridge of another kind is its link driver's to verify."""
    found: dict[str, str] = {}
    for role, host in bed.hosts.items():
        if host.interfaces:
            said = bed.run(role, ["sh", "-c", SCRIPT, "sh", *host.interfaces], TIMEOUT_S, check=False)
            told = parse(said)
            if not any(name.startswith("sysctl ") for name in told):
                raise LonglookError(f"the {role} tells no settings of its network: are sh, grep and iproute2 there?")
            found |= {f"{role}: {name}": value for name, value in told.items()}
    return found


def parse(said: str) -> dict[str, str]:
    """What SCRIPT tells of a host."""
    found: dict[str, str] = {}
    for part in said.split("\n== ")[1:]:
        title, _, text = part.partition("\n")
        kind, _, name = title.partition("/")
        if kind in NAMED_BY:
            found |= _entries(kind, name, text)
        elif kind == "file":
            pairs = (line.partition(":") for line in text.splitlines())
            found |= {_name_of(path): " ".join(value.split()) for path, _, value in pairs}
        elif kind == "offload":
            lines = (line.strip().partition(": ") for line in text.splitlines()[1:])
            found |= {f"offload {name} {feature}": value for feature, _, value in lines}
        elif text.strip():
            found[title] = text.strip()
    return {name: value for name, value in found.items() if not name.endswith(MACHINES)}


def _name_of(path: str) -> str:
    """Of a file: a sysctl's, or what an interface counts."""
    return path if path.startswith("/") else f"sysctl {path.replace('/', '.')}"


def _entries(kind: str, interface: str, text: str) -> dict[str, str]:
    """Each field of each entry, by the entry's name."""
    found: dict[str, str] = {}
    for entry in json.loads(text) if text.strip() else []:
        plain = _lasting(entry)
        if kind == "address" and plain:  # with its interface's, which are told
            plain = {"addresses": plain["addr_info"]}
        name = " ".join([kind, *interface.split(), *(str(plain[key]) for key in NAMED_BY[kind] if key in plain)])
        found |= {
            f"{name} {key}": value if isinstance(value, str) else json.dumps(value) for key, value in plain.items()
        }
    return found


def _lasting(value: Any) -> Any:
    """Without what changes by itself."""
    if isinstance(value, dict):
        return {key: _lasting(inner) for key, inner in value.items() if key not in OF_CAPTURES}
    if isinstance(value, list):
        return [_lasting(inner) for inner in value if inner not in OF_CAPTURES]
    return value


def changed(before: Settings, after: Settings, known: Sequence[str] = ()) -> list[str]:
    """What is not as it was, by name; `known`: how the names begin of what the run itself sets."""
    return [
        f"{name}: {before.get(name, 'none')} at the beginning, {after.get(name, 'none')} at the end"
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name) and not name.startswith(tuple(known))
    ]


def set_by_the_run(cell: Cell) -> tuple[str, ...]:
    """What a cell's own loads set: how the names begin."""
    return OF_LOADS + (OF_SLOW_START if slowstart.own(cell) else ())


@contextlib.contextmanager
def unchanged(bed: Hosts, cell: Cell, known: Sequence[str] = ()) -> Iterator[None]:
    """In the block, which measures a whole cell, no setting changes, but for what the run, or the link's driver
    (`known`), sets itself."""
    own, before = (*set_by_the_run(cell), *known), read_settings(bed)
    with _told(bed) as told:
        yield
    found = changed(before, read_settings(bed), own)
    undone = sorted({name for name in told if not f"{name} ".startswith(own)})
    if found or undone:
        what = "; ".join(found) or f"{', '.join(undone)}: changed, and changed back"
        raise LonglookError(f"the network was set otherwise while the cell was measured: {what}")


@contextlib.contextmanager
def _told(bed: Hosts) -> Iterator[list[str]]:
    """What was changed in the block, in the order in which hosts tell it; there once the block is left."""
    found: list[str] = []
    with contextlib.ExitStack() as owned:
        for role, host in bed.hosts.items():
            if host.interfaces and not host.node:
                argv = [sys.executable, "-S", reconfigured.__file__, *host.interfaces]
                child = bed.popen(role, argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                owned.callback(process.stop, child)
                owned.callback(_hear_the_rest, role, child, found)
                if process.hear(child, TIMEOUT_S) != "ready\n":
                    raise LonglookError(f"the {role} does not tell what is changed of its network")
        yield found


def _hear_the_rest(role: str, child: Running, found: list[str]) -> None:
    """To its end, which that of its input is."""
    said, _ = child.communicate(timeout=TIMEOUT_S)
    if child.returncode:
        raise LonglookError(f"what tells changes of the {role}'s network has ended ({child.returncode})")
    found += [f"{role}: {line}" for line in said.splitlines()]
