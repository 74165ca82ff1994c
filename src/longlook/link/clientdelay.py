"""Jitter on the client node, as in the thesis (3.3): `tc netem` on its experiment interface and, for what arrives, on an ifb.

One process (redraw.py) draws both delays anew, by default every 100 ms; it ends with the condition and takes its queueing disciplines along.
What a killed one left is cleared before the next condition, whichever that is.
"""

from __future__ import annotations

import select
import subprocess
import sys

from longlook.errors import LonglookError
from longlook.host import process
from longlook.host.hosts import Hosts
from longlook.link import redraw

IFB = "ifb0"
START_TIMEOUT_S = 15


def clear_client(testbed: Hosts) -> None:
    """Take away delays that an interrupted condition left on the client's interface; none there is fine."""
    for command in redraw.removals(testbed.hosts["client"].interfaces[0], IFB):
        testbed.run("client", command, timeout_s=10, check=False)


class ClientDelay:
    """Context manager: `base_ms` in each direction, redrawn within +- range_ms / 2 every `interval_ms`."""

    def __init__(self, testbed: Hosts, base_ms: float, range_ms: float, interval_ms: float, seed: int):
        if base_ms < range_ms / 2:
            raise LonglookError(
                f"jitter of {range_ms:g} ms needs at least {range_ms:g} ms of RTT beyond the bridge's: a delay would be negative"
            )
        self._testbed, self._interface = testbed, testbed.hosts["client"].interfaces[0]
        self._values = (base_ms, range_ms, interval_ms, seed)

    def settings(self) -> dict[str, float | str]:
        base_ms, range_ms, interval_ms, seed = self._values
        return {
            "delay_ms": base_ms,
            "range_ms": range_ms,
            "interval_ms": interval_ms,
            "seed": seed,
            "interface": self._interface,
            "ifb": IFB,
        }

    def __enter__(self):
        argv = [sys.executable, "-S", redraw.__file__, self._interface, IFB, *(str(value) for value in self._values)]
        self._process = self._testbed.popen("client", argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        readable, _, _ = select.select([self._process.stdout], [], [], START_TIMEOUT_S)
        said = self._process.stdout.readline().strip() if readable else f"nothing was said within {START_TIMEOUT_S} s"
        if said != "ready":
            rest = self._process.stdout.read().strip() if readable else ""
            process.stop(self._process)
            raise LonglookError(f"jitter could not be set on the client node: {said} {rest}"[-500:])
        return self

    def __exit__(self, *_):
        process.stop(self._process)

    def require_alive(self) -> None:
        """Raise if the redrawing process has ended before its time."""
        if self._process.poll() is not None:
            raise LonglookError(
                f"the process that redraws the client's delays ended ({self._process.returncode}): {self._process.stdout.read().strip()[-300:]}"
            )
