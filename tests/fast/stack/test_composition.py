"""Stacks of parts: one exchanged, bases in layers, and what a digest covers."""

from __future__ import annotations

import pytest

from longlook.stack import StackError, load_stack, offered_stacks


def test_a_stack_is_the_sum_of_its_parts(tiny):
    stack = tiny.load()
    assert set(stack.spec.components) == {"browser", "chrome-har-capturer", "shell"}
    assert [part.name for part in stack.parts] == ["shell", "tinybrowser-1.2"]
    assert stack.spec.parts["browser"].name == "tinybrowser-1.2"
    assert stack.spec.quic.client_flags == ("--enable-quic", "--quiet"), "the part's flags, then the stack's own"


def test_a_browser_is_exchanged_in_one_line(tiny):
    tiny.copy_part(
        tiny.browser,
        "tinybrowser-1.3",
        ('flags = ["--enable-quic"]', 'flags = ["--enable-quic", "--now"]'),
        ('har_protocol = "h3"', 'har_protocol = "h3-29"'),
    )
    tiny.over("tiny", "newer", 'parts.browser = "tinybrowser-1.3"')
    newer, base = tiny.load("newer"), tiny.load()
    assert [part.name for part in newer.parts] == ["shell", "tinybrowser-1.3"]
    assert newer.spec.quic.har_protocol == "h3-29"
    assert newer.spec.quic.client_flags == ("--enable-quic", "--now", "--quiet")
    assert newer.spec.tcp == base.spec.tcp and newer.spec.components["shell"] == base.spec.components["shell"]
    assert newer.digest != base.digest


def test_bases_lie_in_layers_and_the_nearest_counts(tiny):
    tiny.copy_part(tiny.browser, "tinybrowser-1.3")
    tiny.copy_part(tiny.browser, "tinybrowser-1.4")
    tiny.over(
        "tiny", "second", 'parts.browser = "tinybrowser-1.3"\nquic.tls = "QUIC Crypto"\nparts.more = "tinylib-1.0"'
    )
    tiny.over("second", "third", 'parts.browser = "tinybrowser-1.4"\ntcp.tls = "1.2"')
    third = tiny.load("third").spec
    assert {role: part.name for role, part in third.parts.items()} == {
        "browser": "tinybrowser-1.4",
        "more": "tinylib-1.0",
        "shell": "shell",
    }
    assert (third.quic.tls, third.tcp.tls, third.base) == ("QUIC Crypto", "1.2", "second")
    tiny.replace('quic.tls = "QUIC Crypto"', 'quic.tls = "1.2"', tiny.envs / "second" / "stack.toml")
    assert tiny.load("third").spec.quic.tls == "1.2"


def test_a_cycle_of_bases_is_named(tiny):
    tiny.over("third", "second")
    tiny.over("second", "third")
    tiny.over("third", "fourth")
    with pytest.raises(StackError, match=r"second/stack\.toml: base: second -> third -> second is a cycle"):
        tiny.load("second")
    with pytest.raises(StackError, match=r"fourth/stack\.toml: base: third -> second -> third is a cycle"):
        tiny.load("fourth")
    tiny.over("self", "self")
    with pytest.raises(StackError, match=r"base: self -> self is a cycle"):
        tiny.load("self")


@pytest.mark.parametrize(
    ("value", "message"),
    [('"nobody"', r"no stack 'nobody' \(known stacks: over1, tiny\)"), ("3", "names a stack, not 3")],
)
def test_a_base_must_be_a_stack(tiny, value, message):
    tiny.stack("over1", f'base = {value}\nname = "over1"\ntitle = "x"\n')
    with pytest.raises(StackError, match=rf"over1/stack\.toml: base: {message}"):
        tiny.load("over1")


def test_a_stack_must_say_its_own_name(tiny):
    tiny.stack("nameless", 'base = "tiny"\n')
    with pytest.raises(StackError, match=r"nameless/stack\.toml: name: Field required"):
        tiny.load("nameless")


def test_two_parts_with_a_component_of_one_name_are_refused(tiny):
    tiny.over("tiny", "twice", 'parts.again = "tinybrowser-1.2"')
    with pytest.raises(
        StackError,
        match=r"twice/stack\.toml: parts\.again: tinybrowser-1\.2 has components\.browser, and so has tinybrowser-1\.2 "
        r"\(parts\.browser\)",
    ):
        tiny.load("twice")


