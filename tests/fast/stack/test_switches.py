"""What a stack may have its client ask a QUIC server for."""

import pytest

from longlook.stack import StackError
from longlook.stack.switches import joined, options_of

TBBR = 'controllers = {cubic = [], bbr = ["--quic-connection-options=TBBR"]}'


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            '["--quiet"]',
            '["--quic-connection-options=TBBR"]',
            r"--quic-connection-options=?",
        ),
        (
            '["--quiet"]',
            '["--force-fieldtrial-params=QUIC.Enabled:connection_options/TBBR"]',
            r"connection_options/TBBR: connection options are an arm's \(quic_options\)",
        ),
        ("=TBBR", "=B2ON", r"controllers\.bbr: the option B2ON does not ask for bbr: it sets cca = bbr2 .*TBBR\)"),
        ("=TBBR", "=TBBR,IW10", r"controllers\.bbr: the option IW10 does not ask for bbr: it sets initial_window = 10"),
        ("=TBBR", "=ZZZZ", r"controllers\.bbr: the option ZZZZ does not ask for bbr: nobody has looked up"),
        ("cubic = []", 'cubic = ["--quic-connection-options=RENO"]', r"controllers\.cubic: the option RENO"),
        (
            "cubic = []",
            'cubic = ["--force-fieldtrial-params=QUIC.Enabled:connection_options/QBIC"]',
            r"controllers\.cubic: --force-fieldtrial-params=.*asked for by --quic-connection-options=",
        ),
    ],
)
def test_switches_that_would_make_arms_something_else_are_refused(tiny, old, new, words):
    assert TBBR in tiny.toml.read_text()
    tiny.replace(old, new)
    with pytest.raises(StackError, match=r"tiny/stack\.toml: quic: .*" + words):
        tiny.load()


def test_those_of_a_base_and_of_a_part_are_refused_too(tiny):
    tiny.over("tiny", "second", 'quic.client_flags = ["--quic-connection-options=IW50"]')
    tiny.over("second", "third")
    with pytest.raises(StackError, match=r"third/stack\.toml: quic: .*--quic-connection-options"):
        tiny.load("third")


@pytest.mark.parametrize(
    ("flag", "words"),
    [
        ("quic_default_to_bbr", "stated elsewhere .cca."),
        ("quic_default_to_bbr_v2", "stated elsewhere .cca."),
        ("quic_disable_version_draft_29", "stated elsewhere .quic.version."),
    ],
)
def test_a_flag_of_the_server_that_sets_what_is_stated_elsewhere_is_refused(tiny, flag, words):
    tiny.over("tiny", "flagged", f"quic.server_flags.{flag} = true")
    with pytest.raises(StackError, match=rf"quic: server_flags\.{flag}: what it sets is {words}"):
        tiny.load("flagged")


def test_all_options_are_in_one_switch():
    switches = ("--a", "--quic-connection-options=TBBR,ILD0", "--b")
    assert options_of(switches) == ["TBBR", "ILD0"]
    assert joined(switches, ("ILD0", "IW10")) == ("--a", "--b", "--quic-connection-options=TBBR,ILD0,IW10")
    assert joined(("--a",), ()) == ("--a",)
