"""What another user of the machine can do to a run beforehand: he makes whatever names it may use, and gets nothing."""

import os
import pwd
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from driven import Driven

from longlook.errors import LonglookError
from longlook.host import command

NOBODY = pwd.getpwnam("nobody")
CANARY = "not to be touched\n"
MODULES = ("yaml", "distributed", "dask", "longlook", "multiprocessing", "encodings", "ipykernel_launcher", "json",
           "sitecustomize", "usercustomize", "tornado", "msgpack")  # fmt: skip
FOLDERS = (".", "dask-scratch-space", f"dask-scratch-space-{os.getuid()}", "dask-worker-space")
PREPARED = """
import os, sys
place, told, canary = sys.argv[1:4]
os.chdir(place)
text = f"import os; open({told!r} + str(os.getuid()) + '-' + str(os.getpid()), 'w').close()\\n"
for folder in sys.argv[5].split():
    os.makedirs(folder, exist_ok=True)
    if folder != ".":
        os.chmod(folder, 0o777)
    for lock in ("global.lock", "purge.lock"):
        os.symlink(canary, f"{folder}/{lock}")
    for name in sys.argv[4].split():
        open(f"{folder}/{name}.py", "w").write(text)
open(".htaccess", "w").write("Require all denied\\n")
for folder in (".ipython/profile_default/startup", "jupyter/runtime", "ll-aaaaaaaa"):
    os.makedirs(folder)
open(".ipython/profile_default/startup/00.py", "w").write(text)
open("jupyter_config.py", "w").write(text)
open("ipython_kernel_config.py", "w").write(text)
os.symlink(os.path.dirname(canary), "ll-bbbbbbbb")
os.symlink(canary, "ll-aaaaaaaa/lock")
"""


@pytest.fixture
def shared():
    """A folder like /tmp, which everybody may write into; the true one has others' runs in it."""
    with tempfile.TemporaryDirectory(prefix="s-") as folder:
        Path(folder).chmod(0o1777)
        yield Path(folder)


def two_beds(folder, testbed_name, shared):
    folder.mkdir(exist_ok=True)
    names = [f"{testbed_name}{letter}" for letter in "ab"]
    file = folder / "beds.toml"
    file.write_text("".join(f'[[testbed]]\nname = "{name}"\ndriver = "netns"\n' for name in names))
    run = Driven(folder / "data", names, ("--testbeds", str(file)), [5], mbps=[50, 100])
    run._env |= {"TMPDIR": str(shared)}
    return run


def measured(run, argv, shared):
    """What a run says that is started in a shared folder, and the names that it makes there meanwhile."""
    made, before = set(), set(os.listdir(shared))
    with tempfile.TemporaryFile("w+") as said:
        driver = subprocess.Popen(argv, env=run._env, cwd=shared, stdout=said, stderr=subprocess.STDOUT)
        run.started.append(driver)
        try:
            deadline = time.monotonic() + 280
            while driver.poll() is None and time.monotonic() < deadline:
                made |= set(os.listdir(shared)) - before
                time.sleep(0.005)
        finally:
            run.stop()
        said.seek(0)
        return said.read(), made


