"""What this process may do here that a measurement asks for: root may all of it, an ordinary user what was granted."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from dataclasses import asdict, dataclass
from typing import Any

from longlook.host import cpulimit, kernel

TRACE_INSTANCES = "/sys/kernel/tracing/instances"
PRIORITY = 10
"""The highest that anything here asks for."""


@dataclass(frozen=True)
class Rights:
    """Found by trying, of this process and what it starts."""

    root: bool
    real_time: bool
    """Real-time priority, for the emulator and the watches; without it they have short slices, see more stalls, and
    more loads are repeated."""
    socket_buffer_bytes: int
    """The most that a socket gets for what it has received and nobody has read yet."""
    kernel_trace: bool
    """TCP's windows, by the kernel's trace."""
    cpu_limits: bool
    controllers: tuple[str, ...]
    """Of TCP, that a network namespace may use."""

    def record(self) -> dict[str, Any]:
        """As `environment.json` has it."""
        return asdict(self) | {"controllers": list(self.controllers)}


def rights() -> Rights:
    """What this process may do; nothing is changed."""
    root = os.geteuid() == 0
    return Rights(
        root=root,
        real_time=_real_time(),
        socket_buffer_bytes=kernel.SOCKET_BUFFER_BYTES if root and _can_raise() else _socket_buffer(),
        kernel_trace=root or os.access(TRACE_INSTANCES, os.W_OK),
        cpu_limits=root or cpulimit.is_granted(),
        controllers=kernel.controllers(available=root),
    )


def _real_time() -> bool:
    """Tried by a thread, which ends with it."""
    got: list[bool] = []

    def body() -> None:
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
            got.append(True)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    return bool(got)


def _can_raise() -> bool:
    return all(os.access(kernel.sysctl_path(key), os.W_OK) for key in kernel.GLOBAL_SYSCTLS)


def _socket_buffer() -> int:
    """Of both directions the smaller one, in bytes as they are asked for; the kernel doubles them for its own needs."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        for option in (socket.SO_RCVBUF, socket.SO_SNDBUF):
            sock.setsockopt(socket.SOL_SOCKET, option, kernel.SOCKET_BUFFER_BYTES)
        return min(sock.getsockopt(socket.SOL_SOCKET, option) for option in (socket.SO_RCVBUF, socket.SO_SNDBUF)) // 2
