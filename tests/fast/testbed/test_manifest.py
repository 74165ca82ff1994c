"""Testbeds from the manifest of an Emulab experiment; the sample has three replicas and two users."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from genilib import PROFILE, manifest_of, run_as_portal
from lxml import etree

from longlook.cli import cli
from longlook.errors import LonglookError
from longlook.testbed.description import Pipes, format_testbeds, load_testbeds
from longlook.testbed.manifest import load_manifest, read_manifest

SAMPLE = Path(__file__).with_name("emulab-manifest.xml")


@pytest.fixture(scope="module")
def text():
    return SAMPLE.read_text()


def test_the_sample_is_what_the_profile_asks_for_today(tmp_path, text):
    """When the profile changes: PYTHONPATH=tests/support python -m genilib > tests/fast/testbed/emulab-manifest.xml"""
    assert manifest_of(run_as_portal({"replicas": 3}, tmp_path)) == text


def test_three_replicas_are_three_testbeds(text):
    beds = read_manifest(text, "alice")
    assert [bed.name for bed in beds] == ["emulab1", "emulab2", "emulab3"]
    assert {(bed.driver, bed.user, bed.python) for bed in beds} == {
        ("emulab", "alice", "/local/repository/.venv/bin/python")
    }
    assert [(bed.server.host, bed.client.host, bed.bridge.host) for bed in beds] == [
        ("pc401.emulab.net", "pc402.emulab.net", "pc403.emulab.net"),
        ("pc404.emulab.net", "pc405.emulab.net", "pc406.emulab.net"),
        ("pc407.emulab.net", "pc408.emulab.net", "pc409.emulab.net"),
    ]
    assert [(bed.server.address, bed.client.address) for bed in beds] == [
        (f"192.168.{n}.1", f"192.168.{n}.2") for n in (1, 2, 3)
    ]
    assert {(bed.bridge.pipes.server_to_client, bed.bridge.pipes.client_to_server) for bed in beds} == {(60111, 60121)}


def test_the_order_of_the_nodes_does_not_matter(text):
    root = etree.fromstring(text)
    root[:] = reversed(root)
    shuffled = etree.tostring(root, encoding="unicode")
    assert shuffled.index("server-3") < shuffled.index("server-1")
    assert read_manifest(shuffled, "alice") == read_manifest(text, "alice")


def test_a_node_without_a_name_is_refused(text):
    with pytest.raises(LonglookError, match="a node without client_id"):
        read_manifest(text.replace('client_id="server-1"', 'lient_id="server-1"'))


def test_ports_and_pipes_are_taken(text):
    changed = text.replace('hostname="pc403.emulab.net" port="22"', 'hostname="pc403.emulab.net" port="2203"')
    bed = read_manifest(changed, "bob", Pipes(server_to_client=7, client_to_server=8))[0]
    assert (bed.user, bed.bridge.port, bed.server.port) == ("bob", 2203, 22)
    assert (bed.bridge.pipes.server_to_client, bed.bridge.pipes.client_to_server) == (7, 8)


def test_the_only_user_need_not_be_named(text):
    assert read_manifest(re.sub(r".*<login .*bob.*\n", "", text))[2].user == "alice"


def test_a_bridge_without_logins_is_reached_by_its_name(text):
    head, tail = text.split('client_id="link-1_bridge"', 1)
    changed = head + 'client_id="link-1_bridge"' + re.sub(r".*<login .*\n", "", tail, count=2)
    bed = read_manifest(changed, "alice")[0]
    assert (bed.bridge.host, bed.bridge.port) == ("link-1_bridge.quic.example.emulab.net", 22)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: "", "not XML .*empty"),
        (lambda text: text[: len(text) // 2], "not XML"),
        (lambda text: "<html/>", "no link bridge.*nodes: none"),
        (lambda text: text.replace("_bridge", "_router"), "no link bridge.*server-1"),
        (lambda text: text.replace('client_id="server-2"', 'client_id="other"'), "replica 2 lacks server-2"),
        (
            lambda text: re.sub(r'client_id="(server|client)-3"', r'client_id="\1-x"', text),
            "replica 3 lacks server-3 and client-3",
        ),
        (lambda text: re.sub(r"<ip [^>]*192.168.2.2[^>]*>", "", text), "client-2 has no address"),
        (lambda text: text.replace("192.168.2.2", "somewhere"), "client.address"),
        (lambda text: text.replace(' port="22"', ""), "login without a port"),
        (lambda text: re.sub(r".*<(login|host) .*\n", "", text), "server-1 has no login.*not ready"),
        (
            lambda text: text.replace('username="alice"', 'username="carol"'),
            "alice has no login on server-1; who has: bob, carol",
        ),
    ],
)
def test_a_mistake_is_named(text, change, words):
    changed = change(text)
    assert changed != text
    with pytest.raises(LonglookError, match=words):
        read_manifest(changed, "alice")


def test_several_users_are_listed(text):
    with pytest.raises(LonglookError, match=r"alice, bob.*--user"):
        read_manifest(text)


@pytest.mark.parametrize(
    ("content", "words"), [(None, "cannot read"), (b"\xff\xfe\x00", "not text"), (b"<a>", "not XML")]
)
def test_the_file_is_named(tmp_path, content, words):
    path = tmp_path / "manifest.xml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(LonglookError, match=words) as raised:
        load_manifest(path)
    assert str(path) in str(raised.value)


def test_the_command_prints_a_file_that_is_read_back(tmp_path, text):
    done = CliRunner().invoke(
        cli, ["testbeds", str(SAMPLE), "--user", "alice", "--pipes", "101", "102"], catch_exceptions=False
    )
    assert done.exit_code == 0
    (tmp_path / "testbeds.toml").write_text(done.output)
    pipes = Pipes(server_to_client=101, client_to_server=102)
    assert load_testbeds(tmp_path / "testbeds.toml") == read_manifest(text, "alice", pipes)


def test_the_walk_through_shows_what_is_printed(text):
    """emulab/README.md, step 3."""
    shown = re.search(r"cat testbeds.toml\n(.*?)```", (PROFILE.parent / "README.md").read_text(), re.DOTALL)[1]
    assert shown == format_testbeds(read_manifest(text, "alice")[:1])
