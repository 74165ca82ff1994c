"""The stop watch tells a process that is stopped or frozen from one that is idle."""

import os
import signal
import subprocess
import sys
import time

import pytest
from freezing import freezable

from longlook.errors import LonglookError
from longlook.host import process
from longlook.host.cpulimit import CpuLimit, is_granted
from longlook.probe.held import freezers, is_frozen, is_held, quotas, throttled
from longlook.probe.stopwatch import StopWatch

IDLE = """
import sys, threading, time
for _ in range(3):
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
print("idle", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def idle():
    """A process that waits in several threads for what never comes."""
    child = process.start([sys.executable, "-S", "-c", IDLE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    child.stdout.readline()
    yield child
    process.stop(child)


def test_what_the_kernel_tells_is_judged():
    for told in (b"get_signal", b"do_freezer_trap", b"__refrigerator", b"do_signal_stop", b"ptrace_stop.part.0"):
        assert is_held(told)
    for told in (b"", b"0", b"ep_poll", b"futex_wait_queue", b"hrtimer_nanosleep", b"do_epoll_wait"):
        assert not is_held(told)
    assert is_held(b"47 (a (T) name) T 1 47") and is_held(b"47 (traced) t 1")
    assert not is_held(b"47 (a (T) name) S 1 47") and not is_held(b"47 (waits) D 1")
    assert is_frozen(b"populated 1\nfrozen 1\n") and is_frozen(b"FROZEN\n") and is_frozen(b"FREEZING\n")
    assert not is_frozen(b"populated 1\nfrozen 0\n") and not is_frozen(b"THAWED\n") and not is_frozen(b"")


def test_the_files_of_both_versions_are_found():
    mounts = (
        "tmpfs /sys/fs/cgroup tmpfs rw 0 0\ncgroup /cg/cpu cgroup rw,cpu 0 0\ncgroup /cg/fr cgroup rw,freezer 0 0\n"
    )
    unified = "cgroup2 /cg/two cgroup2 rw,nsdelegate 0 0\n"
    groups = "6:freezer:/a/b\n1:cpu:/\n0::/c:d\n"
    assert list(freezers(mounts, groups)) == ["/cg/fr/a/b/freezer.state"]
    assert list(freezers(unified, groups)) == ["/cg/two/c:d/cgroup.events"]
    assert len(list(freezers(mounts + unified, groups))) == 2
    assert list(freezers("", groups)) == []


def test_quotas_of_others_are_found_up_to_the_root_and_ours_are_not():
    one = "cgroup /cg/cpu cgroup rw,cpu,cpuacct 0 0\n"
    assert list(quotas(one, "1:cpu,cpuacct:/a/b\n0::/\n")) == [
        "/cg/cpu/a/b/cpu.stat",
        "/cg/cpu/a/cpu.stat",
        "/cg/cpu/cpu.stat",
    ]
    assert list(quotas("cgroup2 /cg cgroup2 rw 0 0\n", "0::/x/longlook-1\n")) == ["/cg/x/cpu.stat", "/cg/cpu.stat"]
    assert throttled(b"nr_periods 9\nnr_throttled 4\nthrottled_usec 3000\n") == (4, 0.003)
    assert throttled(b"nr_throttled 4\nthrottled_time 3000000\n") == (4, 0.003)
    assert throttled(b"usage_usec 7\n") == (0, 0.0)


BUSY = "print('busy', flush=True)\nwhile True: pass"


@pytest.mark.skipif(not is_granted(), reason="needs the right to make control groups")
@pytest.mark.parametrize("percent", [20, None])
def test_a_quota_of_somebody_else_is_seen_and_a_busy_program_without_one_is_not(percent):
    child = process.start([sys.executable, "-S", "-c", BUSY], stdout=subprocess.PIPE, text=True)
    try:
        child.stdout.readline()
        with CpuLimit(f"foreign-{child.pid}", percent or 100_000, 50_000) as limit:
            limit.add(child.pid)
            found, _ = watched(child.pid, lambda: time.sleep(0.4))
            process.stop(child)
        told = {f"{child.pid} {name} (throttled)" for name in ("python", "python3", "python3.11")}
        assert bool(found.keys() & told) == bool(percent) and found.keys() <= told
    finally:
        process.stop(child)


def watched(pid, hold):
    """What the watch says of an interval in which `hold()` held a process, and of the one before."""
    with StopWatch() as watch:
        watch.watch((pid,))
        time.sleep(0.5)
        before = time.monotonic()
        hold()
        time.sleep(0.05)
        after = time.monotonic()
        time.sleep(0.1)
        return watch.stopped(before, after), watch.stopped(before - 0.4, before)


SEIZE = """
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
print(libc.ptrace(0x4206, int(sys.argv[1]), None, None), flush=True)
sys.stdin.read()
"""


@pytest.mark.root
def test_a_debugger_at_one_thread_is_seen(idle):
    thread = max(map(int, os.listdir(f"/proc/{idle.pid}/task")))
    argv = [sys.executable, "-S", "-c", SEIZE, str(thread)]

    def hold():
        assert debugger.stdout.readline() == "0\n"

    debugger = process.start(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        traced, _ = watched(idle.pid, hold)
    finally:
        process.stop(debugger)
    assert list(traced) == [f"{idle.pid} {frozen_name(idle.pid)} (traced)"]
    assert watched(idle.pid, lambda: None) == ({}, {})


@pytest.mark.parametrize("version", [1, 2])
def test_a_frozen_process_is_told_from_an_idle_one(idle, version):
    with freezable(version, idle.pid) as freeze:
        frozen, idling = watched(idle.pid, lambda: freeze(0.05))
    assert idling == {}
    assert list(frozen) == [f"{idle.pid} {frozen_name(idle.pid)}"] and frozen.popitem()[1] >= 0.02


@pytest.mark.parametrize("version", [1, 2])
def test_a_process_that_is_brought_into_a_frozen_group_and_back_is_seen(idle, version):
    def hold():
        with freezable(version, idle.pid) as freeze:
            freeze(0.06)

    frozen, idling = watched(idle.pid, hold)
    assert idling == {} and list(frozen) == [f"{idle.pid} {frozen_name(idle.pid)}"]


def frozen_name(pid):
    with open(f"/proc/{pid}/comm") as comm:
        return comm.read().strip()


def test_a_stopped_process_and_its_children_are_seen(idle):
    def hold():
        os.kill(idle.pid, signal.SIGSTOP)
        time.sleep(0.08)
        os.kill(idle.pid, signal.SIGCONT)

    stopped, idling = watched(os.getpid(), hold)  # a descendant of ours
    assert idling == {} and list(stopped) == [f"{idle.pid} {frozen_name(idle.pid)}"]


def test_only_what_a_load_rests_on_is_looked_at(idle):
    """Who is watched, and the driver, but neither those of the load before nor the driver's other children."""
    with StopWatch() as watch:
        watch.watch((idle.pid,))
        watch.watch(())
        time.sleep(0.3)
        before = time.monotonic()
        os.kill(idle.pid, signal.SIGSTOP)
        time.sleep(0.1)
        assert watch.stopped(before, time.monotonic()) == {}
        watch.watch((idle.pid,))
        time.sleep(0.1)
        assert list(watch.stopped(before, time.monotonic())) == [f"{idle.pid} {frozen_name(idle.pid)}"]
        os.kill(idle.pid, signal.SIGCONT)


def test_a_watch_that_has_ended_does_not_say_that_all_is_well():
    with StopWatch() as watch:
        os.kill(watch._process.pid, signal.SIGKILL)
        watch._process.wait()
        with pytest.raises(LonglookError, match="the StopWatch has ended"):
            watch.stopped(0, time.monotonic())
