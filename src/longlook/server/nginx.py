"""Server `nginx`: HTTP/2 over TLS and Linux TCP, or HTTP/1.1 where the stack's TCP side speaks that.

It keeps connections, so that an arm may be `warm`.
"""

from __future__ import annotations

from longlook.plan.arm import CCAS
from longlook.plan.offer import Offer
from longlook.server.tcp import TcpServer

LISTENS = {"h2": "ssl http2", "http/1.1": "ssl"}
"""Version of the stack's TCP side -> what its socket is told."""


class Nginx(TcpServer):
    """One worker; files come from the file system, uncompressed."""

    name = "nginx"
    offer = Offer(protocols=("tcp",), ccas=CCAS, handshakes=("1rtt", "warm"), pacing=True)

    def _command(self) -> list[str]:
        self._set_cca()
        own = self.settings
        config = self.fill(
            self.stack.template("nginx.conf"),
            {
                "address": self.address,
                "port": own.port,
                "state": self.state,
                "www": own.site.root,
                "tls": self.stack.tls,
                "certificate": own.certificate,
                "key": own.key,
                "user": "nobody",
                "group": "nogroup",
                "protocols": own.faults.get("protocols", LISTENS[self.stack.protocol("tcp").version]),
                "extra": own.faults.get("extra", ""),
            },
            "nginx.conf",
        )
        # Its error log until it has read where that is to go.
        return [str(self.stack.binary("nginx")), "-e", str(self.state / "error.log"), "-c", str(config)]

    def version(self) -> str:
        return self.stack.component_versions()["nginx"]
