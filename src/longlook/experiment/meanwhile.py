"""What is asked while a load is under way, since it may not be there to be asked afterwards."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

from longlook.errors import LonglookError

EVERY_S = 5.0
"""Longer than nearly every load: of those it asks nothing."""


@contextlib.contextmanager
def asked_meanwhile(ask: Callable[[], str]) -> Iterator[list[str]]:
    """The answers so far, while inside. A question that fails is left out: the next one, or the one after the load,
    says why."""
    heard: list[str] = []
    over = threading.Event()

    def body() -> None:
        while not over.wait(EVERY_S):
            with contextlib.suppress(LonglookError):
                heard.append(ask())

    asking = threading.Thread(target=body, daemon=True)
    asking.start()
    try:
        yield heard
    finally:
        over.set()
        asking.join()
