"""TCP from inside: the kernel's `tcp:tcp_probe` event (per segment received) and its retransmissions, by ftrace.

The thesis's source for TCP's congestion window (section 4.1.1). Each probe has a tracing instance of its own, so
that others' tracing is not touched. Times are Unix seconds.
"""

from __future__ import annotations

import os
import re
import select
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from longlook.errors import LonglookError

if TYPE_CHECKING:
    import pandas as pd

TRACING = Path("/sys/kernel/tracing")
EVENTS = ("tcp_probe", "tcp_retransmit_skb")
BUFFER_KB = 16384
MSS = 1448
"""Payload of a full segment with timestamps, bytes: the kernel counts its window in segments."""
INFINITE = 0x7FFFFFFF
COLUMNS = [
    "time_s",
    "port",
    "peer_port",
    "cwnd_bytes",
    "ssthresh_bytes",
    "bytes_in_flight",
    "smoothed_rtt_ms",
    "retransmissions",
    "allowed_bytes",
]
"""`allowed_bytes`: how much more the receiver's window would take beyond all that was sent."""

_PROBE = re.compile(
    r"\s(\d+\.\d+): tcp_probe: .*?src=[0-9.]+:(\d+) dest=[0-9.]+:(\d+) .*?data_len=\d+ "
    r"snd_nxt=0x([0-9a-f]+) snd_una=0x([0-9a-f]+) "
    r"snd_cwnd=(\d+) ssthresh=(\d+) snd_wnd=(\d+) srtt=(\d+)"
)
_AGAIN = re.compile(r"\s(\d+\.\d+): tcp_retransmit_skb: .*?sport=(\d+) dport=(\d+)")


class TcpTrace(Protocol):
    """What a probe tells once its context is left: a `TcpProbe` on this machine, a RemoteTcpProbe on another node."""

    lost_events: int
    """That the kernel had no room for."""

    def table(self) -> pd.DataFrame:
        """One row per event, columns COLUMNS: windows in bytes, RTT in ms, retransmitted segments so far.

        Of each port only the connection that carried most.
        """


class TcpProbe:
    """Use as a context manager around the transfers; `table` afterwards. `ports`: of the servers."""

    def __init__(self, name: str, ports: Sequence[int], path: Path):
        self._instance, self._ports, self._path = TRACING / "instances" / f"longlook-{name}", list(ports), path

    def __enter__(self):
        if not (TRACING / "instances").is_dir():
            subprocess.run(["mount", "-t", "tracefs", "nodev", str(TRACING)], check=False, capture_output=True)
        if not (TRACING / "events" / "tcp" / "tcp_probe").is_dir():
            raise LonglookError(
                f"{TRACING} has no event tcp:tcp_probe: mount -t tracefs nodev {TRACING}; "
                "the kernel needs CONFIG_FTRACE"
            )
        self._instance.mkdir(exist_ok=True)
        self._write("tracing_on", "0")
        self._write("trace_clock", "mono")
        self._write("buffer_size_kb", str(BUFFER_KB))
        wanted = " || ".join(f"sport == {port}" for port in self._ports)
        for event in EVENTS:
            self._write(f"events/tcp/{event}/filter", wanted)
            self._write(f"events/tcp/{event}/enable", "1")
        self._offset = time.time() - time.monotonic()
        self._pipe = os.open(self._instance / "trace_pipe", os.O_RDONLY | os.O_NONBLOCK)
        self._file = self._path.open("wb")
        self._ended = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._write("tracing_on", "1")
        return self

    def __exit__(self, *_):
        self._write("tracing_on", "0")
        self._ended.set()
        self._reader.join(10)
        os.close(self._pipe)
        self._file.close()
        self.lost_events = sum(
            int(text) for text in re.findall(r"\[LOST (\d+) EVENTS\]", self._path.read_text(errors="replace"))
        )
        for event in EVENTS:
            self._write(f"events/tcp/{event}/enable", "0")
        self._instance.rmdir()

    def _write(self, name: str, value: str) -> None:
        (self._instance / name).write_text(value)

    def _read(self) -> None:
        """Empties the kernel's buffer into the file until the end, and then what is left."""
        while True:
            last = self._ended.is_set()
            if not last:
                select.select([self._pipe], [], [], 0.2)
            try:
                while data := os.read(self._pipe, 1 << 20):
                    self._file.write(data)
            except BlockingIOError:
                pass
            if last:
                return

    def table(self) -> pd.DataFrame:
        with self._path.open(encoding="ascii", errors="replace") as lines:
            return parse(lines, self._offset)


def parse(lines, offset_s: float) -> pd.DataFrame:
    """`trace_pipe`'s text -> table; pure. Times get `offset_s` added."""
    rows = []
    again: dict[tuple[int, int], int] = {}
    for line in lines:
        if found := _PROBE.search(line):
            at, port, peer, nxt, una, cwnd, ssthresh, window, srtt = found.groups()
            in_flight = (int(nxt, 16) - int(una, 16)) & 0xFFFFFFFF
            limit = None if int(ssthresh) >= INFINITE else int(ssthresh) * MSS
            key = (int(port), int(peer))
            seen = (int(cwnd) * MSS, limit, in_flight, int(srtt) / 1e3, again.get(key, 0))
            rows.append((float(at) + offset_s, *key, *seen, max(int(window) - in_flight, 0)))
        elif found := _AGAIN.search(line):
            key = (int(found.group(2)), int(found.group(3)))
            again[key] = again.get(key, 0) + 1
    import pandas as pd

    table = pd.DataFrame(rows, columns=COLUMNS)
    if table.empty:
        return table
    busiest = table.groupby(["port", "peer_port"]).size().reset_index(name="n").sort_values("n").groupby("port").tail(1)
    return table.merge(busiest[["port", "peer_port"]], on=["port", "peer_port"]).sort_values(
        "time_s", ignore_index=True
    )
