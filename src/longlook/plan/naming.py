"""Readable names: of the arms within a cell, and of cells. Names are labels; what a cell is, its key says."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence

from longlook.plan.arm import USUAL_HANDSHAKE, USUAL_PERIOD_US, Arm
from longlook.plan.value import LONGEST_ID

TELLING = (
    "protocol",
    "handshake",
    "server",
    "server_file",
    "discovery",
    "client",
    "stack",
    "cca",
    "emulated_connections",
    "quic_options",
    "initial_window",
    "remembered_ssthresh",
    "client_cpu_pct",
    "server_cpu_pct",
    "cpu_period_us",
    "request_cost_us",
    "send_cost_us",
    "initial_rtt_ms",
    "client_initial_rtt_ms",
    "reordering_threshold",
    "client_groups",
    "server_groups",
    "verify",
    "authorities",
    "paced",
)
"""What arms are told apart by, the most telling first."""
DIGEST_DIGITS = 12
SERVER_DIGITS = 8
MANY = 12
"""So many arms and more are counted in a cell's id, not listed."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _word(arm: Arm, field: str) -> str:
    value = getattr(arm, field)
    if field == "quic_options":
        return "+".join(value).lower() or "plain"
    if field == "emulated_connections":
        return "" if value is None else f"n{value}"
    if field == "initial_window":
        return "iw-default" if value is None else f"iw{value}"
    if field == "remembered_ssthresh":
        return "forgets" if value is None else f"ssthresh{value}"
    if field == "cpu_period_us":
        held = arm.client_cpu_pct is not None or arm.server_cpu_pct is not None
        return f"period{value or USUAL_PERIOD_US}us" if held else ""
    if field.endswith("_cpu_pct"):
        side = field.removesuffix("_cpu_pct")
        return f"{side}-full" if value is None else f"{side}-{value:g}pct"
    if field == "request_cost_us":
        return "nocost" if value is None else f"cost{value}us"
    if field == "send_cost_us":
        return "nosend" if value is None else f"send{value}us"
    if field.endswith("initial_rtt_ms"):
        side = "client-" if field.startswith("client") else ""
        return f"{side}initial-rtt" + ("" if value is None else f"{value}ms")
    if field == "reordering_threshold":
        return "threshold" + ("" if value is None else str(value))
    if field.endswith("_groups"):
        return f"{field.removesuffix('_groups')}-{'+'.join(value) or 'groups'}"
    if field == "verify":
        return "verified" if value else "unverified"
    if field == "authorities":
        return "one-certificate" if value is None else f"{value}authorities"
    if field == "server_file":
        return (value or "")[:SERVER_DIGITS]
    if field == "paced":
        return "paced" if value else "bursts"
    return str(value)


def interleaved_names(arms: Sequence[Arm]) -> list[str] | None:
    """By as few of TELLING as tell the arms apart: `quic`, `tcp`; `0rtt`, `1rtt`. None where two are the same."""
    if len({arm.condition_text for arm in arms}) < len(arms):
        return None
    names = ["" for _ in arms]
    for field in TELLING:
        longer = ["-".join(filter(None, (name, _word(arm, field)))) for name, arm in zip(names, arms, strict=True)]
        if len(set(longer)) > len(set(names)):  # it tells apart what was the same so far
            names = longer
        if len(set(names)) == len(arms):
            return names
    return None


def control_names(arms: Sequence[Arm]) -> list[str]:
    """`a`, `b`: equals that are measured as if they were not."""
    return list(LETTERS[: len(arms)])


def together_names(arms: Sequence[Arm]) -> list[str]:
    """`quic1`, `tcp1`, `tcp2`: flows are numbered by protocol."""
    seen: dict[str, int] = {}
    names = []
    for arm in arms:
        seen[arm.protocol] = seen.get(arm.protocol, 0) + 1
        names.append(f"{arm.protocol}{seen[arm.protocol]}")
    return names


def _joined(values: Sequence[str]) -> str:
    """Once what is the same for all, else each, joined."""
    return values[0] if len(set(values)) == 1 else "-".join(values)


def arms_part(arms: Sequence[Arm]) -> list[str]:
    """What arms contribute to a cell's id in front of workload and link: `quicv1`, `quic-tcp`, `cubic`; where there are
    `MANY`, `16stacks`, `32arms`, `cubic`."""
    if len(arms) >= MANY:
        stacks, ccas = (list(dict.fromkeys(getattr(arm, field) for arm in arms)) for field in ("stack", "cca"))
        return [f"{len(stacks)}stacks" if len(stacks) > 1 else stacks[0], f"{len(arms)}arms", "-".join(ccas)]
    stack = _joined([arm.stack for arm in arms])
    return [stack, "-".join(arm.protocol for arm in arms), _joined([arm.cca for arm in arms])]


def unusual_parts(arms: Sequence[Arm]) -> Iterator[str]:
    """What they contribute behind it: handshakes, options, windows and limits that are not the usual ones."""
    if any(arm.handshake != USUAL_HANDSHAKE[arm.protocol] for arm in arms):
        each = [arm.handshake for arm in arms]
        yield "-".join(each if len(arms) < MANY else dict.fromkeys(each))
    for option in dict.fromkeys(option for arm in arms for option in arm.quic_options):
        yield option.lower()
    yield from _each((arm.initial_window for arm in arms), "tcpiw{}")
    yield from _each((arm.remembered_ssthresh for arm in arms), "ssthresh{}")
    yield from _each((arm.client_cpu_pct for arm in arms), "{:g}pctcpu")
    for protocol, limit in dict.fromkeys((arm.protocol, arm.server_cpu_pct) for arm in arms):
        if limit is not None:
            yield f"{limit:g}pct{protocol}server"
    yield from _each((arm.cpu_period_us for arm in arms), "period{}us")
    yield from _each((arm.request_cost_us for arm in arms), "cost{}us")
    yield from _each((arm.send_cost_us for arm in arms), "send{}us")
    yield from _each((arm.initial_rtt_ms for arm in arms), "initialrtt{}ms")
    yield from _each((arm.client_initial_rtt_ms for arm in arms), "clientrtt{}ms")
    yield from _each((arm.reordering_threshold for arm in arms), "threshold{}")
    yield from _each(("+".join(arm.client_groups) or None for arm in arms), "client-{}")
    yield from _each(("+".join(arm.server_groups) or None for arm in arms), "server-{}")
    if not all(arm.verify for arm in arms):
        yield "unverified"
    yield from _each((arm.authorities for arm in arms), "{}authorities")
    yield from _each((arm.discovery if arm.learns else None for arm in arms), "{}")


def _each(values: Iterable[float | str | None], words: str) -> Iterator[str]:
    """Once each value that is not the usual None."""
    return (words.format(value) for value in dict.fromkeys(values) if value is not None)


def shortened(text: str) -> str:
    """As it is where it can name a cell's folder; a longer one (of many arms) ends with its digest instead."""
    if len(text) <= LONGEST_ID:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:DIGEST_DIGITS]
    return f"{text[: LONGEST_ID - DIGEST_DIGITS - 1]}-{digest}"


def slug(text: str) -> str:
    """`QUIC vs TCPx2` -> `quic-vs-tcpx2`."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
