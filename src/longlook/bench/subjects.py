"""What is benchmarked: links between a client and a server, each with the same few questions to ask.

`linkpipe` and the kernel's `netem` run in our own testbed, which also has a plain veth pair beside the link;
`rattan` (the external reference) brings its own namespaces.
"""

from __future__ import annotations

import abc
import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from longlook.errors import LonglookError
from longlook.host import process
from longlook.host.hosts import Role, Running
from longlook.host.kernel import SOCKET_BUFFER_BYTES
from longlook.link.linkpipe import LinkPipe
from longlook.paths import CACHE
from longlook.plan.link import Link
from longlook.testbed import netns
from longlook.testbed.netns import NetnsTestbed

RTT_MS = 36.0
RATTAN_VERSION = "0.1.1"
RATTAN_START_TIMEOUT_S = 15.0
PLAIN: dict[Role, str] = {"server": "10.78.0.1", "client": "10.78.0.2"}
"""Addresses of the plain veth pair beside the link."""


class BenchedLink(abc.ABC):
    """One link at one rate; a context manager."""

    name: str
    rates: tuple[float, ...]

    def __init__(self, rate_mbps: float):
        self.link = Link(bandwidth_mbps=rate_mbps, rtt_ms=RTT_MS)

    @abc.abstractmethod
    def __enter__(self): ...

    @abc.abstractmethod
    def __exit__(self, *_): ...

    @abc.abstractmethod
    def popen(self, role: Role, argv: list[str], **options) -> Running:
        """Start a program at the `server` or the `client` end."""

    address: str
    """Of the server, through the link."""

    def pids(self) -> list[int]:
        """The emulator's own processes; empty where the kernel does the work."""
        return []

    def losses(self) -> dict[str, float]:
        """Packets that the emulator lost where it should not, by its own account."""
        return {}


class OwnBed(BenchedLink):
    """Our testbed with an emulator on its bridge."""

    def __init__(self, rate_mbps: float, bed: NetnsTestbed):
        super().__init__(rate_mbps)
        self.bed = bed
        self.address = bed.hosts["server"].address

    def popen(self, role: Role, argv: list[str], **options) -> Running:
        return self.bed.popen(role, argv, **options)


class LinkpipeSubject(OwnBed):
    name = "linkpipe"
    rates = (10.0, 100.0, 500.0, 1000.0, 2000.0)

    def __enter__(self):
        self._driver = LinkPipe(self.bed)
        self._driver.__enter__()
        self._driver.configure(self.link, seed=1)
        return self

    def __exit__(self, *_):
        self._driver.__exit__()

    def pids(self):
        return [self._driver.pid]

    def losses(self):
        totals = self._driver.counters().values()
        return {
            key: sum(way[key] for way in totals)
            for key in ("socket_drops", "memory_drops", "send_errors", "dropped_queue")
        }


def bytes_of_queue(link: Link) -> int:
    """Of a subject that is set up with a queue in bytes; an error where it is limited in packets."""
    if link.effective_queue_bytes is None:
        raise LonglookError(f"this subject's queue is set in bytes; the link's has {link.queue_limit_packets} packets")
    return link.effective_queue_bytes


class NetemSubject(OwnBed):
    """The kernel's own: netem for the delay, tbf for rate and queue, on both of the bridge's interfaces."""

    name = "netem"
    rates = (10.0, 100.0)

    def __enter__(self):
        bits, queue = int(self.link.bandwidth_mbps * 1e6), bytes_of_queue(self.link)
        self._bridge("ip", "link", "add", "br0", "type", "bridge")
        self._bridge("ip", "link", "set", "br0", "up")
        for interface in self.bed.hosts["bridge"].interfaces:
            self._bridge("ip", "link", "set", interface, "master", "br0")
            delay = ["delay", f"{self.link.rtt_ms / 2}ms", "limit", "100000"]
            self._bridge("tc", "qdisc", "add", "dev", interface, "root", "handle", "1:", "netem", *delay)
            shape = ["rate", str(bits), "burst", "3028", "limit", str(queue)]
            self._bridge("tc", "qdisc", "add", "dev", interface, "parent", "1:", "handle", "2:", "tbf", *shape)
        return self

    def __exit__(self, *_):
        for interface in self.bed.hosts["bridge"].interfaces:
            self._bridge("tc", "qdisc", "del", "dev", interface, "root", check=False)
        self._bridge("ip", "link", "del", "br0", check=False)

    def _bridge(self, *argv, check=True):
        self.bed.run("bridge", list(argv), timeout_s=10, check=check)


