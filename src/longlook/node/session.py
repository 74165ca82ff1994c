"""One SSH connection to one node, in synchronous clothes.

Commands, files, and errors that name the node and the remedy.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import os
import shlex
import subprocess
import threading
import uuid
from collections.abc import Coroutine, Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from longlook.errors import LonglookError
from longlook.node.login import login_options

if TYPE_CHECKING:
    import asyncssh  # where it is used, too: it takes long to import, and on one machine nobody needs it

CONNECT_TIMEOUT_S = 20.0
KEEPALIVE_S, KEEPALIVES_MISSED = 5, 3
"""A node that is silent for so long is gone: a power failure closes no connection."""
COPY_TIMEOUT_S = 3600.0
"""A stack over a slow line; a node that is gone is noticed by its silence."""
CLEAN = Path(__file__).with_name("clean.py")
TAG, JOB = "LONGLOOK_NODE", "LONGLOOK_JOB"
"""Environment variables of everything that is started on a node.

They tell which testbed's and role's it is, and which command's.
"""


class NodeError(LonglookError):
    """A node that cannot be reached, or a command on it that went wrong; the message names the node."""


class _Loop:
    """The event loop that all connections of this process share.

    In a thread of its own: a Jupyter kernel's is taken.
    """

    def __init__(self):
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, work: Coroutine, timeout_s: float | None) -> Any:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, daemon=True, name="ssh").start()
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(timeout_s)
        except concurrent.futures.TimeoutError:
            future.cancel()
            raise TimeoutError from None
        except BaseException:
            future.cancel()
            raise


_loop = _Loop()


class Session:
    """Use as a context manager.

    `what` names the node in messages, `tag` marks its processes, `environment` is theirs.
    """

    def __init__(
        self,
        what: str,
        host: str,
        port: int,
        user: str,
        tag: str,
        key: str | None = None,
        known_hosts: str | None = None,
    ):
        self.what, self.host, self.port, self.user, self.tag = what, host, port, user, tag
        self._key, self._known_hosts = key, known_hosts
        self.environment: dict[str, str] = {}
        self._connection: asyncssh.SSHClientConnection | None = None

    def __repr__(self) -> str:
        return f"{self.what} {self.user}@{self.host}:{self.port}"

    # -- connection -----------------------------------------------------------------------------------

    def __enter__(self):
        if self._key and not Path(self._key).expanduser().is_file():
            raise NodeError(
                f"{self.what} ({self.host}): there is no private key file {self._key}: "
                "correct `key` in the testbeds' file"
            )
        options: dict[str, Any] = {
            "keepalive_interval": KEEPALIVE_S,
            "keepalive_count_max": KEEPALIVES_MISSED,
            "login_timeout": CONNECT_TIMEOUT_S,
            **login_options(self._key, self._known_hosts),
        }
        import asyncssh

        connect = asyncssh.connect(
            self.host, self.port, username=self.user, connect_timeout=CONNECT_TIMEOUT_S, **options
        )
        with self._explained("connect"):
            self._connection = _loop.run(_awaited(connect), CONNECT_TIMEOUT_S + 5)
        return self

    def __exit__(self, *_):
        if self._connection is not None:
            with contextlib.suppress(Exception):
                _loop.run(_aborted(self._connection), 5)
            self._connection = None

    @property
    def host_key(self) -> str:
        """The key by which the node has proved itself, as in a known_hosts file."""
        key = self._require().get_server_host_key()
        if key is None:
            raise NodeError(f"{self.what} ({self.host}): it has proved itself by no key that could be told to others")
        return key.export_public_key().decode().strip()

    @contextlib.contextmanager
    def _explained(self, doing: str) -> Iterator[None]:
        """Turn what the library raises into a message with the node's name and what to do."""
        import asyncssh

        who = f"{self.what} ({self.user}@{self.host}, port {self.port})"
        try:
            yield
        except asyncssh.PermissionDenied:
            raise NodeError(
                f"{who} refuses the login: put your public key into its authorized_keys, "
                "or name the private key as `key` in the testbeds' file"
            ) from None
        except (asyncssh.KeyImportError, asyncssh.KeyEncryptionError) as error:
            raise NodeError(
                f"{who}: the private key {self._key} cannot be read ({error}): "
                "name one without a passphrase, or load it into an agent and leave `key` out"
            ) from None
        except asyncssh.HostKeyNotVerifiable as error:
            raise NodeError(
                f"{who}: its host key is not known ({error.reason}): "
                f"run `ssh -p {self.port} {self.user}@{self.host} true` once and compare the fingerprint"
            ) from None
        except asyncssh.SFTPNoSpaceOnFilesystem:
            raise NodeError(
                f"{who}: its disk is full (while: {doing}): free space there, then run the same command again"
            ) from None
        except asyncssh.SFTPError as error:
            raise NodeError(f"{who}: {doing}: {error.reason}; is its disk full, or the folder not writable?") from None
        except (TimeoutError, concurrent.futures.CancelledError):
            raise NodeError(
                f"{who} did not answer in time (while: {doing}): is the node up? "
                "The portal shows its state; run the same command to go on"
            ) from None
        except (asyncssh.Error, OSError) as error:
            reason = getattr(error, "reason", "") or str(error) or type(error).__name__
            hint = "is the node up, and its address right?" if doing == "connect" else "it may have been restarted"
            raise NodeError(
                f"{who}: the connection failed (while: {doing}): {reason}; {hint} Run the same command to go on"
            ) from None

    # -- commands -------------------------------------------------------------------------------------

    def command(self, argv: Sequence[str], job: str = "") -> str:
        """The text that the node's shell is given: environment and argument list, as root."""
        variables = {TAG: self.tag, **({JOB: job} if job else {}), **self.environment}
        settings = [f"{name}={value}" for name, value in variables.items()]
        become = [] if self.user == "root" else ["sudo", "-n"]
        return "exec " + shlex.join([*become, "env", *settings, *(str(part) for part in argv)])

    def run(
        self,
        argv: Sequence[str],
        timeout_s: float,
        check: bool = True,
        text_in: str | None = None,
        as_root: bool = True,
    ) -> str:
        """Run a program to its end; its standard output. Not `as_root`: for what belongs to the user's own account."""
        argv = [str(part) for part in argv]
        command = self.command(argv) if as_root else shlex.join(argv)
        with self._explained(argv[0]):
            done = _loop.run(self._require().run(command, input=text_in, check=False), timeout_s)
        self._whole(done, argv[0])
        if check and done.returncode:
            said = (done.stderr or done.stdout or "").strip()[-500:]
            hint = "; its disk is full: free space there" if "No space left" in said else ""
            raise NodeError(
                f"{self.what} ({self.host}): {argv[0]} failed ({done.returncode}): "
                f"{shlex.join(argv)[:200]}: {said}{hint}"
            )
        return str(done.stdout or "")

    def _whole(self, done: asyncssh.SSHCompletedProcess, doing: str) -> None:
        """A command whose connection was cut has no status; its output is not to be trusted."""
        if done.returncode is None and done.exit_signal is None:
            raise NodeError(
                f"{self.what} ({self.host}): the connection was lost (while: {doing}); "
                "the node may have been restarted. Run the same command to go on"
            )

    def popen(
        self, argv: Sequence[str], stdin: int | None = None, stdout: int | None = None, stderr: int | None = None
    ) -> RemoteProcess:
        """Start a program; PIPE, DEVNULL and None as of Popen (None: nothing).

        It ends with `stop`, or when the node is cleaned.
        """
        return RemoteProcess(self, argv, stdin, stdout, stderr)

    def _require(self) -> asyncssh.SSHClientConnection:
        if self._connection is None:
            raise NodeError(f"{self.what} ({self.host}): not connected")
        return self._connection

    # -- files ----------------------------------------------------------------------------------------

    def put(self, source: Path, target: str) -> None:
        """Copy a file, or a folder with everything in it; `target` is the copy's own path."""
        self._copy(lambda sftp: sftp.put(str(source), target, recurse=True), f"copy {source} to {target}")

    def write(self, target: str, text: str) -> None:
        """Make a file on the node with this text."""
        self.run(["sh", "-c", 'cat > "$1"', "sh", target], timeout_s=30, text_in=text)

    def get(self, source: str, target: Path) -> None:
        """Copy a file, or a folder with everything in it, from the node."""
        self._copy(lambda sftp: sftp.get(source, str(target), recurse=True), f"copy {source} from the node")

    def _copy(self, action, doing: str) -> None:
        async def copy():
            async with self._require().start_sftp_client() as sftp:
                await action(sftp)

        with self._explained(doing):
            _loop.run(copy(), COPY_TIMEOUT_S)