def test_two_parts_for_one_client_are_refused(tiny):
    tiny.replace("[clients.curl.quic.v1]", "[clients.chromium.quic.v1]", tiny.library)
    tiny.over("tiny", "twice", 'parts.more = "tinylib-1.0"')
    with pytest.raises(
        StackError, match=r"parts\.more: tinylib-1\.0 has clients\.chromium, and so has tinybrowser-1\.2"
    ):
        tiny.load("twice")


def test_templates_are_the_nearest_layers(tiny):
    tiny.over("tiny", "second")
    tiny.over("second", "third")
    (tiny.envs / "tiny" / "envoy.yaml").write_text("tiny")
    (tiny.envs / "tiny" / "apache.conf").write_text("tiny")
    (tiny.envs / "second" / "apache.conf").write_text("second")
    tiny.browser.with_name("recipe.toml").write_text("part")
    third = tiny.load("third")
    read = {name: third.template(name).read_text() for name in ("envoy.yaml", "apache.conf", "recipe.toml")}
    assert read == {"envoy.yaml": "tiny", "apache.conf": "second", "recipe.toml": "part"}
    with pytest.raises(StackError, match=r"stack third has no nginx\.conf \(looked in .*third, .*second, .*tiny"):
        third.template("nginx.conf")


def test_digest_is_of_the_content_not_of_the_layout(tiny):
    before = tiny.load().digest
    assert tiny.load().digest == before
    for file in (tiny.toml, tiny.browser):
        file.write_text("# a comment\n\n" + file.read_text())
    assert tiny.load().digest == before


@pytest.mark.parametrize("title", ['title = "a stack', 'title = "a pretended', 'title = "the system'])
def test_digest_changes_with_a_value_of_the_stack_and_of_every_part(tiny, title):
    before = tiny.load().digest
    tiny.replace(title, title.replace('"', '"now ', 1))
    assert tiny.load().digest != before


def test_digest_changes_with_a_value_of_a_base(tiny):
    tiny.over("tiny", "second")
    tiny.over("second", "third")
    before = tiny.load("third").digest
    tiny.replace('quic-connection-options=TBBR"]', 'quic-connection-options=TBBR", "--loud"]')
    assert tiny.load("third").digest != before


def test_a_locks_byte_changes_the_digest_of_every_stack_that_has_the_part_and_of_no_other(tiny):
    tiny.copy_part(tiny.browser, "tinybrowser-1.3")
    tiny.over("tiny", "newer", 'parts.browser = "tinybrowser-1.3"')
    tiny.over("tiny", "more", 'parts.more = "tinylib-1.0"')
    tiny.over("newer", "both", 'parts.more = "tinylib-1.0"')
    names = ("tiny", "newer", "more", "both")

    def changed_by(lock) -> set[str]:
        before = {name: tiny.load(name).digest for name in names}
        lock.write_bytes(lock.read_bytes() + b"\n")
        return {name for name in names if tiny.load(name).digest != before[name]}

    assert changed_by(tiny.lock) == {"tiny", "more"}
    assert changed_by(tiny.envs / "parts" / "tinybrowser-1.3" / "package-lock.json") == {"newer", "both"}
    assert changed_by(tiny.library.with_name("requirements.txt")) == {"more", "both"}


def test_a_stack_of_nix_is_offered_in_its_shell_only(tiny, monkeypatch):
    tiny.over("tiny", "period", 'provider = "nix"')
    tiny.over("period", "after")
    assert offered_stacks() == ["after", "tiny"], "provider is each stack's own word"
    monkeypatch.setenv("LONGLOOK_STACKS", "period")
    assert offered_stacks() == ["period"]


def test_a_newer_browser_is_all_that_differs_from_quicv1():
    newer, base = load_stack("quicv1c126"), load_stack("quicv1")
    parts = {role: part.name for role, part in newer.spec.parts.items()}
    assert parts == {role: part.name for role, part in base.spec.parts.items()} | {"browser": "chromium-126"}
    assert newer.template("envoy.yaml") == base.template("envoy.yaml")
    assert (newer.spec.tcp, newer.spec.quic, newer.spec.cca) == (base.spec.tcp, base.spec.quic, base.spec.cca)
