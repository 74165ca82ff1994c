"""The table of causes: what the thesis's scripts, kernels and programs did, what follows if that is why the tables
differ, and what was found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from IPython.display import HTML

from longlook.book.chapter import Chapter
from longlook.book.muthuraj2024 import each_way, one_cost, remembered, request_cost, smooth, unprinted
from longlook.book.predicted import Prediction
from longlook.figure.table import html_table

HEAD = ("cause", "evidence", "if so", "found", "verdict")
NOT_YET = "not measured yet"


@dataclass(frozen=True)
class Cause:
    """Why published and re-measured values may differ."""

    claim: str
    evidence: str
    sweep: str
    predictions: Callable[[Chapter], tuple[Prediction, ...]]


CAUSES = (
    Cause(
        "table B.4 was measured with 1 % loss in each direction",
        "long-look-quic, commit 27a456e of 29 December 2023, “divide loss by 2”: until then plr/100 in both pipes",
        each_way.SERIES,
        each_way.predictions,
    ),
    Cause(
        "so was figure 4.9d (N = 1), whose numbers are not printed",
        "the same commit; the text of section 4.4.1 says which squares are whose",
        unprinted.N1,
        unprinted.fewer_connections,
    ),
    Cause(
        "so was figure 4.14e (BBR), whose numbers are not printed",
        "the same commit; the text of section 4.7 leaves this figure out where QUIC is ahead everywhere",
        unprinted.BBR,
        unprinted.bbr,
    ),
    Cause(
        "TCP of gQUIC's tables with loss began with a remembered slow start threshold of few packets",
        "Linux 4.15 keeps it per destination; switched off by commit 65e6d90168f3 (Linux 5.6, December 2019)",
        remembered.SERIES,
        remembered.predictions,
    ),
    Cause(
        "the blue squares of many small objects come from stops of the client, not from its slowness",
        "here, not in the thesis: cpu.max with a period of 10 ms, hybrid slow start's limit of 4.5 ms",
        smooth.SERIES,
        smooth.predictions,
    ),
    Cause(
        "each of many requests cost the thesis's QUIC v1 server so much that slow start ended early",
        "its sample server is built without optimisation (Bazel's fastbuild); hybrid slow start leaves at 4.5 ms",
        request_cost.QUICV1,
        request_cost.quicv1,
    ),
    Cause(
        "the same of its gQUIC server",
        "built by gn gen out/Debug; a hundred requests come at once at most",
        request_cost.GQUIC37,
        request_cost.gquic37,
    ),
    Cause(
        "each request cost the gQUIC server half a millisecond, on every link and page alike",
        "the sweep above, of which six of these squares are known",
        one_cost.GQUIC37,
        one_cost.gquic37,
    ),
    Cause(
        "pictures of 10 KB cost the QUIC v1 server 0.9 ms each, those of 5 KB 0.25 ms; so figure 4.6f has two groups",
        "the sweep above, of which five of these squares are known",
        one_cost.QUICV1,
        one_cost.quicv1,
    ),
)


def causes(paper: Chapter, known: tuple[Cause, ...] = CAUSES) -> HTML:
    """Each cause with its evidence and sweep, and a row per prediction."""
    rows: list[tuple[str, ...]] = []
    starts: set[int] = set()
    for cause in known:
        starts.add(len(rows))
        own = [(one.said, one.found, one.verdict) for one in cause.predictions(paper)] or [(NOT_YET, "", "")]
        for number, row in enumerate(own):
            about = (cause.claim, f"{cause.evidence}; sweep {cause.sweep}") if number == 0 else ("", "")
            rows.append((*about, *row))
    return HTML(html_table(HEAD, rows, numeric=set(), starts=starts))
