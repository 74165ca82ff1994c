"""The clients of the sweep yu-clients asked what they allow a server to send, and whether they look at its certificate;
a table that is kept.

Each fetches a file over a link inside a testbed. Its packets are captured beside the server and decrypted by its keys;
then it meets a server with a certificate that it has no reason to trust.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from longlook.client.base import LoadFailed, Request
from longlook.experiment.asked import read_rows, write_rows
from longlook.experiment.asking import asking, captured, must_load
from longlook.experiment.context import PORTS, Context
from longlook.plan.arm import Arm
from longlook.plan.cell import Cell
from longlook.probe import windows
from longlook.probe.capture import fields
from longlook.probe.windows import Windows
from longlook.site.certificate import make_certificate
from longlook.stack.arms import open_sweep
from longlook.testbed.base import Testbed

SWEEP = "yu-clients"
TIMEOUT_S = 20


@dataclass(frozen=True)
class Allowed:
    """One client over one protocol; bytes are of flow control windows."""

    arm: str
    """Its name in the sweep."""
    version: str
    stream: int
    """When the file is asked for."""
    stream_most: int
    connection: int
    connection_most: int
    receive_most: int
    """TCP's own window as it is advertised, the most; 0 for QUIC, which has none."""
    verifies: bool
    """It refused a certificate that it had no reason to trust."""

    @property
    def of_stream(self) -> tuple[int, int]:
        """At first and the most."""
        return self.stream, self.stream_most

    @property
    def of_connection(self) -> tuple[int, int]:
        """At first and the most."""
        return self.connection, self.connection_most


def cell() -> Cell:
    """The sweep's largest file over its shortest link."""
    return max(open_sweep(SWEEP).cells(), key=lambda one: (one.workload.total_bytes, -one.link.rtt_ms))


def ask(bed: Testbed) -> Iterator[Allowed]:
    """Each in turn; installs the stacks that are not there. A client that fails with the right certificate is a
    `LonglookError`."""
    of = cell()
    with asking(bed, of) as context:
        for arm in of.arms:
            yield _asked(context, arm)


def _asked(context: Context, arm: Arm) -> Allowed:
    port, quic = PORTS[0], arm.protocol == "quic"
    with must_load(arm):
        pcap, keys, version = captured(context, arm, TIMEOUT_S)
    found: Windows = (windows.of_quic if quic else windows.of_http2)(pcap, keys, port)
    own = found.stream, found.stream_most, found.connection, found.connection_most
    receive = 0 if quic else most_receive(pcap, port)
    return Allowed(arm.name, version, *own, receive, _verifies(context, arm))


def most_receive(pcap: Path, port: int) -> int:
    """The largest receive window in segments to a server's port, scaled (RFC 7323), bytes."""
    rows = fields(pcap, ("tcp.window_size",), ("-Y", f"tcp.dstport == {port} && tcp.flags.syn == 0"))
    return max(int(size) for (size,) in rows)


def _verifies(context: Context, arm: Arm) -> bool:
    """The client trusts the certificate of before, and the server shows another."""
    port = PORTS[0]
    other = replace(context, certificate=make_certificate(context.folder / "other"))
    try:
        with other.server(arm, port), context.client(arm, port) as client:
            client.fetch(Request(context.site.start, TIMEOUT_S, fresh=True))
    except LoadFailed:
        return True
    return False


def write(path: Path, found: Iterable[Allowed]) -> None:
    """The table, one line per client and protocol."""
    write_rows(path, Allowed, found)


def read(path: Path) -> list[Allowed]:
    """What `write` wrote; none before that."""
    return read_rows(path, _allowed, "clients")


def _allowed(row: dict[str, str]) -> Allowed:
    names = ("stream", "stream_most", "connection", "connection_most", "receive_most")
    stream, stream_most, connection, connection_most, receive_most = (int(row[name]) for name in names)
    if row["verifies"] not in ("True", "False"):
        raise ValueError(f"verifies is {row['verifies']!r}")
    verifies = row["verifies"] == "True"
    own = stream, stream_most, connection, connection_most
    return Allowed(row["arm"], row["version"], *own, receive_most, verifies)
