"""The Emulab profile: the request that it makes, and what it says of bad parameters."""

import ast
import json
from types import SimpleNamespace

import pytest
from genilib import PROFILE, RSPEC, load_profile, run_as_portal
from lxml import etree

DELAY = "http://www.protogeni.net/resources/rspec/ext/delay/1"
TOUR = "http://www.protogeni.net/resources/rspec/ext/apt-tour/1"
NAMES = {"r": RSPEC, "d": DELAY, "t": TOUR}
GOOD = {
    "stack": "quicv1",
    "replicas": 1,
    "server_type": "d430",
    "client_type": "d710",
    "bridge_type": "d710",
    "project": "",
    "ubuntu": "thesis",
}
UBUNTU22 = "urn:publicid:IDN+emulab.net+image+emulab-ops//UBUNTU22-64-STD"
UBUNTU18 = "urn:publicid:IDN+emulab.net+image+emulab-ops//UBUNTU18-64-STD"
FREEBSD = "urn:publicid:IDN+emulab.net+image+emulab-ops:FBSD132-64-STD"


def requested(**changes):
    """The request for these parameters, as the root of its XML."""
    from geni.rspec.pg import Request

    request = load_profile().build_request(SimpleNamespace(**GOOD | changes), Request())
    return etree.fromstring(request.toXMLString(pretty_print=True))


def node(root, name):
    (found,) = root.xpath(f"r:node[@client_id='{name}']", namespaces=NAMES)
    return found


def one(element, path):
    (found,) = element.xpath(path, namespaces=NAMES)
    return found


def seen(root, name):
    """Image, node type and the commands of a node."""
    this = node(root, name)
    commands = this.xpath("r:services/r:execute/@command", namespaces=NAMES)
    return one(this, "r:sliver_type/r:disk_image/@name"), one(this, "r:hardware_type/@name"), commands


@pytest.mark.parametrize(("stack", "image"), [("quicv1", UBUNTU22), ("gquic37", UBUNTU18)], ids=["quicv1", "gquic37"])
def test_one_replica_is_the_testbed_of_the_thesis(stack, image):
    root = requested(stack=stack)
    assert {one.get("client_id") for one in root.iterfind(f"{{{RSPEC}}}node")} == {
        "server-1",
        "client-1",
        "link-1_bridge",
    }
    service = [f"sudo -H /bin/bash /local/repository/emulab/setup-node.sh {stack}"]
    assert seen(root, "server-1") == (image, "d430", service)
    assert seen(root, "client-1") == (image, "d710", service)
    assert seen(root, "link-1_bridge") == (
        FREEBSD,
        "d710",
        [f"sudo -H /bin/sh /local/repository/emulab/setup-bridge.sh {stack}"],
    )
    # Bare metal: `raw` in geni-lib 0.9.9.4, `raw-pc` in newer ones.
    assert {one(node(root, name), "r:sliver_type/@name") for name in ("server-1", "client-1")} <= {"raw", "raw-pc"}
    assert {node(root, name).get("exclusive") for name in ("server-1", "client-1")} == {"true"}
    assert one(node(root, "link-1_bridge"), "r:sliver_type/@name") == "delay"


@pytest.mark.parametrize("replicas", [1, 3, 8])
def test_each_replica_has_a_bridge_and_addresses_of_its_own(replicas):
    root = requested(replicas=replicas)
    assert len(root.findall(f"{{{RSPEC}}}node")) == 3 * replicas
    for number in range(1, replicas + 1):
        for role, host in (("server", 1), ("client", 2)):
            address = one(node(root, f"{role}-{number}"), "r:interface/r:ip")
            assert (address.get("address"), address.get("netmask")) == (f"192.168.{number}.{host}", "255.255.255.0")
        bridge = node(root, f"link-{number}_bridge")
        assert not bridge.xpath("r:interface/r:ip", namespaces=NAMES)
        ends = {
            link.get("client_id"): set(link.xpath("r:interface_ref/@client_id", namespaces=NAMES))
            for link in root.iterfind(f"{{{RSPEC}}}link")
        }
        # The manifest's reader counts on the server being at the bridge's first interface.
        assert ends[f"link-{number}_left"] == {f"link-{number}_bridge:if0", f"server-{number}:if0"}
        assert ends[f"link-{number}_right"] == {f"link-{number}_bridge:if1", f"client-{number}:if0"}
    assert len(ends) == 2 * replicas


