"""Numbers of the chapter clients.md, each as it stands in its text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longlook.book.evidence import by
from longlook.book.shreedhar2022.clients import (
    AUTHORITIES,
    CHECKED,
    CONNECTED,
    FAR_LINK,
    GOOGLE,
    MUNICH_LINK,
    QUIC,
    TCP,
    UNCHECKED,
    V1,
    VERSION_LINKS,
    WAITS_OLD,
    arm_of,
    lead,
)
from longlook.book.shreedhar2022.names import ENVOY, OLD
from longlook.book.value import Number
from longlook.book.value_role import Numbers
from longlook.experiment.metrics import CONNECT


def _later(where: Mapping[str, Any], *arms: str, digits: int = 0) -> Number:
    """By how many ms the first one's mean connection time is above the other's."""
    return lambda m: by(m, difference=list(arms), metric=CONNECT.name, **where).one("ms", digits)


def _lead(*which: str) -> Number:
    return lambda m: by(m, **lead(*which)).one("ms")


def _authorities(protocol: str, speed: str = "", digits: int = 1) -> Number:
    """By how many ms they put off the median connection."""
    arms = [arm_of(protocol, checks, speed) for checks in (AUTHORITIES, CHECKED)]
    return lambda m: by(m, difference=arms, **CONNECTED).one("ms", digits)


NUMBERS: Numbers = {
    "waits-longer": _later(MUNICH_LINK, WAITS_OLD, ENVOY),
    "no-wait-longer": _later(MUNICH_LINK, OLD, ENVOY),
    "waits-longer-far": _later(FAR_LINK, WAITS_OLD, ENVOY),
    "no-wait-longer-far": _later(FAR_LINK, OLD, ENVOY),
    "authorities-openssl": _authorities(TCP),
    "authorities-boringssl": _authorities(QUIC),
    "authorities-slower": _authorities(TCP, "slower", 0),
    "lead-equal": _lead(CHECKED, CHECKED, "slower"),
    "lead-theirs": _lead(UNCHECKED, AUTHORITIES, "slower"),
    "lead-theirs-fast": _lead(UNCHECKED, AUTHORITIES, ""),
    "google-later": _later(VERSION_LINKS[10], GOOGLE, V1, digits=1),
    "google-later-far": _later(VERSION_LINKS[55], GOOGLE, V1, digits=1),
}
