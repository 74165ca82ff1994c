"""How long does a delay last that a loop sets by `sudo tc`? One JSON object on standard output.

    unshare -n python docs/jitter-loop/loop.py > loop.json

The thesis's loop (TC.addJitter in test_src/doTrafficStuff.py) sets a delay at two interfaces, each by a shell that runs
`sudo tc qdisc change`, and sleeps for 100 ms; where a delay falls it goes there in two steps, with 50 ms after each. As
root, in a network namespace of its own (`unshare -n`), under a minute. A kernel without netem gets a token bucket
instead, which tc parses and hands over in the same way.
"""

import json
import os
import random
import statistics
import subprocess
import time

INTERVAL_S, BASE_MS, RANGE_MS = 0.1, 38, 25
CHANGES, DRAWS = 300, 300


def run(command):
    """As os.system does it, inside the namespace that this process is in."""
    subprocess.run(["sh", "-c", command], check=True, stdin=subprocess.DEVNULL)


def bucket(delay_ms):
    return f"tbf rate 1gbit burst 1mb latency {delay_ms:g}ms"


def netem(delay_ms):
    return f"netem delay {delay_ms:g}ms"


def has(discipline):
    done = subprocess.run(
        ["sh", "-c", f"tc qdisc replace dev first root {discipline(1)}"], capture_output=True, check=False
    )
    return done.returncode == 0


def change(discipline, delays_ms, prefix):
    for device, delay_ms in zip(("first", "second"), delays_ms, strict=True):
        run(f"{prefix} tc qdisc change dev {device} root {discipline(delay_ms)}")


def draw():
    """A delay for each interface, as the loop draws them, ms."""
    return tuple(random.randrange(BASE_MS - RANGE_MS, BASE_MS + RANGE_MS) for _ in range(2))


def one_change_s(discipline, prefix):
    """Seconds of `CHANGES` changes of both interfaces."""
    found = []
    for _ in range(CHANGES):
        begin = time.monotonic()
        change(discipline, draw(), prefix)
        found.append(time.monotonic() - begin)
    return found


def lasting_s(discipline):
    """For how long each drawn delay holds, with the loop's own sleeps."""
    before, found = (-1, -1), []
    for _ in range(DRAWS):
        begin = time.monotonic()
        drawn = draw()
        steps = 2 if any(new < old for new, old in zip(drawn, before, strict=True)) else 1
        for step in range(1, steps + 1):
            now = [old + (new - old) * step / steps for new, old in zip(drawn, before, strict=True)]
            change(discipline, now, "sudo")
            time.sleep(INTERVAL_S / steps)
        before = drawn
        found.append(time.monotonic() - begin)
    return found


def told_ms(seconds):
    ordered = sorted(one * 1e3 for one in seconds)
    return {
        "n": len(ordered), "median_ms": round(statistics.median(ordered), 2),
        "mean_ms": round(statistics.fmean(ordered), 2), "p90_ms": round(ordered[len(ordered) * 9 // 10], 2),
        "most_ms": round(ordered[-1], 2),
    }  # fmt: skip


def main():
    random.seed(2024)
    run("ip link add first type veth peer name second && ip link set first up && ip link set second up")
    discipline = netem if has(netem) else bucket
    for device in ("first", "second"):
        run(f"tc qdisc replace dev {device} root {discipline(1)}")
    version = subprocess.run(["sudo", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    found = {
        "sudo": version, "kernel": os.uname().release, "discipline": discipline(1).split()[0],
        "two_calls": told_ms(one_change_s(discipline, "")),
        "two_calls_by_sudo": told_ms(one_change_s(discipline, "sudo")),
        "a_delay_lasts": told_ms(lasting_s(discipline)),
    }  # fmt: skip
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
