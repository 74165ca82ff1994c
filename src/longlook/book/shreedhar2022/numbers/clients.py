"""Numbers of the chapter clients.md, each as it stands in its text."""

from __future__ import annotations

from collections.abc import Callable

from longlook.book.hypotheses import stated
from longlook.book.shreedhar2022.clients import (
    AUTHORITIES,
    CHECKED,
    CHECKS,
    FAR_LINK,
    MUNICH_LINK,
    QUIC,
    TCP,
    UNCHECKED,
    WAITS,
    WAITS_OLD,
    added,
    lead,
)
from longlook.book.shreedhar2022.evidence import ENVOY, OLD, LinkAndFile, more
from longlook.book.shreedhar2022.evidence import Downloads as Own
from longlook.book.shreedhar2022.versions import GOOGLE, V1, VERSIONS
from longlook.book.shreedhar2022.versions import LINKS as VERSION_LINKS
from longlook.book.times import Times
from longlook.book.value import SPACE, Measured, NotMeasured, StatedNumber
from longlook.book.value_role import Numbers
from longlook.figure import style

Found = Callable[[Own], Times | None]


def _ms(series: str, found: Found, what: str, digits: int = 0) -> Callable[[Measured], StatedNumber]:
    def number(m: Measured) -> StatedNumber:
        value = found(Own(m.data, m.key))
        if value is None:
            raise NotMeasured(f"{series} is not measured")
        text = f"{value.value:.{digits}f}{SPACE}ms".replace("-", style.MINUS)
        return StatedNumber(text, f"{what}; from data/raw/reference-{series}*")

    return number


def _later(where: LinkAndFile, arm: str, than: str) -> Found:
    return lambda own: more(own, where, arm, than)


MEANS, MEDIANS = "difference of mean connection times", "difference of median connection times"

NUMBERS: Numbers = {
    "waits-longer": _ms(WAITS, _later(MUNICH_LINK, WAITS_OLD, ENVOY), MEANS),
    "no-wait-longer": _ms(WAITS, _later(MUNICH_LINK, OLD, ENVOY), MEANS),
    "waits-longer-far": _ms(WAITS, _later(FAR_LINK, WAITS_OLD, ENVOY), MEANS),
    "no-wait-longer-far": _ms(WAITS, _later(FAR_LINK, OLD, ENVOY), MEANS),
    "authorities-openssl": _ms(CHECKS, lambda own: added(own, TCP, AUTHORITIES, CHECKED, ""), MEDIANS, 1),
    "authorities-boringssl": _ms(CHECKS, lambda own: added(own, QUIC, AUTHORITIES, CHECKED, ""), MEDIANS, 1),
    "authorities-slower": _ms(CHECKS, lambda own: added(own, TCP, AUTHORITIES, CHECKED, "slower"), MEDIANS),
    "lead-equal": _ms(CHECKS, lambda own: lead(own, CHECKED, CHECKED, "slower"), MEDIANS),
    "lead-theirs": _ms(CHECKS, lambda own: lead(own, UNCHECKED, AUTHORITIES, "slower"), MEDIANS),
    "lead-theirs-fast": _ms(CHECKS, lambda own: lead(own, UNCHECKED, AUTHORITIES, ""), MEDIANS),
    "google-later": _ms(VERSIONS, _later(VERSION_LINKS[0], GOOGLE, V1), MEANS, 1),
    "google-later-far": _ms(VERSIONS, _later(VERSION_LINKS[1], GOOGLE, V1), MEANS, 1),
    "stated-versions": stated(VERSIONS),
    "stated-waits": stated(WAITS),
    "stated-checks": stated(CHECKS),
}
