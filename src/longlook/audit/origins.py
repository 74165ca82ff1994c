"""Where the cells of two campaigns were measured, from their environment records, and where that differs. Pure.

Records have grown over time: what one of the two does not tell counts neither as equal nor as a difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from longlook.analysis.pairing import CellPair
from longlook.errors import one_line

Environment = Mapping[str, Any]
MAIN = ("testbed", "link", "host", "CPU", "CPUs", "memory", "kernel", "clock", "commit")
"""Facts that a reader is always told; of the others only those that differ. The stacks' digests come on top."""


@dataclass(frozen=True)
class Fact:
    """One fact about the campaigns: every value that their records have; () where none of them tells."""

    name: str
    a: tuple[str, ...]
    b: tuple[str, ...]

    @property
    def differs(self) -> bool:
        """True where both campaigns tell, and not the same."""
        return bool(self.a) and bool(self.b) and self.a != self.b

    @property
    def is_main(self) -> bool:
        """True for what is shown even where it is equal."""
        return self.name in MAIN or self.name.startswith("stack ")


@dataclass(frozen=True)
class LinkGap:
    """How far apart the links of paired cells were, as measured before each cell: the largest gaps, and of how many
    cells."""

    cells: int
    rtt_ms: float
    rate_pct: float


def facts_between(a: Iterable[Environment], b: Iterable[Environment]) -> tuple[Fact, ...]:
    """Every fact about two campaigns, the main ones first."""
    sides = [_collected(environments) for environments in (a, b)]
    names = [*MAIN, *sorted({*sides[0], *sides[1]} - {*MAIN}, key=lambda name: (not name.startswith("stack "), name))]
    return tuple(Fact(name, *(tuple(sorted(side.get(name, ()))) for side in sides)) for name in names)


def _collected(environments: Iterable[Environment]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for environment in environments:
        for name, value in _facts(environment).items():
            if value is not None:
                found.setdefault(name, set()).add(one_line(str(value)))
    return found


def _facts(environment: Environment) -> dict[str, Any]:
    """One environment record as name -> value; None where it does not tell."""
    told = environment.get
    testbed, memory = told("testbed"), told("memory_bytes")
    if isinstance(testbed, Mapping):
        testbed = f"{testbed.get('name')} ({testbed.get('driver')})"
    link = " ".join(str(part) for part in (told("link_driver"), told("link_driver_version")) if part)
    rights = told("rights")
    facts = {
        "testbed": testbed,
        "rights": " ".join(f"{name}={value}" for name, value in rights.items())
        if isinstance(rights, Mapping)
        else None,
        "link": link or None,
        "host": told("hostname_hash"),
        "CPU": told("cpu_model"),
        "CPUs": told("cpus"),
        "memory": f"{memory / 2**30:.1f} GiB" if memory else None,
        "kernel": told("kernel"),
        "clock": told("clocksource"),
        "commit": told("git_commit"),
    }
    for stack, record in _stacks(environment).items():
        facts |= _stack_facts(stack, record)
    for host, machine in (told("machines") or {}).items():
        facts |= {f"{host}: {name}": machine.get(name) for name in ("hostname_hash", "cpu_model", "cpus", "kernel")}
    for host, settings in (told("sysctls") or {}).items():
        facts |= (
            {f"{host}: {name}": value for name, value in settings.items()}
            if isinstance(settings, Mapping)
            else {host: settings}
        )
    return facts


def _stacks(environment: Environment) -> Mapping[str, Mapping[str, Any]]:
    """Stack -> digest, components, templates; a record of one stack has these without the stack's name."""
    own = {name: environment.get(name) for name in ("components", "templates_sha256")}
    return environment.get("stacks") or {
        str(environment.get("stack")): own | {"digest": environment.get("stack_digest")}
    }


def _stack_facts(stack: str, record: Mapping[str, Any]) -> dict[str, Any]:
    facts: dict[str, Any] = {f"stack {stack}": record.get("digest")}
    for name, part in (record.get("components") or {}).items():
        texts = (part.get("version"), part.get("provider"), (part.get("sha256") or "")[:8])
        facts[f"{stack}: {name}"] = " ".join(str(text) for text in texts if text)
    for name, sha256 in (record.get("templates_sha256") or {}).items():
        facts[f"{stack}: {name}"] = sha256
    return facts


def link_gap(pairs: Iterable[CellPair]) -> LinkGap | None:
    """The largest difference of measured RTT (ms) and rate (% of the first campaign's) between paired cells; None if
    untold."""
    rtts, rates = [], []
    for pair in pairs:
        a, b = (_calibrated(cell.environments) for cell in (pair.a, pair.b))
        if not (a and b):
            continue
        rtts.append(abs(b["rtt_ms_median"] - a["rtt_ms_median"]))
        ways = [name for name in ("server_to_client_mbps", "client_to_server_mbps") if a.get(name) and b.get(name)]
        rates += [abs(b[name] / a[name] - 1) * 100 for name in ways]
    return LinkGap(len(rtts), max(rtts), max(rates, default=0.0)) if rtts else None


def _calibrated(environments: Iterable[Environment]) -> Mapping[str, float] | None:
    """What the calibration of the first record measured, where it has an RTT."""
    for environment in environments:
        measured = (environment.get("calibration") or {}).get("measured") or {}
        return measured if measured.get("rtt_ms_median") is not None else None
    return None
