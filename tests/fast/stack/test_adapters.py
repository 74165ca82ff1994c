"""Adapters as stacks know them are those that there are; a stack that names others is refused when it is read."""

import pytest
from plans import cell

from longlook.client import CLIENTS
from longlook.errors import LonglookError, NotSupported
from longlook.experiment.refusals import require_possible
from longlook.server import SERVERS
from longlook.stack import StackError, adapters, known_stacks, load_stack
from longlook.stack.install import install
from longlook.stack.installed import open_stack


def test_they_are_those_that_there_are():
    for known, real in ((adapters.SERVERS, SERVERS), (adapters.CLIENTS, CLIENTS)):
        assert {name: one.protocols for name, one in known.items()} == {
            name: one.offer.protocols for name, one in real.items()
        }


def test_what_they_start_is_in_the_stacks_that_name_them():
    for name in known_stacks():
        spec = load_stack(name).spec
        for side in (spec.quic, spec.tcp):
            needed = (*adapters.SERVERS[side.server].components, *adapters.CLIENTS[side.client].components)
            assert set(needed) <= set(spec.components), name


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('server = "envoy"', 'server = "envoi"', r"quic\.server: no server 'envoi' .did you mean envoy"),
        ('server = "envoy"', 'server = "apache"', r"quic\.server: apache does not speak quic"),
        ('server = "apache"', 'server = "gquicd"', r"tcp\.server: gquicd does not speak tcp .known for it: aiohttp"),
        ('client = "chromium"', 'client = "chromum"', r"quic\.client: no client 'chromum' .did you mean chromium"),
        ('client = "chromium"', 'client = "systemcurl"', r"quic\.client: systemcurl does not speak quic"),
        ('["--quiet"]', '["--disable-quic"]', "quic: with --disable-quic its client would not speak what quic is"),
        ('["--quiet"]', '["--quic-version=h3-29"]', "client_flags has --quic-version, which `version`"),
        (
            '["--quiet"]',
            '["--quic-connection-options=TBBR"]',
            "TBBR: connection options are an arm",
        ),
        ('["--quiet"]', '["--proxy-server=localhost"]', "--proxy-server is set by its adapter, or leads"),
        ("bbr = [", 'bbr = ["--disable-quic", ', "quic: with --disable-quic"),
        ("controllers = {cubic = []}", 'controllers = {cubic = ["--enable-quic"]}', "tcp: with --enable-quic"),
    ],
)
def test_a_stack_whose_side_cannot_be_spoken_is_refused(tiny, old, new, words):
    tiny.replace(old, new)
    with pytest.raises(StackError, match=words):
        tiny.load()


def test_switches_of_a_part_are_held_to_the_same(tiny):
    tiny.replace('flags = ["--enable-quic"]', 'flags = ["--disable-quic"]')
    with pytest.raises(StackError, match="quic: with --disable-quic"):
        tiny.load()


def test_a_server_that_is_in_no_part_of_a_stack_is_refused_before_anything_is_measured():
    ngtcp2 = {"protocol": "quic", "server": "ngtcp2", "handshake": "1rtt"}
    with pytest.raises(NotSupported, match="server ngtcp2 needs gtlsserver, which stack quicv1 has not"):
        require_possible(cell(ngtcp2))


def test_components_are_those_that_arms_start():
    files = {"workload": {"kind": "download", "size_kb": 5}}
    curl = {"protocol": "tcp", "client": "curl"}
    assert adapters.components_of([cell(curl, stack="quicv1more", **files)]) == {"quicv1more": {"apache2", "curl-cffi"}}
    film = {"experiment": "video", "workload": {"kind": "video", "duration_s": 4}}
    found = adapters.components_of([cell({"protocol": "tcp"}, stack="shreedhar2022video", **film)])
    assert {"dashjs", "ffmpeg"} < found["shreedhar2022video"]


def test_a_program_that_no_arm_uses_need_not_be_there(tiny, fetched):
    install("tiny")
    tiny.replace('commands = ["no-such-shell", "bash"]', 'commands = ["no-such-shell"]')
    with pytest.raises(LonglookError, match="needs no-such-shell"):
        open_stack("tiny").components()
    with pytest.raises(LonglookError, match="needs no-such-shell"):
        open_stack("tiny", needed={"shell"}).components()
    assert set(open_stack("tiny", needed={"browser"}).components()) == {"browser", "chrome-har-capturer"}


def test_a_part_that_no_arm_uses_need_not_be_installed(tiny):
    with pytest.raises(LonglookError, match="is not installed"):
        open_stack("tiny", needed={"browser"})
    install("tiny", needed={"shell"})
    opened = open_stack("tiny", full_check=True, needed={"shell"})
    assert set(opened.components()) == {"shell"} and opened.binary("shell").name == "bash"
    with pytest.raises(LonglookError, match="browser of stack tiny is not installed"):
        opened.binary("browser")
