"""Figures 4.9d and 4.14e with the loss in each direction: what became of the predictions.

The thesis prints none of their numbers; its text says which squares are whose. The predictions stand in
sweeps/muthuraj2024/loss-each-way-4.9d.toml and ...-4.14e.toml and were written before the campaigns. `unprinted_sizes`
has figures 4.9b and 4.14b.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longlook.analysis.contrast import Contrast, contrast
from longlook.analysis.welch import Summary, summary_of
from longlook.audit.checks import primary
from longlook.book.chapter import Chapter
from longlook.book.predicted import Prediction
from longlook.book.varied import REFERENCE
from longlook.figure import style

N1, BBR = "loss-each-way-4.9d", "loss-each-way-4.14e"
N1_SIZES, BBR_SIZES = "loss-each-way-4.9b", "loss-each-way-4.14b"
USUAL = {N1: "4.9d", BBR: "4.14e", N1_SIZES: "4.9b", BBR_SIZES: "4.14b"}
TCPS = (10, 100, 200)
"""Numbers of objects of the pages that the text has TCP ahead with."""
TCP_LEAST, QUIC_LEAST, HIGHER_LEAST = 5, 7, 16
MOST_PCT, MOST_TIMES, LITTLE_LEAST = 43.0, 4 / 3, 16
PLACE = ["object_count", "object_bytes", "bandwidth_mbps"]


@dataclass(frozen=True)
class Square:
    """One page over one link, its loads by protocol: with 0.5 % and with 1 % loss in each direction."""

    objects: int
    divided: Mapping[str, Summary]
    whole: Mapping[str, Summary]
    object_bytes: int = 0
    bandwidth_mbps: float = 0

    @property
    def lead(self) -> Contrast:
        """QUIC against TCP, with the loss each way."""
        return contrast(self.whole["quic"], self.whole["tcp"])

    def times(self, protocol: str) -> float:
        """By how many times the mean is higher with the loss each way."""
        return self.whole[protocol].mean / self.divided[protocol].mean


def squares(paper: Chapter, series: str) -> list[Square]:
    """Of the reference campaigns; those that have both protocols with both losses."""
    loads: list[dict[tuple, dict[str, Summary]]] = []
    for name in (USUAL[series], series):
        own: dict[tuple, dict[str, Summary]] = {}
        for _, row in primary(paper.data.rows("arms", paper.study, name, REFERENCE)).iterrows():
            own.setdefault(tuple(row[column] for column in PLACE), {})[row["protocol"]] = summary_of(row)
        loads.append(own)
    divided, whole = loads
    return [
        Square(int(place[0]), divided[place], own, int(place[1]), float(place[2]))
        for place, own in sorted(whole.items())
        if len(own) == len(divided.get(place, {})) == 2
    ]


def fewer_connections(paper: Chapter) -> tuple[Prediction, ...]:
    """Of figure 4.9d; none before it is measured."""
    found = squares(paper, N1)
    return (tcp_ahead(found), quic_ahead(found), higher(found)) if found else ()


def bbr(paper: Chapter) -> tuple[Prediction, ...]:
    """Of figure 4.14e; none before it is measured."""
    found = squares(paper, BBR)
    return (one_is_not_quics(found), no_larger_lead(found), little_higher(found)) if found else ()


def tcp_ahead(found: Sequence[Square]) -> Prediction:
    """The first of 4.9d: where the text has TCP ahead."""
    own = [one for one in found if one.objects in TCPS]
    ahead = sum(one.lead.pct < 0 for one in own)
    significant = sum(one.lead.verdict == "right" for one in own)
    return Prediction(
        f"with 10, 100 and 200 objects TCP's mean is the lower one in {TCP_LEAST} of 9 squares at least, "
        "significantly in one",
        f"in {ahead} of {len(own)}, significantly in {significant}",
        ahead >= TCP_LEAST and significant >= 1,
    )


def quic_ahead(found: Sequence[Square]) -> Prediction:
    """The second of 4.9d: the other squares."""
    own = [one for one in found if one.objects not in TCPS]
    ahead = sum(one.lead.pct > 0 for one in own)
    return Prediction(
        f"with 1, 2 and 5 objects QUIC's mean is the lower one in {QUIC_LEAST} of 9 squares at least",
        f"in {ahead} of {len(own)}",
        ahead >= QUIC_LEAST,
    )


def higher(found: Sequence[Square], least: int = HIGHER_LEAST, squares: int = 18) -> Prediction:
    """The third of 4.9d and the fourth of 4.9b: more loss takes longer."""
    counts = {protocol: sum(one.times(protocol) > 1 for one in found) for protocol in ("quic", "tcp")}
    return Prediction(
        f"the means are higher than with 0.5 % each way in {least} of {squares} squares at least, of each protocol",
        f"QUIC's in {counts['quic']}, TCP's in {counts['tcp']} of {len(found)}",
        min(counts.values()) >= least,
    )


def one_is_not_quics(found: Sequence[Square]) -> Prediction:
    """The first of 4.14e: the text leaves this figure out where QUIC is ahead in all squares."""
    others = sum(one.lead.verdict != "left" for one in found)
    return Prediction(
        "with BBR at least one of 18 squares is not significantly QUIC's",
        f"{others} of {len(found)} are not",
        others >= 1,
    )


def no_larger_lead(found: Sequence[Square]) -> Prediction:
    """The second of 4.14e: the text's range."""
    leads = [one.lead for one in found]
    significant = [one.pct for one in leads if one.verdict != "none"]
    most = max(significant, default=0.0)
    return Prediction(
        f"no significant difference is above {MOST_PCT:g} %",
        f"the largest is {style.signed_pct(most)}" if significant else "none is significant",
        most <= MOST_PCT,
    )


def little_higher(found: Sequence[Square], least: int = LITTLE_LEAST, squares: int = 18) -> Prediction:
    """The third of 4.14e and of 4.14b: BBR does not take a loss for a queue."""
    counts = {protocol: sum(one.times(protocol) <= MOST_TIMES for one in found) for protocol in ("quic", "tcp")}
    return Prediction(
        f"the means are higher by a third at most than with 0.5 % each way, in {least} of {squares} squares at least, "
        "of each protocol",
        f"QUIC's in {counts['quic']}, TCP's in {counts['tcp']} of {len(found)}",
        min(counts.values()) >= least,
    )
