"""A stand-in for three Emulab nodes: namespaces, each with its own sshd, home and /var/tmp.

They are on a control network and, through the bridge, on an experiment network. Nothing is shared but the rest of the
file system and, unlike on Emulab, the kernel.

The bridge has an `ipfw` that takes exactly the commands longlook gives and drives linkpipe.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pyroute2 import netns

from longlook.host import process
from longlook.paths import CACHE
from longlook.stack.gobuild import build_tool
from longlook.testbed.description import EmulabDescription, parse_description
from longlook.testbed.netns import ADDRESSES, NetnsTestbed, namespace, processes

BRIDGE_BIN = Path(__file__).with_name("bridge_bin")
ROLES = ("server", "bridge", "client")
PIPES = {"server_to_client": 60111, "client_to_server": 60121}
HOME = Path.home()
DEFAULT_PIPE_BYTES = 1048576
DEFAULT_PIPE_SLOTS = 100
"""FreeBSD's own limit."""


def _needed_of_home() -> list[Path]:
    """Folders below the home folder that programs of the tests are run from.

    Stacks too, for a node that controls a testbed.
    """
    programs = [
        *(Path(sys.prefix), BRIDGE_BIN),  # of a clone below the home folder
        Path(sys.base_prefix),
        CACHE,
        *(Path(found).resolve().parent.parent for name in ("node", "apache2") if (found := shutil.which(name))),
    ]
    return sorted({path for path in programs if path.is_relative_to(HOME)})


def sh(*argv: str, check: bool = True) -> str:
    return subprocess.run(argv, check=check, capture_output=True, text=True).stdout


