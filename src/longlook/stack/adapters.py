"""Servers and clients as a stack knows them, by the names of their adapters: what they speak and what they start.

The adapters themselves stand above (longlook/server, longlook/client); a test holds both to each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from longlook.plan.arm import Protocol
from longlook.plan.cell import Cell
from longlook.plan.value import nearest


@dataclass(frozen=True)
class Adapter:
    """A server or a client."""

    protocols: tuple[Protocol, ...]
    components: tuple[str, ...]
    """Of a stack, which it starts or asks."""
    of_workloads: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Kind of workload -> components that it needs for that besides."""
    speaks_as: str = ""
    """Of a client that no part names: the one whose dialects are its own."""


SERVERS: Mapping[str, Adapter] = {
    "aiohttp": Adapter(("tcp",), ("aiohttp",)),
    "aioquic": Adapter(("quic",), ("aioquic",)),
    "apache": Adapter(("tcp",), ("apache2",)),
    "apache-wsgi": Adapter(("tcp",), ("apache2", "flask")),
    "by-file": Adapter(("quic",), ()),
    "by-file-tcp": Adapter(("tcp",), ()),
    "envoy": Adapter(("quic",), ("envoy",)),
    "envoy-425": Adapter(("quic",), ("envoy",)),
    "envoy-tcp": Adapter(("tcp",), ("envoy",)),
    "gquicd": Adapter(("quic",), ("gquicd",)),
    "lsquic": Adapter(("quic",), ("bun",)),
    "nginx": Adapter(("tcp",), ("nginx",)),
    "ngtcp2": Adapter(("quic",), ("gtlsserver",)),
    "quicgo": Adapter(("quic",), ("quicgo",)),
}
CLIENTS: Mapping[str, Adapter] = {
    "aiohttp": Adapter(("tcp",), ("aiohttp",)),
    "aiohttp-connections": Adapter(("tcp",), ("aiohttp",), speaks_as="aiohttp"),
    "aioquic": Adapter(("quic",), ("aioquic",)),
    "chromium": Adapter(
        ("quic", "tcp"),
        ("chromium", "chrome-har-capturer"),
        {"webpage": ("speedline-core",), "site": ("speedline-core",), "video": ("dashjs", "ffmpeg")},
    ),
    "curl": Adapter(("quic", "tcp"), ("curl-cffi",)),
    "lsquic": Adapter(("quic",), ("bun",)),
    "ngtcp2": Adapter(("quic",), ("gtlsclient",)),
    "quicgo": Adapter(("quic",), ("quicgo",)),
    "quicgo-one-stream": Adapter(("quic",), ("quicgo",)),
    "systemcurl": Adapter(("tcp",), ("curl",)),
}
NOTHING = Adapter((), ())
QUIC_FLOWS = ("quicv1more", ("gtlsserver", "gtlsclient"))
"""What cross traffic over QUIC comes from, whatever the stacks of the arms: a stack, and its components."""


def of(known: Mapping[str, Adapter], name: str) -> Adapter:
    """The adapter of that name; one that starts nothing where there is none."""
    return known.get(name, NOTHING)


def side_problems(protocol: Protocol, client: str, server: str) -> Iterator[str]:
    """Why these cannot be the usual client and server of a stack's side: key and reason."""
    for key, name, known in (("client", client, CLIENTS), ("server", server, SERVERS)):
        fitting = [one for one, adapter in known.items() if protocol in adapter.protocols]
        if name not in known:
            yield f"{key}: no {key} {name!r}{nearest(name, known)} (known for {protocol}: {', '.join(fitting)})"
        elif name not in fitting:
            yield f"{key}: {name} does not speak {protocol} (known for it: {', '.join(fitting)})"


def components_of(cells: Iterable[Cell]) -> dict[str, frozenset[str]]:
    """Stack -> the components of it that arms of these cells start, and what runs beside them; the others need not be
    on this machine."""
    found: dict[str, set[str]] = {}
    for cell in cells:
        if cell.link.cross_protocol == "quic":
            found.setdefault(QUIC_FLOWS[0], set()).update(QUIC_FLOWS[1])
        for arm in cell.arms:
            own = found.setdefault(arm.stack, set())
            client = of(CLIENTS, arm.client)
            own.update(of(SERVERS, arm.server).components, client.components)
            own.update(client.of_workloads.get(cell.workload.kind, ()))
    return {name: frozenset(own) for name, own in found.items()}
