"""Sockets of a running program, reached from outside: ending its connections, waiting until they have ended, pacing
those that it accepts."""

from __future__ import annotations

import contextlib
import ctypes
import os
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

from longlook.errors import LonglookError
from longlook.host.hosts import Hosts

PIDFD_GETFD = 438
"""System call number, the same on every architecture (Linux 5.6 and newer); Python has no wrapper."""
ESTABLISHED, TIME_WAIT, LISTEN = "01", "06", "0A"
SO_MAX_PACING_RATE = 47
NO_LIMIT = 10**9
"""Bytes per second: a maximum that no testbed's link reaches."""


def shut_tcp(pid: int, address: str, port: int) -> None:
    """Shut down every TCP connection of a process and its descendants to one server: a FIN goes out, the program reads
    the end of the stream. Nothing else of the program or its network namespace changes.
    """
    remote = _remote(address, port)
    for connection in _copies(pid, lambda row: row[2] == remote and row[3] == ESTABLISHED):
        with contextlib.suppress(OSError):  # it may have ended meanwhile
            connection.shutdown(socket.SHUT_RDWR)


def end_udp(hosts: Hosts, address: str, port: int) -> None:
    """Have the kernel of the client's host end its UDP sockets that are connected to one server: programs read an
    error, and nothing goes out. A connection of QUIC ends so for its client alone, which keeps its session."""
    own = ["-Hun", "dst", address, "dport", "=", f":{port}"]
    hosts.run("client", ["ss", "-K", *own], timeout_s=5)
    if hosts.run("client", ["ss", *own], timeout_s=5).strip():
        raise LonglookError(
            "the kernel of the client's host does not end UDP sockets (CONFIG_INET_DIAG_DESTROY): a connection that its"
            " server leaves open would be used again: ask for first visits"
        )


def udp_listens(hosts: Hosts, port: int) -> bool:
    """Whether a program on the server's host has opened that UDP port."""
    return bool(hosts.run("server", ["ss", "-Huln", f"sport = :{port}"], timeout_s=5).strip())


def await_closed(pid: int, address: str, port: int, timeout_s: float) -> None:
    """Wait until every TCP connection to one server has been closed, in the network namespace of a process: its last
    packet was answered. Not longer than `timeout_s`, nor once the process is gone."""
    remote, deadline = _remote(address, port), time.monotonic() + timeout_s
    with contextlib.suppress(OSError):
        while any(row[2] == remote and row[3] != TIME_WAIT for row in _rows(pid)) and time.monotonic() < deadline:
            time.sleep(0.005)  # polling interval, bounded by the deadline


def pace(pid: int, port: int) -> int:
    """Have the kernel pace the connections that a process and its descendants accept on `port` from now on.

    Pacing spaces their segments. Linux paces a TCP socket once it has a maximum rate (socket(7), SO_MAX_PACING_RATE),
    at `tcp_pacing_ca_ratio` percent of window per smoothed RTT (120), in slow start at `tcp_pacing_ss_ratio` (200);
    accepted sockets take over what their listener has. Returns the number of listeners; none is an error.
    """
    found = 0
    for listener in _copies(pid, lambda row: row[1].endswith(f":{port:04X}") and row[3] == LISTEN):
        listener.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, NO_LIMIT)
        found += 1
    if not found:
        raise LonglookError(f"process {pid} listens on no TCP port {port}: nothing to pace")
    return found


def _copies(pid: int, wanted: Callable[[list[str]], bool]) -> Iterator[socket.socket]:
    """A descriptor of our own for each wanted socket of a process and its descendants, by its row of /proc/net/tcp.

    It is closed when the next one is asked for.
    """
    try:
        owner = psutil.Process(pid)
        inodes = _inodes(pid, wanted)
    except (OSError, psutil.NoSuchProcess):
        raise LonglookError(
            f"process {pid}, whose TCP connections were looked for, is gone: it was ended or crashed"
        ) from None
    for process in (owner, *owner.children(recursive=True)):
        with contextlib.suppress(OSError, psutil.NoSuchProcess):  # a process may end meanwhile
            for descriptor in Path(f"/proc/{process.pid}/fd").iterdir():
                if os.readlink(descriptor) in inodes:
                    with socket.socket(fileno=_copied(process.pid, int(descriptor.name))) as copy:
                        yield copy


def _inodes(pid: int, wanted: Callable[[list[str]], bool]) -> set[str]:
    """`socket:[inode]` of each wanted IPv4 socket in the network namespace of a process (proc(5))."""
    return {f"socket:[{row[9]}]" for row in _rows(pid) if wanted(row)}


def _rows(pid: int) -> list[list[str]]:
    return [line.split() for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]]


def _remote(address: str, port: int) -> str:
    return f"{int.from_bytes(socket.inet_aton(address), 'little'):08X}:{port:04X}"


def _copied(pid: int, descriptor: int) -> int:
    own = os.pidfd_open(pid)
    try:
        copy = ctypes.CDLL(None, use_errno=True).syscall(PIDFD_GETFD, own, descriptor, 0)
        if copy < 0:
            why = os.strerror(ctypes.get_errno())
            raise LonglookError(
                f"cannot reach a socket of process {pid} (pidfd_getfd: {why}): "
                "Linux 5.6 or newer and the right to trace are needed"
            )
        return copy
    finally:
        os.close(own)