async def _awaited(awaitable):
    return await awaitable


async def _aborted(connection: asyncssh.SSHClientConnection) -> None:
    connection.abort()


class RemoteProcess:
    """A program on a node, as host.hosts.Running says; standard error is not to be had apart."""

    def __init__(
        self, session: Session, argv: Sequence[str], stdin: int | None, stdout: int | None, stderr: int | None
    ):
        import asyncssh

        self.args = list(argv)
        self.returncode: int | None = None
        self.stdin: IO[str] | None = None
        self.stdout: IO[str] | None = None
        self.stderr: IO[str] | None = None
        self._session, self._job = session, uuid.uuid4().hex
        theirs_in: IO[bytes] | int = asyncssh.DEVNULL
        theirs_out: IO[bytes] | int = asyncssh.DEVNULL
        if stdin == subprocess.PIPE:
            far, near = os.pipe()
            theirs_in, self.stdin = os.fdopen(far, "rb", 0), os.fdopen(near, "w")
        if stdout == subprocess.PIPE:
            near, far = os.pipe()
            theirs_out, self.stdout = os.fdopen(far, "wb", 0), os.fdopen(near, "r")
        errors = asyncssh.STDOUT if stderr == subprocess.STDOUT else asyncssh.DEVNULL
        begin = session._require().create_process(
            session.command(argv, self._job), stdin=theirs_in, stdout=theirs_out, stderr=errors, encoding=None
        )
        with session._explained(str(argv[0])):
            self._process = _loop.run(_awaited(begin), CONNECT_TIMEOUT_S)

    @property
    def pid(self) -> int:
        raise NodeError(f"{self._session.what} ({self._session.host}): its processes have no id on this machine")

    def poll(self) -> int | None:
        """Its status if it has ended, else None."""
        if self.returncode is None and (self._process.returncode is not None or self._session._connection is None):
            self.wait(5)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Its status; -1 where the connection ended first. Raises TimeoutExpired as Popen does."""
        if self.returncode is not None:
            return self.returncode
        try:
            _loop.run(self._process.wait_closed(), timeout)
        except TimeoutError:
            raise subprocess.TimeoutExpired(self.args, timeout or 0.0) from None
        status = self._process.returncode
        self.returncode = -1 if status is None else status
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str | None, None]:
        """Its output, to its end."""
        out = self.stdout
        if out is None:
            self.wait(timeout)
            return None, None
        found: list[str] = []
        reader = threading.Thread(target=lambda: found.append(out.read()), daemon=True)
        reader.start()
        self.wait(timeout)
        reader.join(5)
        return "".join(found), None

    def kill(self) -> None:
        """End it and all that it started, on the node."""
        python = self._session.environment.get("LONGLOOK_PYTHON", "python3")
        with contextlib.suppress(LonglookError):
            self._session.run([python, "-S", str(CLEAN), self._session.tag, self._job], timeout_s=15, check=False)

    def stop(self) -> None:
        """`kill`, and let go of the pipes."""
        if self.returncode is None and self._process.returncode is None:
            self.kill()
            with contextlib.suppress(subprocess.TimeoutExpired, Exception):
                self.wait(5)
        for stream in (self.stdin, self.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
