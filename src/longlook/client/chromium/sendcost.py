"""A cost of sending for Chromium's network service: a small library, made for one browser and loaded into it."""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path

from longlook.errors import LonglookError

SOURCE = Path(__file__).parents[1] / "programs" / "sendcost.c"
COUNT = struct.Struct("=QQ")


class SendCost:
    """`cost_us`: of processor, after each send; `folder`: the browser's own, without a space in its path."""

    def __init__(self, cost_us: int, folder: Path):
        self._library, self._count = folder / "sendcost.so", folder / "sends"
        self._count.write_bytes(bytes(COUNT.size))
        compiler = shutil.which("cc")
        if compiler is None:
            raise LonglookError(
                "a C compiler is missing, it makes what gives a client a cost per send: apt-get install gcc libc6-dev"
            )
        given = [f"-DCOST_US={cost_us}", f'-DCOUNT_FILE="{self._count}"']
        argv = [compiler, "-O2", "-Wall", "-Werror", "-shared", "-fPIC", *given, "-o", str(self._library), str(SOURCE)]
        made = subprocess.run(argv, capture_output=True, text=True, check=False)
        if made.returncode:
            raise LonglookError(f"{SOURCE.name} was not compiled by {compiler}: {made.stderr.strip()[-500:]}")

    @property
    def flag(self) -> str:
        """Of the browser: utility processes are started by `env`, with the library."""
        return f"--utility-cmd-prefix=env LD_PRELOAD={self._library}"

    def spent(self) -> tuple[int, float]:
        """How many sends had a cost so far, and the least that one had, us of wall clock."""
        sends, least_ns = COUNT.unpack(self._count.read_bytes())
        return sends, least_ns / 1e3