@pytest.fixture
def stranger(shared):
    """`nobody` has prepared every name that he can think of; the file of root's that his links point to, and the
    beginning of the names of the files that his modules make."""
    with tempfile.TemporaryDirectory(prefix="c-") as kept, tempfile.TemporaryDirectory(prefix="n-") as told:
        Path(kept).chmod(0o755)
        Path(told).chmod(0o777)
        canary = Path(kept, "canary")
        canary.write_text(CANARY)
        argv = ["setpriv", f"--reuid={NOBODY.pw_uid}", f"--regid={NOBODY.pw_gid}", "--clear-groups", "--",
                "/usr/bin/python3", "-c", PREPARED, shared, Path(told, "ran-"), canary, " ".join(MODULES),
                " ".join(FOLDERS)]  # fmt: skip
        subprocess.run(argv, check=True, timeout=60)
        long_ago = time.time() - 10_000
        os.utime(shared / "ll-aaaaaaaa", (long_ago, long_ago))
        yield canary, Path(told)


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_stranger_who_was_there_before_gets_nothing(shared, stranger, tmp_path, testbed_name):
    """Also where the run is started in his folder: Python's `-c` and `-m` look for modules there."""
    canary, told = stranger
    run = two_beds(tmp_path / "run", testbed_name, shared)
    before = sorted(shared.rglob("*"))
    out, made = measured(run, [str(Path(sys.executable).with_name("longlook")), *run._argv[3:]], shared)
    assert os.listdir(told) == [], "a stranger's module was run"
    assert canary.read_text() == CANARY
    assert sorted(shared.rglob("*")) == before
    assert made and all(re.fullmatch("(ll-)?[a-z0-9_]{8}", name) for name in made), made  # drawn at random
    assert "measured 2 cells" in out, out


def test_a_folder_for_temporary_files_in_which_others_can_exchange_them(tmp_path, monkeypatch):
    tmp_path.chmod(0o777)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    refusal = "other users can exchange files in it: name a folder of your own there"
    with pytest.raises(LonglookError, match=refusal), command.own_folder():
        pass
    tmp_path.chmod(0o1777)
    with command.own_folder() as folder:
        assert folder.parent == tmp_path and tempfile.gettempdir() == str(folder)
        assert folder.stat().st_mode & 0o777 == 0o711
        assert subprocess.run(["sh", "-c", "echo $TMPDIR"], capture_output=True, text=True).stdout.strip() == str(
            folder
        )
    assert not folder.exists() and tempfile.gettempdir() == str(tmp_path)


def is_refused(cache):
    argv = [sys.executable, "-m", "longlook.cli", "stack", "show", "quicv1"]
    environment = os.environ | {"LONGLOOK_CACHE": str(cache)}
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    return "other users can exchange files in it" in done.stderr


@pytest.mark.root
def test_a_cache_that_is_somebody_elses(tmp_path):
    """Programs are started from it; also where he has put but a link there, to a folder that he makes later."""
    cache, link = tmp_path / "cache", tmp_path / "link"
    cache.mkdir()
    for owner, mode, wrong in ((NOBODY.pw_uid, 0o755, True), (0, 0o777, True), (0, 0o755, False)):
        os.chown(cache, owner, -1)
        cache.chmod(mode)
        assert is_refused(cache) == wrong
    link.symlink_to(tmp_path / "nothing")
    os.lchown(link, NOBODY.pw_uid, -1)
    assert is_refused(link)


@pytest.mark.root
def test_a_folder_within_somebody_elses(tmp_path, monkeypatch):
    """Who owns what a folder lies in, or a link on the way there, can put another one in its place."""
    theirs = tmp_path / "theirs"
    (theirs / "own").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "true")
    (tmp_path / "true").mkdir()
    for place in (theirs / "own", tmp_path / "link"):
        monkeypatch.setattr(tempfile, "tempdir", str(place))
        with command.own_folder():
            pass
        os.lchown(theirs if place.name == "own" else place, NOBODY.pw_uid, -1)
        with pytest.raises(LonglookError, match="other users can exchange files in it"), command.own_folder():
            pass


def test_what_a_killed_command_left_goes_with_the_next_one_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(command, "YOUNG_S", -1.0)
    (tmp_path / "ll-left" / "inside").mkdir(parents=True)
    (tmp_path / "target").mkdir()
    (tmp_path / "ll-link").symlink_to(tmp_path / "target")
    script = "from longlook.host import command\nwith command.own_folder() as f: print(f, flush=True); input()"
    other = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )  # fmt: skip
    used = Path(other.stdout.readline().strip())
    try:
        with command.own_folder():
            assert used.is_dir() and (tmp_path / "ll-link").is_symlink() and (tmp_path / "target").is_dir()
            assert not (tmp_path / "ll-left").exists()
    finally:
        other.send_signal(signal.SIGKILL)
        other.communicate()
