"""Clients that are a program of ours (`programs/`): one process, one file per fetch (of some: several), each fetch, or
each file, on a connection of its own.

The program reads requests from its standard input and answers on its standard output, one line of JSON each:

  {"event": "ready", "version": "..."}
  {"id": 1, "path": "/file-000.bin", "timeout_ms": 60000, "fresh": true}
  {"id": 1, "ok": true, ...}      or      {"id": 1, "ok": false, "error": "..."}
"""

from __future__ import annotations

import abc
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from longlook.client.base import Client, LoadFailed, Request
from longlook.client.observation import Observation
from longlook.errors import LonglookError, NotSupported
from longlook.host import process
from longlook.host.cpulimit import held
from longlook.host.hosts import Running

PROGRAMS = Path(__file__).with_name("programs")
START_TIMEOUT_S = 20.0
REPLY_GRACE_S = 5.0


class ScriptedClient(Client):
    """A subclass names its program and what that is told, and reads its answers."""

    program: ClassVar[str]
    """File in `programs/`."""
    component: ClassVar[str]
    """Of the stack: the Python package that the program imports, or what runs it; empty where it needs none."""
    several: ClassVar[bool] = False
    """A fetch may be of several files, all at once; a request then has `further` paths."""

    @abc.abstractmethod
    def _arguments(self) -> list[str]:
        """Of the program."""

    @abc.abstractmethod
    def _observation(self, path: str, serial: int, reply: Mapping[str, Any]) -> Observation:
        """What an answer with `ok` says; `serial` tells the fetches of one client apart. Raise `LoadFailed`."""

    def _program(self) -> list[str]:
        """What runs the program, and the program."""
        return [*self._interpreter(), str(PROGRAMS / self.program)]

    def _interpreter(self) -> list[str]:
        """What runs the program."""
        return [sys.executable, "-S"]

    def _environment(self) -> dict[str, str]:
        """Variables of the program, beside those that every one has."""
        return {"PYTHONPATH": str(self.stack.python_path(self.component))} if self.component else {}

    def __enter__(self):
        self._owned = contextlib.ExitStack()
        self._serial = 0
        self._process: Running | None = None
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self._process is not None:
            process.stop(self._process)
        self._owned.close()

    def _start(self) -> None:
        own = self.settings
        self._folder = Path(self._owned.enter_context(tempfile.TemporaryDirectory(prefix=f"{self.name}-")))
        environment = self._environment()
        if own.key_log is not None:
            environment["SSLKEYLOGFILE"] = str(own.key_log)
        argv = [*self._program(), *self._arguments()]
        with (self._folder / "stderr").open("wb") as errors:
            self._process = self.testbed.popen(
                "client",
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=environment,
            )
        self._owned.enter_context(held(self._process.pid, own.arm.client_cpu_pct, own.arm.cpu_period_us))
        try:
            ready = self._reply(START_TIMEOUT_S)
        except LoadFailed as failure:
            raise LonglookError(f"{self.name} did not start: {failure}") from None
        self._version = str(ready["version"])

    @property
    def _running(self) -> Running:
        return process.started(self._process, self.name)

    def _reply(self, timeout_s: float) -> dict[str, Any]:
        line = process.hear(self._running, timeout_s)
        if line is None:
            raise LoadFailed(f"no answer from {self.name} within {timeout_s:g} s")
        if not line.endswith("\n"):
            said = (self._folder / "stderr").read_text(errors="replace").strip()[-300:]
            raise LoadFailed(f"{self.name} ended (killed?): {said or 'no message'}")
        return json.loads(line)

    def fetch(self, request: Request) -> Observation:
        if len(request.paths) != 1 and not self.several:
            raise NotSupported(f"{self.name} fetches one file at a time, not {len(request.paths)}")
        self._serial += 1
        try:
            process.tell(self._running, {"id": self._serial} | self._asked(request))
        except OSError:
            raise LoadFailed(f"{self.name} is gone (killed?)") from None
        while (reply := self._reply(request.timeout_s + REPLY_GRACE_S)).get("id") != self._serial:
            pass  # the answer to a fetch that was given up
        if not reply["ok"]:
            raise LoadFailed(reply["error"])
        return self._observation(request.paths[0], self._serial, reply)

    def _asked(self, request: Request) -> dict[str, Any]:
        path, *further = request.paths
        asked = {"path": path, "timeout_ms": int(request.timeout_s * 1000), "fresh": request.fresh}
        return asked | ({"further": further} if further else {})

    def drop_connections(self) -> None:
        """Each fetch has closed its own."""

    def abandon(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._running.pid, signal.SIGKILL)

    def version(self) -> str:
        return self._version

    @property
    def pids(self) -> tuple[int, ...]:
        return () if self._process is None else (self._process.pid,)

    def cpu_seconds(self) -> float:
        return process.cpu_seconds(self._running.pid)
