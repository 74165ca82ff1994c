"""Fetches files with the system's curl over HTTP/2, one process per fetch. Run by its path.

  systemcurl_fetch.py CURL VERSION FOLDER ORIGIN PORT ADDRESS CERTIFICATE [--insecure]
  {"id": 1, "ok": true, "status": 200, "http": 3, "size": 40960, "namelookup_s": ..., "earlier_cpu_s": ..., ...}

Times are curl's own (--write-out), in libcurl's words (curl_fetch.py), and so is the version of HTTP. The file stays in
FOLDER until the next fetch. The answer comes with curl's account, while its connection still stands: a slow curl takes
longer to end than a connection does.
"""

import argparse
import hashlib
import json
from pathlib import Path

from lines import FetchFailed, answer_all
from processes import Processes

TIMES = ("namelookup", "connect", "appconnect", "starttransfer", "total")
VERSIONS = {"1.1": 2, "2": 3}
"""HTTP's, as --write-out has it -> as CURL_HTTP_VERSION_* has it."""
CHUNK = 1 << 16


class CurlFetcher:
    """One after the other, in one folder."""

    def __init__(self, told):
        self.told, self.processes = told, Processes()
        self.file = Path(told.folder) / "file"
        self.file.parent.mkdir()

    def fetch(self, path, timeout_s, _fresh):
        told, origin = self.told, f"{self.told.origin}:{self.told.port}"
        argv = [told.curl, "--disable", "--silent", "--show-error", "--http2", "--cacert", told.certificate]
        argv += ["--resolve", f"{origin}:{told.address}", "--output", str(self.file)]
        argv += ["--write-out", "%{stderr}\n%{json}\n"]
        argv += ["--insecure"] if told.insecure else []
        self.file.unlink(missing_ok=True)
        return self.answer(self.processes.hear([*argv, f"https://{origin}{path}"], b"}\n", timeout_s))

    def answer(self, told):
        """What curl says of the fetch, and what the processes of earlier ones used."""
        said = told.strip().splitlines()
        try:
            found = json.loads(said[-1])
        except (IndexError, ValueError):
            raise FetchFailed(f"curl gave no account: {'; '.join(said[-2:]) or 'no message'}") from None
        if found["exitcode"]:
            raise FetchFailed(f"curl: {found['errormsg']}")
        digest = hashlib.sha256()
        with self.file.open("rb") as stream:
            while chunk := stream.read(CHUNK):
                digest.update(chunk)
        return {f"{name}_s": found[f"time_{name}"] for name in TIMES} | {
            "status": found["response_code"],
            "http": VERSIONS.get(found["http_version"], 0),
            "connects": found["num_connects"],
            "port": found["local_port"],
            "size": self.file.stat().st_size,
            "sha256": digest.hexdigest(),
            "earlier_cpu_s": self.processes.cpu_s,
        }


def arguments():
    """Of the command line."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    for name in ("curl", "version", "folder", "origin", "port", "address", "certificate"):
        parser.add_argument(name)
    parser.add_argument("--insecure", action="store_true")
    return parser.parse_args()


def main(told):
    answer_all(told.version, CurlFetcher(told).fetch)


if __name__ == "__main__":
    main(arguments())
