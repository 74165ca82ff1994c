"""Dummynet's commands and what is read back; the texts of `ipfw pipe show` are FreeBSD's."""

from types import SimpleNamespace

import pytest

from longlook.errors import LonglookError
from longlook.link.dummynet import Dummynet, arguments, differences, parse_pipe
from longlook.plan.link import Link

WITH_LOSS = """00001: 100.000 Kbit/s  300 ms burst 0 
q131073  50 sl.plr 0.050000 0 flows (1 buckets) sched 65537 weight 0 lmax 0 pri 0 droptail
 sched 65537 type FIFO flags 0x0 0 buckets 1 active
BKT Prot ___Source IP/port____ ____Dest. IP/port____ Tot_pkt/bytes Pkt/Byte Drp
  0 ip           0.0.0.0/0             0.0.0.0/0      130    68642  0    0   6
"""  # noqa: W291
IDLE = """60111:  10.000 Mbit/s   18 ms burst 0
q191183  87 KB 0 flows (1 buckets) sched 125647 weight 0 lmax 0 pri 0 droptail
 sched 125647 type FIFO flags 0x0 0 buckets 0 active
"""
UNLIMITED = """60111: unlimited         0 ms burst 0
q191183  50 sl. 0 flows (1 buckets) sched 125647 weight 0 lmax 0 pri 0 droptail
"""


def test_a_lossy_pipe_with_traffic():
    assert parse_pipe(WITH_LOSS) == {
        "bandwidth_mbps": 0.1,
        "delay_ms": 300,
        "loss": 0.05,
        "queue_bytes": None,
        "queue_packets": 50,
        "packets": 130,
        "bytes": 68642,
        "dropped": 6,
    }


def test_an_idle_pipe_and_one_as_it_was_booted():
    assert parse_pipe(IDLE) == {
        "bandwidth_mbps": 10,
        "delay_ms": 18,
        "loss": 0,
        "queue_bytes": 87 * 1024,
        "queue_packets": None,
        "packets": 0,
        "bytes": 0,
        "dropped": 0,
    }
    assert parse_pipe(UNLIMITED)["bandwidth_mbps"] is None


def test_what_is_set_and_what_is_shown_are_the_same():
    wanted = {"bandwidth_mbps": 10.0, "delay_ms": 18.0, "loss": 0.0, "queue_bytes": 90000}
    assert arguments(60111, **wanted) == [
        "ipfw",
        "pipe",
        "60111",
        "config",
        "bw",
        "10000000bit/s",
        "delay",
        "18ms",
        "plr",
        "0",
        "queue",
        "90000bytes",
    ]
    assert differences(wanted, parse_pipe(IDLE)) == []


def test_a_queue_in_packets_is_set_and_shown_in_slots():
    wanted = {"bandwidth_mbps": 0.1, "delay_ms": 300.0, "loss": 0.05, "queue_packets": 50}
    assert arguments(1, **wanted)[-4:] == ["plr", "0.05", "queue", "50"]
    assert differences(wanted, parse_pipe(WITH_LOSS)) == []
    assert differences(wanted | {"queue_packets": 51}, parse_pipe(WITH_LOSS)) == ["queue_packets: 51 set, 50 in force"]
    in_bytes = {"bandwidth_mbps": 10.0, "delay_ms": 18.0, "loss": 0.0}
    assert differences(in_bytes | {"queue_packets": 50}, parse_pipe(IDLE)) == ["queue_packets: 50 set, None in force"]
    slots = parse_pipe(IDLE.replace("87 KB", "50 sl."))
    assert differences(in_bytes | {"queue_bytes": 90000}, slots) == ["queue_bytes: 90000 set, None in force"]


class Bridge:
    """Remembers what was configured, and shows it as FreeBSD does."""

    def __init__(self):
        pipes = {"server_to_client": 1, "client_to_server": 2}
        self.hosts, self.plr, self.mbps = {"bridge": SimpleNamespace(pipes=pipes, node="bridge")}, {}, {}

    def run(self, _, argv, timeout_s):
        _, _, number, what, *settings = argv
        if what == "config":
            self.plr[number] = settings[settings.index("plr") + 1]
            self.mbps[number] = float(settings[settings.index("bw") + 1].removesuffix("bit/s")) / 1e6
            return ""
        lost = float(self.plr[number])
        shown = IDLE.replace("87 KB", f"50 sl.{f'plr {lost:.6f}' if lost else ''}")
        shown = shown.replace("10.000 Mbit/s", f"{self.mbps[number]:.3f} Mbit/s")
        return shown + "  0 ip           0.0.0.0/0             0.0.0.0/0      130    68642  0    0   6\n"


@pytest.mark.parametrize(
    ("direction", "lost"), [(None, ["0.01", "0.01"]), ("down", ["0.02", "0"]), ("up", ["0", "0.02"])]
)
def test_each_pipe_has_the_rate_and_the_loss_of_its_direction(direction, lost):
    bridge = Bridge()
    driver = Dummynet(bridge)
    driver._jitter, driver._numbers = None, bridge.hosts["bridge"].pipes
    link = Link(bandwidth_mbps=10, upload_mbps=1, rtt_ms=36, loss_pct=2, loss_direction=direction, queue_packets=50)
    effective = driver.configure(link, seed=1)
    assert [bridge.plr[number] for number in ("1", "2")] == lost
    assert bridge.mbps == {"1": 10, "2": 1}
    assert [effective[way]["loss"] for way in ("server_to_client", "client_to_server")] == list(map(float, lost))
    drops = [
        set(driver.counters()[way]) - {"packets_in", "bytes_in"} for way in ("server_to_client", "client_to_server")
    ]
    assert drops == [{"dropped_loss"} if float(one) else {"dropped_queue"} for one in lost]
    bridge.plr["2"] = "0.5"
    with pytest.raises(LonglookError, match=r"pipe 2 \(client_to_server\): loss: .* set, 0.5 in force"):
        driver.verify()


@pytest.mark.parametrize(
    ("queue", "words"),
    [
        ({"queue_packets": 16_385}, r"a queue of 16385 packets is more than the bridge allows \(16384\)"),
        ({"queue_bytes": 9_000_000}, r"a queue of 9000000 bytes is more than the bridge allows \(8388608\)"),
    ],
)
def test_a_queue_longer_than_the_bridge_allows(queue, words):
    driver = Dummynet(SimpleNamespace(hosts={"bridge": SimpleNamespace(pipes={})}))
    driver._jitter = None
    with pytest.raises(LonglookError, match=words):
        driver.configure(Link(bandwidth_mbps=10, rtt_ms=36, **queue), seed=1)


@pytest.mark.parametrize(
    "change, words",
    [
        ({"bandwidth_mbps": 50.0}, "bandwidth_mbps: 50 set, 10.0 in force"),
        ({"delay_ms": 56.0}, "delay_ms: 56 set, 18 in force"),
        ({"loss": 0.005}, "loss: 0.005 set, 0.0 in force"),
        ({"queue_bytes": 30720}, "queue_bytes: 30720 set, 89088 in force"),
    ],
)
def test_each_difference_is_named(change, words):
    wanted = {"bandwidth_mbps": 10.0, "delay_ms": 18.0, "loss": 0.0, "queue_bytes": 90000} | change
    assert differences(wanted, parse_pipe(IDLE)) == [words]


def test_text_that_is_not_ipfws():
    with pytest.raises(LonglookError, match="cannot read"):
        parse_pipe("ipfw: not found")
