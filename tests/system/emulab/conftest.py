"""One stand-in for all tests of this folder: provisioning its nodes takes longer than most tests."""

import contextlib
import os
import shutil

import pytest


@pytest.fixture(scope="session")
def standin(tmp_path_factory):
    """Three nodes over SSH, up and as good as new."""
    if os.geteuid() != 0:
        pytest.skip("needs root: run `sudo make test`")
    from standin import Standin, free_number, installed

    from longlook.host.locking import exclusive
    from longlook.stack import open_stack
    from longlook.testbed.base import LOCKS

    if not installed():
        pytest.skip("needs sshd: apt-get install openssh-server")
    if open_stack("quicv1").provider == "nix":
        pytest.skip("a stack of Nix needs its machine's store and is not put on nodes: run outside of the Nix shell")
    folder = tmp_path_factory.mktemp("standin")
    with contextlib.ExitStack() as owned:
        with exclusive(LOCKS / "standin.lock", "another stand-in"):  # which may find the same number free
            made = owned.enter_context(Standin(folder, f"n{os.getpid() % 100000}", free_number()))
        yield made
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def bench(tmp_path, monkeypatch):
    """A data folder of this test's own."""
    from longlook import paths

    monkeypatch.setattr(paths, "RAW", tmp_path / "raw")
    monkeypatch.setattr(paths, "STATE", tmp_path / "state")
    return tmp_path