def test_the_bridge_asks_for_no_shaping():
    pipes = requested().xpath("//d:pipe", namespaces=NAMES)
    assert [(pipe.get("capacity"), pipe.get("latency"), pipe.get("lossrate")) for pipe in pipes] == [
        ("0", "0", "0.0")
    ] * 2


def test_types_system_and_project_are_taken():
    root = requested(
        server_type="d820", client_type="pc3000", bridge_type="d430", ubuntu="UBUNTU24-64-STD", project="QUIC-BENCH"
    )
    image = "urn:publicid:IDN+emulab.net+image+emulab-ops//UBUNTU24-64-STD"
    assert seen(root, "server-1") == (
        image,
        "d820",
        ["sudo -H /bin/bash /local/repository/emulab/setup-node.sh quicv1 QUIC-BENCH"],
    )
    assert seen(root, "client-1")[:2] == (image, "pc3000")
    assert seen(root, "link-1_bridge") == (
        FREEBSD,
        "d430",
        ["sudo -H /bin/sh /local/repository/emulab/setup-bridge.sh quicv1 QUIC-BENCH"],
    )


def test_the_services_run_scripts_that_exist():
    for script in requested().xpath("//r:execute/@command", namespaces=NAMES):
        path = script.split()[3].removeprefix("/local/repository/")
        assert (PROFILE.parents[1] / path).stat().st_mode & 0o111, path


def test_as_the_portal_runs_it(tmp_path):
    root = etree.fromstring(run_as_portal({"replicas": 2, "project": "QUIC-BENCH"}, tmp_path))
    assert len(root.findall(f"{{{RSPEC}}}node")) == 6
    assert one(root, "t:rspec_tour/t:description").text.startswith("QUIC against TCP")
    assert "longlook testbeds manifest.xml" in one(root, "t:rspec_tour/t:instructions").text


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({"replicas": 0}, ["replicas"]),
        ({"replicas": 9}, ["replicas"]),
        ({"replicas": "many"}, ["replicas"]),
        ({"stack": "quicv9"}, ["stack"]),
        ({"ubuntu": "WINDOWS"}, ["ubuntu"]),
        ({"server_type": ""}, ["server_type"]),
        ({"client_type": "d710; reboot"}, ["client_type"]),
        ({"bridge_type": "d 710"}, ["bridge_type"]),
        ({"project": "x && reboot"}, ["project"]),
        ({"project": "x\n"}, ["project"]),
        ({"replicas": 99, "bridge_type": "", "project": "$HOME"}, ["replicas", "bridge_type", "project"]),
    ],
)
def test_bad_parameters_are_reported_by_name(tmp_path, capsys, changes, names):
    with pytest.raises(SystemExit) as ended:
        run_as_portal(changes, tmp_path)
    assert ended.value.code == 100 + len(names)
    errors = json.loads(capsys.readouterr().err)
    assert [error["errorType"] for error in errors] == ["ParameterError"] * len(names)
    assert [error["params"] for error in errors] == [[name] for name in names]
    assert not (tmp_path / "request.xml").exists()


@pytest.mark.parametrize("name", ["stack", "ubuntu"])
def test_what_the_portal_lets_through_is_checked_too(name):
    profile = load_profile()
    assert [wrong for _, wrong in profile.problems(SimpleNamespace(**GOOD | {name: "no-such"}))] == [name]
    assert profile.problems(SimpleNamespace(**GOOD)) == []


def test_a_system_that_is_too_old_is_a_warning_with_a_better_value(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        run_as_portal({"stack": "gquic37"}, tmp_path, warnings_are_fatal=True)
    assert ended.value.code == 101
    (warning,) = json.loads(capsys.readouterr().err)
    assert warning["errorType"] == "ParameterWarning"
    assert warning["fixedValues"] == {"ubuntu": "UBUNTU22-64-STD"}
    # With what it proposes, and where the user insists, there is a request.
    assert UBUNTU22 in run_as_portal({"stack": "gquic37", **warning["fixedValues"]}, tmp_path, warnings_are_fatal=True)
    assert UBUNTU18 in run_as_portal({"stack": "gquic37"}, tmp_path)


def test_the_profile_stands_alone():
    """The portal has this one file and geni-lib, and no other of the repository."""
    tree = ast.parse(PROFILE.read_text())
    imported = {name.name for found in ast.walk(tree) if isinstance(found, ast.Import) for name in found.names}
    assert imported == {"re", "geni.portal", "geni.rspec.emulab", "geni.rspec.pg"}
    assert not [found for found in ast.walk(tree) if isinstance(found, (ast.ImportFrom, ast.JoinedStr))]
