"""Stacks of variants.toml: each is what a folder with the same values would be, and a wrong one is named."""

from __future__ import annotations

import shutil

import pytest

from longlook.stack import StackError, known_stacks, load_stack, offered_stacks

SECOND = 'base = "tiny"\ntitle = "second"\nquic.tls = "QUIC Crypto"\nparts.more = "tinylib-1.0"\n'


def test_a_variant_is_the_stack_that_a_folder_of_that_name_would_be(tiny):
    def read():
        stacks = [tiny.load(name) for name in ("second", "third")]
        return [(stack.label, stack.digest, repr(stack.spec), stack.server_side("tcp")) for stack in stacks]

    tiny.stack("second", f'name = "second"\n{SECOND}')
    tiny.over("second", "third", 'tcp.tls = "1.2"')
    of_folders = read()
    shutil.rmtree(tiny.envs / "second")
    tiny.variants(f'[second]\n{SECOND}[fourth]\nbase = "third"\ntitle = "fourth"\n')
    assert read() == of_folders
    assert tiny.load("fourth").spec.tcp.tls == "1.2", "over a folder that lies over a variant"
    assert known_stacks(tiny.envs) == ["fourth", "second", "third", "tiny"]


def test_a_variants_templates_are_its_bases_unless_a_folder_of_its_name_has_some(tiny):
    (tiny.envs / "tiny" / "apache.conf").write_text("tiny")
    tiny.variants(f'[second]\n{SECOND}[third]\nbase = "second"\ntitle = "third"\n')

    def read():
        return {name: tiny.load(name).template("apache.conf").read_text() for name in ("second", "third")}

    assert read() == {"second": "tiny", "third": "tiny"}
    before = {name: tiny.load(name).server_side("tcp") for name in ("tiny", "second", "third")}
    (tiny.envs / "third").mkdir()
    (tiny.envs / "third" / "apache.conf").write_text("third")
    assert read() == {"second": "tiny", "third": "third"}
    changed = {name for name in before if tiny.load(name).server_side("tcp") != before[name]}
    assert changed == {"third"}
    with pytest.raises(
        StackError, match=r"stack second has no nginx\.conf \(looked in [^,]*envs/tiny, [^,]*/parts/shell, "
    ):
        tiny.load("second").template("nginx.conf")


def test_what_a_variant_says_of_its_provider_is_its_own_word(tiny):
    tiny.variants(
        '[nixed]\nbase = "tiny"\ntitle = "x"\nprovider = "nix"\non_demand = true\n[over]\nbase = "nixed"\ntitle = "y"\n'
    )
    assert offered_stacks() == ["over", "tiny"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('[second]\nbase = "tiny"\ntitle = "x"\nqiuc.tls = "1.3"\n', r"second: .*unknown key qiuc .did you mean quic"),
        ('[second]\nbase = "tiny"\ntitle = "x"\nquic.tsl = "1.3"\n', r"second: quic: .*unknown key tsl .did you mean"),
        ('[second]\nbase = "tiny"\n[second.parts]\nshell = "x"\n', r"second: parts\.shell: no part 'x'"),
        ('[second]\nbase = "nobody"\ntitle = "x"\n', r"second: base: no stack 'nobody' \(known stacks: second, tiny\)"),
        ('[second]\nbase = "second"\ntitle = "x"\n', r"second: base: second -> second is a cycle"),
        ('[second]\ntitle = "x"\n', r"second: base is missing: a stack over no other is a folder with a stack\.toml"),
        ('[second]\nbase = "tiny"\nname = "second"\n', r"second: name: is that of its table; leave it out"),
        ('second = "tiny"\n', r"second: is the table of a stack, not 'tiny'"),
        ("[second\n", r" not TOML"),
    ],
)
def test_a_wrong_variant_is_named_with_file_and_key(tiny, table, message):
    tiny.variants(table)
    with pytest.raises(StackError, match=rf"envs/variants\.toml: ?{message}"):
        tiny.load("second")


def test_a_name_that_is_a_folders_and_a_variants_is_refused(tiny):
    tiny.variants('[tiny]\nbase = "tiny"\ntitle = "x"\n')
    twice = r"variants\.toml: tiny: .*envs/tiny/stack\.toml is a stack of that name, too: one of them must go"
    for read in (tiny.load, lambda: known_stacks(tiny.envs), offered_stacks):
        with pytest.raises(StackError, match=twice):
            read()


def test_an_unknown_stack_names_both_places(tiny):
    tiny.variants(f"[second]\n{SECOND}")
    with pytest.raises(
        StackError, match=r"no stack 'other': no .*other/stack\.toml, and no table of .*variants\.toml .*second"
    ):
        load_stack("other", tiny.envs)
