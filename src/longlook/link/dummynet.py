"""Link driver `dummynet`: two pipes of ipfw on the Emulab bridge, FreeBSD (thesis 3.2.2).

Under jitter it also uses `tc` on the client. Differences from linkpipe: its losses cannot be seeded, so QUIC and TCP do
not meet the same ones; it counts dropped packets without the reason; delays are whole milliseconds.
"""

from __future__ import annotations

import re
from typing import Any

from longlook.errors import LonglookError
from longlook.link.base import DIRECTIONS, LinkDriver
from longlook.link.clientdelay import ClientDelay, clear_client
from longlook.plan.link import Link

TIMEOUT_S = 15.0
PIPE_BYTE_LIMIT = "net.inet.ip.dummynet.pipe_byte_limit"
PIPE_SLOT_LIMIT = "net.inet.ip.dummynet.pipe_slot_limit"
STEADY = ("net.inet.ip.dummynet.expire", "net.inet.ip.dummynet.io_fast")
"""Off: idle pipes keep their counters, and every packet takes the same way."""
QUEUE_BYTES_MOST = 8 * 1024 * 1024
"""Above 2 x BDP of every link of the thesis (2.8 MB); the kernel's own limit is 1 MiB."""
QUEUE_SLOTS_MOST = 16_384
"""As emulab/setup-bridge.sh has it; the kernel's own limit is 100 packets, and a pipe's default 50."""
BRIDGE_RTT_MS = 36.0
"""What the bridge keeps under jitter; the client's interface adds the rest (thesis 3.3)."""
_LINE = re.compile(r"^(\d{5}):\s+(?:([\d.]+) ([KMG]?)bit/s|unlimited)\s+(\d+) ms burst", re.MULTILINE)
_QUEUE = re.compile(r"^q\d+\s+(\d+) ?(sl\.|KB|B)\s*(?:plr ([\d.]+))?", re.MULTILINE)
_FLOW = re.compile(r"^\s*\d+ ip\s+\S+\s+\S+\s+(\d+)\s+(\d+)\s+\d+\s+\d+\s+(\d+)\s*$", re.MULTILINE)
_UNIT = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9}


def arguments(
    number: int,
    bandwidth_mbps: float,
    delay_ms: float,
    loss: float,
    queue_bytes: int | None = None,
    queue_packets: int | None = None,
) -> list[str]:
    """`ipfw pipe N config ...`; `loss` is a share (0 to 1) of this direction. The queue is in bytes or in packets
    (slots).

    The rate is in whole bits per second: ipfw reads no fraction.
    """
    queue = f"{queue_bytes}bytes" if queue_packets is None else str(queue_packets)
    rate = ["bw", f"{round(bandwidth_mbps * 1e6)}bit/s", "delay", f"{round(delay_ms)}ms"]
    return ["ipfw", "pipe", str(number), "config", *rate, "plr", f"{loss:g}", "queue", queue]


def parse_pipe(text: str) -> dict[str, Any]:
    """`ipfw pipe N show` -> settings and counters.

    Settings are bandwidth_mbps (None: unlimited), delay_ms, loss and either queue_bytes or queue_packets (else None).
    """
    line, queue = _LINE.search(text), _QUEUE.search(text)
    if not line or not queue:
        raise LonglookError(f"ipfw pipe show gave what this program cannot read: {text.strip()[:300]!r}")
    size, unit = int(queue.group(1)), queue.group(2)
    flows = [tuple(int(number) for number in flow) for flow in _FLOW.findall(text)]
    return {
        "bandwidth_mbps": float(line.group(2)) * _UNIT[line.group(3)] / 1e6 if line.group(2) else None,
        "delay_ms": int(line.group(4)),
        "loss": float(queue.group(3) or 0),
        "queue_bytes": None if unit == "sl." else size * (1024 if unit == "KB" else 1),
        "queue_packets": size if unit == "sl." else None,
        "packets": sum(flow[0] for flow in flows),
        "bytes": sum(flow[1] for flow in flows),
        "dropped": sum(flow[2] for flow in flows),
    }


