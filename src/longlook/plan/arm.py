"""One side of a comparison: everything that may differ between two of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Literal, Self, get_args

from pydantic import Field, field_validator, model_validator

from longlook.plan.quic_options import contradictions
from longlook.plan.value import Many, Measure, Name, Value, unstated, worded

Protocol = Literal["quic", "tcp"]
Cca = Literal["cubic", "bbr", "reno"]
NOT_TOLD: Literal["not told"] = "not told"
"""In place of a controller: that of a QUIC server by file (server/by_file.py), which states none."""
BY_FILE = ("by-file", "by-file-tcp")
"""Servers that a file of somebody's own states."""
Handshake = Literal["0rtt", "1rtt", "warm", "resumed"]
"""How a connection begins: with early data of a resumed session, or with a handshake that the request waits for. A cold
load of QUIC (`1rtt`) comes from a fresh context of the client, which knows no session to resume. Over TCP the early
data are those of TLS 1.3 (RFC 8446, 2.3), behind TCP's own handshake, and `1rtt` resumes a session too, but sends none.
`warm`: it does not begin, TCP's connection of the load before is kept and used again. `resumed`: of a page that is
looked at, which over TCP has a fresh context with `1rtt`: TLS resumes the session of the load before, without early
data, as browsers do where somebody comes back. Over QUIC it is of servers by file: their sessions are resumed, and
whether they take early data is theirs, and not told."""
Discovery = Literal["forced", "alt-svc"]
"""How a browser knows that a server speaks HTTP/3. `forced`: its command line says so. `alt-svc`: it does not; it
learns so from the header Alt-Svc (RFC 7838) of a file that it loads over HTTP/2 before all pages, and TCP is left to
race."""
USUAL_HANDSHAKE: dict[Protocol, Handshake] = {"quic": "0rtt", "tcp": "1rtt"}
Tag = Annotated[str, worded(r"^[A-Za-z0-9]{1,4}$", "one to four letters or digits, as IW10")]
"""A connection option of QUIC: up to four characters on the wire."""
Group = Literal["x25519", "secp256r1", "secp384r1"]
"""How TLS may agree on keys, by IANA's names (RFC 8446, 4.2.7)."""
USUAL_PERIOD_US = 10_000
SHORTEST_QUOTA_US = 1000
"""Linux gives a control group no less at a time."""
SAME_US = 1e-6
"""Rounding of decimal fractions."""
CCAS: tuple[Cca, ...] = get_args(Cca)
LATER: Mapping[str, object] = {
    "remembered_ssthresh": None,
    "cpu_period_us": None,
    "request_cost_us": None,
    "send_cost_us": None,
    "initial_rtt_ms": None,
    "client_initial_rtt_ms": None,
    "reordering_threshold": None,
    "client_groups": [],
    "server_groups": [],
    "verify": True,
    "authorities": None,
}
"""Fields that came after there were campaigns: these values are no condition, so that the keys of those stay what they
were."""


