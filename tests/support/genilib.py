"""geni-lib for tests: its portal module on Python 3, the profile, and what Emulab makes of a request.

geni-lib 0.9.9.4, the only one on PyPI, holds Python 2 `print` statements in `geni/portal.py` and writes bytes to a text
file. Emulab's portal brings a newer one along. Here the statements are turned into calls as the module is loaded,
and nothing is written into the environment.
"""

import importlib.machinery
import importlib.util
import json
import re
import runpy
import sys
from pathlib import Path

import geni
import geni.rspec.pg
import pytest
from lxml import etree

PROFILE = Path(__file__).parents[2] / "emulab" / "profile.py"
RSPEC = "http://www.geni.net/resources/rspec/3"
EMULAB = "http://www.protogeni.net/resources/rspec/ext/emulab/1"
PRINT_STATEMENT = re.compile(r"^(\s*)print (.+)$", re.MULTILINE)


class _Python3(importlib.machinery.SourceFileLoader):
    """Loads a module whose only Python 2 is its `print` statements."""

    def get_code(self, fullname):
        return compile(PRINT_STATEMENT.sub(r"\1print(\2)", self.get_source(fullname)), self.path, "exec")


def load_portal():
    """`geni.portal` with a Context that knows nothing of an earlier one."""
    path = str(Path(geni.__file__).with_name("portal.py"))
    spec = importlib.util.spec_from_file_location("geni.portal", path, loader=_Python3("geni.portal", path))
    module = importlib.util.module_from_spec(spec)
    sys.modules["geni.portal"] = geni.portal = module
    spec.loader.exec_module(module)
    return module


def load_profile():
    """The profile as a module, without running it."""
    load_portal()
    spec = importlib.util.spec_from_file_location("emulab_profile", PROFILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_as_portal(parameters, folder, warnings_are_fatal=False):
    """Run the profile as Emulab's portal does, with parameters in a file; the request's text, or SystemExit."""
    (folder / "parameters.json").write_text(json.dumps(parameters))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            geni.rspec.pg.Request,
            "writeXML",
            lambda self, path: Path(path).write_text(self.toXMLString(True, ucode=True)),
        )
        patch.setenv("GENILIB_PORTAL_MODE", "1")
        patch.setenv("GENILIB_PORTAL_PARAMS_PATH", str(folder / "parameters.json"))
        patch.setenv("GENILIB_PORTAL_REQUEST_PATH", str(folder / "request.xml"))
        if warnings_are_fatal:
            patch.setenv("GENILIB_PORTAL_WARNINGS_ARE_FATAL", "1")
        load_portal()  # now: its Context reads these variables as it is made
        runpy.run_path(str(PROFILE), run_name="__main__")
    return (folder / "request.xml").read_text()


def manifest_of(request, users=("alice", "bob")):
    """What Emulab returns for a request.

    The shape follows manifests of its users that were published; all values are made up.
    """
    root = etree.fromstring(request.encode())
    for tour in root.xpath("*[local-name()='rspec_tour' or local-name()='data_set']"):
        root.remove(tour)
    root.set("expires", "2030-01-02T03:04:05Z")
    slivers = {}
    for index, node in enumerate(root.iterfind(f"{{{RSPEC}}}node")):
        _place(node, f"pc{401 + index}", 7001 + index, users, slivers)
    for index, link in enumerate(root.iterfind(f"{{{RSPEC}}}link")):
        link.set("sliver_id", f"urn:publicid:IDN+emulab.net+sliver+{9001 + index}")
        link.set("vlantag", str(301 + index))
        for end in link.iterfind(f"{{{RSPEC}}}interface_ref"):
            end.set("sliver_id", slivers[end.get("client_id")])
    etree.indent(root)
    return etree.tostring(root, encoding="unicode") + "\n"


def _place(node, machine, sliver, users, slivers):
    node.set("component_manager_id", "urn:publicid:IDN+emulab.net+authority+cm")
    node.set("component_id", f"urn:publicid:IDN+emulab.net+node+{machine}")
    node.set("sliver_id", f"urn:publicid:IDN+emulab.net+sliver+{sliver}")
    for index, interface in enumerate(node.iterfind(f"{{{RSPEC}}}interface")):
        slivers[interface.get("client_id")] = f"urn:publicid:IDN+emulab.net+sliver+{sliver}{index}"
        interface.set("component_id", f"urn:publicid:IDN+emulab.net+interface+{machine}:eth{index + 2}")
        interface.set("sliver_id", slivers[interface.get("client_id")])
        interface.set("mac_address", f"02{sliver:08x}{index:02x}")
    sliver_type = node.find(f"{{{RSPEC}}}sliver_type")
    if sliver_type.get("name") == "raw":
        sliver_type.set("name", "raw-pc")  # as newer geni-libs write it
    services = node.find(f"{{{RSPEC}}}services")
    for index, user in enumerate(users):
        login = etree.Element(
            f"{{{RSPEC}}}login", authentication="ssh-keys", hostname=f"{machine}.emulab.net", port="22", username=user
        )
        services.insert(index, login)
    etree.SubElement(services, f"{{{EMULAB}}}console", server="boss.emulab.net")
    hardware = node.find(f"{{{RSPEC}}}hardware_type").get("name")
    etree.SubElement(node, f"{{{EMULAB}}}vnode", name=machine, hardware_type=hardware)
    name = f"{node.get('client_id')}.quic.example.emulab.net"
    etree.SubElement(node, f"{{{RSPEC}}}host", name=name, ipv4=f"155.98.36.{sliver % 200}")


if __name__ == "__main__":  # the sample that tests/fast/testbed/test_manifest.py reads
    import tempfile

    with tempfile.TemporaryDirectory() as made:
        sys.stdout.write(manifest_of(run_as_portal({"replicas": 3}, Path(made))))
