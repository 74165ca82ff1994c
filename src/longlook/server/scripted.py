"""Servers that are a program of ours (`programs/`) around a library of the stack."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, ClassVar

from longlook.errors import LonglookError
from longlook.server.base import Server

PROGRAMS = Path(__file__).with_name("programs")


class ScriptedServer(Server):
    """Its program says one line of JSON, with its `version`, when it listens. Also beside another base."""

    program: ClassVar[str]
    """File in `programs/`."""
    component: ClassVar[str]
    """Of the stack: the Python package that the program imports, or what runs it."""

    def _started_with(self, *arguments: str) -> list[str]:
        """The command line; `arguments` follow those that every program has."""
        own = self.settings
        given = (str(own.site.root), self.address, str(own.port), str(own.certificate), str(own.key))
        return [*self._program(), *given, *arguments]

    def _program(self) -> list[str]:
        """What runs the program, and the program."""
        return [*self._interpreter(), str(PROGRAMS / self.program)]

    def _interpreter(self) -> list[str]:
        """What runs the program; by `env`, so that a variable is the program's and of nothing that a testbed may start
        it with."""
        packages = f"PYTHONPATH={self.stack.python_path(self.component)}"
        beside = "PYTHONSAFEPATH="  # programs import what lies beside them
        return ["env", packages, beside, *self._qlog_folder(), sys.executable, "-S"]

    def _qlog_folder(self) -> list[str]:
        """Variable by which a program is told to write qlogs, where they are asked for."""
        if not self.settings.trace:
            return []
        self._qlogs.mkdir()
        return [f"QLOGDIR={self._qlogs}"]

    @property
    def _qlogs(self) -> Path:
        return self.state / "qlog"

    def _is_ready(self) -> bool:
        return bool(self._told())

    def _told(self) -> dict[str, Any]:
        """What it has said of itself; nothing before it listens."""
        for line in (self.state / "output").read_text(errors="replace").splitlines():
            if line.startswith("{") and line.endswith("}"):
                return json.loads(line)
        return {}

    def version(self) -> str:
        told = self._told()
        if "version" not in told:
            raise LonglookError(f"{self.name} has not said its version: {self._complaint()}")
        return str(told["version"])
