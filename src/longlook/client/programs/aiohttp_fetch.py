"""Fetches files with AIOHTTP: HTTP/1.1 over TLS 1.3. Run by its path, with aiohttp on PYTHONPATH.

  aiohttp_fetch.py ORIGIN PORT ADDRESS CERTIFICATE [each]

Every fetch, or with `each` every file, has a connection and a TLS context of its own: no session is used again. Times
are by the monotonic clock, ms, from when the (first) connection is about to be opened: until TLS's handshake is
complete (the client's Finished leaves), of several connections all; until the head of the (first) answer is there;
until the last byte is.
"""

import asyncio
import hashlib
import os
import socket
import ssl
import sys
import time

import aiohttp
from aiohttp.abc import AbstractResolver
from lines import FetchFailed, answer_all
from yarl import URL


class OneAddress(AbstractResolver):
    """The one address there is."""

    def __init__(self, address):
        self.address = address

    async def resolve(self, host, port=0, family=socket.AF_INET):
        one = {"hostname": host, "host": self.address, "port": port}
        return [one | {"family": socket.AF_INET, "proto": 0, "flags": socket.AI_NUMERICHOST}]

    async def close(self):
        pass


def trusting(certificate):
    """A context that trusts this certificate and speaks nothing older than TLS 1.3."""
    context = ssl.create_default_context(cafile=certificate)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.set_alpn_protocols(["http/1.1"])
    if "SSLKEYLOGFILE" in os.environ:
        context.keylog_filename = os.environ["SSLKEYLOGFILE"]
    return context


class Watch:
    """When the fetch's connection begins to be opened and when it stands, and from which port. `held` gets another
    handle of it."""

    def __init__(self, held):
        self.held = held
        self.moments: dict[str, float] = {}
        self.sockets: list[socket.socket] = []
        self.ports: list[int] = []

    def socket(self, address):
        self.sockets.append(socket.socket(*address[:3]))
        return self.sockets[-1]

    async def begins(self, *_):
        self.moments.setdefault("begin", time.monotonic())

    async def stands(self, *_):
        self.moments.setdefault("connect", time.monotonic())
        self.ports.append(self.sockets[-1].getsockname()[1])
        self.held.append(self.sockets[-1].dup())

    def trace(self):
        trace = aiohttp.TraceConfig()
        trace.on_connection_create_start.append(self.begins)
        trace.on_connection_create_end.append(self.stands)
        return trace


async def fetch(held, origin, port, address, context, paths):
    """One request, on a connection of its own, which stands until what is `held` is closed: its moments, and the files
    of its answer, each with the moment at which it was whole. Several are of one size and follow each other."""
    watch, files = Watch(held), []
    url = URL(f"https://{origin}:{port}{paths[0]}", encoded=True)
    connector = aiohttp.TCPConnector(
        ssl=context, resolver=OneAddress(address), force_close=True, socket_factory=watch.socket
    )
    headers = {"Accept-Encoding": "identity"} | ({THEN: " ".join(paths[1:])} if paths[1:] else {})
    try:
        async with (
            aiohttp.ClientSession(connector=connector, trace_configs=[watch.trace()], timeout=NO_TIMEOUT) as session,
            session.get(url, headers=headers, allow_redirects=False) as answer,
        ):
            watch.moments["first"] = time.monotonic()
            about = {
                "status": answer.status,
                "protocol": f"http/{answer.version.major}.{answer.version.minor}",
                "port": watch.ports[0],
                "encoding": answer.headers.get("Content-Encoding"),
            }
            each = (answer.content_length or 0) // len(paths) if paths[1:] else sys.maxsize
            for path in paths:
                digest, size = hashlib.sha256(), 0
                while chunk := await answer.content.read(each - size):
                    digest.update(chunk)
                    size += len(chunk)
                last = time.monotonic()
                files.append({"path": path, "size": size, "sha256": digest.hexdigest(), "last": last} | about)
    except (aiohttp.ClientError, OSError) as error:
        raise FetchFailed(f"{type(error).__name__}: {error}") from None
    return watch.moments, files


async def fetch_all(held, origin, port, address, certificate, answers):
    """Answers, each with the files of its paths, asked for at once; what came of them."""
    fetches = [fetch(held, origin, port, address, trusting(certificate), paths) for paths in answers]
    moments, came = zip(*await asyncio.gather(*fetches), strict=True)
    begin = min(one["begin"] for one in moments)

    def ms(moment):
        return round((moment - begin) * 1e3, 3)

    files = [one | {"ttlb_ms": ms(one.pop("last"))} for of_answer in came for one in of_answer]
    times = {
        "connect_ms": ms(max(one["connect"] for one in moments)),
        "ttfb_ms": ms(min(one["first"] for one in moments)),
        "ttlb_ms": max(one["ttlb_ms"] for one in files),
    }
    if len(files) == 1:
        return files[0] | times
    return times | {"files": files} | ({"port": files[0]["port"]} if len(answers) == 1 else {})


THEN = "Then"
"""Names further files, which a server of ours sends in the same answer (aiohttp_serve.py)."""
NO_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=None)
"""The whole fetch has one, below."""


def main(origin, port, address, certificate, each=""):
    # AIOHTTP closes a connection with its last byte, and its server knows it for half a round trip more: too short for
    # whoever asks about it on a busy machine. While there is another handle it stays.
    held: list[socket.socket] = []

    def let_go():
        while held:
            held.pop().close()

    def fetched(path, timeout_s, _fresh, *further):
        answers = [(one,) for one in (path, *further)] if each else [(path, *further)]
        asked = fetch_all(held, origin, int(port), address, certificate, answers)
        try:
            return asyncio.run(asyncio.wait_for(asked, timeout_s))
        except TimeoutError:
            raise FetchFailed(f"not finished within {timeout_s:g} s") from None

    answer_all(f"{aiohttp.__version__} ({ssl.OPENSSL_VERSION})", fetched, let_go)


if __name__ == "__main__":
    main(*sys.argv[1:])
