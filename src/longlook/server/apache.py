"""Server `apache`: HTTP/2 over TLS and Linux TCP, or HTTP/1.1 where the stack's TCP side speaks that."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePath

from longlook.plan.arm import CCAS
from longlook.plan.offer import Offer
from longlook.server.tcp import TcpServer
from longlook.stack.versions import apache_modules

NOTHING_OF_OTHERS = ('<Directory "/">', "AllowOverride None", "</Directory>")
"""Apache looks for a .htaccess in every folder above the site, that for everybody's temporary files among them."""


class Apache(TcpServer):
    """One child process with threads; files come from the file system, uncompressed."""

    name = "apache"
    offer = Offer(protocols=("tcp",), ccas=CCAS, handshakes=("1rtt", "resumed"), pacing=True)

    def _command(self) -> list[str]:
        self._set_cca()
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
                "protocols": faults.get("protocols", self.stack.protocol("tcp").version),
                "extra": self._extra(),
                "extra_modules": self._extra_modules().replace("MODULES", str(self._modules())),
            },
            "apache.conf",
        )
        last = [part for line in NOTHING_OF_OTHERS for part in ("-c", line)]
        return [str(self.stack.binary("apache2")), "-DFOREGROUND", "-f", str(config), *last]

    def _extra(self) -> str:
        """Directives of the virtual host beside the template's."""
        return "\n  ".join([*self._types(), self.settings.faults.get("extra", "")])

    def _types(self) -> Iterator[str]:
        """Media types as the site has them: by suffix, and by path where files of one suffix differ or have none."""
        by_suffix: dict[str, set[str]] = {}
        for path, one in self.settings.site.files.items():
            by_suffix.setdefault(PurePath(path).suffix, set()).add(one.content_type)
        for suffix, types in by_suffix.items():
            if len(types) == 1 and re.fullmatch(r"\.[A-Za-z0-9]+", suffix):
                yield f'AddType "{min(types)}" {suffix}'
        for path, one in self.settings.site.files.items():
            suffix = PurePath(path).suffix
            if len(by_suffix[suffix]) > 1 or not re.fullmatch(r"\.[A-Za-z0-9]+", suffix):
                yield f'<Location "{path}">\n    ForceType "{one.content_type}"\n  </Location>'

    def _extra_modules(self) -> str:
        """Directives in front of it; MODULES stands for the folder of Apache's modules."""
        return self.settings.faults.get("extra_modules", "")

    def _modules(self) -> Path:
        return apache_modules(self.stack.binary("apache2"), "mod_http2.so")

    def version(self) -> str:
        out = self.testbed.run("server", [str(self.stack.binary("apache2")), "-v"], timeout_s=10)
        match = re.search(r"Apache/(\S+)", out)
        return match.group(1) if match else out.strip()
