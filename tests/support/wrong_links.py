"""Links that are wrong on purpose, per direction and behind the driver's back; and how often calibration notices.

  python tests/support/wrong_links.py wrong N     each wrong link N times, by one attempt of a calibration
  python tests/support/wrong_links.py right N     N whole calibrations of right links: how often refused

Needs root. Prints the tables of src/longlook/link/calibration.md.
"""

import sys
import time
from concurrent.futures import ThreadPoolExecutor

from longlook.errors import LonglookError
from longlook.link import calibrate as module
from longlook.link.calibrate import calibrate
from longlook.link.linkpipe import LinkPipe
from longlook.plan.link import GEMODEL, Link
from longlook.testbed.netns import NetnsTestbed

LINK = Link(bandwidth_mbps=10, rtt_ms=36)
LOSSY = Link(bandwidth_mbps=10, rtt_ms=36, loss_pct=1)
SLOTS = Link(bandwidth_mbps=10, rtt_ms=36, queue_packets=50)
BUCKET = Link(bandwidth_mbps=10, rtt_ms=36, queue_packets=50, burst_bytes=2_000_000)
CABLE = Link(bandwidth_mbps=5, upload_mbps=1, rtt_ms=28)
FATES = Link(
    bandwidth_mbps=10, rtt_ms=100, **dict(zip(GEMODEL, (1, 50, 100, 0), strict=True)),
    corrupt_pct=2, duplicate_pct=3, jitter_sd_ms=5,
)  # fmt: skip
"""Whose packets are lost by a model, damaged, doubled and late."""
CODEL = Link(bandwidth_mbps=5, upload_mbps=1, rtt_ms=28, queue_discipline="codel")
FQ_CODEL = Link(bandwidth_mbps=5, upload_mbps=1, rtt_ms=28, queue_discipline="fq_codel", ecn=True)
PIE = Link(bandwidth_mbps=5, upload_mbps=1, rtt_ms=28, queue_discipline="pie", ecn=True)
DUALPI2 = Link(bandwidth_mbps=5, upload_mbps=1, rtt_ms=28, queue_discipline="dualpi2", ecn=True)
S2C, C2S = "server_to_client", "client_to_server"
BOTH = (S2C, C2S)

WRONG = {
    "no loss in one direction": (LOSSY, (C2S,), {"loss_pct": 0}),
    "no loss in either": (LOSSY, BOTH, {"loss_pct": 0}),
    "half the loss in one": (LOSSY, (S2C,), {"loss_pct": 0.25}),
    "twice the loss in one": (LOSSY, (C2S,), {"loss_pct": 1.0}),
    "five times the loss in one": (LOSSY, (S2C,), {"loss_pct": 2.5}),
    "all the loss in one": (LOSSY, {S2C: {"loss_pct": 1.0}, C2S: {"loss_pct": 0}}, None),
    "0.5 % lost where none is set": (LINK, (C2S,), {"loss_pct": 0.5}),
    "0.1 % lost where none is set": (LINK, (S2C,), {"loss_pct": 0.1}),
    "delays of 36 and 0 ms": (LINK, {S2C: {"delay_ms": 36}, C2S: {"delay_ms": 0}}, None),
    "delays of 18.5 and 17.5 ms": (LINK, {S2C: {"delay_ms": 18.5}, C2S: {"delay_ms": 17.5}}, None),
    "0.5 ms more in one": (LINK, (C2S,), {"delay_ms": 18.5}),
    "a queue ten times too long": (LINK, (S2C,), {"queue_bytes": 900_000}),
    "a queue twice too long": (LINK, (C2S,), {"queue_bytes": 180_000}),
    "a queue twice too short": (LINK, (S2C,), {"queue_bytes": 45_000}),
    "a queue 25 % too short": (LINK, (C2S,), {"queue_bytes": 67_500}),
    "a queue without limit": (LINK, BOTH, {"queue_bytes": 0}),
    "a queue of 100 packets where 50 are set": (SLOTS, (S2C,), {"queue_packets": 100}),
    "a queue of 40 packets where 50 are set": (SLOTS, (C2S,), {"queue_packets": 40}),
    "a rate 2.8 % too low": (LINK, (S2C,), {"bandwidth_mbps": 9.72}),
    "a rate 1 % too low": (LINK, (C2S,), {"bandwidth_mbps": 9.9}),
    "a rate 1 % too high": (LINK, (S2C,), {"bandwidth_mbps": 10.1}),
    "no limit of the rate": (LINK, (C2S,), {"bandwidth_mbps": 0}),
    "the rate of the other direction": (CABLE, (C2S,), {"bandwidth_mbps": 5, "queue_bytes": 35_000}),
    "a bucket where none is set": (LINK, (C2S,), {"burst_bytes": 100_000}),
    "jitter where none is set": (LINK, (S2C,), {"jitter": {"mode": "redraw", "range_ms": 4, "interval_ms": 100}}),
}
"""Name -> the link as it is meant, the directions that are not, and what they have instead."""
RIGHT = (
    LINK,
    CABLE,
    LOSSY,
    Link(bandwidth_mbps=5, rtt_ms=36, queue_bytes=30720),
    Link(bandwidth_mbps=50, rtt_ms=112),
    Link(bandwidth_mbps=100, rtt_ms=36, loss_pct=2),
    Link(bandwidth_mbps=100, rtt_ms=112),
    Link(bandwidth_mbps=500, rtt_ms=1, queue_bytes=1_000_000),
    SLOTS,
    Link(bandwidth_mbps=100, rtt_ms=36, loss_pct=1, queue_packets=50),
    Link(bandwidth_mbps=100, rtt_ms=112, queue_packets=1000),
    BUCKET,
    Link(bandwidth_mbps=10, rtt_ms=15, loss_pct=1, loss_direction="down", queue_packets=50, burst_bytes=12_800_000),
)


