"""Serves a tree of files with AIOHTTP: HTTP/1.1 over TLS 1.3. Run by its path, with aiohttp on PYTHONPATH.

  aiohttp_serve.py ROOT ADDRESS PORT CERTIFICATE KEY

When it listens it says its version, one line of JSON. Whoever kept a session can resume it: clients here keep none.
"""

import asyncio
import json
import ssl
import sys

import aiohttp
from aiohttp import web
from files import Files

THEN = "Then"
"""The field of a request that names further files, which follow the one asked for in the same answer (tools/quicgo)."""
GOODBYE_S = 3600.0
"""For a connection that is being closed to send what is left: after asyncio's own 30 s the rest of a slow answer would
be thrown away."""


async def main(root, address, port, certificate, key):
    files = Files(root)

    async def answer(request):
        # As the client wrote it: what aiohttp makes of it has lost which characters were encoded.
        found = [files.get(path) for path in (request.raw_path, *request.headers.get(THEN, "").split())]
        status, body, kind = next((one for one in found if one[0] != 200), found[0])
        if status == 200:
            body = b"".join(body for _, body, _ in found)
        headers = {"Content-Type": kind, "Cache-Control": "no-store,no-cache"}
        return web.Response(status=status, body=body, headers=headers)

    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.set_alpn_protocols(["http/1.1"])
    context.load_cert_chain(certificate, key)
    serving, loop = web.Server(answer, access_log=None), asyncio.get_running_loop()
    listening = await loop.create_server(serving, address, int(port), ssl=context, ssl_shutdown_timeout=GOODBYE_S)
    print(json.dumps({"version": f"{aiohttp.__version__} ({ssl.OPENSSL_VERSION})"}), flush=True)
    await listening.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
