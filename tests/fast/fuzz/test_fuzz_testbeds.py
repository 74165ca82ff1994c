"""A testbeds' file that was changed anywhere is refused in one message, or read, and written again as it was read."""

import tomllib

import pytest
from fuzzing import accepted, changed, few_or_many, toml, torn
from hypothesis import given
from hypothesis import strategies as st

from longlook.testbed.description import format_testbeds, load_testbeds
from longlook.testbed.manifest import read_manifest

TEXT = b"""
[[testbed]]
name = "default"
driver = "netns"
control = { host = "10.0.0.1", user = "root", python = "/usr/bin/python3", key = "/root/.ssh/id", port = 2222 }

[[testbed]]
name = "emulab1"
driver = "emulab"
user = "alice"
server = { host = "pc1.emulab.net", address = "192.168.1.1" }
client = { host = "pc2.emulab.net", address = "192.168.1.2" }
bridge = { host = "pc3.emulab.net", pipes = { server_to_client = 60111, client_to_server = 60121 } }
known_hosts = "/home/alice/hosts"
folder = "/var/tmp/longlook"
python = "/usr/bin/python3"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("testbeds")


def read(folder, text):
    file = folder / "x.toml"
    file.write_bytes(text)
    found = accepted(lambda: load_testbeds(file))
    if found is not None:
        file.write_text(format_testbeds(found))
        assert load_testbeds(file) == found


@few_or_many(0.08)
@given(changed(st.just(tomllib.loads(TEXT.decode()))))
def test_values(folder, tree):
    read(folder, toml(tree).encode("utf-8", "surrogatepass"))


@few_or_many(0.06)
@given(torn(st.just(TEXT)))
def test_text(folder, text):
    read(folder, text)


@few_or_many(0.06)
@given(data=st.data())
def test_the_manifest_of_an_experiment(request, data):
    sample = (request.path.parents[1] / "testbed" / "emulab-manifest.xml").read_bytes()
    text = data.draw(torn(st.just(sample))).decode("utf-8", "replace")
    found = accepted(lambda: read_manifest(text, "alice"))
    if found is not None:
        assert format_testbeds(found)
