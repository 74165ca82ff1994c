"""stack.toml and part.toml: what is accepted, what is refused and with which words."""

from __future__ import annotations

import json

import pytest

from longlook import paths
from longlook.stack import StackError, known_stacks, load_stack
from longlook.stack.part import known_parts, load_part


def test_unknown_key_names_the_known_ones(tiny):
    tiny.replace('file = "bin/browser"', 'flie = "bin/browser"')
    with pytest.raises(
        StackError,
        match=r"tinybrowser-1\.2/part\.toml: components\.browser: .*flie .did you mean file.*known keys: role, .*file",
    ):
        tiny.load()


@pytest.mark.parametrize("table", ["extra", "components"])
def test_unknown_table_is_refused(tiny, table):
    tiny.toml.write_text(tiny.toml.read_text() + f"\n[{table}]\na = 1\n")
    with pytest.raises(StackError, match=rf"tiny/stack\.toml: .*unknown key {table}; known keys: name, title"):
        tiny.load()


def test_unknown_key_of_a_part_is_refused(tiny):
    tiny.replace('title = "a pretended', 'titel = "a pretended')
    with pytest.raises(
        StackError, match=r"part\.toml: .*unknown key titel .did you mean title.*known keys: name, title, locks"
    ):
        tiny.load()


def test_unknown_stack_lists_the_known_ones(tiny):
    with pytest.raises(StackError, match=r"no stack 'other'.*known stacks: tiny"):
        load_stack("other", tiny.envs)


def test_unknown_part_lists_the_known_ones(tiny):
    tiny.replace('browser = "tinybrowser-1.2"', 'browser = "tinybrowser-1.3"')
    with pytest.raises(
        StackError,
        match=r"tiny/stack\.toml: parts\.browser: no part 'tinybrowser-1\.3' \(known parts: shell, tinybrowser-1\.2, t",
    ):
        tiny.load()
    with pytest.raises(StackError, match=r"no part 'x'.*known parts: shell"):
        load_part("x", tiny.envs)


@pytest.mark.parametrize(
    ("old", "new", "file", "message"),
    [
        ('version = "1.2.3"', 'version = "1.2.4"', "part", "tinybrowser 1.2.4, but the npm lock file holds 1.2.3"),
        ('package = "tinybrowser"', 'package = "x"', "part", "x 1.2.3, but the npm lock file holds no such package"),
        ('minimum = "3.0"', 'version = "3.0"', "part", "a component of the system states `minimum`"),
        ('file = "bin/browser"\n', "", "part", "`file` and `sha256` go together"),
        (
            'how = "exit", argv = ["--version"], regex = \'tiny',
            'how = "python", regex = \'tiny',
            "part",
            "reports.how: a li",
        ),
        ("tiny/([0-9.]+)", "tiny/[0-9.]+", "part", "needs exactly one group"),
        ('name = "tinybrowser-1.2"', 'name = "other"', "part", "its folder is 'tinybrowser-1.2'"),
        ("npm_tree_sha256 =", "# ", "part", "locks.npm_tree_sha256 is missing: chrome-har-capturer stays in node_mod"),
        ('package-lock.json"', 'lock.json"', "lock", "lock.json: not a package-lock.json"),
        ('name = "tiny"', 'name = "other"', "stack", "its folder is 'tiny'"),
        ('default = "cubic"', 'default = "vegas"', "stack", "cca.default"),
        ('title = "', "title = ", "stack", "not TOML"),
        ('browser = "tiny', 'Browser = "tiny', "stack", "parts.Browser"),
        ('version = "v1"', 'version = "Q037"', "stack", "quic.version: chromium of its parts speaks v1, not Q037"),
        ('client = "chromium"', 'client = "curl"', "stack", "quic.client: no part has a client curl (clients of its"),
    ],
)
def test_mistakes_are_named(tiny, old, new, file, message):
    tiny.replace(old, new)
    with pytest.raises(StackError) as caught:
        tiny.load()
    assert message in str(caught.value)
    assert {"part": "/part.toml: ", "stack": "/tiny/stack.toml: ", "lock": "/lock.json: "}[file] in str(caught.value)


