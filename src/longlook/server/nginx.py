"""Server `nginx`: HTTP/2 over TLS, Linux TCP. It keeps connections, so that an arm may be `warm`."""

from __future__ import annotations

from longlook.plan.arm import CCAS
from longlook.plan.offer import Offer
from longlook.server.tcp import TcpServer


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
                "protocols": own.faults.get("protocols", "ssl http2"),
                "extra": own.faults.get("extra", ""),
            },
            "nginx.conf",
        )
        # Its error log until it has read where that is to go.
        return [str(self.stack.binary("nginx")), "-e", str(self.state / "error.log"), "-c", str(config)]

    def version(self) -> str:
        return self.stack.component_versions()["nginx"]
