"""Ending TCP connections of a running program, as if it had closed them itself."""

from __future__ import annotations

import contextlib
import ctypes
import os
import socket
from pathlib import Path

import psutil

from longlook.errors import LonglookError

PIDFD_GETFD = 438
"""System call number, the same on every architecture (Linux 5.6 and newer); Python has no wrapper."""
ESTABLISHED = "01"


def shut_tcp(pid: int, address: str, port: int) -> None:
    """Shut down every TCP connection of a process and its descendants to one server: a FIN goes out, the program reads
    the end of the stream. Nothing else of the program or its network namespace changes.
    """
    owner = psutil.Process(pid)
    wanted = _inodes(pid, address, port)
    for process in (owner, *owner.children(recursive=True)):
        with contextlib.suppress(OSError, psutil.NoSuchProcess):  # a process may end meanwhile
            for descriptor in Path(f"/proc/{process.pid}/fd").iterdir():
                if os.readlink(descriptor) in wanted:
                    _shut(process.pid, int(descriptor.name))


def _inodes(pid: int, address: str, port: int) -> set[str]:
    """`socket:[inode]` of each established connection to the server, in the network namespace of a process (proc(5))."""
    packed = int.from_bytes(socket.inet_aton(address), "little")
    remote = f"{packed:08X}:{port:04X}"
    rows = [line.split() for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]]
    return {f"socket:[{row[9]}]" for row in rows if row[2] == remote and row[3] == ESTABLISHED}


def _shut(pid: int, descriptor: int) -> None:
    own = os.pidfd_open(pid)
    try:
        copy = ctypes.CDLL(None, use_errno=True).syscall(PIDFD_GETFD, own, descriptor, 0)
        if copy < 0:
            why = os.strerror(ctypes.get_errno())
            raise LonglookError(f"cannot reach a socket of process {pid} (pidfd_getfd: {why}): Linux 5.6 or newer and the right to trace are needed")
        with socket.socket(fileno=copy) as connection, contextlib.suppress(OSError):  # it may have ended meanwhile
            connection.shutdown(socket.SHUT_RDWR)
    finally:
        os.close(own)
