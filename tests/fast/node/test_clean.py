"""Cleaning a node by what is written in the environment of its processes."""

import os
import subprocess
import sys
import time

import pytest

from longlook.node.session import CLEAN

pytestmark = pytest.mark.timeout(300)


def sleeper(**marks):
    script = (
        "import signal, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        "print('up', flush=True); time.sleep(60)"
    )
    child = subprocess.Popen(
        [sys.executable, "-S", "-c", script], env=os.environ | marks, stdout=subprocess.PIPE, start_new_session=True
    )
    child.stdout.readline()
    return child


def clean(*words):
    environment = {name: value for name, value in os.environ.items() if name != "LONGLOOK_NODE"} | {
        "LONGLOOK_NODE": words[0]
    }
    done = subprocess.run(
        [sys.executable, "-S", str(CLEAN), *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return int(done.stdout)


def test_only_what_is_marked_is_ended_even_if_it_ignores_sigterm():
    tag = f"clean{os.getpid()}-server"
    mine, other, plain = sleeper(LONGLOOK_NODE=tag), sleeper(LONGLOOK_NODE=tag + "x"), sleeper()
    try:
        assert clean(tag) == 1  # and not itself, though it is marked too
        assert mine.wait(5) != 0
        assert other.poll() is None and plain.poll() is None
        assert clean(tag) == 0
    finally:
        for child in (mine, other, plain):
            child.kill()
            child.wait()


def test_one_job_among_several():
    tag = f"job{os.getpid()}-server"
    one, two = sleeper(LONGLOOK_NODE=tag, LONGLOOK_JOB="1"), sleeper(LONGLOOK_NODE=tag, LONGLOOK_JOB="2")
    try:
        assert clean(tag, "2") == 1
        assert two.wait(5) != 0
        time.sleep(0.1)
        assert one.poll() is None
    finally:
        for child in (one, two):
            child.kill()
            child.wait()
