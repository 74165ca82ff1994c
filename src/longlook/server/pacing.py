"""Pacing of TCP by the kernel, for servers that do not ask for it: QUIC senders space their packets, Linux's CUBIC does not."""

from __future__ import annotations

import contextlib
import ctypes
import os
import socket

import psutil

from longlook.errors import LonglookError

SYS_PIDFD_GETFD = 438  # the same on every architecture; Python has no wrapper
SO_MAX_PACING_RATE = 47
NO_LIMIT = 10**9
"""Bytes per second: a maximum that no testbed's link reaches."""


def pace(pid: int, port: int) -> int:
    """Have the kernel space the segments of the connections that process `pid` accepts on `port` from now on.

    Linux paces a TCP socket once it has a maximum rate (socket(7), SO_MAX_PACING_RATE), at `tcp_pacing_ca_ratio` percent
    of window per smoothed RTT (120), in slow start at `tcp_pacing_ss_ratio` (200); accepted sockets take over what their
    listener has. Returns the number of listeners; none is an error.
    """
    found = 0
    with contextlib.ExitStack() as opened:
        for process in (whole := psutil.Process(pid), *whole.children(recursive=True)):
            for listener in _listeners(opened, process.pid, port):
                listener.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, NO_LIMIT)
                found += 1
    if not found:
        raise LonglookError(f"process {pid} listens on no TCP port {port}: nothing to pace")
    return found


def _listeners(opened: contextlib.ExitStack, pid: int, port: int) -> list[socket.socket]:
    """Copies of the descriptors of a process that are listening TCP sockets of `port`; closed with `opened`."""
    process = os.pidfd_open(pid)
    opened.callback(os.close, process)
    found = []
    for name in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(OSError):  # closed meanwhile
            if os.readlink(f"/proc/{pid}/fd/{name}").startswith("socket:"):
                copy = opened.enter_context(socket.socket(fileno=_copied(process, int(name))))
                if _listens(copy, port):
                    found.append(copy)
    return found


def _listens(copy: socket.socket, port: int) -> bool:
    tcp = copy.family in (socket.AF_INET, socket.AF_INET6) and copy.type == socket.SOCK_STREAM
    return tcp and copy.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) == 1 and copy.getsockname()[1] == port


def _copied(process: int, descriptor: int) -> int:
    """pidfd_getfd(2)."""
    libc = ctypes.CDLL(None, use_errno=True)
    copy = libc.syscall(SYS_PIDFD_GETFD, process, descriptor, 0)
    if copy < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return copy
