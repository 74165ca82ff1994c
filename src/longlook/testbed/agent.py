"""Runs on the server node, at the other end of an SSH channel: starts servers and probes there, and answers about them.

  python -m longlook.testbed.agent NAME ADDRESS PEER

Requests come on standard input, one JSON object per line; answers go to standard output. Everything that it started
ends with it, and it ends with the channel.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from longlook.errors import LonglookError, NotSupported
from longlook.host import facts
from longlook.plan.arm import Arm
from longlook.probe.capture import capture
from longlook.probe.stopwatch import StopWatch
from longlook.probe.tcp_probe import TcpProbe
from longlook.server import SERVERS
from longlook.server.base import Server, ServerSettings
from longlook.site.tree import Site, SiteFile
from longlook.stack import open_stack
from longlook.stack.adapters import SERVERS as SERVED
from longlook.testbed.onehost import OneHost

SERVER_METHODS = (
    "version",
    "cca_in_force",
    "cca_of_load",
    "tcp_of_load",
    "early_data_by_connection",
    "version_refused",
    "cpu_seconds",
    "require_alive",
    "congestion",
    "request_us",
    "initial_window_bytes",
)


class Agent:
    """What can be asked for: each public method is one operation, its arguments the request's."""

    def __init__(self, bed: OneHost, owned: contextlib.ExitStack):
        self._bed, self._owned = bed, owned
        self._opened: dict[int, tuple[contextlib.ExitStack, Any]] = {}
        self._stops: StopWatch | None = None
        self._watched: set[int] = set()

    def hello(self) -> dict[str, Any]:
        """Where this is, and the time here (Unix, s), from which the asker tells the clocks' difference."""
        return {"interfaces": list(self._bed.hosts["server"].interfaces), "time": time.time()}

    def folder(self) -> str:
        """A new folder that others may read, removed with the agent."""
        made = Path(tempfile.mkdtemp(prefix="longlook-"))
        made.chmod(0o755)
        os.chown(made, int(os.environ.get("SUDO_UID", -1)), -1)  # files are brought as the user who logs in
        self._owned.callback(shutil.rmtree, made, ignore_errors=True)
        return str(made)

    def drop(self, path: str) -> None:
        """Remove a folder that `folder` made: the next attempt's page may need its space."""
        shutil.rmtree(path, ignore_errors=True)

    def settings(self) -> dict[str, str]:
        """The network settings in force, as read back from the kernel."""
        return self._bed.sysctls()["server"]

    def machine(self) -> dict[str, Any]:
        """Processors, memory, kernel of this node."""
        return {key: value for key, value in facts.machine().items() if key != "git_commit"}

    def set_cca(self, name: str) -> str:
        return self._bed.set_cca("server", name)

    def set_slow_start(self, window: int | None, threshold: int | None) -> None:
        self._bed.set_slow_start("server", window, threshold)

    def open_server(self, name: str, stack: str, settings: dict[str, Any]) -> dict[str, Any]:
        """Start a server of a stack; `settings` as `server_settings` reads them, paths on this node."""
        if self._stops is None:
            self._stops = self._owned.enter_context(StopWatch())
        opened = self._open(
            SERVERS[name](self._bed, open_stack(stack, needed=SERVED[name].components), server_settings(settings))
        )
        self._watched.update(self._opened[opened["handle"]][1].pids)
        self._stops.watch(self._watched)
        return opened

    def stopped(self, last_s: float) -> dict[str, float]:
        """This node's programs that were held within the last so many seconds, and for how long, s."""
        now = time.monotonic()
        return {} if self._stops is None else self._stops.stopped(now - last_s, now)

    def open_capture(self, path: str, expression: str, snaplen: int) -> dict[str, Any]:
        return self._open(capture(self._bed, "server", Path(path), expression, snaplen))

    def open_tcp_probe(self, ports: list[int], path: str) -> dict[str, Any]:
        return self._open(TcpProbe(self._bed.name, ports, Path(path)))

    def _open(self, context) -> dict[str, Any]:
        own = contextlib.ExitStack()
        inside = own.enter_context(context)
        handle = len(self._opened) + 1
        self._opened[handle] = (own, inside)
        self._owned.push(own)
        return {"handle": handle}

    def close(self, handle: int) -> dict[str, Any]:
        """Leave what was opened; of a TCP probe, what is known only then."""
        own, inside = self._opened[handle]
        own.close()
        return {"lost_events": inside.lost_events, "offset": inside._offset} if isinstance(inside, TcpProbe) else {}

    def ask_server(self, handle: int, method: str) -> Any:
        """The answer of one of the server's methods."""
        server = self._opened[handle][1]
        if not isinstance(server, Server) or method not in SERVER_METHODS:
            raise LonglookError(f"a server does not answer {method!r} (known: {', '.join(SERVER_METHODS)})")
        answer = getattr(server, method)()
        if method == "congestion" and answer is not None:
            return json.loads(answer.to_json(orient="split", double_precision=9))
        return answer


def server_settings(data: dict[str, Any]) -> ServerSettings:
    """Plain data (asking.plain) -> the settings."""
    site = data["site"]
    files = {path: SiteFile(**one) for path, one in site["files"].items()}
    own = data | {
        "arm": Arm.parse(data["arm"]),
        "site": Site(Path(site["root"]), files, tuple(site["start"])),
        "certificate": Path(data["certificate"]),
        "key": Path(data["key"]),
    }
    return ServerSettings(**own)


def answer(agent: Agent, line: str) -> dict[str, Any]:
    """One request -> its answer: the result, or the error's kind and message."""
    request = json.loads(line)
    try:
        operation: Callable = getattr(agent, request["op"])
        return {"id": request["id"], "result": operation(**request.get("arguments", {}))}
    except (LonglookError, OSError) as error:
        kind = "NotSupported" if isinstance(error, NotSupported) else "LonglookError"
        return {"id": request["id"], "error": kind, "message": str(error)}
    except Exception as error:  # a fault of ours: said as what it is, and not taken for a lost node
        return {"id": request["id"], "error": "LonglookError", "message": f"{type(error).__name__}: {error}"}


def main(name: str, address: str, peer: str) -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what programs print must not be taken for an answer
    with contextlib.ExitStack() as owned:
        bed = owned.enter_context(OneHost(name, "server", address, peer))
        agent = Agent(bed, owned)
        for line in sys.stdin:
            answers.write(json.dumps(answer(agent, line)) + "\n")
            answers.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
