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

GRACE_S = 0.1


async def main(root, address, port, certificate, key):
    files = Files(root)

    async def answer(request):
        # As the client wrote it: what aiohttp makes of it has lost which characters were encoded.
        status, body, kind = files.get(request.raw_path)
        headers = {"Content-Type": kind, "Cache-Control": "no-store,no-cache"}
        return web.Response(status=status, body=body, headers=headers)

    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.set_alpn_protocols(["http/1.1"])
    context.load_cert_chain(certificate, key)
    runner = web.ServerRunner(web.Server(answer, access_log=None))
    await runner.setup()
    await web.TCPSite(runner, address, int(port), ssl_context=context, shutdown_timeout=GRACE_S).start()
    print(json.dumps({"version": f"{aiohttp.__version__} ({ssl.OPENSSL_VERSION})"}), flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
