"""Fetches files with ngtcp2's `gtlsclient` over HTTP/3, one process per fetch. Run by its path.

  gtlsclient_fetch.py GTLSCLIENT VERSION FOLDER ORIGIN PORT ADDRESS

Each answer names the process's own accounts, which stay in FOLDER until the next fetch: its qlog and its debug output,
which alone tells the status. A fetch that is not to be fresh keeps its session in FOLDER's neighbour `session`, and
resumes the one that is there, with the request as early data. The process is reaped at the next fetch only, so that
whoever looks at this program's children still finds what it used.
"""

import hashlib
import os
import select
import shutil
import signal
import sys
import time
from pathlib import Path

from lines import FetchFailed, answer_all

END_S = 3.0
CHUNK = 1 << 16


class Fetcher:
    """One after the other, in one folder."""

    def __init__(self, client, folder, origin, port, address):
        self.client, self.folder = client, Path(folder)
        self.origin, self.port, self.address = origin, port, address
        self.session = self.folder.with_name("session")
        self.session.mkdir()
        self.ended, self.cpu_s = None, 0.0

    def reap(self):
        """The process of the fetch before; its CPU seconds are kept."""
        if self.ended is not None:
            _, _, used = os.wait4(self.ended, 0)
            self.cpu_s += used.ru_utime + used.ru_stime
            self.ended = None

    def fetch(self, path, timeout_s, fresh):
        self.reap()
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "got").mkdir(parents=True)
        url = f"https://{self.origin}:{self.port}{path}"
        argv = [self.client, "--no-quic-dump", "--no-http-dump", "--exit-on-all-streams-close"]
        argv += [f"--download={self.folder / 'got'}", f"--qlog-file={self.folder / 'qlog'}", f"--sni={self.origin}"]
        if not fresh:
            argv += [f"--session-file={self.session / 'tls'}", f"--tp-file={self.session / 'transport'}"]
        began = time.monotonic()
        self.ended = self.start([*argv, self.address, self.port, url])
        handle = os.pidfd_open(self.ended)
        try:
            if not select.select([handle], [], [], timeout_s)[0]:
                os.kill(self.ended, signal.SIGKILL)
                select.select([handle], [], [], END_S)
                raise FetchFailed(f"not finished within {timeout_s:g} s")
        finally:
            os.close(handle)
        took_ms = round((time.monotonic() - began) * 1e3, 3)
        return {"process_ms": took_ms} | self.told()

    def start(self, argv):
        """Its process id; it ends when this program does, and its output goes into `debug`."""
        files = [
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(self.folder / "debug"), os.O_WRONLY | os.O_CREAT, 0o644),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ]
        tied = ["setpriv", "--pdeathsig", "KILL", "--", *argv]
        return os.posix_spawnp(tied[0], tied, os.environ, file_actions=files)

    def told(self):
        """The one file that came, and what the processes of earlier fetches used."""
        files = [path for path in (self.folder / "got").rglob("*") if path.is_file()]
        if len(files) != 1:
            said = (self.folder / "debug").read_text(errors="replace").strip().splitlines()[-2:]
            raise FetchFailed(f"{len(files)} files came: {'; '.join(said) or 'no message'}")
        digest = hashlib.sha256()
        with files[0].open("rb") as stream:
            while chunk := stream.read(CHUNK):
                digest.update(chunk)
        return {"size": files[0].stat().st_size, "sha256": digest.hexdigest(), "earlier_cpu_s": self.cpu_s}


def main(client, version, folder, origin, port, address):
    answer_all(version, Fetcher(client, folder, origin, port, address).fetch)


if __name__ == "__main__":
    main(*sys.argv[1:])
