"""Nodes that nobody can reach: said at once, with the node and what to do, before anything is begun."""

import os
import socket
import subprocess
import sys

import pytest

BEDS = """
[[testbed]]
name = "far"
driver = "emulab"
user = "alice"
{key}
server = {{ host = "127.0.0.1", port = {port}, address = "10.1.1.1" }}
client = {{ host = "127.0.0.1", port = {port}, address = "10.1.1.2" }}
bridge = {{ host = "127.0.0.1", port = {port}, pipes = {{ server_to_client = 1, client_to_server = 2 }} }}
"""
MOST_S = 300
"""For what hangs: patience with nodes that restart is ten minutes."""


@pytest.fixture
def closed_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        yield one.getsockname()[1]  # bound, and nobody listens


NO_KEY = ('key = "/no/such/key"', "there is no private key file /no/such/key")


@pytest.mark.parametrize(("key", "words"), [("", "is the node up, and its address right?"), NO_KEY])
@pytest.mark.parametrize("beds", [1, 2])
def test_nodes_that_refuse_and_a_key_that_is_not_there(key, words, beds, closed_port, tmp_path):
    (tmp_path / "raw").mkdir()
    file = tmp_path / "beds.toml"
    text = BEDS.format(key=key, port=closed_port)
    file.write_text("".join(text.replace('"far"', f'"far{number}"') for number in range(beds)))
    argv = [sys.executable, "-m", "longlook.cli", "run", "quick", "--testbeds", str(file)]
    done = subprocess.run(
        argv, env=os.environ | {"LONGLOOK_DATA": str(tmp_path)}, capture_output=True, text=True, timeout=MOST_S
    )
    said = done.stdout + done.stderr
    assert done.returncode == 1 and words in said and "Traceback" not in said, said
    assert "server node of testbed far0" in said and "reaching" in said
    assert list((tmp_path / "raw").iterdir()) == [], "no campaign is begun"
