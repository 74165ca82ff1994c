"""Testbed `netns`: server, bridge and client as three network namespaces on this machine.

Layer 2: server eth0 <-> brg_s [bridge namespace: link driver] brg_c <-> eth0 client. The bridge has no
addresses; the link driver moves frames between its two interfaces. Segmentation and checksum offloads
are off at all four ends, so the emulator sees the packets that a wire would carry. Neighbour entries
are permanent and IPv6 is off: nothing but the experiment crosses the link.
"""

from __future__ import annotations

import contextlib
import ipaddress
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_args

from pyroute2 import IPRoute, netns

from longlook.errors import LonglookError
from longlook.host import kernel, process, userns
from longlook.host.namespaces import enter_network, leave_network
from longlook.testbed import names
from longlook.testbed.base import LOCKS, Host, Role, Testbed
from longlook.testbed.ownership import used

PREFIX = "ll"
PREFIX_LENGTH = 24
ROLES: tuple[Role, ...] = get_args(Role)
ENDS: tuple[Role, ...] = ("server", "client")
"""The hosts whose kernels speak; the bridge has no addresses."""


class Address(NamedTuple):
    """Of a host on the testbed's network."""

    ip: str
    mac: str


ADDRESSES: dict[Role, Address] = {
    "server": Address("10.77.0.1", "02:6c:6c:00:00:01"),
    "client": Address("10.77.0.2", "02:6c:6c:00:00:02"),
}
OFFLOADS = ("tso", "gso", "gro", "tx", "rx", "sg", "lro")

NETLINK_S = 60.0
"""For a kernel's answers to a few requests of netlink, which take milliseconds: once, the answer to the first veth of a
machine never came, and pyroute2 waits without end."""
T = TypeVar("T")


def namespace(testbed: str, role: Role) -> str:
    """Name of a testbed's network namespace for one host."""
    return f"{PREFIX}-{testbed}-{role}"


class NoAnswer(LonglookError):
    """Netlink did not answer."""


def _apart(action: Callable[[], T], patience_s: float = NETLINK_S) -> T:
    """Run `action()` in a thread of its own and return what it returns; NoAnswer after `patience_s`.

    pyroute2 drives an event loop, and refuses a thread that has one running: a Jupyter kernel's has.
    """
    found: list[T] = []
    failed: list[BaseException] = []

    def body() -> None:
        try:
            found.append(action())
        except BaseException as error:  # handed to the caller's thread
            failed.append(error)

    thread = threading.Thread(target=body, daemon=True)
    thread.start()
    thread.join(patience_s)
    if thread.is_alive():
        raise NoAnswer(f"the kernel did not answer a request of netlink within {patience_s:.0f} s; try again")
    for error in failed:
        raise error
    return found[0]


def _add(name: str) -> None:
    """Make a network namespace, and leave the thread that calls in it: in a user namespace none may come back to the
    machine's own."""
    leave_network()
    netns.attach(name, "thread-self")


def _file(name: str) -> Path:
    return Path("/run/netns", name)


def _inside(name: str, action: Callable[[], T]) -> T:
    """Run `action()` in a thread that has entered the namespace; /proc/sys/net then shows its settings."""

    def body() -> T:
        enter_network(_file(name))
        return action()

    return _apart(body)