def spoil(driver, wrong, seed=1):
    """Set a link right, and then directions of it to something else; the link that calibration is to believe in."""
    link, ways, instead = WRONG[wrong]
    own = driver.configure(link, seed)
    changes = ways if isinstance(ways, dict) else dict.fromkeys(ways, instead)
    driver._ask(op="configure", **{way: own[way] | change for way, change in changes.items()})
    return link


def noticed(bed, driver, link):
    """What calibration says of a link; None if it takes it."""
    try:
        calibrate(bed, driver, link)
    except LonglookError as error:
        return str(error)
    return None


def side_by_side(name, look, items, beds=3, driver=LinkPipe):
    """What `look(bed, link, item)` says of each item: on testbeds of their own at once, since a calibration mostly
    waits. That is for wrong links, which a busy machine makes no better, and for slow ones."""

    def each(number):
        with NetnsTestbed(f"{name}{number}") as bed, driver(bed) as own:
            return {item: look(bed, own, item) for item in items[number::beds]}

    with ThreadPoolExecutor(beds) as pool:
        found = list(pool.map(each, range(beds)))
    return {item: said for one in found for item, said in one.items()}


def count_wrong(bed, driver, times):
    module.ATTEMPTS = 1
    for wrong in WRONG:
        said = [noticed(bed, driver, spoil(driver, wrong, seed)) for seed in range(1, times + 1)]
        caught = [one for one in said if one]
        example = caught[0].partition("attempts: ")[2].partition(";")[0] if caught else ""
        print(f"| {wrong} | {len(caught)} of {times} | {example} |", flush=True)


def count_right(bed, driver, times):
    for link in RIGHT:
        refused, repeated, tried, took = [], [], 0, []
        for seed in range(1, times // len(RIGHT) + 2):
            driver.configure(link, seed)
            began = time.monotonic()
            try:
                attempts = calibrate(bed, driver, link)["attempts"]
                tried += len(attempts)
                repeated += [problem for attempt in attempts for problem in attempt["problems"]]
            except LonglookError as error:
                refused.append(str(error))
                tried += module.ATTEMPTS
            took.append(time.monotonic() - began)
        again = tried - len(took)
        print(
            f"| {link.label} | {len(took)} | {again} | {len(refused)} | {sorted(took)[len(took) // 2]:.1f} |",
            flush=True,
        )
        for one in (*refused, *(f"tried again: {problem}" for problem in repeated)):
            print(f"  {one}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    with NetnsTestbed(f"cal{sys.argv[1]}") as bed, LinkPipe(bed) as driver:
        {"wrong": count_wrong, "right": count_right}[sys.argv[1]](bed, driver, int(sys.argv[2]))
