"""Packet train: the rate of a link, from the spacing of back-to-back UDP packets. Standard library only.

train.py receive ADDRESS PORT COUNT      prints JSON: received, span_s (first to last arrival)
train.py send ADDRESS PORT COUNT SIZE    sends COUNT datagrams whose Ethernet frames have SIZE bytes
"""

import json
import socket
import sys
import time
from collections.abc import Callable

FRAME_OVERHEAD = 14 + 20 + 8
"""Ethernet, IPv4 and UDP headers, bytes."""
SILENCE_S = 0.6
BUFFER_BYTES = 8 * 1024 * 1024


def receive(address, port, count):
    """Until `count` datagrams came, or none for a while after the first."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
        sock.bind((address, port))
        print("ready", flush=True)
        sock.settimeout(5)
        arrivals: list[float] = []
        while len(arrivals) < count:
            try:
                sock.recv(2048)
            except TimeoutError:
                break
            arrivals.append(time.monotonic())
            sock.settimeout(SILENCE_S)
    span = arrivals[-1] - arrivals[0] if len(arrivals) > 1 else 0.0
    print(json.dumps({"received": len(arrivals), "span_s": span}), flush=True)


def send(address, port, count, size):
    """As fast as the socket takes them: the link's queue must hold them all."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)
        payload = bytes(size - FRAME_OVERHEAD)
        for _ in range(count):
            sock.sendto(payload, (address, port))


VERBS: dict[str, Callable[..., None]] = {"receive": receive, "send": send}

if __name__ == "__main__":
    verb, where, *numbers = sys.argv[1:]
    VERBS[verb](where, *(int(number) for number in numbers))