class NetnsTestbed(Testbed):
    """Three namespaces `ll-<name>-{server,bridge,client}`; several testbeds may exist side by side."""

    driver = "netns"

    def __init__(self, name: str = "default"):
        if not re.fullmatch(names.PATTERN, name):
            raise LonglookError(f"testbed name {name!r}: {names.WORDS}")
        self.name = name
        self.hosts = {
            "server": Host("server", ADDRESSES["server"].ip, ("eth0",)),
            "bridge": Host("bridge", "", ("brg_s", "brg_c")),
            "client": Host("client", ADDRESSES["client"].ip, ("eth0",)),
        }
        self._started: list[subprocess.Popen[Any]] = []
        self._owned = contextlib.ExitStack()

    # -- life cycle ---------------------------------------------------------------------------------

    def _up(self) -> None:
        self._preflight()
        self._owned.enter_context(used(self.name, LOCKS))
        self._owned.callback(remove, self.name)
        self._make_afresh()
        self._offloads_off()
        self._tune()

    def _down(self) -> None:
        for child in reversed(self._started):
            process.stop(child, grace_s=1.0)
        self._started.clear()
        self._owned.close()

    def _preflight(self) -> None:
        if not userns.has_rights():
            raise LonglookError(f"network namespaces need root, or a user namespace: {userns.remedy()}")
        missing = [tool for tool in ("ip", "ethtool", "setpriv") if shutil.which(tool) is None]
        if missing:
            raise LonglookError(f"missing: {', '.join(missing)} (apt-get install iproute2 ethtool util-linux)")

    # -- wiring -------------------------------------------------------------------------------------

    def _make_afresh(self) -> None:
        """Once more where netlink gives no answer."""
        remove(self.name)
        try:
            self._make()
        except NoAnswer:
            remove(self.name)
            self._make()

    def _make(self) -> None:
        """By threads: pyroute2's own way forks the whole process for each namespace and for each that it speaks to, and
        one in which pandas and some thousand tests are loaded then copies whatever it writes on."""
        for role in self.hosts:
            _apart(partial(_add, namespace(self.name, role)))
        _inside(namespace(self.name, "bridge"), self._wire_bridge)
        for role in ENDS:
            _inside(namespace(self.name, role), partial(self._wire_end, role))

    def _wire_bridge(self) -> None:
        """In the bridge's namespace; the other ends are made in those of the hosts."""
        with IPRoute() as bridge:
            for role, interface in zip(ENDS, self.hosts["bridge"].interfaces, strict=True):
                end = {
                    "ifname": "eth0",
                    "address": ADDRESSES[role].mac,
                    "net_ns_fd": str(_file(namespace(self.name, role))),
                }
                bridge.link("add", ifname=interface, kind="veth", peer=end)
                bridge.link("set", index=bridge.link_lookup(ifname=interface)[0], state="up")

    def _wire_end(self, role: Role) -> None:
        """In the namespace of a host, that knows where the other is."""
        (other,) = (ADDRESSES[one] for one in ENDS if one != role)
        with IPRoute() as host:
            for name in ("lo", "eth0"):
                index = host.link_lookup(ifname=name)[0]
                host.link("set", index=index, state="up")
            host.addr("add", index=index, address=ADDRESSES[role].ip, prefixlen=PREFIX_LENGTH)
            host.neigh("replace", dst=other.ip, lladdr=other.mac, ifindex=index, state="permanent")

    def _offloads_off(self) -> None:
        for role, host in self.hosts.items():
            for interface in host.interfaces:
                self.offloads_off(role, interface, OFFLOADS)
                shown = self.run(role, ["ethtool", "-k", interface], timeout_s=10)
                still = [
                    name
                    for name in ("tcp-segmentation-offload", "generic-segmentation-offload", "generic-receive-offload")
                    if re.search(rf"^{name}: on", shown, re.MULTILINE)
                ]
                if still:
                    raise LonglookError(
                        f"{role}/{interface}: cannot switch off {', '.join(still)}; "
                        "the emulator would see 64 KB packets"
                    )

    def _tune(self) -> None:
        kernel.raise_limits()
        for role in ROLES:  # the bridge too: its interfaces would send router solicitations of IPv6 to both ends
            _inside(namespace(self.name, role), kernel.tune_host)
        short = {
            key: value
            for key, value in self.sysctls()["client"].items()
            if key in kernel.GLOBAL_SYSCTLS and int(value) < kernel.SOCKET_BUFFER_BYTES
        }
        if short and os.geteuid() == 0:  # which cells need them, `experiment/granted.py` knows
            raise LonglookError(
                f"socket buffer limits stay below {kernel.SOCKET_BUFFER_BYTES} bytes: {short}; "
                "raise them with sysctl -w on the host"
            )

    # -- use ----------------------------------------------------------------------------------------

    def popen(self, role: Role, argv: Sequence[str], **options) -> subprocess.Popen[Any]:
        child = process.start(["ip", "netns", "exec", namespace(self.name, role), *argv], **options)
        self._started = [old for old in self._started if old.poll() is None] + [child]
        return child

    def sysctls(self) -> dict[str, dict[str, str]]:
        host_wide = {key: kernel.sysctl_path(key).read_text().strip() for key in kernel.GLOBAL_SYSCTLS}
        return {role: host_wide | _inside(namespace(self.name, role), kernel.recorded_sysctls) for role in ENDS}

    def set_cca(self, role: Role, name: str) -> str:
        self._allow_cca(name)
        return _inside(namespace(self.name, role), lambda: kernel.set_cca(name))

    def set_slow_start(self, role: Role, window: int | None, threshold: int | None) -> None:
        _inside(namespace(self.name, role), lambda: kernel.keep_ssthresh(threshold is not None))
        host = self.hosts[role]
        network = ipaddress.ip_interface(f"{host.address}/{PREFIX_LENGTH}").network
        route = [str(network), "dev", host.interfaces[0], "src", host.address]
        options = kernel.slow_start_options(window, threshold)
        self.run(role, ["ip", "route", "replace", *route, *options], timeout_s=10)
        self.run(role, ["ip", "tcp_metrics", "flush", "all"], timeout_s=10)

    @staticmethod
    def _allow_cca(name: str) -> None:
        """Controllers outside the kernel's allowed list are refused in a namespace: put this one on the list."""
        path = kernel.sysctl_path("net.ipv4.tcp_allowed_congestion_control")
        allowed = path.read_text().split()
        if name not in allowed:
            with contextlib.suppress(OSError):  # unknown to the kernel: the write that follows says so
                path.write_text(" ".join([*allowed, name]))


def remove(name: str) -> None:
    """Kill what still runs in a testbed's namespaces and delete them; nothing there is fine. For its owner only."""

    def body() -> None:
        existing = set(netns.listnetns())
        for role in ROLES:
            space = namespace(name, role)
            if space in existing:
                process.kill_pids(netns.ns_pids().get(space, []))
                with contextlib.suppress(OSError):
                    netns.remove(space)

    _apart(body)


def leftover() -> list[str]:
    """Names of testbeds whose namespaces exist now (running, or left by a killed run)."""
    found = {
        match.group(1)
        for space in netns.listnetns()
        if (match := re.fullmatch(rf"{PREFIX}-([a-z0-9]+)-(?:server|bridge|client)", space))
    }
    return sorted(found)


def processes(name: str) -> dict[str, list[int]]:
    """Role -> ids of the processes that run in a testbed's namespaces now."""
    spaces = _apart(netns.ns_pids)
    return {role: spaces.get(namespace(name, role), []) for role in ROLES}
