"""Client `curl`: libcurl as the package curl_cffi has it, over HTTP/3 (ngtcp2) or HTTP/2.

One process, one file per fetch.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from longlook.client.base import Client, LoadFailed, Request
from longlook.client.curl.timings import observation
from longlook.client.observation import Observation
from longlook.errors import LonglookError, NotSupported
from longlook.host import process
from longlook.host.cpulimit import held
from longlook.host.hosts import Running
from longlook.plan.offer import Offer

SCRIPT = Path(__file__).with_name("fetch.py")
COMPONENT = "curl-cffi"
START_TIMEOUT_S = 20.0
REPLY_GRACE_S = 5.0


class Curl(Client):
    """Times are libcurl's own, counted from the end of the name's look-up, as `curl -w` would give them."""

    name = "curl"
    offer = Offer(protocols=("quic", "tcp"), handshakes=("1rtt",), workloads=("download",))

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
        self._errors = Path(self._owned.enter_context(tempfile.TemporaryDirectory(prefix="curl-"))) / "stderr"
        http = "3" if own.arm.protocol == "quic" else "2"
        environment = {"PYTHONPATH": str(self.stack.python_path(COMPONENT)), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
        if own.key_log is not None:
            environment["SSLKEYLOGFILE"] = str(own.key_log)
        argv = [sys.executable, "-S", str(SCRIPT), own.origin, str(own.port), own.address, str(own.certificate), http]
        with self._errors.open("wb") as errors:
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
            raise LonglookError(f"curl did not start: {failure}") from None
        self._version = str(ready["version"])

    @property
    def _running(self) -> Running:
        return process.started(self._process, self.name)

    def _reply(self, timeout_s: float) -> dict[str, Any]:
        line = process.hear(self._running, timeout_s)
        if line is None:
            raise LoadFailed(f"no answer from curl within {timeout_s:g} s")
        if not line.endswith("\n"):
            said = self._errors.read_text(errors="replace").strip()[-300:]
            raise LoadFailed(f"curl ended (killed?): {said or 'no message'}")
        return json.loads(line)

    def fetch(self, request: Request) -> Observation:
        if len(request.paths) != 1:
            raise NotSupported(f"curl fetches one file at a time, not {len(request.paths)}")
        self._serial += 1
        path = request.paths[0]
        asked = {"id": self._serial, "path": path, "timeout_ms": int(request.timeout_s * 1000)}
        try:
            process.tell(self._running, asked)
        except OSError:
            raise LoadFailed("curl is gone (killed?)") from None
        while (reply := self._reply(request.timeout_s + REPLY_GRACE_S)).get("id") != self._serial:
            pass  # the answer to a fetch that was given up
        if not reply["ok"]:
            raise LoadFailed(reply["error"])
        return observation(path, self._serial, reply)

    def drop_connections(self) -> None:
        """Each fetch has closed its own."""

    def abandon(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._running.pid, signal.SIGKILL)

    def version(self) -> str:
        found = re.search(r"libcurl/(\S+)", self._version)
        return found.group(1) if found else self._version

    @property
    def pids(self) -> tuple[int, ...]:
        return () if self._process is None else (self._process.pid,)

    def cpu_seconds(self) -> float:
        return process.cpu_seconds(self._running.pid)