def differences(wanted: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """In what a pipe as shown is not as set; queues are shown in whole KB, losses with six decimals."""
    checks = (
        (
            "bandwidth_mbps",
            abs((found["bandwidth_mbps"] or 0) - wanted["bandwidth_mbps"]) > 0.001 * max(1, wanted["bandwidth_mbps"]),
        ),
        ("delay_ms", found["delay_ms"] != round(wanted["delay_ms"])),
        ("loss", abs(found["loss"] - wanted["loss"]) > 2e-6),
        _queue_check(wanted, found),
    )
    return [f"{name}: {wanted[name]:g} set, {found[name]} in force" for name, wrong in checks if wrong]


def _queue_check(wanted: dict[str, Any], found: dict[str, Any]) -> tuple[str, bool]:
    """The setting that limits the queue, and whether another is in force."""
    if "queue_packets" in wanted:
        return "queue_packets", found["queue_packets"] != wanted["queue_packets"]
    size = found["queue_bytes"]
    return "queue_bytes", size is None or not 0 <= wanted["queue_bytes"] - size < 1024


def _queue(link: Link) -> dict[str, int]:
    """What limits a link's queue, as a setting; an error where it is more than the bridge allows."""
    size, unit, most = link.effective_queue_bytes, "bytes", QUEUE_BYTES_MOST
    if link.queue_packets is not None:
        size, unit, most = link.queue_packets, "packets", QUEUE_SLOTS_MOST
    if size is None or size > most:
        raise LonglookError(f"a queue of {size} {unit} is more than the bridge allows ({most})")
    return {f"queue_{unit}": size}


def _settings(link: Link, way: str, delay_ms: float) -> dict[str, Any]:
    """Of the pipe of one direction."""
    rate = {"bandwidth_mbps": link.bandwidth_mbps, "delay_ms": delay_ms}
    return {**rate, **_queue(link), "loss": link.loss_pct_of(way) / 100}


class Dummynet(LinkDriver):
    """Bandwidth, delay RTT/2, loss p/2 (or p in one direction and none in the other) and a queue of 2 x BDP bytes, or
    of so many packets, in each direction, on the testbed's bridge."""

    name = "dummynet"
    rate_tolerance_pct = 1.5
    """It counts IP packets or frames, as the bridge hands them to it: 14 of 1442 bytes."""
    tells_drops_apart = False
    sets = ("client: qdisc ",)
    """Under jitter."""

    def _start(self) -> None:
        self._wanted: dict[str, dict[str, Any]] = {}
        self._jitter: ClientDelay | None = None
        self._numbers = self.testbed.hosts["bridge"].pipes
        clear_client(self.testbed)
        self._set(PIPE_BYTE_LIMIT, QUEUE_BYTES_MOST, at_least=True)
        self._set(PIPE_SLOT_LIMIT, QUEUE_SLOTS_MOST, at_least=True)
        for name in STEADY:
            self._set(name, 0)
        self._version = f"dummynet of {self._bridge(['uname', '-sr']).strip()}"

    def _stop(self) -> None:
        self._end_jitter()

    def _set(self, name: str, value: int, at_least: bool = False) -> None:
        """A setting of the bridge's kernel, which forgets it at every boot; read back."""
        kept = int(self._bridge(["sysctl", "-n", name]))
        if kept == value or (at_least and kept >= value):
            return
        self._bridge(["sysctl", f"{name}={value}"])
        if (kept := int(self._bridge(["sysctl", "-n", name]))) != value:
            raise LonglookError(
                f"the bridge keeps {name} at {kept}, {value} is needed: run emulab/setup-bridge.sh there"
            )

    def _bridge(self, argv: list[str]) -> str:
        return self.testbed.run("bridge", argv, TIMEOUT_S)

    def _end_jitter(self) -> None:
        if self._jitter is not None:
            self._jitter.__exit__(None, None, None)
            self._jitter = None

    def configure(self, link: Link, seed: int) -> dict[str, Any]:
        self.require_plain(link)
        self._end_jitter()
        rtt_ms = BRIDGE_RTT_MS if link.jitter_ms else link.rtt_ms
        if (delay_ms := rtt_ms / 2) != round(delay_ms):
            raise LonglookError(
                f"an RTT of {rtt_ms:g} ms is {delay_ms:g} ms each way; dummynet takes whole milliseconds: "
                "choose an even RTT"
            )
        self._wanted = {way: _settings(link.one_way(way), way, delay_ms) for way in DIRECTIONS}
        for direction, wanted in self._wanted.items():
            self._bridge(arguments(self._numbers[direction], **wanted))
        self.verify()
        effective: dict[str, Any] = {
            direction: {**wanted, "pipe": self._numbers[direction]} for direction, wanted in self._wanted.items()
        }
        if link.jitter_ms:
            self._jitter = ClientDelay(
                self.testbed, (link.rtt_ms - rtt_ms) / 2, link.jitter_ms, link.jitter_interval_ms, seed
            ).__enter__()
            effective["client"] = self._jitter.settings()
        return effective

    def _shown(self, direction: str) -> dict[str, Any]:
        return parse_pipe(self._bridge(["ipfw", "pipe", str(self._numbers[direction]), "show"]))

    def verify(self) -> None:
        wrong = []
        for direction, wanted in self._wanted.items():
            found = differences(wanted, self._shown(direction))
            wrong += [f"pipe {self._numbers[direction]} ({direction}): {one}" for one in found]
        if wrong:
            where = self.testbed.hosts["bridge"].node
            raise LonglookError(
                f"the bridge ({where}) is not as it was set: {'; '.join(wrong)}. "
                "Does somebody else configure it? Run the same command again"
            )
        if self._jitter is not None:
            self._jitter.require_alive()

    def reseed(self, seed: int) -> None:
        """Dummynet's losses have no seed; the draws of jitter go on."""

    def counters(self) -> dict[str, dict[str, float]]:
        """Packets and bytes that a pipe took, and those it dropped: as lost where a loss is set, else by the queue."""
        found = {}
        for direction, wanted in self._wanted.items():
            shown = self._shown(direction)
            reason = "dropped_loss" if wanted["loss"] else "dropped_queue"
            found[direction] = {"packets_in": shown["packets"], "bytes_in": shown["bytes"], reason: shown["dropped"]}
        return found

    def cpu_seconds(self) -> float:
        return 0.0  # another machine's

    def version(self) -> str:
        return self._version
