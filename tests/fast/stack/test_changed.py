"""Programs of which some bytes are changed in a copy, as a stack asks for it; and flags of a server's library."""

from __future__ import annotations

import pytest

from longlook.errors import NotSupported
from longlook.stack.changed import client_program
from longlook.stack.install import install
from longlook.stack.table import StackError

CHANGED = """
[[quic.client_changes]]
offset = 15
before = "6563686f20"
value = "74696e79"
becomes = "{becomes}"
after = "2f312e32"
"""
MUTE = CHANGED.format(becomes="6d757465")


def test_a_stack_without_changes_has_the_program_itself(tiny, fetched):
    stack = install("tiny")
    assert client_program(stack, "quic", "browser") == stack.binary("browser")


def test_a_client_is_a_copy_on_the_side_that_asks_for_it(tiny, fetched):
    tiny.over("tiny", "mute", MUTE)
    stack = install("mute")
    program = stack.binary("browser")
    copy = client_program(stack, "quic", "browser")
    assert copy.name == program.name and copy.read_bytes() == program.read_bytes().replace(b"tiny", b"mute")
    assert copy.stat().st_mode == program.stat().st_mode
    assert client_program(stack, "tcp", "browser") == program
    assert client_program(stack, "quic", "browser") == copy


def test_another_program_than_the_changes_were_made_for_is_refused(tiny, fetched):
    tiny.over("tiny", "mute", MUTE.replace("6563686f20", "6563686f21"))
    with pytest.raises(NotSupported, match="not the program that stack mute was made for"):
        client_program(install("mute"), "quic", "browser")


@pytest.mark.parametrize("becomes", ["6d7574", "6d75746", "MUTE"])
def test_a_change_keeps_the_length_and_is_of_whole_bytes(tiny, becomes):
    tiny.over("tiny", "mute", CHANGED.format(becomes=becomes))
    with pytest.raises(StackError, match="client_changes"):
        tiny.load("mute")


def test_changes_and_flags_are_part_of_a_stack_and_only_flags_of_what_serves(tiny):
    tiny.over("tiny", "mute", MUTE)
    tiny.over("mute", "flagged", "quic.server_flags.some_flag = true")
    plain, mute, flagged = (tiny.load(name) for name in ("tiny", "mute", "flagged"))
    assert len({one.digest for one in (plain, mute, flagged)}) == 3
    assert plain.server_side("quic") == mute.server_side("quic") != flagged.server_side("quic")
    assert len({one.server_side("tcp") for one in (plain, mute, flagged)}) == 1
    assert flagged.spec.quic.client_changes == mute.spec.quic.client_changes
