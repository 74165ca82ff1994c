"""Asking the programs of a stack for their versions: never assumed from a file name or a lock."""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from longlook.errors import LonglookError
from longlook.stack.component import Component

TIMEOUT_S = 30.0
APACHE_MODULES = ("/usr/lib/apache2/modules", "/usr/lib64/httpd/modules", "/usr/lib/httpd/modules")
WITHOUT_PROGRAM = ("package", "python")
"""Ways of asking a library, by the folder that it stays in."""


def reported(component: Component, program: Path | None, packages: Path | None) -> str:
    """Version of one component as it says itself: its running program, or the packages that a library is among."""
    how, regex = component.reports.how, component.reports.regex
    if how == "package":
        return _of_package(component, packages)
    if how == "python":
        program, text = packages, _by_python(packages, component.reports.argv)
    elif how == "dpkg":
        text = _by_dpkg(program)
    else:
        ask = {"exit": _by_exit, "devtools": _by_devtools, "apache": _by_apache}[how]
        text = ask(program, component.reports.argv, regex)
    found = re.search(regex, text)
    if found is None:
        raise LonglookError(f"{program} did not say its version: looked for {regex!r} in {text[-400:]!r}")
    return found.group(1)


def _of_package(component: Component, packages: Path) -> str:
    if component.source == "pypi":
        return _of_python_package(component.package, packages)
    path = packages / component.package / "package.json"
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["version"])
    except (OSError, ValueError, KeyError) as error:
        raise LonglookError(f"cannot read the version in {path}: {error!r}") from None


def _of_python_package(package: str, packages: Path) -> str:
    for found in importlib.metadata.distributions(name=package, path=[str(packages)]):
        return found.version
    raise LonglookError(f"{packages} holds no package {package}")


def _by_python(packages: Path, argv: tuple[str, ...]) -> str:
    """What Python says with these packages before its own, run as the adapters run it."""
    return _output([sys.executable, *argv], {**os.environ, "PYTHONPATH": str(packages), "PYTHONDONTWRITEBYTECODE": "1"})


def _by_dpkg(program: Path) -> str:
    """The version of the Debian package that has the program."""
    query = shutil.which("dpkg-query")
    if query is None:
        raise LonglookError(
            f"{program} prints no version, and there is no dpkg-query to ask: use a system of Debian's kind"
        )
    path = str(program.resolve())
    owner = _output([query, "--search", path]).strip()
    package = owner.partition(": ")[0]
    if owner != f"{package}: {path}":
        raise LonglookError(f"{program} is of no Debian package that could say its version: {owner!r}")
    return _output([query, "--show", "--showformat=${Version}", package])


def _by_exit(program: Path, argv: tuple[str, ...], _regex: str) -> str:
    return _output([str(program), *argv])


def _output(command: list[str], environment: dict[str, str] | None = None) -> str:
    """All that a command prints, however it ends."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL, env=environment
        )
    except subprocess.TimeoutExpired:
        raise LonglookError(
            f"waited {TIMEOUT_S:g} s for {' '.join(command)} to print its version and end; it did not"
        ) from None
    except OSError as error:
        raise LonglookError(f"cannot start {command[0]}: {error.strerror}") from None
    return done.stdout + done.stderr


def _by_devtools(program: Path, argv: tuple[str, ...], _regex: str) -> str:
    home = Path(tempfile.mkdtemp(prefix="longlook-version-"))
    try:
        command = [str(program), *argv, f"--user-data-dir={home}", "--remote-debugging-port=0", "about:blank"]
        with _started(command, r"DevTools listening on ws://([^/]+)/") as line:
            port = re.search(r"ws://([^/]+)/", line).group(1)
            # No proxy of the environment may stand between this program and its own loopback.
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            with opener.open(f"http://{port}/json/version", timeout=TIMEOUT_S) as answer:
                return answer.read().decode()
    except OSError as error:
        raise LonglookError(f"{program} opened its DevTools port but did not answer: {error}") from None
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _by_apache(program: Path, argv: tuple[str, ...], regex: str) -> str:
    """Apache with nothing but mod_ssl, on a free loopback port; it names its libraries when it is ready."""
    modules = apache_modules(program)
    home = Path(tempfile.mkdtemp(prefix="longlook-version-"))
    try:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        config = home / "httpd.conf"
        config.write_text(
            f'ServerRoot "{home}"\nPidFile "{home}/pid"\nDefaultRuntimeDir "{home}"\nMutex file:{home}\n'
            f"ErrorLog /dev/stderr\nLogLevel notice\nServerName localhost\nListen 127.0.0.1:{port}\n"
            # Compiled in by Debian, a module elsewhere (nixpkgs); without it `User` is unknown.
            f'<IfModule !unixd_module>\nLoadModule unixd_module "{modules}/mod_unixd.so"\n</IfModule>\n'
            f"User nobody\nGroup nogroup\n"
            f'LoadModule mpm_event_module "{modules}/mod_mpm_event.so"\nLoadModule ssl_module "{modules}/mod_ssl.so"\n'
        )
        with _started([str(program), "-DFOREGROUND", "-f", str(config), *argv], r"resuming normal operations") as line:
            return line
    finally:
        shutil.rmtree(home, ignore_errors=True)


def apache_modules(program: Path, needed: str = "mod_ssl.so") -> Path:
    """Folder of Apache's loadable modules: beside the program (Nix), else where distributions put it."""
    for folder in (str(program.resolve().parent.parent / "modules"), *APACHE_MODULES):
        if (Path(folder) / needed).exists():
            return Path(folder)
    looked = ", ".join(APACHE_MODULES)
    raise LonglookError(
        f"no module folder with {needed} for {program} (looked in {looked}): apt-get install apache2-bin"
    )


@contextlib.contextmanager
def _started(command: list[str], awaited: str) -> Iterator[str]:
    """Start a program, yield the line of its standard error that matches; the program is ended on leaving."""
    setpriv = shutil.which("setpriv")
    # The kernel ends the program even if this one is killed meanwhile.
    tied = [setpriv, "--pdeathsig", "KILL", "--", *command] if setpriv else command
    try:
        process = subprocess.Popen(tied, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    except OSError as error:
        raise LonglookError(f"cannot start {command[0]}: {error.strerror}") from None
    try:
        yield _line(process, command[0], awaited)
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stderr.close()


def _line(process: subprocess.Popen, program: str, awaited: str) -> str:
    deadline = time.monotonic() + TIMEOUT_S
    text = b""
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([process.stderr], [], [], left)[0]:
            break
        chunk = process.stderr.read1(65536)
        if not chunk:
            raise LonglookError(
                f"{program} ended before it wrote {awaited!r}; it wrote {text[-400:].decode(errors='replace')!r}"
            )
        text += chunk
        for line in text.decode(errors="replace").splitlines(keepends=True):
            if line.endswith("\n") and re.search(awaited, line):
                return line
    raise LonglookError(
        f"waited {TIMEOUT_S:g} s for {program} to write {awaited!r}; it wrote {text[-400:].decode(errors='replace')!r}"
    )
