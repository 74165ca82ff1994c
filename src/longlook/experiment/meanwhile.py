"""What is asked while a load is under way, since it may not be there to be asked afterwards."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

from longlook.errors import LonglookError

LEAST_S, MOST_S = 0.02, 5.0
"""Between two questions. The time doubles from one to the next, so that short loads are asked once or twice and long
ones seldom: each question takes some 0.2 ms of a processor."""


@contextlib.contextmanager
def asked_meanwhile(ask: Callable[[], str], first_s: float) -> Iterator[list[str]]:
    """The answers so far, while inside, the first one after `first_s`. A question that fails is left out: the next one,
    or the one after the load, says why."""
    heard: list[str] = []
    over = threading.Event()

    def body() -> None:
        pause_s = max(first_s, LEAST_S)
        while not over.wait(pause_s):
            pause_s = min(2 * pause_s, MOST_S)
            with contextlib.suppress(LonglookError):
                heard.append(ask())

    asking = threading.Thread(target=body, daemon=True)
    asking.start()
    try:
        yield heard
    finally:
        over.set()
        asking.join()
