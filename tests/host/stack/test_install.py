"""Installing, finding and verifying, on a stack of local files."""

from __future__ import annotations

import multiprocessing
import os
import re
from pathlib import Path

import pytest

from longlook import paths
from longlook.errors import LonglookError
from longlook.host.locking import exclusive
from longlook.stack.install import install
from longlook.stack.installed import ChangedError, open_stack, place


def leftovers():
    return [path.name for path in (paths.CACHE / "parts").iterdir() if "partial" in path.name]


def browser_of(installed) -> Path:
    """The folder of the browser's part."""
    return installed.part_of("browser").folder


def test_not_installed_says_how_to_install(tiny):
    with pytest.raises(LonglookError, match=r"no tinybrowser-1\.2-\w{12}: run longlook stack install tiny"):
        open_stack("tiny")


def test_install_once_then_find_it(tiny, fetched):
    first = install("tiny")
    assert first.provider == "portable"
    assert first.binary("browser").read_bytes().startswith(b"#!/bin/sh")
    assert (first.node_modules / "tinybrowser" / "index.js").exists()
    assert browser_of(install("tiny")) == browser_of(first) == browser_of(open_stack("tiny"))
    assert sorted(path.name for path in (paths.CACHE / "parts").glob("*-*/")) == [browser_of(first).name]
    assert len(fetched) == 1, "the second installation fetched again"
    assert "--ignore-scripts" in fetched[0]
    assert leftovers() == []


def test_versions_come_from_the_programs(tiny, fetched):
    facts = install("tiny").components()
    assert facts["browser"]["version"] == facts["chrome-har-capturer"]["version"] == "1.2.3"
    assert facts["browser"]["provider"] == "portable"
    assert facts["shell"]["provider"] == "system"
    assert re.fullmatch(r"[0-9a-f]{64}", facts["shell"]["sha256"])


def test_a_program_of_another_version_is_refused(tiny, fetched):
    install("tiny").binary("browser").write_bytes(b"#!/bin/sh\necho tiny/9.9.9\n")
    with pytest.raises(LonglookError, match=r"part\.toml: browser reports version 9\.9\.9, part\.toml lists 1\.2\.3"):
        place(tiny.load()).components()


def test_a_system_program_that_is_too_old_is_refused(tiny, fetched):
    tiny.replace('minimum = "3.0"', 'minimum = "99.0"')
    with pytest.raises(LonglookError, match=r"at least 99\.0 is needed: apt-get install bash"):
        install("tiny").components()


@pytest.mark.parametrize("part", ["bin/browser", "node_modules/tinybrowser/index.js"])
def test_a_changed_byte_is_refused(tiny, fetched, part):
    installed = install("tiny")
    path = browser_of(installed) / part
    content = path.read_bytes()
    path.write_bytes(bytes([content[0] ^ 1]) + content[1:])
    for full in (False, True):
        with pytest.raises(ChangedError) as caught:
            open_stack("tiny", full_check=full)
        text = str(caught.value)
        assert str(path) in text
        assert len(set(re.findall(r"[0-9a-f]{64}", text))) == 2, "expected and found hash"
        assert "longlook stack install --force tiny" in text
    assert browser_of(install("tiny", force=True)) == browser_of(installed)
    open_stack("tiny", full_check=True)


