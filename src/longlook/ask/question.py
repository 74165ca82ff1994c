"""A question as a sweep in memory: one site, each link and visit once, HTTP/3 against HTTP/2."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from longlook.ask.gate import Gate, parse
from longlook.ask.profiles import Profile, chosen
from longlook.experiment.registry import SITE
from longlook.plan.arm import NOT_TOLD, Arm
from longlook.plan.link import NETEM
from longlook.plan.recorded import RecordedSite
from longlook.plan.sweep import Sweep
from longlook.plan.value import PlanError, capitalised, derived_seed, nearest
from longlook.server.stated import Statement, keep, read, require_plain
from longlook.site.recorded import open_site
from longlook.stack.arms import complete, complete_arm

STACK = "todaypages"
QUIC, TCP = "h3", "h2"
ARMS = (
    {"name": QUIC, "protocol": "quic", "handshake": "1rtt", "cca": "cubic"},
    {"name": TCP, "protocol": "tcp", "cca": "cubic"},
)
VISITS: dict[str, tuple[str, dict[str, dict[str, str]]]] = {
    "first": ("first visit", {}),
    "return": ("return visit", {QUIC: {"handshake": "0rtt"}, TCP: {"handshake": "resumed"}}),
    "learnt": (
        "return visit that learnt of HTTP/3",
        {QUIC: {"handshake": "0rtt", "discovery": "alt-svc"}, TCP: {"handshake": "resumed"}},
    ),
    "refused": (
        "return visit whose early data are refused",
        {QUIC: {"handshake": "0rtt", "server": "envoy-425"}, TCP: {"handshake": "resumed"}},
    ),
}
"""What is asked for -> what it is called, and what its arms have, by their names, in place of `ARMS`."""
SERVERS: dict[str, dict[str, dict[str, str]]] = {"apache": {}, "envoy": {TCP: {"server": "envoy-tcp"}}}
"""Beside Envoy over HTTP/3: what is asked for -> what arms have in place of `ARMS`. The stack's, or Envoy itself."""
BY_FILE = {"quic": (QUIC, "by-file"), "tcp": (TCP, "by-file-tcp")}
"""What a file says that its program speaks -> the arm, and its server."""
LOADS = 20
DEFAULT_LINKS = ("cable", "4g", "lte", "3g-fast")


