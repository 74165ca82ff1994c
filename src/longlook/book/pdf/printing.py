"""Prints a page by headless Chromium, over a pipe of its DevTools protocol: no port, no network, no scripts.

Page numbers are not its business: this build of Chromium leaves headers and footers out.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from longlook.errors import LonglookError

TIMEOUT_S = 300
NO_MARGINS = dict.fromkeys(("marginTop", "marginBottom", "marginLeft", "marginRight"), 0)
"""Beside those of the page itself."""
# The browser reads from descriptor 3 and writes to 4; subprocess leaves numbers as they are, dash knows none above 9.
WITH_PIPE = """
import os, sys
kept = [os.dup(int(number)) for number in sys.argv[1:3]]
for own, number in zip(kept, (3, 4)):
    os.dup2(own, number)
    os.set_inheritable(number, True)  # where the two are one, dup2 does nothing
os.execv(sys.argv[3], sys.argv[3:])
"""


def print_page(chromium: Path, page: Path) -> bytes:
    """The PDF of a page, whose `@page` rule states its size and margins."""
    with _opened(chromium) as browser:
        browser.call("Page.enable")
        browser.call("Emulation.setScriptExecutionDisabled", value=True)
        browser.call("Page.navigate", url=page.resolve().as_uri())
        browser.wait_for("Page.loadEventFired")
        printed = browser.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True, **NO_MARGINS)
        return base64.b64decode(printed["data"])


class _Browser:
    """One page of a browser, spoken to through two pipes; messages end in NUL."""

    def __init__(self, reads: int, writes: int, process: subprocess.Popen) -> None:
        self._reads, self._writes, self._process = reads, writes, process
        self._rest, self._number, self._session = b"", 0, ""
        self._events: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def call(self, method: str, **params: object) -> dict[str, Any]:
        """One command and its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._writes, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            answer = self._next(deadline, method)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise LonglookError(f"the browser refuses {method}: {answer['error']['message']}")
                return answer["result"]

    def wait_for(self, event: str) -> None:
        deadline = time.monotonic() + TIMEOUT_S
        while event not in self._events:
            self._next(deadline, event)

    def _next(self, deadline: float, what: str) -> dict[str, Any]:
        while b"\0" not in self._rest:
            readable, _, _ = select.select([self._reads], [], [], max(deadline - time.monotonic(), 0))
            if not readable:
                raise LonglookError(f"waited {TIMEOUT_S} s for the browser's {what}")
            piece = os.read(self._reads, 1 << 20)
            if not piece:
                raise LonglookError(f"the browser ended with code {self._process.wait()} before {what}")
            self._rest += piece
        first, _, self._rest = self._rest.partition(b"\0")
        message = json.loads(first)
        if "method" in message:
            self._events.append(message["method"])
        return message


@contextlib.contextmanager
def _opened(chromium: Path) -> Iterator[_Browser]:
    """A browser with a profile of its own; both are gone afterwards."""
    to_read, to_write = os.pipe(), os.pipe()  # the browser's input, and its output
    with tempfile.TemporaryDirectory(prefix="longlook-print-") as profile:
        command = [
            sys.executable, "-S", "-c", WITH_PIPE, str(to_read[0]), str(to_write[1]), str(chromium),
            "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--allow-file-access-from-files", f"--user-data-dir={profile}", "about:blank",
        ]  # fmt: skip
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, pass_fds=(to_read[0], to_write[1]))  # fmt: skip
        os.close(to_read[0])
        os.close(to_write[1])
        try:
            yield _Browser(to_write[0], to_read[1], process)
        finally:
            os.close(to_read[1])
            os.close(to_write[0])
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
