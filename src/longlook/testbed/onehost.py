"""The node that this runs on, as one host of a testbed: programs start here, settings are the kernel's own."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import subprocess
from collections.abc import Sequence
from typing import Any

import psutil

from longlook.errors import LonglookError
from longlook.host import kernel, process
from longlook.testbed.base import Host, Role, Testbed

RECEIVE_OFFLOADS = ("gro", "lro")
"""Off: aggregates of TCP's packets would be delayed and reordered as one; QUIC has none."""
LEFT_ALONE = ("net.ipv6.conf.all.disable_ipv6",)
"""Of the settings that a namespace of ours gets: a node's control network may need it."""


def interface_of(address: str) -> tuple[str, str]:
    """The interface of this node that has an IPv4 address, and its network, for instance ("eth1", "10.1.1.0/24")."""
    for name, addresses in psutil.net_if_addrs().items():
        for one in addresses:
            if one.family == socket.AF_INET and one.address == address:
                return name, str(ipaddress.ip_interface(f"{address}/{one.netmask}").network)
    raise LonglookError(
        f"no interface here has the address {address}: correct the testbeds' file, "
        "or wait until the experiment network is up"
    )


class OneHost(Testbed):
    """Only the given role's programs can be started; `peer` is the other end's address."""

    driver = "host"

    def __init__(self, name: str, role: Role, address: str, peer: str):
        self.name, self._role = name, role
        interface, self._network = interface_of(address)
        other: Role = "client" if role == "server" else "server"
        self.hosts = {role: Host(role, address, (interface,)), other: Host(other, peer, ())}
        self._started: list[subprocess.Popen[Any]] = []

    def _up(self) -> None:
        kernel.raise_limits()
        kernel.tune_host(LEFT_ALONE)
        self._forget()
        own = self.hosts[self._role].interfaces[0]
        self.offloads_off(self._role, own, RECEIVE_OFFLOADS)

    def _forget(self) -> None:
        """What a namespace of our own would not know either.

        TCP's memory of the other end, and how connections over the route begin.
        """
        kernel.keep_ssthresh(False)
        self.run(self._role, ["ip", "tcp_metrics", "flush", "all"], timeout_s=10)
        self.run(self._role, ["ip", "route", "replace", *self._route()], timeout_s=10)

    def _route(self) -> list[str]:
        own = self.hosts[self._role]
        return [self._network, "dev", own.interfaces[0], "src", own.address]

    def _down(self) -> None:
        for child in reversed(self._started):
            process.stop(child, grace_s=1.0)
        self._started.clear()

    def popen(self, role: Role, argv: Sequence[str], **options) -> subprocess.Popen[Any]:
        if role != self._role:
            raise LonglookError(f"this is the {self._role} node: {argv[0]} cannot be started on the {role} from here")
        child = process.start(argv, **options)
        self._started = [old for old in self._started if old.poll() is None] + [child]
        return child

    def sysctls(self) -> dict[str, dict[str, str]]:
        return {self._role: kernel.recorded_sysctls()}

    def set_cca(self, role: Role, name: str) -> str:
        with contextlib.suppress(OSError):  # no modprobe: the kernel may have it built in
            subprocess.run(["modprobe", f"tcp_{name}"], check=False, capture_output=True)
        return kernel.set_cca(name)

    def set_slow_start(self, role: Role, window: int | None, threshold: int | None) -> None:
        kernel.keep_ssthresh(threshold is not None)
        options = kernel.slow_start_options(window, threshold)
        self.run(self._role, ["ip", "route", "replace", *self._route(), *options], timeout_s=10)
        self.run(self._role, ["ip", "tcp_metrics", "flush", "all"], timeout_s=10)
