"""Fetches files with libcurl, one request per line of standard input. Run by its path, with curl_cffi on PYTHONPATH.

  curl_fetch.py ORIGIN PORT ADDRESS CERTIFICATE HTTP [--curves=P-256:X25519] [--insecure]      HTTP: 2 or 3
  {"id": 1, "ok": true, "status": 200, "http": 30, "size": 1000000, "sha256": "...", "namelookup_s": ..., ...}

Every fetch has a handle of its own: no connection and no session is used again. Certificates that are to be trusted are
read for each, and with --insecure no certificate is held to them, nor to the origin's name.
"""

import argparse
import hashlib

from curl_cffi import Curl, CurlError, CurlInfo, CurlOpt
from lines import FetchFailed, answer_all

HTTP_2_ONLY_OVER_TLS, HTTP_3_ONLY = 4, 31
TIMES = ("namelookup", "connect", "appconnect", "starttransfer", "total")


def fetch(url, resolve, told, timeout_ms):
    """One request; what came of it."""
    digest, size = hashlib.sha256(), 0

    def take(chunk):
        nonlocal size
        digest.update(chunk)
        size += len(chunk)
        return len(chunk)

    curl = Curl()
    try:
        curl.setopt(CurlOpt.URL, url.encode())
        curl.setopt(CurlOpt.RESOLVE, [resolve])
        curl.setopt(CurlOpt.CAINFO, told.certificate.encode())
        curl.setopt(CurlOpt.HTTP_VERSION, HTTP_3_ONLY if told.http == 3 else HTTP_2_ONLY_OVER_TLS)
        if told.curves:
            curl.setopt(CurlOpt.SSL_EC_CURVES, told.curves.encode())
        if told.insecure:
            curl.setopt(CurlOpt.SSL_VERIFYPEER, 0)
            curl.setopt(CurlOpt.SSL_VERIFYHOST, 0)
        curl.setopt(CurlOpt.TIMEOUT_MS, timeout_ms)
        curl.setopt(CurlOpt.FORBID_REUSE, 1)
        curl.setopt(CurlOpt.WRITEFUNCTION, take)
        curl.perform()
        times = {f"{name}_s": curl.getinfo(getattr(CurlInfo, f"{name.upper()}_TIME")) for name in TIMES}
        return times | {
            "status": curl.getinfo(CurlInfo.RESPONSE_CODE),
            "http": curl.getinfo(CurlInfo.HTTP_VERSION),
            "connects": curl.getinfo(CurlInfo.NUM_CONNECTS),
            "port": curl.getinfo(CurlInfo.LOCAL_PORT),
            "size": size,
            "sha256": digest.hexdigest(),
        }
    except CurlError as error:
        raise FetchFailed(str(error)) from None
    finally:
        curl.close()


def arguments():
    """Of the command line."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    for name in ("origin", "port", "address", "certificate"):
        parser.add_argument(name)
    parser.add_argument("http", type=int, choices=(2, 3))
    parser.add_argument("--curves")
    parser.add_argument("--insecure", action="store_true")
    return parser.parse_args()


def main(told):
    def one(path, timeout_s, _fresh):
        origin = f"{told.origin}:{told.port}"
        return fetch(f"https://{origin}{path}", f"{origin}:{told.address}", told, int(timeout_s * 1000))

    answer_all(Curl().version().decode(), one)


if __name__ == "__main__":
    main(arguments())
