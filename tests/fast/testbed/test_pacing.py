"""Pacing of another process's listeners: accepted connections take the rate over."""

import socket
import subprocess
import sys

import pytest

from longlook.errors import LonglookError
from longlook.host.sockets import NO_LIMIT, SO_MAX_PACING_RATE, pace, shut_tcp

SERVER = f"""
import os, socket
listener = socket.create_server(("127.0.0.1", 0))
if os.fork():  # the child listens, as the workers of some servers do
    listener.close()
    os.wait()
else:
    print(listener.getsockname()[1], flush=True)
    while True:
        connection, _ = listener.accept()
        connection.sendall(b"%d" % connection.getsockopt(socket.SOL_SOCKET, {SO_MAX_PACING_RATE}))
        connection.close()
"""


@pytest.fixture
def server():
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    yield process, int(process.stdout.readline())
    subprocess.run(["pkill", "-s", str(process.pid)], check=True)
    process.communicate(timeout=5)


def _rate_of_a_connection(port: int) -> int:
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        return int(connection.makefile().read())


def test_connections_accepted_afterwards_are_paced(server):
    process, port = server
    before = _rate_of_a_connection(port)
    assert pace(process.pid, port) == 1
    assert _rate_of_a_connection(port) == NO_LIMIT != before


def test_a_process_that_does_not_listen_there_is_an_error(server):
    process, port = server
    with pytest.raises(LonglookError, match="listens on no TCP port"):
        pace(process.pid, port - 1)


def test_a_process_that_is_gone_is_named():
    gone = subprocess.Popen(["true"])
    gone.wait()
    for ask in (lambda: pace(gone.pid, 443), lambda: shut_tcp(gone.pid, "127.0.0.1", 443)):
        with pytest.raises(LonglookError, match=f"process {gone.pid}.* is gone"):
            ask()
