"""TLS 1.2: the request of libcurl, as it is pinned, goes out before the server's Finished has come (RFC 7918), and that
of the system's curl does not."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time

import pytest

from longlook.client.scripted import PROGRAMS
from longlook.stack.installed import open_stack

CHANGE_CIPHER_SPEC, HANDSHAKE, APPLICATION_DATA = 20, 22, 23
PORT = "PORT"
"""Of an argument: where a listener's port is to stand."""
LONG_S = 1.0
"""So long the server's last flight is kept back."""
MAKE = "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out both.pem -days 1 -subj /CN=localhost"
SERVE = "openssl s_server -tls1_2 -alpn h2 -cert both.pem -key key.pem -quiet -accept"


def kinds(data):
    """Content types of the TLS records in a stream."""
    while len(data) >= 5:
        yield data[0]
        data = data[5 + int.from_bytes(data[3:5], "big") :]


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def server(tmp_path):
    """Port of one that speaks TLS 1.2 alone."""
    made = [*MAKE.split(), "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(made, cwd=tmp_path, check=True, capture_output=True)
    port = free_port()
    quiet = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([*SERVE.split(), f"127.0.0.1:{port}"], cwd=tmp_path, **quiet)
    try:
        assert any(listens(port) or time.sleep(0.05) for _ in range(200)), "the server does not listen after 10 s"
        yield port
    finally:
        process.kill()
        process.wait()


def after_the_first_flight(listener, port):
    """What a client says to the server's first flight, while nothing else comes from the server."""
    client, _ = listener.accept()
    with client, socket.create_connection(("127.0.0.1", port)) as onwards:
        onwards.sendall(client.recv(65536))
        client.sendall(onwards.recv(65536))
        client.settimeout(LONG_S)
        said = b""
        try:
            while more := client.recv(65536):
                said += more
        except TimeoutError:
            pass
        return said


def said_by(argv, environment, server):
    """Content types of what a client of programs/ says to the server's first flight."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        client = subprocess.Popen(
            [sys.executable, "-S", *(port if one == PORT else one for one in argv)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"PATH": os.environ["PATH"]} | environment,
        )
        try:
            assert json.loads(client.stdout.readline())["event"] == "ready"
            client.stdin.write(json.dumps({"id": 1, "path": "/", "timeout_ms": 5000, "fresh": True}) + "\n")
            client.stdin.flush()
            return list(kinds(after_the_first_flight(listener, server)))
        finally:
            client.kill()
            client.wait()


def test_libcurl_does_not_wait_for_the_end_of_the_handshake(server, tmp_path):
    argv = [str(PROGRAMS / "curl_fetch.py"), "localhost", PORT, "127.0.0.1", str(tmp_path / "both.pem"), "2"]
    found = said_by(argv, {"PYTHONPATH": str(open_stack("quicv1more").python_path("curl-cffi"))}, server)
    assert found.count(HANDSHAKE) == 2 and found[-1] == APPLICATION_DATA


@pytest.mark.needs("curl")
def test_the_system_s_curl_waits_for_it(server, tmp_path):
    argv = [str(PROGRAMS / "systemcurl_fetch.py"), shutil.which("curl"), "some version", str(tmp_path / "fetched")]
    found = said_by([*argv, "localhost", PORT, "127.0.0.1", str(tmp_path / "both.pem")], {}, server)
    assert found == [HANDSHAKE, CHANGE_CIPHER_SPEC, HANDSHAKE]
