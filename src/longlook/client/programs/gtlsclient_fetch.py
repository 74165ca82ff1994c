"""Fetches files with ngtcp2's `gtlsclient` over HTTP/3, one process per fetch. Run by its path.

  gtlsclient_fetch.py GTLSCLIENT VERSION FOLDER ORIGIN PORT ADDRESS

Each answer names the process's own accounts, which stay in FOLDER until the next fetch: its qlog and its debug output,
which alone tells the status. A fetch that is not to be fresh keeps its session in FOLDER's neighbour `session`, and
resumes the one that is there, with the request as early data.
"""

import hashlib
import shutil
import sys
from pathlib import Path

from lines import FetchFailed, answer_all
from processes import Processes

CHUNK = 1 << 16


class GtlsFetcher:
    """One after the other, in one folder."""

    def __init__(self, client, folder, origin, port, address):
        self.client, self.folder = client, Path(folder)
        self.origin, self.port, self.address = origin, port, address
        self.session = self.folder.with_name("session")
        self.session.mkdir()
        self.processes = Processes()

    def fetch(self, path, timeout_s, fresh):
        self.processes.reap()
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "got").mkdir(parents=True)
        url = f"https://{self.origin}:{self.port}{path}"
        argv = [self.client, "--no-quic-dump", "--no-http-dump", "--exit-on-all-streams-close"]
        argv += [f"--download={self.folder / 'got'}", f"--qlog-file={self.folder / 'qlog'}", f"--sni={self.origin}"]
        if not fresh:
            argv += [f"--session-file={self.session / 'tls'}", f"--tp-file={self.session / 'transport'}"]
        took_ms = self.processes.run([*argv, self.address, self.port, url], self.folder / "debug", timeout_s)
        return {"process_ms": took_ms} | self.told()

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
        return {
            "size": files[0].stat().st_size,
            "sha256": digest.hexdigest(),
            "earlier_cpu_s": self.processes.cpu_s,
        }


def main(client, version, folder, origin, port, address):
    answer_all(version, GtlsFetcher(client, folder, origin, port, address).fetch)


if __name__ == "__main__":
    main(*sys.argv[1:])
