"""Programs that are stopped while a load is under way."""

import contextlib
import math
import os
import signal
import threading
import time


def stop(pid, seconds):
    os.kill(pid, signal.SIGSTOP)
    time.sleep(seconds)
    os.kill(pid, signal.SIGCONT)


@contextlib.contextmanager
def again_and_again(hold, for_s=math.inf):
    """Three times a second for 50 ms: on a busy machine nobody knows when a load begins."""
    over, until = threading.Event(), time.monotonic() + for_s

    def body():
        while time.monotonic() < until and not over.wait(0.3):
            hold(0.05)

    holder = threading.Thread(target=body)
    holder.start()
    try:
        yield
    finally:
        over.set()
        holder.join()
