"""Runs a command on a machine whose processors are all slower by the same share.

  taskset -c 0 python tools/slowed.py 0.2 longlook run processors

Of each millisecond a thread of real-time priority takes a part from everything but what emulates the link and what
watches, whose priority is higher (src/longlook/book/slowed.py).
"""

import os
import signal
import subprocess
import sys
import time

PERIOD_S = 0.001


def take(share, processor, parent):
    """As long as its parent lives; `share`: of a processor's time, 0 to 1."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.sched_setaffinity(0, {processor})
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    due = time.monotonic()
    while os.getppid() == parent:
        due = max(due + PERIOD_S, time.monotonic())
        time.sleep(max(0, due - time.monotonic()))
        while time.monotonic() < due + share * PERIOD_S:
            pass


def main():
    share, command = float(sys.argv[1]), sys.argv[2:]
    if not 0 < share < 0.9 or not command:
        sys.exit("usage: slowed.py SHARE COMMAND..., SHARE above 0 and below 0.9")
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    except PermissionError:
        sys.exit("the machine was not slowed down: real-time priority is needed, and root has it")
    parent, takers = os.getpid(), []
    for processor in os.sched_getaffinity(0):
        if (pid := os.fork()) == 0:
            take(share, processor, parent)
            os._exit(0)
        takers.append(pid)
    try:
        status = subprocess.call(command)
    finally:
        ended = [pid for pid in takers if os.waitpid(pid, os.WNOHANG)[0]]
        for pid in set(takers) - set(ended):
            os.kill(pid, signal.SIGKILL)
    sys.exit("the machine was not slowed down all the time: what takes its processors' time ended" if ended else status)


if __name__ == "__main__":
    main()
