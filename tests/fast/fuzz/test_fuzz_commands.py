"""Command lines put together at random: what they cannot do, they refuse, and none ends well that asked for nonsense.

Nothing is measured or installed: the first step of whatever would do so is refused.
"""

import pytest
from click.testing import CliRunner
from fuzzing import NUMBERS, WORDS, few_or_many, within
from hypothesis import given
from hypothesis import strategies as st

from longlook import paths
from longlook.cli import cli
from longlook.errors import LonglookError

COMMANDS = {
    "stack": ["show", "install", "quicv1", "--force"],
    "run": ["quick", "figure-4.6a", "table-4.1", "--reference", "--new", "--testbed", "--testbeds"],
    "calibrate": ["--bandwidth-mbps", "--rtt-ms", "--loss-pct"],
    "testbeds": ["--user", "alice", "--pipes"],
    "process": [],
    "audit": ["--json", "--campaign"],
    "compare": ["--json", "reference-figure-4.6a-20250801T101500"],
    "verify": ["reference-figure-4.6a-20250801T101500"],
    "seal-index": [],
    "book": [],
    "chapter": ["results-quicv1", "--quick"],
    "reproduce": ["--sweep", "quick"],
    "bench": ["--seconds"],
    "soak": ["--seconds", "--faults", "--seed", "--testbed"],
}
READING = {"process", "audit", "verify", "seal-index", "testbeds"}
"""Commands that may end well: there is a folder without any campaign."""
HELP = {"-h", "--help", "--version"}


class Refused(LonglookError):
    pass


@pytest.fixture(scope="module")
def nothing(tmp_path_factory):
    """A data folder without campaigns, and nobody who would do anything."""
    data = tmp_path_factory.mktemp("data")
    (data / "raw").mkdir()

    def refuse(*_, **__):
        raise Refused("not in this test")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "DATA", data)
        patch.setattr(paths, "RAW", data / "raw")
        patch.setattr(paths, "PROCESSED", data / "processed")
        patch.setattr("longlook.cli.enter", refuse)
        patch.setattr("longlook.stack.install.install", refuse)
        patch.setattr("longlook.stack.open_stack", refuse)
        patch.setattr("longlook.book.build.build", refuse)
        yield data


@st.composite
def lines(draw):
    command = draw(st.sampled_from([*COMMANDS, *COMMANDS, "nonsense", "-h"]))
    own = COMMANDS.get(command, [])
    word = st.one_of(st.sampled_from([*own, *own, *own, "--", "--help"]), WORDS, NUMBERS.map(str), st.text(max_size=6))
    return [command, *draw(st.lists(word, max_size=5))]


@few_or_many(0.25)
@given(lines())
def test_a_line(nothing, line):
    with within():
        told = CliRunner().invoke(cli, line)
    assert told.exception is None or isinstance(told.exception, SystemExit | LonglookError), told.exception
    if told.exit_code == 0:
        known = {*COMMANDS.get(line[0], ()), "--"}
        assert HELP & set(line) or (line[0] in READING and set(line[1:]) <= known)
    elif isinstance(told.exception, LonglookError):
        assert 0 < len(str(told.exception)) < 8000