class RattanSubject(BenchedLink):
    """rattan, in the three namespaces that it makes itself; its rate counts IP bytes, ours Ethernet frames."""

    name = "rattan"
    rates = (10.0, 100.0)
    address = "10.2.1.1"

    def __enter__(self):
        self._folder = Path(tempfile.mkdtemp(prefix="rattan-"))
        config = self._folder / "rattan.toml"
        config.write_text(rattan_config(self.link))
        self._process = process.start(
            [str(rattan_binary()), "run", "-c", str(config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._suffix = ""
        try:
            self._suffix = self._wait_for_namespaces()
            self._offloads_off()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _wait_for_namespaces(self) -> str:
        """rattan says nothing when it is ready: wait until its two commands run."""
        deadline = time.monotonic() + RATTAN_START_TIMEOUT_S
        while time.monotonic() < deadline:
            children = self._children()
            if len(children) == 2:
                out = subprocess.run(
                    ["ip", "netns", "identify", children[0]], capture_output=True, text=True, timeout=5, check=False
                )
                if match := re.search(r"ns-(?:left|right)-(\S+)", out.stdout):
                    return match.group(1)
            time.sleep(0.1)  # polling interval, bounded by the deadline
        raise LonglookError(f"rattan made no namespaces within {RATTAN_START_TIMEOUT_S:g} s")

    def _children(self) -> list[str]:
        found: list[str] = []
        for path in Path(f"/proc/{self._process.pid}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                found += path.read_text().split()
        return found

    def _offloads_off(self) -> None:
        own = self._suffix
        ends = (
            ("left", f"vL1-L-{own}"),
            ("right", f"vR1-R-{own}"),
            ("rattan", f"vL1-R-{own}"),
            ("rattan", f"vR1-L-{own}"),
        )
        for space, interface in ends:
            features = [word for feature in ("tso", "gso", "gro", "tx") for word in (feature, "off")]
            self._in(space, ["ethtool", "-K", interface, *features])
        for space in ("left", "right"):
            for setting in (
                "tcp_congestion_control=cubic",
                *(f"tcp_{way}mem=4096 131072 {SOCKET_BUFFER_BYTES}" for way in "rw"),
            ):
                self._in(space, ["sysctl", "-qw", f"net.ipv4.{setting}"])

    def _in(self, space: str, argv: list[str]) -> None:
        command = ["ip", "netns", "exec", f"ns-{space}-{self._suffix}", *argv]
        subprocess.run(command, capture_output=True, timeout=10, check=False)

    def __exit__(self, *_):
        with contextlib.suppress(subprocess.TimeoutExpired, ProcessLookupError):
            self._process.send_signal(signal.SIGINT)
            self._process.wait(5)
        process.stop(self._process)
        for space in ("left", "right", "rattan") if self._suffix else ():
            subprocess.run(
                ["ip", "netns", "del", f"ns-{space}-{self._suffix}"], capture_output=True, timeout=10, check=False
            )
        shutil.rmtree(self._folder, ignore_errors=True)

    def popen(self, role: Role, argv: list[str], **options) -> Running:
        space = {"server": "right", "client": "left"}[role]
        return process.start(["ip", "netns", "exec", f"ns-{space}-{self._suffix}", *argv], **options)

    def pids(self):
        return [self._process.pid]


def rattan_config(link: Link) -> str:
    """rattan's configuration for this link: bandwidth with a droptail queue, then delay, in each direction."""
    cells = "".join(
        f'[cells.{way}_1]\ntype = "Bw"\nbandwidth = "{link.bandwidth_mbps:g}Mbps"\nqueue = "DropTail"\n'
        f"queue_config = {{ byte_limit = {bytes_of_queue(link)} }}\n"
        f'[cells.{way}_2]\ntype = "Delay"\ndelay = "{link.rtt_ms / 2:g}ms"\n'
        for way in ("up", "down")
    )
    return (
        '[env]\nmode = "Isolated"\nleft_veth_count = 1\nright_veth_count = 1\nclient_cores = [0]\nserver_cores = [1]\n'
        f"{cells}[links]\n"
        'left = "up_1"\nup_1 = "up_2"\nup_2 = "right"\nright = "down_1"\ndown_1 = "down_2"\ndown_2 = "left"\n'
        "[resource]\ncpu = [0, 1]\n[general]\n[commands]\n"
        'left = ["sleep", "infinity"]\nright = ["sleep", "infinity"]\nshell = "Default"\n'
    )


def rattan_binary() -> Path:
    """Where the benchmark keeps rattan."""
    return CACHE / "bench" / f"rattan-{RATTAN_VERSION}" / "bin" / "rattan"


def install_rattan() -> None:
    """Build it by cargo, once (about five minutes)."""
    if rattan_binary().exists():
        return
    root = rattan_binary().parents[1]
    command = ["cargo", "install", "rattan", "--version", RATTAN_VERSION, "--locked", "--root", str(root)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3600, check=False)
    if done.returncode:
        raise LonglookError(f"cargo could not build rattan {RATTAN_VERSION}: {done.stderr.strip()[-500:]}")


def has_netem(bed: NetnsTestbed) -> bool:
    """Whether this kernel has sch_netem, found by trying."""
    interface = bed.hosts["bridge"].interfaces[0]
    made = bed.popen(
        "bridge", ["tc", "qdisc", "add", "dev", interface, "root", "netem", "delay", "1ms"], stderr=subprocess.DEVNULL
    )
    if made.wait(10):
        return False
    bed.run("bridge", ["tc", "qdisc", "del", "dev", interface, "root"], timeout_s=10)
    return True


def add_plain_pair(bed: NetnsTestbed) -> None:
    """A veth pair straight from server to client: what this machine does without an emulator."""
    client = netns.namespace(bed.name, "client")
    bed.run(
        "server",
        ["ip", "link", "add", "plain0", "type", "veth", "peer", "name", "plain0", "netns", client],
        timeout_s=10,
    )
    for role in PLAIN:
        bed.run(role, ["ip", "addr", "add", f"{PLAIN[role]}/24", "dev", "plain0"], timeout_s=10)
        bed.run(role, ["ethtool", "-K", "plain0", "tso", "off", "gso", "off", "gro", "off"], timeout_s=10)
        bed.run(role, ["ip", "link", "set", "plain0", "up"], timeout_s=10)


def cpu_ns(pids: list[int]) -> int:
    """Nanoseconds on a CPU, all threads of these processes together (schedstat: exact, unlike ticks)."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            total += sum(
                int(Path(f"/proc/{pid}/task/{task}/schedstat").read_text().split()[0])
                for task in os.listdir(f"/proc/{pid}/task")
            )
    return total
