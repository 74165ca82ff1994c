"""The program that tells of each change to a host's network as it is made: interfaces, addresses, routes, rules,
queueing disciplines and filters, and nftables. It imports nothing of ours (`python -S` runs it there).

Its arguments are the experiment's interfaces. One line per change, `qdisc eth0`; the first one is `ready`. It ends with
its standard input. Who captures has an interface promiscuous: that is no change.
"""

import contextlib
import select
import socket
import struct
import sys

GROUPS = (1, 4, 5, 7, 8)
"""RTNLGRP_LINK, _TC, _IPV4_IFADDR, _IPV4_ROUTE, _IPV4_RULE (linux/rtnetlink.h)."""
KINDS = {16: "link", 20: "address", 24: "route", 32: "rule", 36: "qdisc", 40: "class", 44: "filter"}
"""RTM_NEW...; what deletes has the number behind it."""
CAPTURED = (0x100, 0x200)
"""IFF_PROMISC, IFF_ALLMULTI: alone among the flags that a message says are changed."""
NETLINK_NETFILTER, NFTABLES = 12, 7
"""The family, and NFNLGRP_NFTABLES (linux/netfilter/nfnetlink.h)."""
OUT_INTERFACE = 4
"""RTA_OIF of a route."""


def changes(data: bytes):
    """Kind and number of the interface of each message; 0 of what is no interface's."""
    while len(data) >= 16:
        length, number = struct.unpack_from("=IH", data)
        body, data = data[16:length], data[(length + 3) & ~3 :]
        kind = KINDS.get(number & ~1)
        if kind == "route":
            yield kind, out_interface(body[12:])
        elif kind == "rule":
            yield kind, 0
        elif kind and not (kind == "link" and struct.unpack_from("=I", body, 12)[0] in CAPTURED):
            yield kind, struct.unpack_from("=i", body, 4)[0]


def out_interface(rest: bytes) -> int:
    while len(rest) >= 8:
        length, kind = struct.unpack_from("=HH", rest)
        if kind == OUT_INTERFACE:
            return struct.unpack_from("=i", rest, 4)[0]
        rest = rest[(max(length, 4) + 3) & ~3 :]
    return 0


def subscribed(family: int, *groups: int) -> socket.socket:
    """A netlink socket that hears what its groups are told."""
    heard = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, family)
    heard.bind((0, sum(1 << (group - 1) for group in groups)))
    return heard


def main(interfaces: list[str]) -> None:
    names = {socket.if_nametoindex(name): f" {name}" for name in interfaces} | {0: ""}
    told = subscribed(socket.NETLINK_ROUTE, *GROUPS)
    sources = [told]
    with contextlib.suppress(OSError):  # a kernel without nftables
        sources.append(subscribed(NETLINK_NETFILTER, NFTABLES))
    print("ready", flush=True)
    while True:
        readable, _, _ = select.select([*sources, sys.stdin], [], [])
        if readable == [sys.stdin]:
            return
        for source in set(sources).intersection(readable):
            try:
                data = source.recv(1 << 20)
            except OSError:  # ENOBUFS: so many that some are lost
                print("too much to be told", flush=True)
                continue
            if source is not told:
                print("firewall", flush=True)
                continue
            for kind, index in changes(data):
                if index in names:
                    print(f"{kind}{names[index]}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
