"""A pinned headless Chromium, driven over the DevTools protocol by js/driver.js."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from longlook.client import played
from longlook.client.base import Client, LoadFailed, Request
from longlook.client.chromium import file
from longlook.client.chromium.har import observation
from longlook.client.chromium.sendcost import SendCost
from longlook.client.observation import Observation
from longlook.errors import LonglookError, NotSupported
from longlook.host import process
from longlook.host.cpulimit import held
from longlook.host.hosts import Running
from longlook.host.sockets import end_udp, shut_tcp
from longlook.plan.arm import NOT_TOLD
from longlook.plan.offer import Offer
from longlook.site.page import PAGE
from longlook.stack.changed import client_program

DRIVER = Path(__file__).parent / "js" / "driver.js"
START_TIMEOUT_S = 20.0
REPLY_GRACE_S = 5.0

COMMON_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--no-proxy-server",
    "--remote-debugging-port=0",
)
EARLY_DATA = "--enable-features=EnableTLS13EarlyData"
"""TLS 1.3's early data over TCP, which Chromium does not send by itself. Of several switches of that name a browser
heeds the last one: for the old ones, which have another, there is no server that would take early data."""
NOBODYS_PORT = 1
PAINTS_LIBRARY, PLAYER = "speedline-core", "dashjs"
PLAY_GRACE_S, LEAVE_TIMEOUT_S = 30.0, 10.0
"""Beyond a session's length: the player is read, and its bodies are hashed; until its tab is closed."""
KEEPING = ("Q039", "Q043")
"""Versions of gQUIC of browsers whose cache takes along what 0-RTT needs, from Chromium 67 on; no server lets anything
else into it (`no-store`)."""