def test_a_python_library_must_be_in_the_lock_and_its_tree_pinned(tiny):
    tiny.library.with_name("requirements.txt").write_text("tiny-lib==2.0\n")
    with pytest.raises(StackError, match=r"components\.tinylib is tiny_lib 1\.0, but the pypi lock file holds 2\.0"):
        load_part("tinylib-1.0", tiny.envs)
    tiny.replace("python_tree_sha256", "# ", tiny.library)
    with pytest.raises(StackError, match=r"locks\.python_tree_sha256 is missing: tinylib, inside stays in python/"):
        load_part("tinylib-1.0", tiny.envs)


def test_a_tree_that_nobody_keeps_is_not_pinned(tiny):
    text = tiny.browser.read_text()
    begin, end = text.index("[components.chrome-har"), text.index("[clients.chromium.quic")
    tiny.browser.write_text(text[:begin] + text[end:])
    with pytest.raises(StackError, match=r"locks\.npm_tree_sha256 is of nothing"):
        tiny.load()


def test_what_is_part_of_another_component_is_in_its_part(tiny):
    tiny.replace('part_of = "tinylib"', 'part_of = "shell"', tiny.library)
    with pytest.raises(StackError, match=r"components\.inside: part_of names no component: shell"):
        load_part("tinylib-1.0", tiny.envs)


GO_COMPONENT = """[components.tool]
role = "server"
source = "go"
package = "hello"
version = "0.1"
reports = {how = "exit", argv = ["-version"], regex = 'hello ([0-9.]+)'}
[components.shell]
"""


@pytest.fixture
def with_tool(tiny, tmp_path, monkeypatch):
    """The tiny stack with a program that is built from tools/hello."""
    monkeypatch.setattr(paths, "TOOLS", tmp_path / "tools")
    tool = tmp_path / "tools" / "hello"
    tool.mkdir(parents=True)
    for name, text in {"go.mod": "module hello\n", "go.sum": "", "main.go": "package main\n"}.items():
        (tool / name).write_text(text)
    tiny.replace("[components.shell]\n", GO_COMPONENT)
    return tool


def test_digest_covers_the_sources_of_what_is_built_here(tiny, with_tool):
    before = tiny.load().digest
    (with_tool / "main.go").write_text("package main // changed\n")
    changed = tiny.load().digest
    (with_tool / "_patches").mkdir()
    (with_tool / "_patches" / "changes.patch").write_text("--- a\n+++ b\n")
    assert len({before, changed, tiny.load().digest}) == 3


def test_a_tool_without_checksums_is_refused(tiny, with_tool):
    (with_tool / "go.sum").unlink()
    with pytest.raises(StackError, match=r"components\.tool needs .*go\.sum, which does not exist"):
        tiny.load()


def test_what_is_built_here_has_no_file_in_a_package(tiny, with_tool):
    tiny.replace('package = "hello"', f'package = "hello"\nfile = "x"\nsha256 = "{"0" * 64}"')
    with pytest.raises(StackError, match="states neither `file` nor `package_version`"):
        tiny.load()


def test_every_stack_is_valid_and_lists_what_its_locks_pin():
    for name in known_stacks():
        load_stack(name)
    for name in known_parts():
        part = load_part(name)
        if (lock := part.lock("npm")) is None:
            continue
        packaged = json.loads(lock.with_name("package.json").read_text())["dependencies"]
        for package, version in packaged.items():
            listed = {one.locked_version for one in part.spec.components.values() if one.package == package}
            assert listed == {version}, (name, package)


def test_what_the_stacks_speak():
    def spoken(name):
        spec = load_stack(name).spec
        return spec.quic.har_protocol, spec.quic.client_flags, spec.tcp.har_protocol, spec.tcp.tls

    network = "--enable-features=NetworkService"
    v1 = ("h3", ("--enable-quic",), "h2", "1.3")
    q037 = ("http/2+quic/37", (network, "--enable-quic", "--quic-version=QUIC_VERSION_37"), "h2", "1.2")
    assert {name: spoken(name) for name in ("quicv1", "quicv1c126", "gquic37", "gquic37nix")} == {
        "quicv1": v1,
        "quicv1c126": v1,
        "gquic37": q037,
        "gquic37nix": q037,
    }
    assert load_stack("gquic37").spec.tcp.client_flags == (network,)
    assert {load_stack(name).spec.cca.default for name in known_stacks()} == {"cubic"}
