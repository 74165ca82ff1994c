"""The contract of a server adapter.

Given an arm, a site, a certificate and a port, a server serves exactly the site's files, each under its own path, with
`Cache-Control: no-store,no-cache` and no compression, closes (or lets be closed) each connection after a load, and says
its version and the controller in force. What it cannot do it declares (`offer`); what it finds out only at the start it
answers with `NotSupported`.
"""

from __future__ import annotations

import abc
import contextlib
import json
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, Literal, Protocol

from longlook.errors import LonglookError
from longlook.host import process
from longlook.host.cpulimit import held
from longlook.host.files import read_text
from longlook.host.hosts import Hosts, Running
from longlook.host.sockets import pace
from longlook.plan.arm import Arm
from longlook.plan.offer import Offer
from longlook.site.tree import Site
from longlook.stack import Installed

if TYPE_CHECKING:
    import pandas as pd

CONGESTION_COLUMNS = ["time_s", "cwnd_bytes", "ssthresh_bytes", "bytes_in_flight", "smoothed_rtt_ms", "lost", "phase"]
"""Unix time; `lost`: packets declared lost so far; a column that a server cannot fill is empty."""

CcaSource = Literal["connection", "start", "program", "hello", "file"]
"""Where a server's word on its controller comes from: the connection itself; how it was started, or that its program
has no other, which no client can change; `hello`: only what its connections begin with, and a client's connection
options may change that (`experiment/in_force.py`); `file`: what somebody states, and
nobody has read."""


@dataclass(frozen=True)
class ServerSettings:
    """What every server is given. Paths are absolute; `port` is on the testbed's server address."""

    arm: Arm
    site: Site
    certificate: Path
    key: Path
    port: int = 443
    trace: bool = False
    """Keep the server's own account of its congestion control, for `congestion()`."""
    faults: dict[str, Any] = field(default_factory=dict)
    """Deliberate faults for negative controls, and nothing else; empty in every measurement."""


class RunningServer(Protocol):
    """What can be asked of a server that is ready: a `Server` on this machine, a RemoteServer on another node."""

    name: str
    settings: ServerSettings
    cca_source: CcaSource

    def require_alive(self) -> None:
        """Raise with the server's own last words if it has died."""

    def cpu_seconds(self) -> float:
        """CPU seconds that the server has used so far."""

    def version(self) -> str:
        """As the program reports it."""

    def cca_in_force(self) -> str:
        """The controller that new connections get, read back from the kernel or the server."""

    def cca_of_load(self) -> str:
        """The controller of the connection that a load has just used."""

    def tcp_of_load(self) -> list[dict[str, Any]]:
        """What a load's TCP connections negotiated and waited for (host.tcpdiag.Info, as plain data); none of QUIC's,
        or where they are gone."""

    @property
    def pids(self) -> tuple[int, ...]:
        """Processes on this machine that are the server's, without their descendants; none if it is elsewhere."""

    def early_data_by_connection(self) -> dict[str, bool] | None:
        """Per server-side connection whether its first request came as 0-RTT data; None if it cannot tell."""

    def congestion(self) -> pd.DataFrame | None:
        """The server's own account (`settings.trace`), columns CONGESTION_COLUMNS, in the order of time.

        None if it has none.
        """

    def version_refused(self) -> str | None:
        """What a client offered, and what the server speaks, if it has refused a client's QUIC version."""

    def request_us(self) -> list[float] | None:
        """How long it was at work at each request so far, us, by a clock of its own; None: it is asked for no cost."""

    def initial_window_bytes(self) -> int | None:
        """The congestion window that its connections began with, bytes; None where its program does not tell."""

    def stopped(self, last_s: float) -> dict[str, float]:
        """Of a server on another machine, programs there that somebody stopped or froze within the last so many
        seconds, and for how long, s (probe/stopwatch.py); who runs it here watches it here."""


