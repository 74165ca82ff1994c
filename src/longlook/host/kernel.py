"""Network settings of a kernel by /proc/sys, which shows those of the caller's network namespace."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from longlook.errors import LonglookError

SOCKET_BUFFER_BYTES = 32 * 1024 * 1024
"""Host buffers must never limit: far above the largest 2 x BDP (100 Mbit/s, 112 ms: 2.8 MB)."""

SEND_BUFFER_BYTES = 65_536
"""That a TCP connection begins with."""

GLOBAL_SYSCTLS = {
    "net.core.rmem_max": SOCKET_BUFFER_BYTES,
    "net.core.wmem_max": SOCKET_BUFFER_BYTES,
}
"""Of the whole machine: raised, never lowered."""
HOST_SYSCTLS = {
    "net.ipv4.tcp_rmem": f"4096 131072 {SOCKET_BUFFER_BYTES}",
    "net.ipv4.tcp_wmem": f"4096 {SEND_BUFFER_BYTES} {SOCKET_BUFFER_BYTES}",
    "net.ipv6.conf.all.disable_ipv6": "1",
}
"""Of a network namespace."""
RECORDED_SYSCTLS = (
    "net.core.rmem_max",
    "net.core.wmem_max",
    "net.core.rmem_default",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",
    "net.ipv4.tcp_congestion_control",
    "net.ipv4.tcp_slow_start_after_idle",
    "net.ipv4.tcp_no_metrics_save",
    "net.ipv4.tcp_no_ssthresh_metrics_save",
    "net.ipv4.tcp_ecn",
    "net.ipv4.tcp_sack",
    "net.ipv4.tcp_timestamps",
    "net.ipv4.tcp_reordering",
    "net.ipv4.tcp_recovery",
    "net.ipv4.tcp_moderate_rcvbuf",
    "net.ipv4.ip_no_pmtu_disc",
)


def sysctl_path(key: str) -> Path:
    """For instance /proc/sys/net/ipv4/tcp_wmem."""
    return Path("/proc/sys") / key.replace(".", "/")


def raise_limits() -> None:
    """GLOBAL_SYSCTLS, where they can be seen, are lower, and may be set: an ordinary user may not."""
    for key, wanted in GLOBAL_SYSCTLS.items():
        path = sysctl_path(key)
        if path.exists() and int(path.read_text()) < wanted and os.access(path, os.W_OK):
            path.write_text(str(wanted))


def controllers(available: bool) -> tuple[str, ...]:
    """TCP's congestion controllers that the kernel has; not `available`: of those, what it allows to everybody."""
    which = "available" if available else "allowed"
    try:
        return tuple(sorted(sysctl_path(f"net.ipv4.tcp_{which}_congestion_control").read_text().split()))
    except OSError:
        return ()


def tune_host(left_alone: Collection[str] = ()) -> None:
    """HOST_SYSCTLS but those `left_alone`."""
    for key, value in HOST_SYSCTLS.items():
        path = sysctl_path(key)
        if key not in left_alone and path.exists():
            path.write_text(value)


def recorded_sysctls() -> dict[str, str]:
    """RECORDED_SYSCTLS as they are now; one that cannot be seen from here is left out."""
    paths = {key: sysctl_path(key) for key in RECORDED_SYSCTLS}
    return {key: " ".join(path.read_text().split()) for key, path in paths.items() if path.exists()}


def keep_ssthresh(kept: bool) -> None:
    """Whether TCP keeps the slow start threshold of a connection that ended and begins the next with it: Linux 5.6 and
    newer do not unless told."""
    sysctl_path("net.ipv4.tcp_no_ssthresh_metrics_save").write_text("0" if kept else "1")


def slow_start_options(window: int | None, threshold: int | None) -> list[str]:
    """Of a route, for `ip route`: what connections over it begin with. A locked threshold enters the kernel's memory
    with the next connection that ends in order, and no later one changes it."""
    own = [] if window is None else ["initcwnd", str(window)]
    return own if threshold is None else [*own, "ssthresh", "lock", str(threshold)]


def set_cca(name: str) -> str:
    """Set the TCP congestion controller of new connections; the one in force is returned."""
    path = sysctl_path("net.ipv4.tcp_congestion_control")
    try:
        path.write_text(name)
    except OSError:
        available = sysctl_path("net.ipv4.tcp_available_congestion_control").read_text().strip()
        raise LonglookError(f"this kernel has no TCP {name} (it has: {available}); try modprobe tcp_{name}") from None
    return path.read_text().strip()
