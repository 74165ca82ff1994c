"""stack.toml: what is accepted, what is refused and with which words, and what the digest covers."""

from __future__ import annotations

import json

import pytest

from longlook.stack.spec import StackError, load_stack


def test_unknown_key_names_the_known_ones(tiny):
    tiny.replace('file = "bin/browser"', 'flie = "bin/browser"')
    with pytest.raises(StackError, match=r"components\.browser: .*unknown key flie; known keys: role, source, package.*file"):
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
