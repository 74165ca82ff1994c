"""A small driver for headless Chromium over its DevTools protocol, for the tests that click in the built book.

Uses tornado's WebSocket client, which comes with the notebook tools; no package is needed besides the browser.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

from tornado.websocket import websocket_connect

TIMEOUT_S = 300
"""For the start, an answer, what a page is to become: it ends what hangs. At idle priority beside busy workers
(tests/conftest.py) a page took more than 20 s to load."""


def find_chromium() -> str | None:
    """A browser to test with: $LONGLOOK_BROWSER, else one on the path, else the measured stack's own."""
    named = os.environ.get("LONGLOOK_BROWSER")
    if named:
        return named
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        if found := shutil.which(name):
            return found
    cache = Path(os.environ.get("LONGLOOK_CACHE", Path.home() / ".cache" / "longlook"))
    for path in sorted(cache.glob("parts/chromium-111-*/bin/chromium")) if cache.is_dir() else []:
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    return None


class Browser:
    """One page in one headless browser with no network but the file system; use as an async context manager."""

    def __init__(self, executable: str, width: int = 1200, height: int = 1600) -> None:
        self.profile = tempfile.mkdtemp(prefix="longlook-browser-")
        self.requests: list[str] = []
        self.errors: list[str] = []
        self._number = 0
        self._answers: dict[int, asyncio.Future] = {}
        # Every host name resolves to nothing: a page that needs the network shows it.
        self._command = [
            executable, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0",
            "--host-resolver-rules=MAP * ~NOTFOUND", "--disable-background-networking", "--disable-component-update",
            f"--user-data-dir={self.profile}", f"--window-size={width},{height}", "--hide-scrollbars", "about:blank",
        ]  # fmt: skip

    async def __aenter__(self) -> Browser:
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            port = await self._port()
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=TIMEOUT_S) as reply:
                target = next(item for item in json.load(reply) if item["type"] == "page")
            self._socket = await websocket_connect(target["webSocketDebuggerUrl"], max_message_size=1 << 28)
            self._reader = asyncio.ensure_future(self._read())
            for domain in ("Page", "Runtime", "Network", "Log"):
                await self.send(f"{domain}.enable")
        except BaseException:
            self._end()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        self._reader.cancel()
        self._socket.close()
        self._end()

    def _end(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    async def _port(self) -> int:
        """The port that the browser writes into its profile once it listens."""
        file, deadline = Path(self.profile, "DevToolsActivePort"), time.monotonic() + TIMEOUT_S
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise RuntimeError(f"{self._command[0]} ended at once with code {self._process.returncode}")
            if file.exists() and (lines := file.read_text().split()):
                return int(lines[0])
            await asyncio.sleep(0.05)
        raise TimeoutError(f"{self._command[0]} did not open its debugging port within {TIMEOUT_S} s")

    async def _read(self) -> None:
        while (text := await self._socket.read_message()) is not None:
            message = json.loads(text)
            if "id" in message:
                self._answers.pop(message["id"]).set_result(message)
            elif message["method"] == "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])
            elif message["method"] == "Runtime.exceptionThrown":
                self.errors.append(json.dumps(message["params"]["exceptionDetails"])[:500])
            elif message["method"] == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
                self.errors.append(message["params"]["entry"]["text"])

    async def send(self, method: str, **params: object) -> dict:
        """One DevTools command; returns its result."""
        self._number += 1
        answer = self._answers[self._number] = asyncio.get_running_loop().create_future()
        await self._socket.write_message(json.dumps({"id": self._number, "method": method, "params": params}))
        message = await asyncio.wait_for(answer, TIMEOUT_S)
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']}")
        return message["result"]

    async def evaluate(self, script: str):
        """The value of a JavaScript expression in the page (promises are awaited)."""
        found = await self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise RuntimeError(f"{script}: {found['exceptionDetails']}")
        return found["result"].get("value")

    async def wait_for(self, script: str):
        """Waits until a JavaScript expression is true, and returns its value."""
        deadline = time.monotonic() + TIMEOUT_S
        while time.monotonic() < deadline:
            if value := await self.evaluate(script):
                return value
            await asyncio.sleep(0.1)
        raise TimeoutError(f"not true within {TIMEOUT_S} s: {script}; page errors: {self.errors}")

    async def open(self, page: Path) -> None:
        """Opens a file and waits until it is loaded."""
        await self.send("Page.navigate", url=page.resolve().as_uri())
        await self.wait_for("document.readyState === 'complete'")

    async def choose(self, figure: str, square: str) -> None:
        """Opens a square by the list of a figure (a CSS selector), as a reader without a mouse does."""
        await self.evaluate(
            f"""(() => {{ const list = document.querySelector('{figure} select'); list.value = '{square}';
                list.dispatchEvent(new Event('change')); }})()"""
        )

    async def click(self, x: float, y: float) -> None:
        """A left click at viewport coordinates, in CSS px."""
        for kind in ("mousePressed", "mouseReleased"):
            await self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    async def press(self, key: str) -> None:
        """A key by its name: Tab, Enter, Escape, ArrowRight."""
        text = {"text": "\r"} if key == "Enter" else {}
        number = {
            "Tab": 9,
            "Enter": 13,
            "Escape": 27,
            "ArrowLeft": 37,
            "ArrowUp": 38,
            "ArrowRight": 39,
            "ArrowDown": 40,
        }
        for kind in ("keyDown", "keyUp"):
            await self.send(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=number[key], **text
            )

    async def in_theme(self, name: str) -> None:
        """Every page from here on is `light` or `dark`, as if its reader had chosen so."""
        stored = "".join(f"localStorage.setItem('{key}', '{name}');" for key in ("mode", "theme"))
        await self.send("Page.addScriptToEvaluateOnNewDocument", source=stored)

    async def of_size(self, width: int, height: int) -> None:
        """The viewport, in CSS px: headless windows are never as narrow as a phone."""
        await self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    async def screenshot(self, path: Path, clip: dict | None = None) -> None:
        """PNG of the viewport, or of `clip` (x, y, width, height in page coordinates)."""
        options = {"clip": {**clip, "scale": 1}, "captureBeyondViewport": True} if clip else {}
        found = await self.send("Page.captureScreenshot", format="png", **options)
        path.write_bytes(base64.b64decode(found["data"]))

    async def pdf(self, path: Path) -> None:
        """The page as it prints."""
        found = await self.send("Page.printToPDF", printBackground=True, preferCSSPageSize=False)
        path.write_bytes(base64.b64decode(found["data"]))
