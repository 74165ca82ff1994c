"""Runs on another control host: a Dask worker for one testbed, which ends with the connection that it was started over.

python -m longlook.experiment.away      standard input: one line of JSON: bed, what (it is owned for), scheduler,
host (to listen at), options (of Nanny), credentials
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from typing import Any

from distributed import Nanny, Worker

from longlook.errors import LonglookError
from longlook.experiment.credentials import security
from longlook.experiment.places import place_of
from longlook.experiment.scratch import own_scratch
from longlook.host.command import command
from longlook.testbed.description import parse_description

READY = "ready"


class QuietWorker(Worker):
    """A worker that serves no web pages: the scheduler's dashboard shows everything, and each is one more open port."""

    def start_http_server(self, *_, **__) -> None:
        """Nothing: Dask would listen on all interfaces here."""


async def work(scheduler: str, host: str, options: dict[str, Any], credentials: dict[str, str]) -> None:
    """A worker and its nanny, until the run ends or its connection is cut (OpenSSH itself ends no program then)."""
    own = security(credentials)
    async with Nanny(scheduler, host=host, worker_class=QuietWorker, security=own, **options) as nanny:
        print(READY, flush=True)
        silence = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):  # nobody reads on: a full pipe must not hold up a cell
            os.dup2(silence, stream)
        ends = [asyncio.ensure_future(one) for one in (_cut(), nanny.finished())]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)


async def _cut() -> None:
    """Until standard input ends."""
    loop, cut = asyncio.get_running_loop(), asyncio.Event()

    def wait() -> None:
        while os.read(0, 1024):
            continue
        loop.call_soon_threadsafe(cut.set)

    threading.Thread(target=wait, daemon=True).start()
    await cut.wait()


def main() -> None:
    """Credentials come by standard input: arguments and environment are seen by others."""
    said = json.loads(sys.stdin.buffer.readline())
    place, what = place_of(parse_description(said.pop("bed"))), said.pop("what")
    try:
        with command(), own_scratch(), place.owned(what):
            try:
                asyncio.run(work(**said))
            finally:
                place.clean()
    except LonglookError as refused:
        sys.exit(str(refused))


if __name__ == "__main__":
    main()
