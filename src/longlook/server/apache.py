"""Server `apache`: HTTP/2 over TLS, Linux TCP. The controller is the namespace's, taken over by the listener."""

from __future__ import annotations

import re
from pathlib import Path

from longlook.host.tcpdiag import TcpDiag
from longlook.plan.arm import CCAS
from longlook.plan.offer import Offer
from longlook.server.base import Server
from longlook.stack.versions import apache_modules

NO_CONNECTION = "no connection"


class Apache(Server):
    """One child process with threads; files come from the file system, uncompressed."""

    name = "apache"
    offer = Offer(protocols=("tcp",), ccas=CCAS, handshakes=("1rtt",), pacing=True)

    def _command(self) -> list[str]:
        # Sockets inherit the listener's controller, so it has to be set before Apache starts.
        self.testbed.set_cca("server", self.settings.arm.cca)
        faults = self.settings.faults
        config = self.fill(
            self.stack.template("apache.conf"),
            {
                "address": self.address,
                "port": self.settings.port,
                "state": self.state,
                "modules": self._modules(),
                "www": self.settings.site.root,
                "tls": self.stack.tls,
                "certificate": self.settings.certificate,
                "key": self.settings.key,
                "user": "nobody",
                "group": "nogroup",
                "protocols": faults.get("protocols", "h2"),
                "extra": self._extra(),
                "extra_modules": self._extra_modules().replace("MODULES", str(self._modules())),
            },
            "apache.conf",
        )
        return [str(self.stack.binary("apache2")), "-DFOREGROUND", "-f", str(config)]

    def _extra(self) -> str:
        """Directives of the virtual host beside the template's."""
        return self.settings.faults.get("extra", "")

    def _extra_modules(self) -> str:
        """Directives in front of it; MODULES stands for the folder of Apache's modules."""
        return self.settings.faults.get("extra_modules", "")

    def _modules(self) -> Path:
        return apache_modules(self.stack.binary("apache2"), "mod_http2.so")

    def _listeners(self) -> str:
        return self.testbed.run("server", ["ss", "-Htlni", f"sport = :{self.settings.port}"], timeout_s=5)

    def _is_ready(self) -> bool:
        return bool(self._listeners().strip())

    def version(self) -> str:
        out = self.testbed.run("server", [str(self.stack.binary("apache2")), "-v"], timeout_s=10)
        match = re.search(r"Apache/(\S+)", out)
        return match.group(1) if match else out.strip()

    def _wait_ready(self) -> None:
        super()._wait_ready()
        self._diag = self._owned.enter_context(TcpDiag(self.process.pid))

    def cca_of_load(self) -> str:
        """As the kernel has it of the open connections, or else of those that are being closed: a route, for instance,
        may give them another one than the listener has."""
        found = self._diag.connections(self.settings.port)
        names = {one.cca for one in found if one.is_open} or {one.cca for one in found}
        return ", ".join(sorted(names)) or NO_CONNECTION

    def cca_in_force(self) -> str:
        words = self._listeners().split()
        return next((word for word in words if word in CCAS), "unknown")