class Server(abc.ABC):
    """Use as a context manager; inside, the server is ready to answer what RunningServer lists."""

    name: str
    offer: Offer
    """What it can do; `offer.protocols` is the one that it speaks."""
    cca_source: CcaSource
    start_timeout_s = 20.0

    def __init__(self, testbed: Hosts, stack: Installed, settings: ServerSettings):
        self.testbed, self.stack, self.settings = testbed, stack, settings
        self.address = testbed.hosts["server"].address
        self._process: Running | None = None

    def __enter__(self):
        self.state = Path(tempfile.mkdtemp(prefix=f"{self.name}-"))
        self.state.chmod(0o755)
        self._owned = contextlib.ExitStack()
        self._log_position = 0
        try:
            with (self.state / "output").open("wb") as output:
                self._process = self.testbed.popen("server", self._command(), stdout=output, stderr=subprocess.STDOUT)
            arm = self.settings.arm
            self._owned.enter_context(held(self.process.pid, arm.server_cpu_pct, arm.cpu_period_us))
            self._wait_ready()
            if arm.paced:
                pace(self.process.pid, self.settings.port)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self._process is not None:
            process.stop(self._process)
        self._owned.close()
        shutil.rmtree(self.state, ignore_errors=True)

    @property
    def process(self) -> Running:
        """Its program, once it has been started; ended or not."""
        return process.started(self._process, self.name)

    def _wait_ready(self) -> None:
        deadline = time.monotonic() + self.start_timeout_s
        while not self._is_ready():
            if self.process.poll() is not None:
                raise LonglookError(f"{self.name} ended at start ({self.process.returncode}): {self._complaint()}")
            if time.monotonic() > deadline:
                raise LonglookError(f"{self.name} was not ready within {self.start_timeout_s:g} s: {self._complaint()}")
            time.sleep(0.02)  # polling interval; the wait itself is bounded by the deadline above

    def _complaint(self) -> str:
        """The last lines the server wrote."""
        texts = [
            path.read_text(errors="replace")
            for path in (self.state / "error.log", self.state / "output")
            if path.exists()
        ]
        return "\n".join(texts).strip()[-800:] or "no message"

    def require_alive(self) -> None:
        if self.process.poll() is not None:
            raise LonglookError(f"{self.name} died (exit {self.process.returncode}): {self._complaint()}")

    def fill(self, template: Path, values: dict[str, Any], name: str) -> Path:
        """Write a configuration from the stack's template; a missing value is an error, not an empty text."""
        try:
            text = Template(read_text(template, "the template")).substitute(
                {key: str(value) for key, value in values.items()}
            )
        except KeyError as error:
            raise LonglookError(f"{template} asks for {error}, which {self.name} does not give") from None
        path = self.state / name
        path.write_text(text, encoding="utf-8")
        return path

    def new_log_records(self) -> list[dict]:
        """Whole lines of access.log, one JSON object each, that came since the last call."""
        path = self.state / "access.log"
        if not path.exists():
            return []
        with path.open("rb") as log:
            log.seek(self._log_position)
            text = log.read()
        whole = text[: text.rfind(b"\n") + 1]
        self._log_position += len(whole)
        return [json.loads(line) for line in whole.splitlines()]

    @property
    def pids(self) -> tuple[int, ...]:
        """Processes on this machine that are the server's, without their descendants."""
        return (self.process.pid,)

    def cpu_seconds(self) -> float:
        return process.cpu_seconds(self.process.pid)

    def stopped(self, last_s: float) -> dict[str, float]:
        return {}

    @abc.abstractmethod
    def _command(self) -> list[str]:
        """Write the configuration and return the argument list."""

    @abc.abstractmethod
    def _is_ready(self) -> bool:
        """True when a client would be answered."""

    @abc.abstractmethod
    def version(self) -> str: ...

    @abc.abstractmethod
    def cca_in_force(self) -> str: ...

    def cca_of_load(self) -> str:
        """The controller of the connection that a load has just used, from the connection itself where it can be asked;
        asked as soon as the load has ended. Here: what new connections get."""
        return self.cca_in_force()

    def tcp_of_load(self) -> list[dict[str, Any]]:
        return []

    def early_data_by_connection(self) -> dict[str, bool] | None:
        return None

    def congestion(self) -> pd.DataFrame | None:
        return None

    def version_refused(self) -> str | None:
        return None

    def request_us(self) -> list[float] | None:
        return None

    def initial_window_bytes(self) -> int | None:
        return None