class Standin:
    """Context manager; `number` (0 to 99) gives it a control network of its own, 10.79.<number>.0/24."""

    def __init__(self, folder: Path, name: str, number: int):
        self.folder, self.name, self.number = folder, name, number
        self._bed = NetnsTestbed(name)
        self._lan = f"ll-{name}-lan"
        self._uplink = f"llctl{number}"
        self._daemons: dict[str, subprocess.Popen] = {}

    def __enter__(self):
        self._owned = contextlib.ExitStack()
        self._booter = self._owned.enter_context(ThreadPoolExecutor(1))
        try:
            self._owned.callback(self._remove_control_network)
            self._owned.enter_context(self._bed)
            self._bed.set_cca("server", "cubic")
            self._make_control_network()
            self._make_keys()
            for role in ROLES:
                self._furnish(role)
                self.boot(role)
            self._start_link()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for daemon in self._daemons.values():
            process.stop(daemon, grace_s=0.5)
        self._owned.close()

    # -- what a test may do to it --------------------------------------------------------------------

    def description(self, **changes) -> EmulabDescription:
        """As a testbeds' file would have it; Python is this environment's, which has the dependencies."""
        data = {
            "name": self.name,
            "driver": "emulab",
            "user": "root",
            "python": sys.executable,
            "key": str(self.folder / "user_key"),
        }
        data["known_hosts"] = str(self.folder / "known_hosts")
        data["server"] = {"host": self.address("server"), "address": ADDRESSES["server"].ip}
        data["client"] = {"host": self.address("client"), "address": ADDRESSES["client"].ip}
        data["bridge"] = {"host": self.address("bridge"), "pipes": PIPES}
        return parse_description(data | changes)

    def address(self, role: str) -> str:
        return f"10.79.{self.number}.{1 + ROLES.index(role)}"

    def boot(self, role: str) -> None:
        """Start a node's sshd and wait until it answers."""
        # From one thread that lives as long as the stand-in: a program dies with the thread that started it
        # (host/process.py).
        self._booter.submit(self._boot, role).result()

    def _boot(self, role: str) -> None:
        home = self.folder / role
        # What the programs need of the real home (a Python of pyenv) is let through.
        shown = [f'mount --bind "{path}" "$0/home/{path.relative_to(HOME)}"' for path in _needed_of_home()]
        own = [f'mount --rbind "$0/home" "{HOME}"', 'mount --bind "$0/var" /var/tmp']
        script = " && ".join([*shown, *own, 'exec /usr/sbin/sshd -D -e -f "$0/sshd_config"'])
        with (home / "sshd.log").open("ab") as log:
            argv = ["ip", "netns", "exec", namespace(self.name, role), "sh", "-c", script, str(home)]
            self._daemons[role] = process.start(argv, stdout=log, stderr=log)
        deadline = time.monotonic() + 10
        while True:
            with contextlib.suppress(OSError), socket.create_connection((self.address(role), 22), timeout=1):
                return
            if time.monotonic() > deadline:
                raise AssertionError(f"sshd of {role} did not start: {(home / 'sshd.log').read_text()[-500:]}")
            time.sleep(0.05)

    def crash(self, role: str) -> None:
        """As a power failure: every process of the node is gone at once, sshd too (the bridge goes on forwarding)."""
        spared = {self._link.pid, *(child for child in _children(self._link.pid))}
        for pid in processes(self.name)[role]:
            if pid not in spared:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        process.stop(self._daemons.pop(role), grace_s=0)

    def cut(self, role: str) -> int:
        """End the node's SSH connections, whose programs are left to themselves; how many there were."""
        cut = 0
        for pid in processes(self.name)[role]:
            with contextlib.suppress(OSError):
                words = Path(f"/proc/{pid}/cmdline").read_bytes()
                if words.startswith(b"sshd: ") and b"listener" not in words:
                    os.kill(pid, signal.SIGKILL)
                    cut += 1
        return cut

    def running(self, role: str, program: str) -> list[int]:
        """Processes of a node whose command line holds a word."""
        found = []
        for pid in processes(self.name)[role]:
            with contextlib.suppress(OSError):
                if program.encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.append(pid)
        return found

    def left(self, role: str, program: str, within_s: float = 60.0) -> list[int]:
        """`running`, once what is dying has had its time: a browser's children end by themselves after their parent."""
        deadline = time.monotonic() + within_s
        while (found := self.running(role, program)) and time.monotonic() < deadline:
            time.sleep(0.05)
        return found

    def ipfw(self, *words: str) -> str:
        """What somebody else types on the bridge."""
        environment = os.environ | {"STANDIN": str(self.folder / "bridge")}
        return subprocess.run(
            [str(BRIDGE_BIN / "ipfw"), *words], env=environment, check=True, capture_output=True, text=True
        ).stdout

    # -- making it -----------------------------------------------------------------------------------

    def _make_control_network(self) -> None:
        self._remove_control_network()
        sh("ip", "netns", "add", self._lan)
        sh("ip", "-n", self._lan, "link", "add", "br0", "type", "bridge")
        sh("ip", "-n", self._lan, "link", "set", "br0", "up")
        for role in ROLES:
            space = namespace(self.name, role)
            self._cable(f"to-{role}", "ctl0", space)
            sh("ip", "-n", space, "addr", "add", f"{self.address(role)}/24", "dev", "ctl0")
            for device in ("lo", "ctl0"):
                sh("ip", "-n", space, "link", "set", device, "up")
            sh("ip", "-n", self._lan, "link", "set", f"to-{role}", "master", "br0", "up")
        self._cable("to-control", self._uplink, "1")
        sh("ip", "-n", self._lan, "link", "set", "to-control", "master", "br0", "up")
        sh("ip", "addr", "add", f"10.79.{self.number}.254/24", "dev", self._uplink)
        sh("ip", "link", "set", self._uplink, "up")

    def _cable(self, near: str, far: str, space: str) -> None:
        """From the control network to a namespace (its name, or a process's id); the interfaces' names at both ends."""
        ends = ("link", "add", near, "type", "veth", "peer", "name", far, "netns", space)
        sh("ip", "-n", self._lan, *ends)

    def _remove_control_network(self) -> None:
        if self._lan in netns.listnetns():
            netns.remove(self._lan)
        sh("ip", "link", "del", self._uplink, check=False)

    def _make_keys(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in ("user_key", *(f"{role}_host_key" for role in ROLES)):
            if not (self.folder / name).exists():
                sh("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.folder / name))
        lines = [f"{self.address(role)} {(self.folder / f'{role}_host_key.pub').read_text()}" for role in ROLES]
        (self.folder / "known_hosts").write_text("".join(lines))

    def _furnish(self, role: str) -> None:
        home = self.folder / role
        parts = ["home/.ssh", "var", "sysctl", *(f"home/{path.relative_to(HOME)}" for path in _needed_of_home())]
        for part in parts:
            (home / part).mkdir(parents=True, exist_ok=True)
        (home / "home" / ".ssh" / "authorized_keys").write_text((self.folder / "user_key.pub").read_text())
        Path("/run/sshd").mkdir(exist_ok=True)
        first = f"{BRIDGE_BIN}:" if role == "bridge" else ""
        limits = {"pipe_byte_limit": DEFAULT_PIPE_BYTES, "pipe_slot_limit": DEFAULT_PIPE_SLOTS}
        for name, value in (limits | {"expire": 1, "io_fast": 0}).items():
            (home / "sysctl" / f"net.inet.ip.dummynet.{name}").write_text(f"{value}\n")
        (home / "sshd_config").write_text(
            f"ListenAddress {self.address(role)}\nHostKey {self.folder / f'{role}_host_key'}\n"
            "PidFile none\nStrictModes no\nUsePAM no\n"
            f"PasswordAuthentication no\nSubsystem sftp internal-sftp\nMaxSessions 50\n"
            f"SetEnv PATH={first}{os.environ['PATH']}:/usr/sbin:/sbin STANDIN={home} {_of_this_code()}\n"
        )

    def _start_link(self) -> None:
        home = self.folder / "bridge"
        argv = [str(build_tool("linkpipe")), "-server-if", "brg_s", "-client-if", "brg_c"]
        argv += ["-control", str(home / "control")]
        self._link = self._bed.popen("bridge", argv, stdout=subprocess.PIPE, text=True)
        assert self._link.stdout.readline(), "linkpipe did not start"


def _of_this_code() -> str:
    """For a node that controls a testbed: whatever code is tested, though the environment has another."""
    return " ".join(f"{name}={os.environ[name]}" for name in ("PYTHONPATH", "LONGLOOK_ROOT") if name in os.environ)


def _children(pid: int) -> list[int]:
    import psutil

    return [child.pid for child in psutil.Process(pid).children(recursive=True)]


def free_number() -> int:
    """A control network that nobody here uses."""
    taken = sh("ip", "-o", "link", "show")
    return next(number for number in range(100) if f"llctl{number}@" not in taken and f"llctl{number}:" not in taken)


def installed() -> bool:
    """Whether this machine has sshd."""
    return shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin") is not None