class Arm(Value):
    """A server, a client and how they are to speak. Fields that mean nothing for a protocol are None."""

    called = "an arm"

    name: str = worded(
        r"^[A-Za-z0-9][A-Za-z0-9.+ _-]*$|^$",
        "letters, digits, '.', '+', '_', '-' and spaces, a letter or digit first",
        default="",
        max_length=60,
        description="within its cell; made if empty",
    )
    stack: Name
    protocol: Protocol
    server: Name = Field(description="adapter's name (longlook/server)")
    client: Name = Field(description="adapter's name (longlook/client)")
    handshake: Handshake
    cca: Cca | Literal["not told"] = "cubic"
    emulated_connections: int | None = Field(
        default=None, ge=1, le=2, description="N of a QUIC server's CUBIC; None where there is no such thing"
    )
    quic_options: Many[Tag] = Field(
        default=(),
        max_length=16,
        description="connection options that the client asks the QUIC server for: ILD0, IW10 (plan/quic_options.py)",
    )
    initial_window: int | None = Field(
        default=None, ge=1, le=100, description="TCP segments, on the server's route; None: the kernel's 10"
    )
    client_cpu_pct: Measure | None = Field(
        default=None, gt=0, le=800, description="of one CPU, all of a client together; None: no limit"
    )
    server_cpu_pct: Measure | None = Field(default=None, gt=0, le=800, description="of one CPU; None: no limit")
    cpu_period_us: int | None = Field(
        default=None,
        ge=1000,
        le=1_000_000,
        description="of the limits of CPU: a program that has had its share stands until the period ends; None: 10 ms",
    )
    request_cost_us: int | None = Field(
        default=None,
        ge=0,
        le=100_000,
        description="microseconds of CPU that the server works at each request before it answers or does anything "
        "else; None: no more than it needs",
    )
    send_cost_us: int | None = Field(
        default=None,
        ge=0,
        le=100_000,
        description="microseconds of CPU that the client's network service works after each datagram or segment of 60 "
        "bytes and more that it sends; None: no more than it needs",
    )
    remembered_ssthresh: int | None = Field(
        default=None,
        ge=2,
        le=10_000,
        description="packets: slow start threshold that the server's kernel keeps of an earlier connection and begins "
        "each one with, as Linux before 5.6 did; None: it keeps none",
    )
    initial_rtt_ms: int | None = Field(
        default=None,
        ge=1,
        le=10_000,
        description="what a QUIC server takes the round trip for before it has measured one (RFC 9002, 6.2.2); None: "
        "its own choice",
    )
    client_initial_rtt_ms: int | None = Field(default=None, ge=1, le=10_000, description="the same of a QUIC client")
    reordering_threshold: int | None = Field(
        default=None,
        ge=1,
        le=100_000,
        description="packets: a QUIC server takes one for lost once another, so many numbers higher, is acknowledged "
        "(RFC 9002, 6.1.1); None: its own choice",
    )
    client_groups: Many[Group] = Field(
        default=(),
        description="TLS groups that the client offers, the one it likes best first: for that one alone it sends a key "
        "share, and a server that refuses it costs a round trip (RFC 8446, 4.1.4); empty: its own choice",
    )
    server_groups: Many[Group] = Field(
        default=(), description="TLS groups that the server takes, the one it likes best first; empty: its own choice"
    )
    verify: bool = Field(
        default=True,
        description="false: the client is told not to check the server's certificate; true: it does what it does by "
        "itself",
    )
    authorities: int | None = Field(
        default=None,
        ge=1,
        le=1000,
        description="certificates of authorities, of which none signed anything here, that the client reads for each "
        "connection beside the server's own; a system has some 140; None: none",
    )
    server_file: str | None = worded(
        r"^[0-9a-f]{64}$",
        "64 hexadecimal digits",
        default=None,
        exclude_if=unstated,
        description="digest of what a file says of a server (server/by_file.py)",
    )
    discovery: Discovery = Field(
        default="forced",
        exclude_if=lambda one: one == "forced",
        description="forced, or alt-svc: the browser learns of HTTP/3 by a file that it loads over HTTP/2 before",
    )
    paced: bool = Field(default=False, description="the kernel spaces TCP's segments, as QUIC's senders do theirs")

    @model_validator(mode="before")
    @classmethod
    def _usual(cls, data):
        if isinstance(data, dict) and "handshake" not in data and str(data.get("protocol")) in USUAL_HANDSHAKE:
            return data | {"handshake": USUAL_HANDSHAKE[data["protocol"]]}
        return data

    @field_validator("client_groups", "server_groups", "quic_options")
    @classmethod
    def _each_once(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if twice := [one for one in dict.fromkeys(value) if value.count(one) > 1]:
            raise ValueError(f"{', '.join(twice)} stands twice")
        return value

    @field_validator("cpu_period_us")
    @classmethod
    def _usual_period(cls, value: int | None) -> int | None:
        return None if value == USUAL_PERIOD_US else value

    @model_validator(mode="after")
    def _fits_its_protocol(self) -> Self:
        quic = self.protocol == "quic"
        for wrong, text in (
            (
                quic and self.handshake == "warm",
                "warm is for TCP: QUIC's servers end a connection with its page",
            ),
            (
                quic and self.handshake == "resumed" and self.server not in BY_FILE,
                "resumed is for TCP, and for servers by file: over QUIC that is 0rtt",
            ),
            (
                (self.server in BY_FILE) != (self.server_file is not None),
                "server_file is of the servers by-file and by-file-tcp: longlook ask SITE --server FILE.toml has both",
            ),
            (
                self.cca == NOT_TOLD and not (quic and self.server_file),
                "a controller that is not told is of a QUIC server by file",
            ),
            (quic and self.paced, "paced is for TCP: the QUIC servers pace by themselves"),
            (
                quic and self.initial_window is not None,
                "initial_window is TCP's; ask a QUIC server by quic_options (IW10)",
            ),
            (
                quic and self.remembered_ssthresh is not None,
                "remembered_ssthresh is of Linux's TCP: QUIC's servers remember none",
            ),
            (
                self.cca == "bbr" and self.remembered_ssthresh is not None,
                "remembered_ssthresh means nothing here: BBR begins without a threshold, whatever is remembered",
            ),
            (not quic and self.quic_options, "quic_options are for QUIC"),
            (
                self.learns and (not quic or self.is_cold),
                "alt-svc is of QUIC with handshake = '0rtt': a load that knows nothing of earlier ones knows no HTTP/3",
            ),
            (not quic and self.initial_rtt_ms is not None, "initial_rtt_ms is for QUIC"),
            (not quic and self.client_initial_rtt_ms is not None, "client_initial_rtt_ms is for QUIC"),
            (not quic and self.reordering_threshold is not None, "reordering_threshold is for QUIC"),
            (
                self.cpu_period_us is not None and not self._limits,
                "cpu_period_us is of a limit: give client_cpu_pct or server_cpu_pct too",
            ),
            (
                self.emulated_connections is not None and not (quic and self.cca == "cubic"),
                "emulated_connections is of QUIC's CUBIC",
            ),
            (
                self.client_groups and self.server_groups and not set(self.client_groups) & set(self.server_groups),
                "client_groups and server_groups have none in common: no handshake would succeed",
            ),
            (
                self.authorities is not None and not self.verify,
                "authorities are read to check a certificate: not where verify is false",
            ),
        ):
            if wrong:
                raise ValueError(text)
        if found := list(contradictions(self.quic_options, self.model_dump())):
            raise ValueError("; ".join(found))
        self._fits_the_kernel()
        return self

    def _fits_the_kernel(self) -> None:
        """Linux takes whole microseconds of a period, and no less than it can give at a time."""
        period_us = self.cpu_period_us or USUAL_PERIOD_US
        for name in ("client_cpu_pct", "server_cpu_pct"):
            if (limit := getattr(self, name)) is None:
                continue
            quota_us = limit * period_us / 100
            if quota_us < SHORTEST_QUOTA_US:
                raise ValueError(
                    f"{name} = {limit:g} is {quota_us:g} us of a period of {period_us} us; Linux gives no less than "
                    f"{SHORTEST_QUOTA_US} us: ask for {100 * SHORTEST_QUOTA_US / period_us:g} % or more, or for a "
                    "longer cpu_period_us"
                )
            if abs(quota_us - round(quota_us)) > SAME_US:
                raise ValueError(
                    f"{name} = {limit:g} of a period of {period_us} us is no whole number of microseconds: in steps of "
                    f"{100 / period_us:g} %"
                )

    @property
    def _limits(self) -> list[float]:
        return [limit for limit in (self.client_cpu_pct, self.server_cpu_pct) if limit is not None]

    def conditions(self) -> dict:
        """Everything that defines it: all but its name."""
        found = self.model_dump(mode="json", exclude={"name"})
        return {key: value for key, value in found.items() if key not in LATER or value != LATER[key]}

    @property
    def condition_text(self) -> str:
        """`conditions` as text: equal for arms that are the same."""
        return json.dumps(self.conditions(), sort_keys=True)

    @property
    def may_send_early(self) -> bool:
        """True where a load's request may come before the handshake has ended, so that whether it did has to be told:
        over QUIC, and over TCP where an arm asks for it."""
        return self.protocol == "quic" or self.handshake == "0rtt"

    @property
    def tells_early(self) -> bool:
        """True where a load's server says whether it did."""
        return self.may_send_early and self.handshake != "resumed"

    @property
    def learns(self) -> bool:
        """True where the client is told of HTTP/3 by the server, and not by its command line."""
        return self.discovery == "alt-svc"

    @property
    def is_cold(self) -> bool:
        """True where every load must begin without anything known from earlier ones."""
        return self.protocol == "quic" and self.handshake == "1rtt"

    @property
    def keeps_connection(self) -> bool:
        """True where every load but the first uses the connection of the load before."""
        return self.handshake == "warm"

    @property
    def label(self) -> str:
        """What a reader calls it: `QUIC CUBIC, N = 2`, `TCP BBR`, `QUIC CUBIC, N = 2, 1-RTT`."""
        protocol = self.protocol.upper()
        parts = [f"{protocol}, controller not told" if self.cca == NOT_TOLD else f"{protocol} {self.cca.upper()}"]
        if self.emulated_connections is not None:
            parts.append(f"N = {self.emulated_connections}")
        if self.handshake != USUAL_HANDSHAKE[self.protocol]:
            parts.append(self.handshake.replace("rtt", "-RTT"))
        parts += self.quic_options
        if self.initial_window is not None:
            parts.append(f"initial window {self.initial_window}")
        if self.remembered_ssthresh is not None:
            parts.append(f"remembered threshold {self.remembered_ssthresh}")
        for side, limit in (("client", self.client_cpu_pct), ("server", self.server_cpu_pct)):
            if limit is not None:
                parts.append(f"{side} {limit:g} % CPU")
        if self.cpu_period_us is not None:
            parts.append(f"period {self.cpu_period_us / 1000:g} ms")
        if self.request_cost_us is not None:
            parts.append(f"{self.request_cost_us} us per request")
        if self.send_cost_us is not None:
            parts.append(f"client {self.send_cost_us} us per send")
        if self.initial_rtt_ms is not None:
            parts.append(f"initial RTT {self.initial_rtt_ms} ms")
        if self.client_initial_rtt_ms is not None:
            parts.append(f"client's initial RTT {self.client_initial_rtt_ms} ms")
        if self.reordering_threshold is not None:
            parts.append(f"reordering threshold {self.reordering_threshold}")
        for side, groups in (("client", self.client_groups), ("server", self.server_groups)):
            if groups:
                parts.append(f"{side}'s groups {'+'.join(groups)}")
        if not self.verify:
            parts.append("certificate not checked")
        if self.authorities is not None:
            parts.append(f"{self.authorities} authorities")
        if self.learns:
            parts.append("by Alt-Svc")
        if self.paced:
            parts.append("paced")
        return ", ".join(parts)
