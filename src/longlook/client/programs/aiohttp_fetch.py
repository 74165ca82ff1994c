"""Fetches files with AIOHTTP: HTTP/1.1 over TLS 1.3. Run by its path, with aiohttp on PYTHONPATH.

  aiohttp_fetch.py ORIGIN PORT ADDRESS CERTIFICATE

Every fetch has a connection and a TLS context of its own: no session is used again. Times are by the monotonic clock,
ms, from when the connection is about to be opened: until TLS's handshake is complete (the client's Finished leaves),
until the head of the answer is there, until the last byte is.
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


async def fetch(held, origin, port, address, certificate, path):
    """One request; what came of it. Its connection stands until what is `held` is closed."""
    watch, digest, size = Watch(held), hashlib.sha256(), 0
    url = URL(f"https://{origin}:{port}{path}", encoded=True)
    connector = aiohttp.TCPConnector(
        ssl=trusting(certificate), resolver=OneAddress(address), force_close=True, socket_factory=watch.socket
    )
    headers = {"Accept-Encoding": "identity"}
    try:
        async with (
            aiohttp.ClientSession(connector=connector, trace_configs=[watch.trace()], timeout=NO_TIMEOUT) as session,
            session.get(url, headers=headers, allow_redirects=False) as answer,
        ):
            watch.moments["first"] = time.monotonic()
            async for chunk in answer.content.iter_any():
                digest.update(chunk)
                size += len(chunk)
            watch.moments["last"] = time.monotonic()
    except (aiohttp.ClientError, OSError) as error:
        raise FetchFailed(f"{type(error).__name__}: {error}") from None
    at = {name: round((moment - watch.moments["begin"]) * 1e3, 3) for name, moment in watch.moments.items()}
    return {
        "status": answer.status,
        "protocol": f"http/{answer.version.major}.{answer.version.minor}",
        "port": watch.ports[0],
        "encoding": answer.headers.get("Content-Encoding"),
        "size": size,
        "sha256": digest.hexdigest(),
        "connect_ms": at["connect"],
        "ttfb_ms": at["first"],
        "ttlb_ms": at["last"],
    }


NO_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=None)
"""The whole fetch has one, below."""


def main(origin, port, address, certificate):
    # AIOHTTP closes a connection with its last byte, and its server knows it for half a round trip more: too short for
    # whoever asks about it on a busy machine. While there is another handle it stays.
    held: list[socket.socket] = []

    def let_go():
        while held:
            held.pop().close()

    def one(path, timeout_s, _fresh):
        try:
            return asyncio.run(asyncio.wait_for(fetch(held, origin, int(port), address, certificate, path), timeout_s))
        except TimeoutError:
            raise FetchFailed(f"not finished within {timeout_s:g} s") from None

    answer_all(f"{aiohttp.__version__} ({ssl.OPENSSL_VERSION})", one, let_go)


if __name__ == "__main__":
    main(*sys.argv[1:])
