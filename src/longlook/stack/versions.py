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
from typing import IO

from longlook.errors import LonglookError
from longlook.stack.commands import answered
from longlook.stack.component import Component

TIMEOUT_S = 30.0
APACHE_MODULES = ("/usr/lib/apache2/modules", "/usr/lib64/httpd/modules", "/usr/lib/httpd/modules")


def of_program(component: Component, program: Path) -> str:
    """Version of a component as its program says it."""
    ask = {"exit": _by_exit, "devtools": _by_devtools, "apache": _by_apache, "dpkg": _by_dpkg}[component.reports.how]
    return _found(component, ask(program, component.reports.argv, component.reports.regex), program)


def of_library(component: Component, packages: Path) -> str:
    """Version of a library as the folder of packages that it is in says it."""
    if component.reports.how == "python":
        return _found(component, _by_python(packages, component.reports.argv), packages)
    return _of_package(component, packages)


def _found(component: Component, text: str, asked: Path) -> str:
    found = re.search(component.reports.regex, text)
    if found is None:
        looked = component.reports.regex
        raise LonglookError(f"{asked} did not say its version: looked for {looked!r} in {text[-400:]!r}")
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


def _by_dpkg(program: Path, _argv: tuple[str, ...], _regex: str) -> str:
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
    waited_for = f"{' '.join(command)} to print its version and end"
    done = answered(command, waited_for, TIMEOUT_S, environment=environment)
    return done.stdout + done.stderr


OFFLINE = ("--disable-background-networking", "--disable-component-update", "--disable-sync")
NO_NAMES = "--host-resolver-rules=MAP * ~NOTFOUND"
"""A browser that is only to tell its version runs outside of any testbed, and has nobody to speak to."""


def _by_devtools(program: Path, argv: tuple[str, ...], _regex: str) -> str:
    home = Path(tempfile.mkdtemp(prefix="longlook-version-"))
    try:
        own = (*OFFLINE, NO_NAMES, f"--user-data-dir={home}", "--remote-debugging-port=0")
        command = [str(program), *argv, *own, "about:blank"]
        with _started(command, r"DevTools listening on ws://([^/]+)/") as line:
            port = line.partition("ws://")[2].partition("/")[0]
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
    assert process.stderr is not None  # a pipe was asked for
    try:
        yield _line(process.stderr, command[0], awaited)
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stderr.close()


def _line(errors: IO[bytes], program: str, awaited: str) -> str:
    deadline = time.monotonic() + TIMEOUT_S
    text = b""
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([errors], [], [], left)[0]:
            break
        chunk = os.read(errors.fileno(), 65536)
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