def test_same_size_and_time_is_only_seen_by_the_full_check(tiny, fetched):
    path = install("tiny").binary("browser")
    status, content = path.stat(), path.read_bytes()
    path.write_bytes(content[:-2] + b"!\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    open_stack("tiny")
    with pytest.raises(ChangedError, match="expected sha256"):
        open_stack("tiny", full_check=True)


def test_an_added_or_missing_file_is_refused(tiny, fetched):
    installed = install("tiny")
    extra = installed.node_modules / "tinybrowser" / "extra.js"
    extra.write_text("1")
    with pytest.raises(ChangedError):
        open_stack("tiny")
    extra.unlink()
    open_stack("tiny")
    installed.binary("browser").unlink()
    with pytest.raises(ChangedError, match=r"cannot read .*browser"):
        open_stack("tiny")


def test_a_package_of_other_bytes_is_never_installed(tiny, fetched):
    pinned = re.search(r'sha256 = "([0-9a-f]{64})"\nreports', tiny.browser.read_text()).group(1)
    tiny.replace(pinned, "0" * 64)
    with pytest.raises(ChangedError, match=f"expected sha256 {'0' * 64}, found {pinned}"):
        install("tiny")
    assert leftovers() == []
    with pytest.raises(LonglookError, match="is not installed"):
        open_stack("tiny")


def test_remains_of_a_killed_installation_are_cleared(tiny, fetched):
    remains = paths.CACHE / "parts" / "tinybrowser-1.2.partial-killed" / "bin"
    remains.mkdir(parents=True)
    install("tiny")
    assert leftovers() == []


def test_another_provider_is_verified_and_has_the_same_digest(tiny, fetched, monkeypatch, tmp_path):
    portable = install("tiny")
    elsewhere = tmp_path / "store"
    elsewhere.mkdir()
    browser_of(portable).rename(elsewhere / "tinybrowser-1.2")
    monkeypatch.setenv("LONGLOOK_STACK_TINY", str(elsewhere))
    nix = open_stack("tiny", full_check=True)
    assert (nix.provider, nix.digest) == ("nix", portable.digest)
    assert nix.components()["browser"]["provider"] == "nix"
    forced = install("tiny", force=True)
    assert browser_of(forced).parent == elsewhere, "another provider's stack is not installed over"
    (elsewhere / "tinybrowser-1.2" / "bin" / "browser").write_bytes(b"other")
    with pytest.raises(ChangedError, match="Nix"):
        open_stack("tiny")


def test_a_program_of_the_system_may_come_from_another_provider(tiny, fetched, monkeypatch, tmp_path):
    portable = install("tiny")
    browser_of(portable).rename(tmp_path / "tinybrowser-1.2")
    (tmp_path / "shell" / "bin").mkdir(parents=True)
    (tmp_path / "shell" / "bin" / "bash").symlink_to("/bin/bash")
    monkeypatch.setenv("LONGLOOK_STACK_TINY", str(tmp_path))
    nix = open_stack("tiny")
    assert nix.binary("shell") == tmp_path / "shell" / "bin" / "bash"
    assert nix.components()["shell"]["provider"] == "nix"


def test_a_provider_that_lacks_a_part_is_refused(tiny, monkeypatch, tmp_path):
    (tmp_path / "store").mkdir()
    monkeypatch.setenv("LONGLOOK_STACK_TINY", str(tmp_path / "store"))
    with pytest.raises(ChangedError, match=r"part tinybrowser-1\.2: cannot read .*LONGLOOK_STACK_TINY"):
        open_stack("tiny")


def test_controllers_and_facts(tiny, fetched):
    stack = install("tiny")
    assert stack.client_flags("quic") == ("--enable-quic", "--quiet") and stack.client_flags("tcp") == ()
    assert stack.client_options("quic", "bbr") == ("--quic-connection-options=TBBR",)
    assert stack.client_options("quic", "cubic", ("ILD0", "IW10")) == ("--quic-connection-options=ILD0,IW10",)
    together = stack.client_options("quic", "bbr", ("ILD0",))
    assert together == ("--quic-connection-options=TBBR,ILD0",), "of two switches a browser heeds the last one alone"
    assert stack.client_options("tcp", "cubic", ("ILD0",)) == ()
    assert (stack.server("tcp"), stack.client("quic"), stack.har_protocol("quic"), stack.tls) == (
        "apache",
        "chromium",
        "h3",
        "1.3",
    )
    with pytest.raises(LonglookError, match="offers cubic for tcp, not bbr"):
        stack.client_options("tcp", "bbr")
    with pytest.raises(LonglookError, match="no component 'firefox'"):
        stack.binary("firefox")
    with pytest.raises(LonglookError, match=r"has no client curl that speaks v1 for quic \(its clients: chromium\)"):
        stack.har_protocol("quic", "curl")


def _hold(path, ready, release):
    with exclusive(path, "nobody"):
        ready.set()
        release.wait(20)


def test_two_installations_do_not_collide(tmp_path):
    context = multiprocessing.get_context("fork")
    ready, release = context.Event(), context.Event()
    holder = context.Process(target=_hold, args=(tmp_path / "lock", ready, release))
    holder.start()
    try:
        assert ready.wait(20)
        with (
            pytest.raises(LonglookError, match=r"waited 0\.3 s for somebody else"),
            exclusive(tmp_path / "lock", "somebody else", 0.3),
        ):
            pass
    finally:
        release.set()
        holder.join(20)
    with exclusive(tmp_path / "lock", "nobody", 0.3):
        pass


@pytest.mark.slow
@pytest.mark.parametrize(("stack", "browser"), [("quicv1", "111.0.5555.0"), ("quicv1c126", "126.0.6478.0")])
def test_a_stack_as_installed_on_this_machine(stack, browser):
    installed = install(stack)
    installed.verify(full=True)
    versions = {name: facts["version"] for name, facts in installed.components().items()}
    assert versions["chromium"] == browser
    assert versions["envoy"] == "1.40.0"
    assert versions["chrome-har-capturer"] == "0.14.4"
    assert versions["openssl"]
    assert os.access(installed.binary("apache2"), os.X_OK)
