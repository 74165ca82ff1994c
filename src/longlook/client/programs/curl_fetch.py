"""Fetches files with libcurl, one request per line of standard input. Run by its path, with curl_cffi on PYTHONPATH.

  curl_fetch.py ORIGIN PORT ADDRESS CERTIFICATE HTTP      HTTP: 2 or 3
  {"id": 1, "ok": true, "status": 200, "http": 30, "size": 1000000, "sha256": "...", "namelookup_s": ..., ...}

Every fetch has a handle of its own: no connection and no session is used again.
"""

import hashlib
import sys

from curl_cffi import Curl, CurlError, CurlInfo, CurlOpt
from lines import FetchFailed, answer_all

HTTP_2_ONLY_OVER_TLS, HTTP_3_ONLY = 4, 31
TIMES = ("namelookup", "connect", "appconnect", "starttransfer", "total")


def fetch(url, resolve, certificate, http, timeout_ms):
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
        curl.setopt(CurlOpt.CAINFO, certificate.encode())
        curl.setopt(CurlOpt.HTTP_VERSION, HTTP_3_ONLY if http == 3 else HTTP_2_ONLY_OVER_TLS)
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


def main(origin, port, address, certificate, http):
    def one(path, timeout_s, _fresh):
        url, resolve = f"https://{origin}:{port}{path}", f"{origin}:{port}:{address}"
        return fetch(url, resolve, certificate, int(http), int(timeout_s * 1000))

    answer_all(Curl().version().decode(), one)


if __name__ == "__main__":
    main(*sys.argv[1:])
