"""Jitter on the client node, as in the thesis (3.3), by `tc netem`.

It is on the node's experiment interface and, for what arrives, on an ifb. One process (redraw.py) draws both delays
anew, by default every 100 ms; it ends with the condition and takes its queueing disciplines along. What a killed one
left is cleared before the next condition, whichever that is.
"""

from __future__ import annotations

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
                f"jitter of {range_ms:g} ms needs at least {range_ms:g} ms of RTT beyond the bridge's: "
                "a delay would be negative"
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
        line = process.hear(self._process, START_TIMEOUT_S)
        if line is None or line.strip() != "ready":
            said = f"nothing was said within {START_TIMEOUT_S} s" if line is None else f"{line.strip()} {self._rest()}"
            process.stop(self._process)
            raise LonglookError(f"jitter could not be set on the client node: {said}"[-500:])
        return self

    def _rest(self) -> str:
        """What the process has yet to say, to its end."""
        return process.piped(self._process.stdout).read().strip()

    def __exit__(self, *_):
        process.stop(self._process)

    def require_alive(self) -> None:
        """Raise if the redrawing process has ended before its time."""
        if self._process.poll() is not None:
            status, said = self._process.returncode, self._rest()[-300:]
            raise LonglookError(f"the process that redraws the client's delays ended ({status}): {said}")
