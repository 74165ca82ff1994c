"""Packets on a host's experiment interface (tcpdump), and their fields.

The fields come from tshark, which decrypts QUIC v1 with the client's keys.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from longlook.errors import LonglookError
from longlook.host import process
from longlook.host.hosts import Hosts, Role, Running

HEADERS_ONLY = 96
"""Bytes that hold all headers up to UDP's and TCP's."""
START_TIMEOUT_S = 10
QUIET_S, MOST_WAIT_S = 0.2, 3.0


@contextlib.contextmanager
def capture(bed: Hosts, role: Role, path: Path, expression: str, snaplen: int = 0) -> Iterator[None]:
    """Capture into `path` (pcap) while inside; `snaplen` 0: whole packets.

    Packets that the kernel dropped are an error.
    """
    missing = [tool for tool in ("tcpdump", "tshark") if shutil.which(tool) is None]
    if missing:  # now, and not after the transfer
        raise LonglookError(f"missing: {', '.join(missing)} (apt-get install {' '.join(missing)})")
    interface = bed.hosts[role].interfaces[0]
    said = path.with_suffix(".stderr")
    argv = ["tcpdump", "-n", "-U", "--immediate-mode", "-Z", "root", "-B", "65536"]
    argv += ["-i", interface, "-s", str(snaplen), "-w", str(path), *expression.split()]
    with said.open("wb") as errors:
        child = bed.popen(role, argv, stdout=subprocess.DEVNULL, stderr=errors)
    try:
        _wait_listening(child, said)
        yield
        _wait_written(path)
    finally:
        process.stop(child)
    told = said.read_text(errors="replace")
    dropped = re.search(r"(\d+) packets? dropped by kernel", told)
    if dropped is None or int(dropped.group(1)):
        raise LonglookError(f"tcpdump on {role} lost packets ({told.strip()[-200:]}): the machine is too busy")


def _wait_listening(child: Running, said: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while "listening on" not in said.read_text(errors="replace"):
        if child.poll() is not None or time.monotonic() > deadline:
            raise LonglookError(f"tcpdump did not start: {said.read_text(errors='replace').strip()[-300:]}")
        time.sleep(0.01)  # polling interval, bounded by the deadline


def _wait_written(path: Path) -> None:
    """Until the file has not grown for a while: tcpdump, when it is ended, forgets what it has yet to read."""
    deadline = time.monotonic() + MOST_WAIT_S
    size = -1
    while size != path.stat().st_size and time.monotonic() < deadline:
        size = path.stat().st_size
        time.sleep(QUIET_S)


def fields(pcap: Path, names: Sequence[str], options: Sequence[str] = ()) -> Iterator[list[str]]:
    """The named fields of every packet, as tshark prints them: several values of one field are joined by commas."""
    argv = ["tshark", "-n", "-r", str(pcap), *options, "-T", "fields"]
    argv += ["-E", "separator=/t", "-E", "occurrence=a", "-E", "aggregator=,"]
    argv += [part for name in names for part in ("-e", name)]
    with subprocess.Popen(
        argv, env=process.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        for line in process.piped(child.stdout):
            yield line.rstrip("\n").split("\t")
        error = process.piped(child.stderr).read()
    if child.returncode:
        raise LonglookError(f"tshark could not read {pcap}: {error.strip()[-300:]}")