class Chromium(Client):
    """One browser process with one context; the cache is emptied before every load, except with `KEEPING`.

    A page is loaded; a file that is none is fetched by a script, which needs Chromium 74 or newer (js/download.js).
    """

    name = "chromium"
    offer = Offer(
        protocols=("quic", "tcp"),
        handshakes=("0rtt", "1rtt", "warm", "resumed"),
        workloads=("page", "webpage", "site", "download", "video"),
        changes=True,
        alt_svc=True,
        asks_for_options=True,
        send_cost=True,
    )

    def __enter__(self):
        self._home = Path(tempfile.mkdtemp(prefix="chromium-"))
        self._browser: Running | None = None
        self._driver: Running | None = None
        self._sends: SendCost | None = None
        self._serial = 0
        self._lingers = False
        self._owned = contextlib.ExitStack()
        try:
            self._start_browser()
            self._start_driver()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for child in (self._driver, self._browser):
            if child is not None:
                process.stop(child, grace_s=2.0)
        self._owned.close()
        shutil.rmtree(self._home, ignore_errors=True)

    def flags(self) -> list[str]:
        """Every switch of the browser, in order."""
        own, arm = self.settings, self.settings.arm
        resolve = f"MAP {own.origin} {own.address}"
        flags = [*COMMON_FLAGS, f"--user-data-dir={self._home / 'profile'}", f"--host-resolver-rules={resolve}"]
        flags.append(f"--ignore-certificate-errors-spki-list={own.spki}")
        # A script's request to a private address is preceded by another one (up to Chromium 112) or needs a permission
        # (from 142 on): the server's counts as a public one.
        flags.append(f"--ip-address-space-overrides={own.address}:{own.port}=public")
        flags += self.stack.client_flags(arm.protocol)
        # Of a host that is named there Chromium takes a certificate over QUIC whose authority it does not know, on any
        # port; it is told to speak QUIC at once on that one alone.
        port = NOBODYS_PORT if arm.learns else own.port
        flags.append(f"--origin-to-force-quic-on={own.origin}:{port}" if arm.protocol == "quic" else "--disable-quic")
        if arm.protocol == "tcp" and arm.may_send_early:
            flags.append(EARLY_DATA)
        if arm.server_file is None and arm.cca != NOT_TOLD:  # of a server by file no controller is asked for
            flags += self.stack.client_options(arm.protocol, arm.cca, arm.quic_options)
        if own.key_log is not None:
            flags.append(f"--ssl-key-log-file={own.key_log}")
        if self._sends is not None:
            flags.append(self._sends.flag)
        return flags

    def _start_browser(self) -> None:
        self._errors = self._home / "stderr"
        if (cost_us := self.settings.arm.send_cost_us) is not None:
            self._sends = SendCost(cost_us, self._home)
        (self._home / "profile").mkdir()  # headless Chromium writes its port file only where the folder exists
        with self._errors.open("wb") as errors:
            self._browser = self.testbed.popen(
                "client",
                [str(self._program()), *self.flags(), "about:blank"],
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env={"HOME": str(self._home)},
            )
        arm = self.settings.arm
        self._owned.enter_context(held(self._browser.pid, arm.client_cpu_pct, arm.cpu_period_us))
        self._port = self._wait_for_port(self._browser)

    def _program(self) -> Path:
        return client_program(self.stack, self.settings.arm.protocol, self.name)

    def _wait_for_port(self, browser: Running) -> int:
        """The DevTools port, from the file that Chromium writes once it listens."""
        path = self._home / "profile" / "DevToolsActivePort"
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline:
            lines = path.read_text().splitlines() if path.exists() else []
            if len(lines) >= 2:
                return int(lines[0])
            if browser.poll() is not None:
                raise LonglookError(f"Chromium ended at start ({browser.returncode}): {self._last_words()}")
            time.sleep(0.01)  # polling interval, bounded by the deadline
        raise LonglookError(f"Chromium opened no DevTools port within {START_TIMEOUT_S:g} s: {self._last_words()}")

    def _last_words(self) -> str:
        return self._errors.read_text(errors="replace").strip()[-500:] or "no message"

    def _start_driver(self) -> None:
        self._driver = self.testbed.popen(
            "client",
            ["node", str(DRIVER), str(self._port), str(self.stack.node_modules)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        ready = self._reply(START_TIMEOUT_S)
        if ready.get("event") != "ready":
            raise LonglookError(f"the DevTools driver did not start: {ready.get('error')}")
        self._version = str(ready["browser"])

    @property
    def _running_driver(self) -> Running:
        return process.started(self._driver, "the DevTools driver")

    @property
    def _browser_pid(self) -> int:
        return process.started(self._browser, "Chromium").pid

    def _reply(self, timeout_s: float) -> dict[str, Any]:
        line = process.hear(self._running_driver, timeout_s)
        if line is None:
            raise LoadFailed(f"no answer from the DevTools driver within {timeout_s:g} s")
        if not line:
            raise LoadFailed(f"the DevTools driver ended; Chromium said: {self._last_words()}")
        return json.loads(line)

    def fetch(self, request: Request) -> Observation:
        if len(request.paths) != 1:
            raise NotSupported(f"chromium loads one page, or one file: not {', '.join(request.paths)}")
        if self.settings.film_s is not None:
            return self._play(request.paths[0], self.settings.film_s, request)
        if not self._is_page(request.paths[0]):
            return self._download(request.paths[0], request)
        return self.discover(request)

    def discover(self, request: Request) -> Observation:
        told = self._load(request)
        try:
            return observation(told["har"]["log"], told.get("paints"))
        except (LookupError, TypeError, ValueError) as error:
            raise LoadFailed(f"the load's HAR lacks something: {error!r}") from None

    def _download(self, path: str, request: Request) -> Observation:
        """Over TCP from a fresh context too: any other would resume a TLS session, which no client of files does."""
        fresh = request.fresh or self.settings.arm.protocol == "tcp"
        told = self._ask(request.timeout_s, op="download", url=self._url(path), fresh_context=fresh)["file"]
        return file.observation(path, told)

    def _play(self, path: str, seconds: int, request: Request) -> Observation:
        """Over TCP from a fresh context too, as a file."""
        fresh = request.fresh or self.settings.arm.protocol == "tcp"
        asked = {"player": str(self.stack.modules(PLAYER)), "seconds": seconds, "fresh_context": fresh}
        told = self._ask(seconds + PLAY_GRACE_S, op="play", url=self._url(path), **asked)["session"]
        self._lingers = True
        try:
            return played.recorded({"kind": played.KIND} | told)
        except (LookupError, TypeError, ValueError) as error:
            raise LoadFailed(f"what the player told does not fit together: {error!r}") from None

    def hashes(self, page: str, paths: tuple[str, ...], timeout_s: float) -> dict[str, str] | None:
        """By a script in the page, in a context of its own, which has no sessions and no cache; files tell theirs."""
        if not self._is_page(page):
            return None
        return self._ask(timeout_s, op="hash", url=self._url(page), paths=paths)["hashes"]

    def _is_page(self, path: str) -> bool:
        """What is looked at is one, whatever its path."""
        return self.settings.paints or path == PAGE

    def _url(self, path: str) -> str:
        own = self.settings
        return f"https://{own.origin if own.port == 443 else f'{own.origin}:{own.port}'}{path}"

    def _load(self, request: Request) -> dict[str, Any]:
        """The HAR of a page, and what was painted, where that is watched: then over TCP from a fresh context too, but
        for an arm that resumes."""
        protocol, watched = self.settings.arm.protocol, self.settings.paints
        # With its cache Chromium forgets what Alt-Svc told: every document came over HTTP/2, its objects over HTTP/3.
        clear = self.stack.protocol(protocol).version not in KEEPING and not self.settings.arm.learns
        fresh = request.fresh or (watched and protocol == "tcp" and self.settings.arm.handshake != "resumed")
        asked: dict[str, Any] = {
            "url": self._url(request.paths[0]),
            "fresh_context": fresh,
            "clear_cache": clear,
            "live": self.stack.protocol(protocol).client_live,
        }
        if watched:
            asked |= {"paints": str(self.stack.modules(PAINTS_LIBRARY)), "pictures": request.pictures}
        return self._ask(request.timeout_s, op="load", **asked)

    def _ask(self, timeout_s: float, **asked: Any) -> dict[str, Any]:
        """The driver's answer to one operation."""
        self._serial += 1
        request = {"id": self._serial, "timeout_ms": int(timeout_s * 1000)} | asked
        try:
            process.tell(self._running_driver, request)
        except OSError:
            raise LoadFailed("the DevTools driver is gone (killed?)") from None
        while (reply := self._reply(2 * timeout_s + REPLY_GRACE_S)).get("id") != self._serial:
            if reply.get("event") == "failed":
                raise LoadFailed(str(reply.get("error")))
        if not reply["ok"]:
            raise LoadFailed(reply["error"])
        return reply

    def drop_connections(self) -> None:
        if self._lingers:
            self._lingers = False
            with contextlib.suppress(LoadFailed):  # the next operation says what is wrong
                self._ask(LEAVE_TIMEOUT_S, op="leave")
        if self.settings.arm.protocol == "tcp" or self.settings.arm.learns:
            shut_tcp(self._browser_pid, self.settings.address, self.settings.port)
        if self.settings.left_open:
            end_udp(self.testbed, self.settings.address, self.settings.port)

    def abandon(self) -> None:
        for pid in (self._browser_pid, self._running_driver.pid):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)

    def version(self) -> str:
        return self._version.rsplit("/", 1)[-1]

    def sends(self) -> tuple[int, float] | None:
        return None if self._sends is None else self._sends.spent()

    @property
    def pids(self) -> tuple[int, ...]:
        return tuple(one.pid for one in (self._browser, self._driver) if one is not None)

    @property
    def devtools_port(self) -> int:
        """On the client's host: where other programs may look into the browser too."""
        return self._port

    def cpu_seconds(self) -> float:
        return process.cpu_seconds(self._browser_pid)
