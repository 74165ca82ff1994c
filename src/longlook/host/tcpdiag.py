"""TCP connections of a network namespace as its kernel sees them (sock_diag(7)): peers, controllers, options."""

from __future__ import annotations

import os
import socket
import struct
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from longlook.errors import LonglookError
from longlook.host.namespaces import enter_network

NETLINK_SOCK_DIAG, SOCK_DIAG_BY_FAMILY = 4, 20
REQUEST_DUMP = 0x301
DONE, ERROR = 3, 2
INFO, CONGESTION, MEMORY = 2, 4, 7
"""INET_DIAG_INFO, INET_DIAG_CONG, INET_DIAG_SKMEMINFO."""
ESTABLISHED, FIN_WAIT_1, FIN_WAIT_2, CLOSE_WAIT, LAST_ACK, CLOSING = 1, 4, 5, 8, 9, 11
CONNECTED = (ESTABLISHED, FIN_WAIT_1, FIN_WAIT_2, CLOSE_WAIT, LAST_ACK, CLOSING)
"""States of a connection that still has its controller."""
TIMEOUT_S = 5.0
_HEADER, _REQUEST, _ATTRIBUTE = struct.Struct("=IHHII"), struct.Struct("=BBBxI2s2s44x"), struct.Struct("=HH")
_MESSAGE_BYTES = 72
OPTIONS = {"timestamps": 1, "sack": 2, "window_scaling": 4, "ecn": 8}
"""Bits of `tcpi_options`."""
_INFO = struct.Struct("=5xB10xI40xI104xQQQ")
"""Of `tcp_info` (linux/tcp.h, Linux 4.10 and newer): options, `snd_mss`, `pmtu`, `busy_time`, `rwnd_limited`,
`sndbuf_limited`."""
_ACKED = struct.Struct("=120xQ")
"""`tcpi_bytes_acked`."""
_SEND_BUFFER = struct.Struct("=12xI")
"""SK_MEMINFO_SNDBUF of sock_diag(7)."""


@dataclass(frozen=True)
class Info:
    """What a connection negotiated, and what it waited for."""

    options: tuple[str, ...]
    """Of OPTIONS, those in use."""
    mss_bytes: int
    """Of the largest segment that it sends, without headers."""
    mtu_bytes: int
    busy_us: int
    """Time in which it had something to send or in flight."""
    window_limited_us: int
    """Of that: time in which the receiver's window was full."""
    buffer_limited_us: int
    """Of that: time in which its send buffer was."""
    send_buffer_bytes: int


@dataclass(frozen=True)
class Connection:
    """One TCP connection on the server's side."""

    peer_port: int
    cca: str
    is_open: bool
    """Established: not being closed."""
    info: Info | None = None
    """None of a kernel that does not tell."""
    acked_bytes: int | None = None
    """Of what it sent; the same."""


class TcpDiag:
    """Asks the kernel about the namespace of a process; a context manager. A question takes a part of a millisecond."""

    def __init__(self, pid: int):
        self._pid = pid

    def __enter__(self):
        self._socket = _inside(self._pid, lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_SOCK_DIAG))
        self._socket.settimeout(TIMEOUT_S)
        self._serial, self._one_question = 0, threading.Lock()
        return self

    def __exit__(self, *_):
        self._socket.close()

    def connections(self, port: int) -> list[Connection]:
        """IPv4 connections whose own port this is, open ones and those that are being closed."""
        states = sum(1 << state for state in CONNECTED)
        asked = sum(1 << (kind - 1) for kind in (INFO, CONGESTION, MEMORY))
        body = _REQUEST.pack(socket.AF_INET, socket.IPPROTO_TCP, asked, states, port.to_bytes(2, "big"), b"\0\0")
        with self._one_question:
            self._serial += 1
            head = _HEADER.pack(_HEADER.size + len(body), SOCK_DIAG_BY_FAMILY, REQUEST_DUMP, self._serial, 0)
            self._socket.send(head + body)
            return [found for message in self._answers() if (found := parsed(message)) is not None]

    def _answers(self) -> Iterator[bytes]:
        while True:
            data = self._socket.recv(1 << 20)
            while data:
                length, kind, _, serial, _ = _HEADER.unpack_from(data)
                message, data = data[_HEADER.size : length], data[(length + 3) & ~3 :]
                if serial != self._serial:
                    continue
                if kind == DONE:
                    return
                if kind == ERROR:
                    code = -struct.unpack_from("=i", message)[0]
                    raise LonglookError(f"the kernel does not tell about TCP sockets (sock_diag: {os.strerror(code)})")
                yield message


def parsed(message: bytes) -> Connection | None:
    """One `inet_diag_msg` and its attributes; None where it names no controller."""
    state, peer_port = message[1], int.from_bytes(message[6:8], "big")
    found = dict(_attributes(message[_MESSAGE_BYTES:]))
    if CONGESTION not in found:
        return None
    name = found[CONGESTION].rstrip(b"\0").decode("ascii", "replace")
    told = found.get(INFO, b"")
    acked = _ACKED.unpack_from(told)[0] if len(told) >= _ACKED.size else None
    return Connection(peer_port, name, state == ESTABLISHED, _info(told, found.get(MEMORY, b"")), acked)


def _attributes(rest: bytes) -> Iterator[tuple[int, bytes]]:
    while len(rest) >= _ATTRIBUTE.size:
        length, kind = _ATTRIBUTE.unpack_from(rest)
        yield kind, rest[_ATTRIBUTE.size : length]
        rest = rest[(max(length, _ATTRIBUTE.size) + 3) & ~3 :]


def _info(data: bytes, memory: bytes) -> Info | None:
    if len(data) < _INFO.size or len(memory) < _SEND_BUFFER.size:
        return None
    bits, *numbers = _INFO.unpack_from(data)
    return Info(tuple(name for name, bit in OPTIONS.items() if bits & bit), *numbers, *_SEND_BUFFER.unpack_from(memory))


def _inside(pid: int, action):
    """Run `action` in a thread that has entered the network namespace of a process: what it opens stays there."""
    result: list = []

    def body():
        try:
            enter_network(Path(f"/proc/{pid}/ns/net"))
            result.append(action())
        except OSError as error:
            result.append(error)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    if isinstance(result[0], OSError):
        raise LonglookError(f"cannot look at the TCP sockets of process {pid}: {result[0]}")
    return result[0]
