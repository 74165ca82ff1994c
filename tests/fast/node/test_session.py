"""What a command becomes on a node, without one."""

import shlex

from longlook.node.session import Session
from longlook.testbed.description import parse_description
from longlook.testbed.emulab import session_to

BED = {
    "name": "emulab1", "driver": "emulab", "user": "alice",
    "server": {"host": "pc1", "address": "10.1.1.1"}, "client": {"host": "pc2", "address": "10.1.1.2"},
    "bridge": {"host": "pc3", "pipes": {"server_to_client": 1, "client_to_server": 2}},
}  # fmt: skip


def test_a_user_becomes_root_and_every_process_is_marked():
    session = session_to(parse_description(BED), "server")
    session.environment = {"TMPDIR": "/var/tmp/longlook/tmp"}
    words = shlex.split(session.command(["ping", "-c", "1", "a b"], job="7"))
    assert words[:4] == ["exec", "sudo", "-n", "env"]
    assert {"LONGLOOK_NODE=emulab1-server", "LONGLOOK_JOB=7", "TMPDIR=/var/tmp/longlook/tmp"} <= set(words)
    assert words[-4:] == ["ping", "-c", "1", "a b"]


def test_root_needs_no_sudo():
    assert "sudo" not in Session("node", "pc1", 22, "root", "tag").command(["true"])
