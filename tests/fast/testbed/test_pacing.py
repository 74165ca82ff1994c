"""Another process's sockets: pacing of its listeners, whose connections take the rate over; the end of connections."""

import os
import socket
import subprocess
import sys
import threading
import time

import pytest

from longlook.errors import LonglookError
from longlook.host.sockets import NO_LIMIT, SO_MAX_PACING_RATE, await_closed, pace, shut_tcp

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


def test_the_end_of_connections_is_waited_for_both_ways_and_no_longer():
    def waited_s(timeout_s):
        began = time.monotonic()
        await_closed(os.getpid(), "127.0.0.1", port, timeout_s)
        return time.monotonic() - began

    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as ours, listener.accept()[0] as theirs:
            assert waited_s(0.1) >= 0.1
            theirs.close()
            assert waited_s(0.1) >= 0.1
            threading.Timer(0.1, ours.close).start()
            assert 0.05 < waited_s(5) < 4
    await_closed(2**22 + 1, "127.0.0.1", port, 5)  # of no process
