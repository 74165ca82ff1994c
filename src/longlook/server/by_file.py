"""Servers `by-file` (QUIC) and `by-file-tcp`: a program of somebody's own, as a file states it (`stated.py`).

It is given a folder of files, a certificate and a port, and is asked for nothing but its version. What it does not
tell (QUIC's controller and window, early data) is recorded as not told; the oracle holds it to the rest.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from longlook.errors import LonglookError, plain
from longlook.host.sockets import udp_listens
from longlook.plan.arm import CCAS, NOT_TOLD
from longlook.plan.offer import Offer
from longlook.server.base import CcaSource, Server
from longlook.server.stated import FILLED, PLACEHOLDER, kept
from longlook.server.tcp import TcpServer
from longlook.stack.debian import Unpacked

PORT = 443
"""Of a program that cannot be told another one, as an endpoint of quic-interop-runner."""
VERSION_DIGITS = 100


class ByFile(Server):
    """Ready as soon as its program has opened the UDP port; it ends no connection."""

    name = "by-file"
    offer = Offer(protocols=("quic",), ccas=(*CCAS, NOT_TOLD), handshakes=("1rtt", "resumed"), left_open=True)
    cca_source: CcaSource = "file"
    socket = "UDP"

    def __enter__(self) -> Self:
        self.stated = kept(str(self.settings.arm.server_file))
        self.name = self.stated.name
        return super().__enter__()

    def _command(self) -> list[str]:
        own, stated = self.settings, self.stated
        if own.port != PORT and "${port}" not in "\n".join((*stated.command, stated.configuration)):
            raise LonglookError(f"{self.name} listens on {PORT}, as its file has no ${{port}}, and not on {own.port}")
        scratch = self.state / "scratch"
        certificates = scratch / "certificates"
        certificates.mkdir(parents=True)
        scratch.chmod(0o700)
        for name, source in (("cert.pem", own.certificate), ("priv.key", own.key)):
            (certificates / name).write_bytes(source.read_bytes())
        configuration = scratch / "configuration"
        root = "/" if stated.debian is None else Unpacked.of(stated.debian).root
        given = (
            self.address, own.port, stated.protocols[own.arm.protocol], own.site.root, own.certificate, own.key,
            certificates, scratch, configuration, root,
        )  # fmt: skip
        self._values = dict(zip(FILLED, map(str, given), strict=True))
        configuration.write_text(self._fill(stated.configuration), encoding="utf-8")
        return self._with_variables(stated.command)

    def _fill(self, text: str) -> str:
        return PLACEHOLDER.sub(lambda found: self._values[found[1]], text)

    def _with_variables(self, command: Sequence[str]) -> list[str]:
        """A command with what endpoints of quic-interop-runner are told; its packages, and the folder of a program
        that is stated with one, are the first of PATH."""
        values, own = self._values, self.stated.debian
        folders = [] if own is None else [Unpacked.of(own).starters]
        if "/" in (program := self.stated.command[0]):
            folders.append(Path(program).parent)
        variables = {
            "PATH": os.pathsep.join((*map(str, folders), os.environ.get("PATH", os.defpath))),
            "ROLE": "server",
            "TESTCASE": "http3",
            "SERVER_PARAMS": "",
            "WWW": values["site"],
            "CERTS": values["certificates"],
            "HOME": values["scratch"],
        }
        return ["env", *(f"{name}={value}" for name, value in variables.items()), *map(self._fill, command)]

    def _is_ready(self) -> bool:
        return udp_listens(self.testbed, self.settings.port)

    def _complaint(self) -> str:
        """Where it runs and does not listen, that is said too: it may speak another protocol than it is asked for."""
        said = super()._complaint()
        if self.process.poll() is not None or self._is_ready():
            return said
        return f"nothing listens on {self.socket} port {self.settings.port}; it said: {said}"

    def version(self) -> str:
        said = self.testbed.run("server", self._with_variables(self.stated.version), timeout_s=10).strip()
        if not said:
            raise LonglookError(f"{self.name} did not say its version: its `version` command printed nothing")
        return plain(said.splitlines()[0])[:VERSION_DIGITS]

    def cca_in_force(self) -> str:
        return self.stated.cca or NOT_TOLD


class ByFileTcp(TcpServer, ByFile):
    """Over TCP the kernel tells the controller. Its connections stay open, and the client's side ends them."""

    name = "by-file-tcp"
    offer = Offer(protocols=("tcp",), ccas=CCAS, handshakes=("1rtt", "resumed"))
    socket = "TCP"

    def _command(self) -> list[str]:
        self._set_cca()
        return super()._command()
