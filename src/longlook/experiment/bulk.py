"""Bulk flows over TCP from a server to a client. Standard library only; runs on the hosts.

bulk.py send ADDRESS PORT CCA      prints `ready`; sends zeros to whoever connects, by that controller, until it ends
bulk.py receive ADDRESS PORT FLOWS opens so many connections, and throws away what comes
"""

import contextlib
import socket
import sys
import threading

CHUNK = bytes(1 << 16)


def send(address, port, cca):
    with socket.create_server((address, int(port))) as listener:
        # What a program sets itself its connections take over; the namespace's is that of the loads.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, cca.encode())
        print("ready", flush=True)
        while True:
            threading.Thread(target=pour, args=listener.accept()[:1]).start()


def pour(connection):
    with connection, contextlib.suppress(OSError):
        while True:
            connection.sendall(CHUNK)


def receive(address, port, flows):
    threads = [threading.Thread(target=drain, args=(address, int(port))) for _ in range(int(flows))]
    for thread in threads:
        thread.start()


def drain(address, port):
    room = bytearray(CHUNK)
    with socket.create_connection((address, port)) as connection:
        while connection.recv_into(room):
            pass


if __name__ == "__main__":
    {"send": send, "receive": receive}[sys.argv[1]](*sys.argv[2:])
