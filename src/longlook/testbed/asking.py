"""The asking end of the agent on the server node: servers and probes there, used as if they were here."""

from __future__ import annotations

import contextlib
import json
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longlook.errors import LonglookError, NotSupported
from longlook.host import process
from longlook.node.session import NodeError, Session
from longlook.probe import tcp_probe
from longlook.server.base import CONGESTION_COLUMNS, Server, ServerSettings

if TYPE_CHECKING:
    import pandas as pd

ANSWER_TIMEOUT_S = 60.0
CLOCK_SAMPLES = 15


class AgentConnection:
    """Context manager: the agent on a node, for as long as the connection lasts."""

    def __init__(self, session: Session, python: str, name: str, address: str, peer: str):
        self._session, self._argv = session, [python, "-m", "longlook.testbed.agent", name, address, peer]
        self._serial, self._lost = 0, False
        self._one_question = threading.Lock()

    def __enter__(self):
        self._process = self._session.popen(self._argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            self.interfaces = tuple(self.ask("hello")["interfaces"])
            self.compare_clocks()
        except BaseException:
            self._process.stop()
            raise
        return self

    def __exit__(self, *_):
        self._process.stop()

    def ask(self, op: str, **arguments) -> Any:
        """One operation of longlook.testbed.agent.Agent; its error is raised here, with the node's name. A question
        waits for the answer of the one before, whichever thread asks."""
        with self._one_question:
            return self._answered(op, arguments)

    def _answered(self, op: str, arguments: dict[str, Any]) -> Any:
        self._serial += 1
        where = f"{self._session.what} ({self._session.host})"
        if self._lost:
            raise NodeError(f"{where}: its agent is gone, as a question before found. Run the same command to go on")
        try:
            process.tell(self._process, {"id": self._serial, "op": op, "arguments": arguments})
            line = process.hear(self._process, ANSWER_TIMEOUT_S)
        except OSError:
            line = ""
        self._lost = line is None or not line.endswith("\n")  # where a connection was cut its last line may be cut too
        if line is None:
            raise NodeError(
                f"{where}: no answer to {op!r} within {ANSWER_TIMEOUT_S:g} s; is the node up? "
                "Run the same command to go on"
            )
        if self._lost:
            raise NodeError(
                f"{where}: the connection to its agent was lost (at {op!r}); the node may have been restarted. "
                "Run the same command to go on"
            )
        found = json.loads(line)
        if "error" in found:
            kind = NotSupported if found["error"] == "NotSupported" else LonglookError
            raise kind(f"on the {where}: {found['message']}")
        return found["result"]

    def compare_clocks(self) -> None:
        """Set `clock_ahead_s`: by how much the node's clock is ahead of this one's now, s.

        From the quickest of several questions, half its way each. Asked again whenever times come from there: clocks
        drift by milliseconds within minutes.
        """
        samples = []
        for _ in range(CLOCK_SAMPLES):
            before, began = time.time(), time.monotonic()
            there = self.ask("hello")["time"]
            took_s = time.monotonic() - began  # whatever becomes of the wall clock meanwhile
            samples.append((took_s, there - (before + took_s / 2)))
        self.clock_ahead_s = min(samples)[1]

    def bring(self, sources: dict[str, Path]) -> dict[str, str]:
        """Copy files and folders into a new folder of the node; name -> path there."""
        folder = self.ask("folder")
        placed = {name: f"{folder}/{source.name}" for name, source in sources.items()}
        for name, source in sources.items():
            self._session.put(source, placed[name])
        return placed

    @contextlib.contextmanager
    def capture(self, path: Path, expression: str, snaplen: int) -> Iterator[None]:
        """As probe.capture.capture, on the node; its file comes here at the end, its times by this node's clock."""
        there = f"{self.ask('folder')}/{path.name}"
        handle = self.ask("open_capture", path=there, expression=expression, snaplen=snaplen)["handle"]
        try:
            yield
        finally:
            self.ask("close", handle=handle)
        raw = path.with_suffix(".there")
        self._session.get(there, raw)
        self.ask("drop", path=str(Path(there).parent))
        self.compare_clocks()
        shifted = subprocess.run(
            ["editcap", "-F", "pcap", "-t", f"{-self.clock_ahead_s:.6f}", str(raw), str(path)],
            capture_output=True,
            text=True,
        )
        raw.unlink(missing_ok=True)
        if shifted.returncode:
            raise LonglookError(
                f"editcap could not read the server's capture: {shifted.stderr.strip()[-300:]} (apt-get install tshark)"
            )


def plain(settings: ServerSettings, placed: Mapping[str, str]) -> dict[str, Any]:
    """Settings as plain data for agent.server_settings; `placed`: where site, certificate and key are on the node."""
    site = settings.site
    files = {path: asdict(one) for path, one in site.files.items()}
    return {
        "arm": settings.arm.model_dump(mode="json"),
        "site": {"root": placed["site"], "files": files, "start": list(site.start)},
        "certificate": placed["certificate"],
        "key": placed["key"],
        "port": settings.port,
        "trace": settings.trace,
        "faults": settings.faults,
    }


class RemoteServer:
    """A server on the node, as server.base.RunningServer says; a context manager as a server here is."""

    def __init__(self, agent: AgentConnection, kind: type[Server], stack: str, settings: ServerSettings):
        self.name, self.offer, self.cca_source, self.settings = kind.name, kind.offer, kind.cca_source, settings
        self._agent, self._stack = agent, stack

    def __enter__(self):
        own = self.settings
        placed = self._agent.bring({"site": own.site.root, "certificate": own.certificate, "key": own.key})
        self._folder = str(Path(placed["site"]).parent)
        settings = plain(own, placed)
        self._handle = self._agent.ask("open_server", name=self.name, stack=self._stack, settings=settings)["handle"]
        return self

    def __exit__(self, *_):
        with contextlib.suppress(NodeError):  # with the connection the server is gone too
            self._agent.ask("close", handle=self._handle)
            self._agent.ask("drop", path=self._folder)

    def _ask(self, method: str) -> Any:
        return self._agent.ask("ask_server", handle=self._handle, method=method)

    def version(self) -> str:
        return self._ask("version")

    def cca_in_force(self) -> str:
        return self._ask("cca_in_force")

    @property
    def pids(self) -> tuple[int, ...]:
        """None on this machine."""
        return ()

    def stopped(self, last_s: float) -> dict[str, float]:
        return self._agent.ask("stopped", last_s=last_s)

    def cca_of_load(self) -> str:
        return self._ask("cca_of_load")

    def tcp_of_load(self) -> list[dict[str, Any]]:
        return self._ask("tcp_of_load")

    def early_data_by_connection(self) -> dict[str, bool] | None:
        return self._ask("early_data_by_connection")

    def version_refused(self) -> str | None:
        return self._ask("version_refused")

    def cpu_seconds(self) -> float:
        return self._ask("cpu_seconds")

    def request_us(self) -> list[float] | None:
        return self._ask("request_us")

    def initial_window_bytes(self) -> int | None:
        return self._ask("initial_window_bytes")

    def require_alive(self) -> None:
        self._ask("require_alive")

    def congestion(self) -> pd.DataFrame | None:
        """As the server's own, times by this node's clock."""
        found = self._ask("congestion")
        if found is None:
            return None
        import pandas as pd

        table = pd.DataFrame(found["data"], columns=found["columns"]).reindex(columns=CONGESTION_COLUMNS)
        return table.assign(time_s=table["time_s"] - self._agent.clock_ahead_s)


class RemoteTcpProbe:
    """As probe.tcp_probe.TcpProbe, on the node; times by this node's clock."""

    def __init__(self, agent: AgentConnection, session: Session, ports: list[int], path: Path):
        self._agent, self._session, self._ports, self._path = agent, session, ports, path

    def __enter__(self):
        self._there = f"{self._agent.ask('folder')}/{self._path.name}"
        self._handle = self._agent.ask("open_tcp_probe", ports=self._ports, path=self._there)["handle"]
        return self

    def __exit__(self, *_):
        said = self._agent.ask("close", handle=self._handle)
        self.lost_events, self._offset = said["lost_events"], said["offset"]
        self._session.get(self._there, self._path)

    def table(self) -> pd.DataFrame:
        with self._path.open(encoding="ascii", errors="replace") as lines:
            return tcp_probe.parse(lines, self._offset - self._agent.clock_ahead_s)
