"""stack.toml: what is accepted, what is refused and with which words, and what the digest covers."""

from __future__ import annotations

import json

import pytest

from longlook import paths
from longlook.stack.spec import StackError, load_stack, offered_stacks


def test_unknown_key_names_the_known_ones(tiny):
    tiny.replace('file = "bin/browser"', 'flie = "bin/browser"')
    with pytest.raises(
        StackError, match=r"components\.browser: .*unknown key flie; known keys: role, source, package.*file"
    ):
        tiny.load()


def test_unknown_table_is_refused(tiny):
    tiny.toml.write_text(tiny.toml.read_text() + "\n[extra]\na = 1\n")
    with pytest.raises(StackError, match="unknown key extra; known keys: name, title"):
        tiny.load()


def test_unknown_stack_lists_the_known_ones(tiny):
    with pytest.raises(StackError, match=r"no stack 'other'.*known stacks: tiny"):
        load_stack("other", tiny.envs)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('version = "1.2.3"', 'version = "1.2.4"', "tinybrowser 1.2.4, but the npm lock file holds 1.2.3"),
        ('minimum = "3.0"', 'version = "3.0"', "a component of the system states `minimum`"),
        ('file = "bin/browser"\n', "", "`file` and `sha256` go together"),
        ("tiny/([0-9.]+)", "tiny/[0-9.]+", "needs exactly one group"),
        ('name = "tiny"', 'name = "other"', "its folder is 'tiny'"),
        ('default = "cubic"', 'default = "vegas"', "cca.default"),
        ('title = "', "title = ", "not TOML"),
    ],
)
def test_mistakes_are_named(tiny, old, new, message):
    tiny.replace(old, new)
    with pytest.raises(StackError) as caught:
        tiny.load()
    assert message in str(caught.value)


def test_digest_is_of_the_content_not_of_the_layout(tiny):
    before = tiny.load().digest
    assert tiny.load().digest == before
    tiny.toml.write_text("# a comment\n\n" + tiny.toml.read_text())
    assert tiny.load().digest == before


def test_digest_changes_with_any_byte_of_a_lock(tiny):
    digests = {tiny.load().digest}
    original = tiny.lock.read_bytes()
    for changed in (original + b"\n", original.replace(b'"lockfileVersion": 3', b'"lockfileVersion": 2')):
        tiny.lock.write_bytes(changed)
        digests.add(tiny.load().digest)
    assert len(digests) == 3


def test_digest_changes_with_a_value(tiny):
    before = tiny.load().digest
    tiny.replace('title = "a stack', 'title = "the stack')
    assert tiny.load().digest != before


def test_quicv1_is_valid_and_lists_what_the_lock_pins():
    stack = load_stack("quicv1")
    assert (stack.spec.quic.har_protocol, stack.spec.tcp.har_protocol, stack.spec.tcp.tls) == ("h3", "h2", "1.3")
    assert stack.spec.cca.default == "cubic"
    packaged = json.loads((stack.folder / "package.json").read_text())["dependencies"]
    for package, version in packaged.items():
        listed = {part.locked_version for part in stack.spec.components.values() if part.package == package}
        assert listed == {version}


GO_COMPONENT = """[components.tool]
role = "server"
source = "go"
package = "hello"
version = "0.1"
reports = {how = "exit", argv = ["-version"], regex = 'hello ([0-9.]+)'}
[quic]
"""


@pytest.fixture
def with_tool(tiny, tmp_path, monkeypatch):
    """The tiny stack with a program that is built from tools/hello."""
    monkeypatch.setattr(paths, "TOOLS", tmp_path / "tools")
    tool = tmp_path / "tools" / "hello"
    tool.mkdir(parents=True)
    for name, text in {"go.mod": "module hello\n", "go.sum": "", "main.go": "package main\n"}.items():
        (tool / name).write_text(text)
    tiny.replace("[quic]\n", GO_COMPONENT)
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
    with pytest.raises(StackError, match=r"component tool needs .*go\.sum, which does not exist"):
        tiny.load()


def test_what_is_built_here_has_no_file_in_a_package(tiny, with_tool):
    tiny.replace('package = "hello"', f'package = "hello"\nfile = "x"\nsha256 = "{"0" * 64}"')
    with pytest.raises(StackError, match="states neither `file` nor `package_version`"):
        tiny.load()


def variant(tiny, name: str, text: str):
    folder = tiny.envs / name
    folder.mkdir()
    (folder / "package-lock.json").symlink_to(tiny.lock)
    (folder / "stack.toml").write_text(f'name = "{name}"\n{text}\n')
    return load_stack(name, tiny.envs)


def test_a_stack_may_exchange_one_component_of_another(tiny):
    other = '[components.shell]\nrole = "server"\nsource = "system"\npackage = "dash"\ncommands = ["dash"]\nminimum = "0"\nreports = {how = "package"}'
    made, base = variant(tiny, "variant", 'base = "tiny"\n' + other), tiny.load()
    assert made.spec.components["shell"].package == "dash"
    assert made.spec.components["browser"] == base.spec.components["browser"] and made.spec.tcp == base.spec.tcp
    assert made.digest != base.digest


def test_a_base_has_no_base(tiny):
    variant(tiny, "second", 'base = "tiny"')
    with pytest.raises(StackError, match="its base second has a base itself"):
        variant(tiny, "third", 'base = "second"')


def test_a_stack_of_nix_is_offered_in_its_shell_only(tiny, monkeypatch):
    variant(tiny, "period", 'base = "tiny"\nprovider = "nix"')
    assert offered_stacks() == ["tiny"]
    monkeypatch.setenv("LONGLOOK_STACKS", "period")
    assert offered_stacks() == ["period"]
