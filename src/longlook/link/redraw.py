"""Redraws the delays of an interface, outgoing and arriving, again and again. Standard library only; Linux, root.

  redraw.py INTERFACE IFB BASE_MS RANGE_MS INTERVAL_MS SEED

It prints "ready" when the delays are in force, and ends with SIGTERM. Each direction's delay is drawn from the uniform
distribution BASE +- RANGE/2, independently. A falling delay comes in two half steps, half an interval apart, as in the
thesis's scripts. Packets that a shorter delay lets go first overtake: the reordering.
"""

import contextlib
import random
import signal
import subprocess
import sys
import time

QUEUE_PACKETS = 100000
"""netem's own limit is 1000 packets, which is 120 ms at 100 Mbit/s."""


def tc(*words):
    subprocess.run(["tc", *words], check=True, capture_output=True, text=True)


def set_delay(verb, device, delay_ms):
    tc("qdisc", verb, "dev", device, "root", "netem", "delay", f"{delay_ms:.3f}ms", "limit", str(QUEUE_PACKETS))


def removals(interface, ifb):
    """The commands that take all of it away; where nothing is there they fail, which is fine."""
    return [
        ["tc", "qdisc", "del", "dev", *where] for where in ((interface, "root"), (interface, "ingress"), (ifb, "root"))
    ]


def clear(interface, ifb):
    for command in removals(interface, ifb):
        subprocess.run(command, capture_output=True)


def redirect(interface, ifb):
    """What arrives at the interface passes through the ifb, where a queueing discipline can delay it."""
    with contextlib.suppress(OSError):  # no modprobe: the kernel may have it built in
        subprocess.run(["modprobe", "ifb"], capture_output=True)
    subprocess.run(["ip", "link", "add", ifb, "type", "ifb"], capture_output=True)
    subprocess.run(["ip", "link", "set", ifb, "up"], check=True, capture_output=True, text=True)
    tc("qdisc", "add", "dev", interface, "handle", "ffff:", "ingress")
    redirection = ("action", "mirred", "egress", "redirect", "dev", ifb)
    everything = ("protocol", "all", "u32", "match", "u32", "0", "0")
    tc("filter", "add", "dev", interface, "parent", "ffff:", *everything, *redirection)


def steps(old_ms, new_ms):
    """The delays on the way from one draw to the next: at once when it rises, in two halves when it falls."""
    return [new_ms] if new_ms >= old_ms else [(old_ms + new_ms) / 2, new_ms]


def run(interface, ifb, base_ms, range_ms, interval_ms, seed):
    generator = random.Random(seed)
    delays = dict.fromkeys((interface, ifb), base_ms)
    clear(interface, ifb)
    redirect(interface, ifb)
    for device in delays:
        set_delay("add", device, base_ms)
    print("ready", flush=True)
    due = time.monotonic()
    while True:
        plans = {}
        for device, old_ms in delays.items():
            delays[device] = generator.uniform(base_ms - range_ms / 2, base_ms + range_ms / 2)
            plans[device] = steps(old_ms, delays[device])
        for half in range(2):
            for device, plan in plans.items():
                if half < len(plan):
                    set_delay("change", device, plan[half])
            due += interval_ms / 2000
            time.sleep(max(0.0, due - time.monotonic()))


def main(interface, ifb, base_ms, range_ms, interval_ms, seed):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        run(interface, ifb, float(base_ms), float(range_ms), float(interval_ms), int(seed))
    except subprocess.CalledProcessError as error:
        print(f"{' '.join(error.cmd)}: {error.stderr.strip()}", flush=True)
        return 1
    except OSError as error:
        print(error, flush=True)
        return 1
    finally:
        clear(interface, ifb)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
