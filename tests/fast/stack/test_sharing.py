"""Parts are installed once, for every stack that has them, and put on nodes once; Python packages stay in theirs."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile

import pytest

from longlook import paths
from longlook.errors import LonglookError
from longlook.node import provision
from longlook.stack import ChangedError, open_stack
from longlook.stack import placed as placed_module
from longlook.stack.install import install
from longlook.stack.part import PYTHON


@pytest.fixture
def more(tiny):
    """A stack over the tiny one with a part with Python packages beside its parts."""
    tiny.over("tiny", "more", 'parts.more = "tinylib-1.0"')
    return tiny


def test_a_second_stack_with_the_same_part_fetches_nothing(tiny, fetched):
    tiny.over("tiny", "second", 'quic.server = "ngtcp2"')
    first = install("tiny")
    said: list[str] = []
    second = install("second", progress=said.append)
    assert len(fetched) == 1 and said == []
    assert second.binary("browser") == first.binary("browser") and second.digest != first.digest


def test_only_the_part_that_is_new_is_fetched(more, fetched):
    install("tiny")
    said: list[str] = []
    install("more", progress=said.append)
    assert ["pip" in command for command in fetched] == [False, True]
    assert said == ["tinylib-1.0: Python packages"]


def test_a_part_that_changed_is_installed_beside_the_old_one(tiny, fetched):
    before = install("tiny").part_of("browser").folder
    tiny.lock.write_bytes(tiny.lock.read_bytes() + b"\n")
    with pytest.raises(LonglookError, match="is not installed"):
        open_stack("tiny")
    after = install("tiny").part_of("browser").folder
    assert after != before and before.is_dir()


def test_force_mends_a_part_for_every_stack_that_has_it(more, fetched):
    install("more").binary("browser").write_bytes(b"other")
    for name in ("tiny", "more"):
        with pytest.raises(ChangedError, match=f"longlook stack install --force {name}"):
            open_stack(name)
    install("tiny", force=True)
    open_stack("more", full_check=True)


def test_a_part_of_the_system_has_no_folder(tiny, fetched):
    installed = install("tiny")
    assert not installed.part_of("shell").folder.exists() and installed.part_of("shell").is_there


def test_a_program_alone_leaves_no_packages_behind(tiny, fetched):
    text = tiny.browser.read_text()
    begin, end = text.index("[components.chrome-har"), text.index("[clients.chromium.quic")
    tiny.browser.write_text(text[:begin] + text[end:])
    tiny.replace("npm_tree_sha256", "# ", tiny.browser)
    installed = install("tiny")
    assert [path.name for path in installed.part_of("browser").folder.iterdir()] == ["bin"]
    with pytest.raises(LonglookError, match="component browser of stack tiny is no library that stays in node_modules"):
        installed.modules("browser")


def test_modules_are_their_parts(tiny, fetched):
    installed = install("tiny")
    assert installed.modules("chrome-har-capturer") == installed.node_modules
    assert (installed.node_modules / "tinybrowser" / "index.js").is_file()


def test_python_packages_stay_and_say_their_versions(more, fetched):
    installed = install("more")
    folder = installed.python_path("tinylib")
    assert folder.parent.name.endswith(f"-py{PYTHON}") and not (folder / "bin").exists()
    command = [sys.executable, "-c", "import tiny_lib; print(tiny_lib.__file__)"]
    told = subprocess.run(command, env={"PYTHONPATH": str(folder)}, capture_output=True, text=True, timeout=300)
    assert told.stdout.startswith(str(folder))
    open_stack("more", full_check=True)  # what Python compiled there meanwhile does not count
    assert installed.component_version("tinylib") == "1.0"
    assert installed.component_version("inside") == "7.1"
    with pytest.raises(LonglookError, match="component shell of stack more is no library that stays in python"):
        installed.python_path("shell")


def test_a_changed_python_package_is_refused(more, fetched):
    path = install("more").python_path("tinylib") / "tiny_lib" / "__init__.py"
    path.write_text("INSIDE = 'inside 7.2'\n")
    with pytest.raises(ChangedError, match=r"part tinylib-1\.0: .*__init__\.py is not what is pinned"):
        open_stack("more")
    open_stack("tiny")


def test_a_python_that_nothing_is_pinned_for_is_refused(more, fetched, monkeypatch):
    monkeypatch.setattr(placed_module, "PYTHON", "2.7")
    with pytest.raises(
        LonglookError, match=rf"part\.toml: locks\.python_tree_sha256 knows Python {PYTHON}, and this is 2\.7"
    ):
        install("more")


def test_a_client_beside_the_usual_one(more, fetched):
    installed = install("more")
    assert installed.har_protocol("quic") == "h3" and installed.har_protocol("quic", "curl") == "HTTP/3"
    assert installed.client_flags("quic", "curl") == ("--http3-only",)
    assert installed.client_flags("quic", "chromium") == ("--enable-quic", "--quiet")
    with pytest.raises(LonglookError, match="has no client curl that speaks h2 for tcp"):
        installed.client_flags("tcp", "curl")


def test_a_node_is_sent_each_part_once_in_the_layout_of_the_cache(more, fetched, tmp_path):
    install("more")
    provision.stack_bundles.cache_clear()
    first, second = provision.stack_bundles("tiny"), provision.stack_bundles("more")
    provision.stack_bundles.cache_clear()
    assert set(first) < set(second) and len(second) == 2
    cache = paths.CACHE
    before = {path.relative_to(cache).as_posix() for path in cache.rglob("parts/*-*/**/*") if path.is_file()}
    shutil.rmtree(cache / "parts")
    for bundle in second:
        with tarfile.open(bundle.path) as archive:
            archive.extractall(cache, filter="data")
    assert {path.relative_to(cache).as_posix() for path in (cache / "parts").rglob("*") if path.is_file()} == before
    open_stack("more", full_check=True)


@pytest.mark.slow
@pytest.mark.needs("gtlsserver", "gtlsclient")
def test_quicv1more_as_installed_on_this_machine():
    install("quicv1")
    installed = install("quicv1more")
    assert installed.binary("envoy") == open_stack("quicv1").binary("envoy")
    facts = installed.components()
    assert (facts["curl-cffi"]["version"], facts["libcurl"]["version"]) == ("0.16.3", "8.21.0")
    assert (
        facts["gtlsserver"]["version"] == facts["gtlsclient"]["version"] and facts["gtlsserver"]["provider"] == "system"
    )
    assert installed.har_protocol("quic", "curl") == "h3"


@pytest.mark.slow
@pytest.mark.needs("gtlsserver", "gtlsclient")
def test_halme2021_as_installed_on_this_machine():
    installed = install("halme2021")
    assert {name: installed.component_version(name) for name in ("aioquic", "cryptography", "aiohttp", "bun")} == {
        "aioquic": "1.7.2",
        "cryptography": "50.0.2",
        "aiohttp": "3.14.5",
        "bun": "1.4.5",
    }
    spoken = {client: installed.har_protocol("quic", client) for client in ("aioquic", "lsquic", "ngtcp2")}
    assert set(spoken.values()) == {"h3"} and installed.har_protocol("tcp") == "http/1.1"
    assert not (installed.part_of("bun").folder / "node_modules").exists()  # the program alone is kept
