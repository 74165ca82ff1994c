"""What a client sends before anybody answers: the listener, and the table that is kept."""

import socket
import subprocess
import sys
import threading
import time

import pytest

from longlook import paths
from longlook.errors import LonglookError
from longlook.experiment.flights import Flight, read, stacks, version_of, write
from longlook.probe import first_flight


def test_the_table_is_read_as_it_was_written(tmp_path):
    rows = [Flight("c119", "119.0.6045.0", 1, 1250, 517), Flight("c133", "133.0.6943.0", 2, 2500, 1787)]
    write(tmp_path / "flights.csv", rows)
    assert read(tmp_path / "flights.csv") == rows and read(tmp_path / "absent.csv") == []


def test_a_table_of_something_else_says_what_writes_it_anew(tmp_path):
    (tmp_path / "flights.csv").write_text("stack,colour\nc119,red\n")
    with pytest.raises(LonglookError, match="longlook flights"):
        read(tmp_path / "flights.csv")


def test_who_is_asked_is_in_the_order_of_age_and_so_is_the_kept_table():
    names = [stack.name for stack in stacks()]
    assert names == ["quicv1", "c119", "c133", "c133x25519", "today"]
    kept = read(paths.FLIGHTS)
    if not kept:
        pytest.skip("`longlook flights` has not been run: nothing is kept yet")
    assert [(one.stack, one.version) for one in kept] == [(stack.name, version_of(stack)) for stack in stacks()]


@pytest.fixture
def listening():
    """Starts the listener of a kind; its port, and a way to hear the line that it ends with."""
    started = []

    def start(kind):
        child = subprocess.Popen([sys.executable, "-S", first_flight.__file__, kind], stdout=subprocess.PIPE, text=True)
        started.append(child)
        return int(child.stdout.readline()), child.stdout.readline

    yield start
    for child in started:
        child.kill()
        child.wait()
        child.stdout.close()


def test_datagrams_that_come_at_once_are_one_flight_and_later_ones_are_not(listening):
    port, line = listening("udp")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        for size in (1250, 1200):
            client.sendto(bytes(size), ("127.0.0.1", port))
        later = threading.Timer(4 * first_flight.WHOLE_S, client.sendto, (bytes(100), ("127.0.0.1", port)))
        later.start()
        assert line().split() == ["1250", "1200"]
        later.join()


def test_what_is_written_in_pieces_is_counted_together(listening):
    port, line = listening("tcp")
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(bytes(1000))
        time.sleep(first_flight.WHOLE_S / 8)  # so that it is a piece of its own
        client.sendall(bytes(787))
        assert line().split() == ["1787"]
