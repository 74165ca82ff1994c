"""Without root: this program again, in a user namespace of its own, in which an ordinary user may make networks.

Who starts a program keeps its own user id, files and network. It gets, over namespaces made inside and over nothing
else, the rights in `KEPT`; a /run of its own, in which network namespaces have their names; and a process namespace, so
that nothing that was started inside outlives it. `python -m longlook.host.userns COMMAND ...` runs any command so.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from longlook.errors import LonglookError
from longlook.host.namespaces import called

NEWNS, NEWUSER, NEWPID = 0x20000, 0x10000000, 0x20000000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_SLAVE = 2, 4, 8, 4096, 16384, 1 << 19
KEPT = {"net_bind_service": 10, "net_admin": 12, "net_raw": 13, "sys_ptrace": 19, "sys_admin": 21}
"""Ports below 1024, networks, packet sockets, other programs' sockets (host/sockets.py), entering namespaces."""
NEEDED = (KEPT["net_admin"], KEPT["sys_admin"])
PR_SET_PDEATHSIG, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE = 1, 47, 2
CAPABILITY_VERSION = 0x20080522
FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
FROM_KERNEL = 0x80
"""si_code of a terminal's signal, which every process in the foreground gets by itself."""
AGAIN = (sys.executable, "-P", "-m", __name__)
"""Runs a command inside; of the folder that it is called in, nothing is imported."""
TRIAL_TIMEOUT_S = 15.0
SWITCHES = {
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": ("0", "kernel.apparmor_restrict_unprivileged_userns=0"),
    "/proc/sys/kernel/unprivileged_userns_clone": ("1", "kernel.unprivileged_userns_clone=1"),
}
"""Settings of Ubuntu's and Debian's kernels: the value under which users may make namespaces, and how to set it."""


def has_rights() -> bool:
    """Whether this process may make network namespaces: as root, or inside of `enter`."""
    return os.geteuid() == 0 or all(_effective() >> bit & 1 for bit in NEEDED)


def _effective() -> int:
    with contextlib.suppress(OSError, StopIteration, ValueError):
        lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
        return int(next(line for line in lines if line.startswith("CapEff:")).split()[1], 16)
    return 0


def refusal() -> str | None:
    """Why an ordinary user cannot make namespaces here, found by trying; None where he can."""
    trial = [*AGAIN, "true"]
    try:
        done = subprocess.run(trial, capture_output=True, text=True, timeout=TRIAL_TIMEOUT_S, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return f"a trial did not end within {TRIAL_TIMEOUT_S:g} s"
    return None if done.returncode == 0 else (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]


def remedy() -> str:
    """What lets this user measure."""
    for path, (wanted, setting) in SWITCHES.items():
        with contextlib.suppress(OSError):
            if Path(path).read_text().strip() != wanted:
                return f"run again with sudo, or let users make namespaces: sudo sysctl -w {setting}"
    return "run again with sudo, for instance: sudo make reproduce"


def enter() -> None:
    """Return where this process has the rights; else become its whole command again, inside.

    Raises LonglookError, and has changed nothing, where the kernel does not allow it.
    """
    if has_rights():
        return
    if why := refusal():
        raise LonglookError(f"network namespaces need root, or a kernel that lets users make them ({why}): {remedy()}")
    from longlook.host.command import leave  # the program inside may be one of a Python without its library

    sys.stdout.flush()
    leave()
    os.execv(sys.executable, [*AGAIN, sys.executable, *sys.orig_argv[1:]])


def _run(command: Sequence[str]) -> NoReturn:
    """Run a command inside and exit with its status. For a process of one thread."""
    try:
        _unshare()
    except OSError as error:
        _give_up(f"this kernel lets no ordinary user make namespaces: {error.strerror}")
    signal.pthread_sigmask(signal.SIG_BLOCK, {*FORWARDED, signal.SIGCHLD})
    first = os.fork()
    if first == 0:
        _be_first(command)
    _exit_as(first)


def _unshare() -> None:
    """New user, mount and process namespaces, in which this user has his own id."""
    user, group = os.geteuid(), os.getegid()
    called("unshare", NEWUSER | NEWNS | NEWPID)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def _be_first(command: Sequence[str]) -> NoReturn:
    """The first process inside: with it all others end. It takes over whoever has lost his parent."""
    try:
        called("prctl", PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        _mount()
        _keep_rights()
    except OSError as error:
        _give_up(f"this kernel lets no ordinary user set up namespaces: {error.strerror} ({error.filename})")
    worker = os.fork()
    if worker == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {*FORWARDED, signal.SIGCHLD})
        try:
            os.execvp(command[0], list(command))
        except OSError as error:
            _give_up(f"cannot start {command[0]}: {error.strerror}")
    _exit_as(worker)


def _mount() -> None:
    """A /proc of this process namespace, and a /run that can be written, with what was there but the namespaces."""
    called("mount", b"none", b"/", None, MS_REC | MS_SLAVE, None)
    called("mount", b"proc", b"/proc", b"proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, None)
    before = os.open("/run", os.O_RDONLY | os.O_DIRECTORY)
    called("mount", b"tmpfs", b"/run", b"tmpfs", MS_NOSUID | MS_NODEV, b"mode=755")
    Path("/run/netns").mkdir()
    for name in sorted(set(os.listdir(before)) - {"netns"}):
        source, target = Path(f"/proc/self/fd/{before}") / name, Path("/run") / name
        with contextlib.suppress(OSError):  # a file or socket there, or nobody's business
            if source.is_symlink():
                target.symlink_to(source.readlink())
            elif source.is_dir():
                target.mkdir()
                called("mount", bytes(source), bytes(target), None, MS_BIND | MS_REC, None)
    os.close(before)


def _keep_rights() -> None:
    """KEPT and no others, such that programs which are started have them too."""
    mask = sum(1 << bit for bit in KEPT.values())
    words = [mask & 0xFFFFFFFF] * 3 + [mask >> 32] * 3  # effective, permitted, inheritable: low halves, high halves
    called("capset", (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)(*words))
    for bit in KEPT.values():
        called("prctl", PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, bit, 0, 0)


def _exit_as(child: int) -> NoReturn:
    """Wait for a child and exit as it does, passing signals on; children of others' that ended are taken away."""
    while True:
        for ended, status in _ended():
            if ended == child:
                os._exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
        got = signal.sigwaitinfo({*FORWARDED, signal.SIGCHLD})
        if got.si_signo != signal.SIGCHLD and got.si_code != FROM_KERNEL:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, got.si_signo)


def _ended() -> Iterator[tuple[int, int]]:
    with contextlib.suppress(ChildProcessError):
        while True:
            found, status = os.waitpid(-1, os.WNOHANG)
            if found == 0:
                return
            yield found, status


def _give_up(message: str) -> NoReturn:
    sys.stderr.write(f"Error: {message}\n")
    sys.stderr.flush()
    os._exit(1)


def main() -> NoReturn:
    """Run the command given: inside, or as it is by root."""
    command = sys.argv[1:]
    if not command:
        sys.exit("usage: python -m longlook.host.userns COMMAND ...")
    if has_rights():
        os.execvp(command[0], command)
    _run(command)


if __name__ == "__main__":
    main()
