"""UDP streams through a link: what was sent when, and what arrived when. Standard library only; runs on the hosts.

stream.py receive ADDRESS PORT        prints `ready`; at the end JSON: arrivals
                                      {phase: [[number, sent, arrived], ...]}, endings, marked (phase and number of
                                      those with the mark of congestion)
stream.py send ADDRESS PORT PHASES    PHASES: JSON, a list; waits for a line of standard input; prints JSON: for each
                                      phase the times at which it sent

A phase: {"kind": ..., "count": most packets, "frame_bytes": of their Ethernet frames, "settle_s": pause afterwards;
"ecn": their ECN field, if given} and
  spaced   "interval_s" between packets
  fill     as fast as it goes until the link's backlog would be "backlog_bytes" if its queue had no limit and it
           served "mbps", then only as much as keeps it there until "hold_s" after the start, and "top_up" packets (if
           given) at the end, for those that the link lost meanwhile; with pauses if it may be "calm"
  paced    at "mbps", spread evenly, at most `MOST_AT_ONCE_S` worth and "at_once" packets (if given) at a time: what a
           stall of the sender held up is not made up for, since it would overflow a queue

Times are Unix nanoseconds: of the sender's call, and of the kernel's reception.
"""

import contextlib
import json
import os
import socket
import struct
import sys
import time
from collections.abc import Callable

FRAME_OVERHEAD = 14 + 20 + 8
"""Ethernet, IPv4 and UDP headers, bytes."""
HEADER = struct.Struct("!BIq")
END = 255
ENDINGS, ENDING_INTERVAL_S = 5, 0.01
LINGER_S = 0.06
"""After the first sign of the end: for those that follow."""
PATIENCE_S, SILENCE_S = 60.0, 5.0
"""For the first packet, and for each other one."""
BUFFER_BYTES = 16 * 1024 * 1024
SO_TIMESTAMPNS = 35
TIMESPEC = struct.Struct("qq")
IP_RECVTOS = 13
ECT1, ECT0, CE = 1, 2, 3
"""ECN's field of a packet (RFC 3168): capable of L4S (RFC 9331), capable, and marked."""
STEP_S, MOST_AT_ONCE_S = 0.001, 0.005


def receive(address, port):
    """Until the sender says that it is done, or nothing came for a while."""
    arrivals: dict[int, list[tuple[int, int, int]]] = {}
    endings, marked = 0, []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
        sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        sock.setsockopt(socket.IPPROTO_IP, IP_RECVTOS, 1)
        sock.bind((address, int(port)))
        print("ready", flush=True)
        sock.settimeout(PATIENCE_S)
        with contextlib.suppress(TimeoutError):
            while True:
                data, ancillary, _, _ = sock.recvmsg(2048, 64)
                phase, number, sent = HEADER.unpack_from(data)
                if not arrivals:
                    sock.settimeout(SILENCE_S)
                if phase == END:
                    endings += 1
                    sock.settimeout(LINGER_S)
                    continue
                told = {(level, kind): value for level, kind, value in ancillary}
                if told[socket.IPPROTO_IP, socket.IP_TOS][0] & CE == CE:
                    marked.append((phase, number))
                seconds, nanoseconds = TIMESPEC.unpack_from(told[socket.SOL_SOCKET, SO_TIMESTAMPNS])
                arrivals.setdefault(phase, []).append((number, sent, seconds * 1_000_000_000 + nanoseconds))
    print(json.dumps({"arrivals": arrivals, "endings": endings, "marked": marked}), flush=True)


class Sender:
    """One phase's packets, numbered, each with the time of its sending."""

    def __init__(self, sock, phase, frame_bytes):
        self._sock, self._phase = sock, phase
        self._rest = bytes(frame_bytes - FRAME_OVERHEAD - HEADER.size)
        self.times = []

    def send(self):
        now = time.time_ns()
        self._sock.send(HEADER.pack(self._phase, len(self.times), now) + self._rest)
        self.times.append(now)


def spaced(sender, count, interval_s, **_):
    begin = time.monotonic()
    for index in range(count):
        time.sleep(max(0.0, begin + index * interval_s - time.monotonic()))
        sender.send()


def fill(sender, count, frame_bytes, mbps, backlog_bytes, hold_s, top_up=0, calm=False, **_):
    begin, rate = time.monotonic(), mbps * 1e6 / 8
    filled, slow = False, calm or frame_bytes / rate > 2 * STEP_S  # then there is time to leave the processor to others
    while len(sender.times) < count:
        elapsed = time.monotonic() - begin
        if len(sender.times) * frame_bytes < elapsed * rate + backlog_bytes:
            sender.send()
            continue
        filled = True
        if elapsed >= hold_s:
            break
        if slow:
            time.sleep(STEP_S)
    for _index in range(top_up):
        sender.send()
    return filled


def paced(sender, count, frame_bytes, mbps, at_once=None, **_):
    rate = mbps * 1e6 / 8 / frame_bytes
    last, owed = time.monotonic(), 1.0
    while len(sender.times) < count:
        now = time.monotonic()
        owed += min(now - last, MOST_AT_ONCE_S) * rate
        last = now
        for _index in range(min(int(owed), at_once or count, count - len(sender.times))):
            sender.send()
        owed %= 1
        time.sleep(STEP_S)


KINDS: dict[str, Callable[..., bool | None]] = {"spaced": spaced, "fill": fill, "paced": paced}


def send(address, port, phases):
    """All phases in turn, with real-time priority: what other programs do to the sender is not the link's."""
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    told = []
    sys.stdin.readline()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)
        sock.connect((address, int(port)))  # twice as many packets per second as with an address each
        for number, phase in enumerate(json.loads(phases)):
            sock.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, phase.get("ecn", 0))
            sender = Sender(sock, number, phase["frame_bytes"])
            filled = KINDS[phase["kind"]](sender, **phase)
            told.append({"times": sender.times, "filled": filled})
            time.sleep(phase["settle_s"])
        for _ in range(ENDINGS):
            with contextlib.suppress(OSError):  # the receiver may be gone already
                Sender(sock, END, 64).send()
            time.sleep(ENDING_INTERVAL_S)
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "send":
        send(*sys.argv[2:])
    else:
        receive(*sys.argv[2:])
