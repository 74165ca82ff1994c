"""An ordinary user's namespaces: his own id, the rights that networks take, nothing left behind; and who gets none."""

import ctypes
import os
import pwd
import signal
import subprocess
import tempfile
from pathlib import Path

import psutil
import pytest

from longlook.errors import LonglookError
from longlook.host import command, userns

PR_SET_DUMPABLE = 4
FOLDER = Path(userns.__file__).parents[2]
NOBODY = pwd.getpwnam("nobody")


def as_user(*command, **options):
    """Arguments that run a command by host/userns.py as an ordinary user, with a Python that every user may start."""
    argv = ["/usr/bin/python3", "-m", "longlook.host.userns", *command]
    if os.geteuid() == 0:
        drop = ["setpriv", f"--reuid={NOBODY.pw_uid}", f"--regid={NOBODY.pw_gid}", "--clear-groups"]
        argv = [*drop, "--inh-caps=-all", "--", *argv]
    environment = os.environ | {"PYTHONPATH": str(FOLDER), "PYTHONDONTWRITEBYTECODE": "1"}
    return argv, {"env": environment, "text": True, "stdin": subprocess.DEVNULL} | options


def run(*command):
    argv, options = as_user(*command, capture_output=True, timeout=300, cwd="/")
    return subprocess.run(argv, **options)


@pytest.fixture(scope="module", autouse=True)
def _users_may():
    if userns.has_rights() and os.geteuid() != 0:
        pytest.skip("runs in such a namespace itself")
    done = run("true")
    if "PermissionError" in done.stderr or "No module" in done.stderr or "cannot open" in done.stderr:
        pytest.skip("other users cannot read this folder")
    if done.returncode:
        pytest.skip(f"no user namespaces here: {done.stderr.strip()[-200:]}")


def test_a_user_keeps_his_id_and_makes_networks():
    done = run("sh", "-c", "id -u; unshare --net ip link add one type veth && echo made; ip link add one type veth")
    user, made = done.stdout.splitlines()
    assert int(user) != 0 and made == "made"
    assert "not permitted" in done.stderr, "the machine's own network is not his"


def test_nothing_else_becomes_his():
    script = (
        "chmod 700 /etc || echo no; chown 0 /tmp/. || echo no; chrt -f 1 true || echo no; mkdir /run/netns/x && ls /run"
    )
    done = run("sh", "-c", script)
    assert done.stdout.splitlines()[:3] == ["no"] * 3
    assert "netns" in done.stdout and not Path("/run/netns/x").exists()


def test_the_status_is_the_commands():
    assert run("sh", "-c", "exit 7").returncode == 7
    assert run("sh", "-c", "kill -9 $$").returncode == 128 + 9
    assert "cannot start" in run("no-such-program").stderr


def began(*command):
    argv, options = as_user(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/")
    # Tests that run in a shell's background would hand down a Ctrl-C that is ignored, and that no shell can then heed.
    child = subprocess.Popen(argv, **options, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    assert child.stdout.readline().strip() == "ready"
    return child, psutil.Process(child.pid).children(recursive=True)


LEAVING = "(trap '' TERM INT HUP; exec setsid sleep 60) & echo ready; "


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_with_the_run_everything_ends_that_it_started(number):
    child, inside = began("sh", "-c", "trap 'exit 5' TERM INT; " + LEAVING + "while :; do sleep 0.1; done")
    assert len(inside) >= 3
    child.send_signal(number)
    child.communicate(timeout=300)
    assert child.returncode == (-number if number == signal.SIGKILL else 5)
    assert psutil.wait_procs(inside, timeout=10)[1] == []


def test_who_lost_his_parent_is_taken_away():
    """Else everybody who waits for the end of an orphan would wait for a zombie."""
    script = (
        "sh -c 'sleep 0.2 & echo $!' >/tmp/longlook-pid-$$; pid=$(cat /tmp/longlook-pid-$$); rm /tmp/longlook-pid-$$\n"
    )
    done = run("sh", "-c", script + 'sleep 1; [ -d "/proc/$pid" ] && echo zombie || echo gone')
    assert done.stdout.strip() == "gone", done


def test_a_kernel_that_allows_none_is_told_with_what_to_do(monkeypatch):
    monkeypatch.setattr(userns, "has_rights", lambda: False)
    monkeypatch.setattr(userns, "refusal", lambda: "no space left")
    with pytest.raises(userns.LonglookError, match=r"need root, or a kernel .*no space left.*: run again with sudo"):
        userns.enter()


def test_root_is_left_as_it_is(monkeypatch):
    monkeypatch.setattr(userns, "has_rights", lambda: True)
    monkeypatch.setattr(os, "execv", None)  # nothing is started in its place
    monkeypatch.setattr(userns, "refusal", None)
    userns.enter()


def test_a_switch_that_is_off_is_named(monkeypatch, tmp_path):
    switch = tmp_path / "switch"
    switch.write_text("1\n")
    monkeypatch.setattr(userns, "SWITCHES", {str(switch): ("0", "kernel.some=0")})
    assert "sudo sysctl -w kernel.some=0" in userns.remedy()
    switch.write_text("0\n")
    assert "sysctl" not in userns.remedy()


def test_a_users_command_has_its_folder_there():
    """Of a user who is not `nobody`, whose root's files seem to be inside; who enters has looked whose they are."""
    (told, tells) = os.pipe()
    if (child := os.fork()) == 0:
        said = "it raised"
        try:
            if os.geteuid() == 0:
                os.setresgid(54321, 54321, 54321)
                os.setresuid(54321, 54321, 54321)
                ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)  # its /proc/self is its own again
            userns._unshare()
            tempfile.tempdir = "/tmp"
            with command.own_folder() as folder:
                said = f"has {folder.parent}"
        except LonglookError as error:
            said = str(error)
        finally:
            os.write(tells, said.encode())
            os._exit(0)
    os.waitpid(child, 0)
    os.close(tells)
    with open(told) as text:
        assert text.read() == "has /tmp"
