"""Servers by file: aioquic's program over HTTP/3 and nginx over HTTP/2, which are always there; nginx over both."""

import json
import sys

from longlook import paths
from longlook.server.scripted import PROGRAMS
from longlook.server.stated import keep, read
from longlook.stack.install import install

NGINX = paths.ROOT / "servers" / "nginx.toml"
NGINX_HTTP3 = paths.ROOT / "servers" / "nginx-http3.toml"
HAPROXY = paths.ROOT / "servers" / "haproxy.toml"
OVER = {"quic": {"handshake": "1rtt", "cca": "not told"}, "tcp": {}}
"""What an arm of such a server states, but for its digest."""


def aioquic():
    """The file's text."""
    packages = f"PYTHONPATH={install('halme2021').python_path('aioquic')}"
    serve = ["env", packages, "PYTHONSAFEPATH=", sys.executable, "-S", str(PROGRAMS / "aioquic_serve.py")]
    given = ["${site}", "${address}", "${port}", "${certificate}", "${key}", "reno", "${scratch}/log", "none"]
    return (
        f'name = "aio"\nprotocols = ["quic"]\ncommand = {json.dumps([*serve, *given])}\nversion = ["echo", "its own"]\n'
    )


def nginx(more="", file=NGINX):
    """The same; `more`: directives of its configuration."""
    configuration = (file.parent / "nginx.conf").read_text(encoding="utf-8")
    configuration = configuration.replace("  server {", f"  {more}\n  server {{")
    return file.read_text(encoding="utf-8").replace('"nginx.conf"', f'"""\n{configuration}"""')


def arm(folder, text, protocol):
    """What an arm states whose server such a file does."""
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return OVER[protocol] | {"server_file": keep(read(path))}
