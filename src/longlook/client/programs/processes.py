"""One process for each fetch, of the programs here that have another do it."""

import os
import select
import signal
import time

from lines import FetchFailed

END_S = 3.0


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

    def run(self, argv, output, timeout_s):
        """Until it has ended, ms; it ends when this program does, and what it says goes into the file `output`."""
        self.reap()
        files = [
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(output), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ]
        tied = ["setpriv", "--pdeathsig", "KILL", "--", *argv]
        began = time.monotonic()
        self.ended = os.posix_spawnp(tied[0], tied, os.environ, file_actions=files)
        handle = os.pidfd_open(self.ended)
        try:
            if not select.select([handle], [], [], timeout_s)[0]:
                os.kill(self.ended, signal.SIGKILL)
                select.select([handle], [], [], END_S)
                raise FetchFailed(f"not finished within {timeout_s:g} s")
        finally:
            os.close(handle)
        return round((time.monotonic() - began) * 1e3, 3)
