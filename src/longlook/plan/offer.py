"""What a server or a client can do, declared by its adapter, and what of an arm it cannot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from longlook.plan.arm import Arm

LOOKED_AT = ("webpage", "site")
"""Kinds of workload of which is told what is seen."""
PAGE_KINDS = ("page", *LOOKED_AT)
"""Kinds of workload that browsers load."""


@dataclass(frozen=True)
class Offer:
    """An empty tuple where a thing means nothing for the adapter: a client has no controller."""

    protocols: tuple[str, ...]
    quic_versions: tuple[str, ...] = ()
    """Those that a server can be told to speak, one at a time; empty: it is told none."""
    ccas: tuple[str, ...] = ()
    """Congestion controllers of a server."""
    cca_had: Mapping[str, str] = field(default_factory=dict)
    """Of `ccas`, a name that the server takes and does not heed -> what its connections have. Sealed arms asked for it;
    no new one may (`unheeded`)."""
    handshakes: tuple[str, ...] = ("0rtt", "1rtt")
    ends_connections: bool = False
    """Of QUIC: it ends a load's connection. A load can be resumed only where one of both ends does, since a connection
    that stays is used again."""
    left_open: bool = False
    """Of QUIC: a server ends none, and where a load is to be resumed the kernel of the client's host does, after it."""
    early_when_asked: bool = False
    """A server takes early data, or gives the tickets that they need, only where an arm is to send some."""
    emulated_connections: tuple[int, ...] = ()
    """Values of N that a server's CUBIC can be given; empty: it emulates none, and an arm states none."""
    quic_options: frozenset[str] = frozenset()
    """Connection options that a server heeds."""
    asks_for_options: bool = False
    """A client can be told to ask for connection options."""
    workloads: tuple[str, ...] = ("page", "download")
    """Kinds of workload that a client can load."""
    cpu_limit: bool = True
    pacing: bool = False
    request_cost: bool = False
    """A server can be made to work for a stated time at each request, and tells how long it did."""
    send_cost: bool = False
    """A client can be made to work for a stated time after each send, and counts them."""
    initial_rtt: bool = False
    """It can be told what to take the round trip for before it has measured one."""
    reordering_threshold: bool = False
    """A server can be told its packet threshold."""
    groups: bool = False
    """It can be told its groups for TLS's exchange of keys, a client with a key share for the first one alone."""
    unverified: bool = False
    """A client can be told not to check the server's certificate."""
    authorities: bool = False
    """A client can be told of further certificates to trust."""
    alt_svc: bool = False
    """A server tells of HTTP/3 over TCP, and a client learns of it there."""
    qlog: bool = False
    flags: bool = False
    """A server's library has flags, which a stack may set."""
    changes: bool = False
    """A client can be started from a copy of its program that a stack has changed."""


def server_refusals(name: str, offer: Offer, arm: Arm) -> list[str]:
    """Why a server cannot be an arm's; empty where it can."""
    found = _common(name, offer, arm)
    if arm.cca not in offer.ccas:
        found.append(f"{name} offers the controllers {', '.join(offer.ccas)}, not {arm.cca}")
    if arm.emulated_connections is not None and arm.emulated_connections not in offer.emulated_connections:
        known = ", ".join(str(n) for n in offer.emulated_connections) or "none"
        found.append(f"{name} emulates N = {known}, not {arm.emulated_connections}")
    unknown = [option for option in arm.quic_options if option not in offer.quic_options]
    if unknown:
        known = ", ".join(sorted(offer.quic_options)) or "none"
        found.append(f"{name} knows no connection option {', '.join(unknown)} (known: {known})")
    if arm.paced and not offer.pacing:
        found.append(f"{name} cannot have its segments paced by the kernel")
    if arm.server_cpu_pct is not None and not offer.cpu_limit:
        found.append(f"{name} cannot be held to a share of a CPU")
    if arm.request_cost_us is not None and not offer.request_cost:
        found.append(f"{name} cannot be given a cost per request")
    if arm.initial_rtt_ms is not None and not offer.initial_rtt:
        found.append(f"{name} has no setting for an initial round trip")
    if arm.reordering_threshold is not None and not offer.reordering_threshold:
        found.append(f"{name} has no setting for a reordering threshold")
    if arm.server_groups and not offer.groups:
        found.append(f"{name} has no setting for TLS groups")
    return found


def unheeded(name: str, offer: Offer, arm: Arm) -> list[str]:
    """Why a new measurement of an arm would be of something else than it says, though sealed ones have such arms."""
    if had := offer.cca_had.get(arm.cca):
        return [f"{name} takes the name {arm.cca}, and its connections have {had}: ask for {had}, or leave the arm out"]
    return []


def pair_refusals(server: str, serves: Offer, client: str, fetches: Offer, arm: Arm) -> list[str]:
    """Why two that can be an arm's, each by itself, cannot together; empty where they can."""
    resumed = arm.protocol == "quic" and arm.handshake == "0rtt"
    if resumed and not (serves.ends_connections or serves.left_open or fetches.ends_connections):
        return [f"neither server {server} nor client {client} ends a connection with its load: none would be resumed"]
    return []


def client_refusals(name: str, offer: Offer, arm: Arm, workload: str) -> list[str]:
    """Why a client cannot be an arm's for a kind of workload; empty where it can."""
    found = _common(name, offer, arm)
    if workload not in offer.workloads:
        found.append(f"{name} loads {', '.join(offer.workloads)}, not {workload}")
    if arm.learns and workload not in PAGE_KINDS:
        found.append(f"discovery by Alt-Svc is of pages and sites, not of a {workload}")
    if arm.handshake == "resumed" and workload not in LOOKED_AT:
        found.append(f"resumed is of {' and '.join(LOOKED_AT)}: of a {workload} 1rtt resumes its session already")
    if arm.client_cpu_pct is not None and not offer.cpu_limit:
        found.append(f"{name} cannot be held to a share of a CPU")
    if arm.send_cost_us is not None and not offer.send_cost:
        found.append(f"{name} cannot be given a cost per send")
    if arm.client_initial_rtt_ms is not None and not offer.initial_rtt:
        found.append(f"{name} has no setting for an initial round trip")
    if arm.quic_options and not offer.asks_for_options:
        found.append(f"{name} has no setting for connection options")
    if arm.client_groups and not offer.groups:
        found.append(f"{name} has no setting for TLS groups")
    if not arm.verify and not offer.unverified:
        found.append(f"{name} has no setting that leaves the certificate unchecked")
    if arm.authorities is not None and not offer.authorities:
        found.append(f"{name} has no setting for further authorities")
    return found


def _common(name: str, offer: Offer, arm: Arm) -> list[str]:
    found = []
    if arm.protocol not in offer.protocols:
        found.append(f"{name} speaks {', '.join(offer.protocols)}, not {arm.protocol}")
    if arm.learns and not offer.alt_svc:
        found.append(f"{name} knows no discovery by Alt-Svc")
    if arm.handshake not in offer.handshakes:
        found.append(f"{name} does {', '.join(offer.handshakes)}, not {arm.handshake}")
    return found
