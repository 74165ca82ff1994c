"""Figures 4.9b and 4.14b with the loss in each direction: what became of the predictions.

The thesis prints none of their numbers; its text gives two of 4.9b and says what 4.14b is like. The predictions stand
in sweeps/muthuraj2024/loss-each-way-4.9b.toml and ...-4.14b.toml (with -10mb.toml, whose squares are not their sweeps')
and were written before the campaigns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from longlook.analysis.contrast import Contrast, contrast
from longlook.analysis.welch import Summary, summary_of
from longlook.audit.checks import primary
from longlook.book.chapter import Chapter
from longlook.book.predicted import JudgedPrediction
from longlook.book.varied import REFERENCE
from longlook.figure import style
from longlook.plan.workload import bytes_of_kb

N1_SIZES, BBR_SIZES = "loss-each-way-4.9b", "loss-each-way-4.14b"
USUAL = {N1_SIZES: "4.9b", BBR_SIZES: "4.14b"}
MOST_TIMES = 4 / 3
PLACE = ["object_bytes", "bandwidth_mbps"]
SLOW_MBPS = 10.0
LARGE, SMALL, UP_TO = bytes_of_kb(10_000), bytes_of_kb(5), bytes_of_kb(200)
TCP_BY_PCT = (-25.0, -5.0)
SMALL_BELOW_PCT = 140.0
SQUARES, QUIC_SQUARES, QUIC_LEAST, MOST_OF_THEM = 21, 12, 14, 17


@dataclass(frozen=True)
class LossSquare:
    """One page over one link, its loads by protocol: with 0.5 % and with 1 % loss in each direction."""

    object_bytes: int
    bandwidth_mbps: float
    divided: Mapping[str, Summary]
    whole: Mapping[str, Summary]

    @property
    def lead(self) -> Contrast:
        """QUIC against TCP, with the loss each way."""
        return contrast(self.whole["quic"], self.whole["tcp"])

    def times(self, protocol: str) -> float:
        """By how many times the mean is higher with the loss each way."""
        return self.whole[protocol].mean / self.divided[protocol].mean


def squares(paper: Chapter, series: str) -> list[LossSquare]:
    """Of the reference campaigns; those that have both protocols with both losses."""
    loads: list[dict[tuple, dict[str, Summary]]] = []
    for name in (USUAL[series], series):
        own: dict[tuple, dict[str, Summary]] = {}
        for _, row in primary(paper.data.rows("arms", paper.study, name, REFERENCE)).iterrows():
            own.setdefault(tuple(row[column] for column in PLACE), {})[row["protocol"]] = summary_of(row)
        loads.append(own)
    divided, whole = loads
    return [
        LossSquare(int(place[0]), float(place[1]), divided[place], own)
        for place, own in sorted(whole.items())
        if len(own) == len(divided.get(place, {})) == 2
    ]


def fewer_connections(paper: Chapter) -> tuple[JudgedPrediction, ...]:
    """Of figure 4.9b; none before it is measured."""
    found = squares(paper, N1_SIZES)
    return (tcp_ahead(found, TCP_BY_PCT), no_luck(found), quic_ahead(found), higher(found)) if found else ()


def bbr(paper: Chapter) -> tuple[JudgedPrediction, ...]:
    """Of figure 4.14b; none before it is measured."""
    found = squares(paper, BBR_SIZES)
    return (quics(found), tcp_ahead(found), little_higher(found)) if found else ()


def _at(found: Sequence[LossSquare], size: int) -> LossSquare | None:
    """The square of one object of this size at 10 Mbit/s."""
    return next((one for one in found if (one.object_bytes, one.bandwidth_mbps) == (size, SLOW_MBPS)), None)


def tcp_ahead(found: Sequence[LossSquare], between: tuple[float, float] | None = None) -> JudgedPrediction:
    """The first of 4.9b, with a range, and the second of 4.14b."""
    own = _at(found, LARGE)
    said = "10 MB at 10 Mbit/s: TCP is significantly faster"
    if between:
        said += ", by " + " to ".join(style.signed_pct(one) for one in reversed(between)) + " %"
    if own is None:
        return JudgedPrediction(said, "this square is not measured", None)
    lead = own.lead
    inside = between is None or between[0] <= lead.pct <= between[1]
    return JudgedPrediction(
        said, f"{style.signed_pct(lead.pct)} %, {_whose(lead.verdict)}", lead.verdict == "right" and inside
    )


def _whose(verdict: str | None) -> str:
    names = {"left": "QUIC significantly faster", "right": "TCP significantly faster"}
    return names.get(str(verdict), "not significant")


def no_luck(found: Sequence[LossSquare]) -> JudgedPrediction:
    """The second of 4.9b: the text's 180 % are not what twice as many losses do."""
    own = _at(found, SMALL)
    said = f"5 KB at 10 Mbit/s: the difference stays below {SMALL_BELOW_PCT:g} %"
    if own is None:
        return JudgedPrediction(said, "this square is not measured", None)
    return JudgedPrediction(said, f"{style.signed_pct(own.lead.pct)} %", own.lead.pct < SMALL_BELOW_PCT)


def quic_ahead(found: Sequence[LossSquare]) -> JudgedPrediction:
    """The third of 4.9b."""
    own = [one for one in found if one.object_bytes <= UP_TO]
    ahead = sum(one.lead.pct > 0 for one in own)
    return JudgedPrediction(
        f"up to 200 KB QUIC's mean is the lower one in all {QUIC_SQUARES} squares",
        f"in {ahead} of {len(own)}",
        ahead == len(own) == QUIC_SQUARES,
    )


def quics(found: Sequence[LossSquare]) -> JudgedPrediction:
    """The first of 4.14b."""
    own = sum(one.lead.verdict == "left" for one in found)
    return JudgedPrediction(
        f"at least {QUIC_LEAST} of {SQUARES} squares are significantly QUIC's",
        f"{own} of {len(found)}",
        own >= QUIC_LEAST,
    )


def higher(found: Sequence[LossSquare]) -> JudgedPrediction:
    """The fourth of 4.9b: more loss takes longer."""
    return _of_both(found, "higher than with 0.5 % each way in", lambda times: times > 1)


def little_higher(found: Sequence[LossSquare]) -> JudgedPrediction:
    """The third of 4.14b: BBR does not take a loss for a queue."""
    said = "higher by a third at most than with 0.5 % each way, in"
    return _of_both(found, said, lambda times: times <= MOST_TIMES)


def _of_both(found: Sequence[LossSquare], said: str, true: Callable[[float], bool]) -> JudgedPrediction:
    counts = {protocol: sum(true(one.times(protocol)) for one in found) for protocol in ("quic", "tcp")}
    return JudgedPrediction(
        f"the means are {said} {MOST_OF_THEM} of {SQUARES} squares at least, of each protocol",
        f"QUIC's in {counts['quic']}, TCP's in {counts['tcp']} of {len(found)}",
        min(counts.values()) >= MOST_OF_THEM,
    )
