"""One process for each fetch, of the programs here that have another do it."""

import os
import select
import signal
import time

from lines import FetchFailed

END_S = 3.0
CHUNK = 1 << 16


class Processes:
    """One after the other. Each is reaped when the next begins, so that whoever looks at this program's children still
    finds what it used; `cpu_s` is what those before it did."""

    def __init__(self):
        self.ended, self.cpu_s = None, 0.0

    def reap(self):
        """The process of the fetch before; its CPU seconds are kept."""
        if self.ended is not None:
            _, _, used = os.wait4(self.ended, 0)
            self.cpu_s += used.ru_utime + used.ru_stime
            self.ended = None

    def start(self, argv, *files):
        """Its output is told by `files` (os.posix_spawn); it ends when this program does."""
        self.reap()
        tied = ["setpriv", "--pdeathsig", "KILL", "--", *argv]
        nothing = (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0)
        self.ended = os.posix_spawnp(tied[0], tied, os.environ, file_actions=[nothing, *files])
        return self.ended

    def run(self, argv, output, timeout_s):
        """Until it has ended, ms; what it says goes into the file `output`."""
        began = time.monotonic()
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        pid = self.start(argv, (os.POSIX_SPAWN_OPEN, 1, str(output), flags, 0o644), (os.POSIX_SPAWN_DUP2, 1, 2))
        handle = os.pidfd_open(pid)
        try:
            if not select.select([handle], [], [], timeout_s)[0]:
                give_up(pid, timeout_s)
        finally:
            os.close(handle)
        return round((time.monotonic() - began) * 1e3, 3)

    def hear(self, argv, end, timeout_s):
        """What it says on its standard error until that ends with `end`, or until it says no more. It may go on: what
        it does at its end is nobody's to wait for."""
        reading, writing = os.pipe()
        try:
            pid = self.start(
                argv, (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0), (os.POSIX_SPAWN_DUP2, writing, 2)
            )
            os.close(writing)
            said, deadline = b"", time.monotonic() + timeout_s
            while not said.endswith(end):
                if not select.select([reading], [], [], max(0.0, deadline - time.monotonic()))[0]:
                    give_up(pid, timeout_s)
                if not (more := os.read(reading, CHUNK)):
                    break
                said += more
            return said.decode(errors="replace")
        finally:
            os.close(reading)


def give_up(pid, timeout_s):
    """End a process that takes too long."""
    os.kill(pid, signal.SIGKILL)
    handle = os.pidfd_open(pid)
    select.select([handle], [], [], END_S)
    os.close(handle)
    raise FetchFailed(f"not finished within {timeout_s:g} s")
