"""Ends what was left running on this node. Standard library only; run by its path, with any Python 3.

  clean.py TAG [JOB]     SIGTERM, then SIGKILL, to every process that was started with LONGLOOK_NODE=TAG
                         (and LONGLOOK_JOB=JOB); prints how many there were

The environment of a process tells: it is inherited by whatever the process starts, in whichever session or group. (A
browser's children write their titles over theirs; they end by themselves once the browser is gone.)
"""

import contextlib
import os
import signal
import sys
import time

GRACE_S = 1.0
POLL_S = 0.02


def own_ancestors():
    """This process and those above it: the connection's."""
    found, pid = set(), os.getpid()
    while pid > 1:
        found.add(pid)
        try:
            with open("/proc/" + str(pid) + "/stat") as stat:
                pid = int(stat.read().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            break
    return found


def marked(wanted):
    """Ids of live processes whose environment holds all of the given NAME=value texts."""
    spared, found = own_ancestors(), []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) in spared:
            continue
        try:
            with open("/proc/" + name + "/environ", "rb") as environ:
                variables = environ.read().split(b"\0")
        except OSError:
            continue
        if all(text.encode() in variables for text in wanted):
            found.append(int(name))
    return found


def send(pids, number):
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, number)


def main(tag, job=None):
    wanted = ["LONGLOOK_NODE=" + tag] + (["LONGLOOK_JOB=" + job] if job else [])
    victims = marked(wanted)
    send(victims, signal.SIGTERM)
    deadline = time.monotonic() + GRACE_S
    while victims and marked(wanted) and time.monotonic() < deadline:
        time.sleep(POLL_S)
    for _ in range(50):  # a dying process may have started another
        left = marked(wanted)
        if not left:
            break
        send(left, signal.SIGKILL)
        time.sleep(POLL_S)
    print(len(victims))


if __name__ == "__main__":
    main(*sys.argv[1:])