@dataclass(frozen=True)
class Question:
    """What is asked, checked before anything is measured."""

    site: RecordedSite
    links: Mapping[str, Profile]
    visits: tuple[str, ...]
    server: str
    """Of `SERVERS`; empty where `stated` is one."""
    stated: Statement | None
    """What a file says of a server of one's own."""
    loads: int
    """Of each arm, on each link and visit."""
    gate: Gate | None
    again: str
    """The command that asks it."""

    @property
    def labels(self) -> list[str]:
        """What its visits are called."""
        return [VISITS[one][0] for one in self.visits]

    def arms(self, visit: str) -> list[dict]:
        """Of a visit."""
        other, own = VISITS[visit][1], self._own(visit)
        return [arm | other.get(arm["name"], {}) | own.get(arm["name"], {}) for arm in ARMS]

    def _own(self, visit: str) -> dict[str, dict[str, str]]:
        """What arms have of the server that is asked for."""
        if self.stated is None:
            return SERVERS[self.server]
        own = {}
        for protocol in self.stated.protocols:
            arm, server = BY_FILE[protocol]
            own[arm] = {"server": server, "server_file": self.stated.digest}
            if arm == QUIC:
                own[arm]["cca"] = self.stated.cca or NOT_TOLD
                if visit == "return":  # whether it takes early data is not told
                    own[arm]["handshake"] = "resumed"
        return own

    def sweep(self) -> Sweep:
        """Every link is a series of its own, every visit a scenario."""
        return Sweep.parse(
            complete(
                {
                    "name": f"ask-{self.site.name}",
                    "study": "ask",
                    "title": f"Does HTTP/3 pay for {self.site.label}?",
                    "experiment": SITE.name,
                    "stack": STACK,
                    "loads": self.loads,
                    "seed": derived_seed("ask", self.site.digest),
                    "cells": [self._block(name, one) for name, one in self.links.items()],
                }
            )
        )

    def _block(self, name: str, profile: Profile) -> dict:
        stated = profile.link.model_dump(exclude_unset=True)
        netem = {key: stated.pop(key) for key in NETEM if key in stated}
        return {
            "series": name,
            "scenarios": [{"label": f"{name}, {VISITS[one][0]}", "arms": self.arms(one)} for one in self.visits],
            "workloads": [self.site],
            **stated,
            "netem": netem or None,
        }

    def called(self) -> dict[str, str]:
        """Arm -> what readers call it."""
        words = {"quic": "HTTP/3", "tcp": "HTTP/2"}
        name = "" if self.stated is None else self.stated.name
        arms = self._complete(self.visits[0])
        return {arm.name: f"{words[arm.protocol]} ({name if arm.server_file else arm.server})" for arm in arms}

    def notes(self) -> list[str]:
        """How it is measured: both ends, and whose each link is."""
        lines = []
        if "learnt" in self.visits:
            lines.append(
                "Who learnt of HTTP/3 was told by Alt-Svc, in the answer to a file over HTTP/2, and has TCP race each "
                "connection; in the other visits the browser is told of HTTP/3 by its command line."
            )
        if "refused" in self.visits:
            lines.append(
                "Whose early data are refused: the server of HTTP/3 answers what comes with the handshake with 425 (Too"
                " Early, RFC 8470), and the browser asks again when it is over."
            )
        if {"return", "learnt", "refused"} & set(self.visits):
            lines.append(
                "Who returns has the keys of the visit before, and none of its files: 0-RTT over HTTP/3, TLS resumed "
                "over HTTP/2. Of a server by file nobody tells whether it took early data."
            )
        for visit in self.visits:
            arms = "; ".join(f"{self.called()[arm.name]}: {arm.label}" for arm in self._complete(visit))
            lines.append(f"{capitalised(VISITS[visit][0])}: {arms}.")
        for name, one in self.links.items():
            lines.append(f"Link {name}: {one.link.label}. {one.source}, {one.date}.")
        return lines

    def _complete(self, visit: str) -> list[Arm]:
        return [Arm.parse(complete_arm(arm, STACK)) for arm in self.arms(visit)]


def question(
    name: str, links: str | None, visits: str | None, server: str | None, loads: int | None, gate: str | None
) -> Question:
    """A question as the command line has it. Raises `LonglookError` for what cannot be asked."""
    options = {"--links": links, "--visit": visits, "--server": server, "--loads": loads, "--require": gate}
    said = [f"{key} {shlex.quote(str(value))}" for key, value in options.items() if value]
    site = open_site(name)
    stated = read(Path(server)) if server and server.endswith(".toml") else None
    if stated is not None:
        require_plain(site, stated.name)
        keep(stated)
    asked = tuple(_known(one, VISITS, "visit") for one in _listed(visits) or ["first"])
    if stated is not None and "quic" in stated.protocols and (of_envoy := {"learnt", "refused"} & set(asked)):
        raise PlanError(
            f"--visit {', '.join(sorted(of_envoy))} is of Envoy over HTTP/3: ask without --server {server}, or "
            "--visit first,return"
        )
    return Question(
        site=site,
        links=chosen(_listed(links) or DEFAULT_LINKS),
        visits=asked,
        server="" if stated else _known(server or "apache", SERVERS, "server"),
        stated=stated,
        loads=loads or LOADS,
        gate=None if gate is None else parse(gate, SITE),
        again=" ".join(["longlook ask", name, *said]),
    )


def _listed(words: str | None) -> list[str]:
    return list(dict.fromkeys(one.strip() for one in words.split(","))) if words else []


def _known(name: str, known: Mapping[str, object], what: str) -> str:
    if name not in known:
        raise PlanError(f"there is no {what} {ascii(name)[:40]}{nearest(name, known)} (known: {', '.join(known)})")
    return name
