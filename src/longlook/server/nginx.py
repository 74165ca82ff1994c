"""Server `nginx`: HTTP/2 over TLS and Linux TCP, or HTTP/1.1 where the stack's TCP side speaks that.

It keeps connections, so that an arm may be `warm`, and takes early data of TLS 1.3 where the stack's template says how
it tells of them.
"""

from __future__ import annotations

from typing import Self

from longlook.errors import NotSupported
from longlook.plan.arm import CCAS
from longlook.plan.offer import Offer
from longlook.server.tcp import TcpServer

LISTENS = {"h2": "ssl http2", "http/1.1": "ssl"}
"""Version of the stack's TCP side -> what its socket is told."""
CURVES = {"x25519": "X25519", "secp256r1": "prime256v1", "secp384r1": "secp384r1"}
"""Groups by OpenSSL's names."""


class Nginx(TcpServer):
    """One worker; files come from the file system, uncompressed."""

    name = "nginx"
    offer = Offer(
        protocols=("tcp",),
        ccas=CCAS,
        handshakes=("1rtt", "0rtt", "warm"),
        early_when_asked=True,
        pacing=True,
        groups=True,
    )

    def __enter__(self) -> Self:
        self._early_data: dict[str, bool] = {}
        return super().__enter__()

    @property
    def _early(self) -> bool:
        return self.settings.arm.may_send_early

    def _command(self) -> list[str]:
        self._set_cca()
        own = self.settings
        template = self.stack.template("nginx.conf")
        if self._early and "${early_data}" not in template.read_text(encoding="utf-8"):
            raise NotSupported(f"nginx takes no early data with {template}")
        config = self.fill(
            template,
            {
                "early_data": own.faults.get("early_data", "on" if self._early else "off"),
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
                "extra": own.faults.get("extra", "") + self._curves(),
            },
            "nginx.conf",
        )
        # Its error log until it has read where that is to go.
        return [str(self.stack.binary("nginx")), "-e", str(self.state / "error.log"), "-c", str(config)]

    def _curves(self) -> str:
        """The line of its configuration that says which groups it takes, if an arm does."""
        groups = self.settings.arm.server_groups
        return f"ssl_ecdh_curve {':'.join(CURVES[group] for group in groups)};" if groups else ""

    def early_data_by_connection(self) -> dict[str, bool] | None:
        """nginx tells of each request whether it came before the handshake had ended; of an arm that sends none it is
        not asked."""
        if not self._early:
            return None
        for record in self.new_log_records():
            self._early_data.setdefault(record["connection"], record["early_data"] == "1")
        return dict(self._early_data)

    def version(self) -> str:
        return self.stack.component_version("nginx")
