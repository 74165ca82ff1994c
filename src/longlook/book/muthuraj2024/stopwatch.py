"""The table of causes: what the thesis's scripts, kernels and programs did, what follows if that is why the tables
differ, and what was found."""

from __future__ import annotations

from dataclasses import dataclass

from IPython.display import HTML

from longlook.book.chapter import Chapter
from longlook.book.judged import predictions_of
from longlook.book.muthuraj2024 import emulab_2024, means
from longlook.book.muthuraj2024.circumstances import state
from longlook.figure.table import html_table


@dataclass(frozen=True)
class Cause:
    """Why published and re-measured values may differ."""

    claim: str
    evidence: str
    sweep: str
    """Which has its predictions."""


SAME_COMMIT = "the same commit"
CAUSES = (
    Cause(
        "table B.4 was measured with 1 % loss in each direction",
        emulab_2024.DIVIDED_LATER,
        "loss-each-way-4.6e",
    ),
    Cause("table B.3 was, too", SAME_COMMIT, "loss-each-way-4.6b"),
    Cause(
        "figure 4.9d (N = 1), of which no numbers are printed, was, too",
        f"{SAME_COMMIT}; the text of section 4.4.1 says which squares are whose",
        "loss-each-way-4.9d",
    ),
    Cause(
        "figure 4.9b (N = 1) was, too",
        f"{SAME_COMMIT}; the text gives two of its squares",
        "loss-each-way-4.9b",
    ),
    Cause(
        "figure 4.14e (BBR), of which no numbers are printed, was, too",
        f"{SAME_COMMIT}; the text of section 4.7 leaves this figure out where QUIC is ahead everywhere",
        "loss-each-way-4.14e",
    ),
    Cause(
        "figure 4.14b (BBR) was, too",
        f"{SAME_COMMIT}; the text likens it to figure 4.9b",
        "loss-each-way-4.14b",
    ),
    Cause(
        "several testbeds at once do not disturb loads of 10 MB under loss",
        "here, not in the thesis: losses hold such a load to 4 to 8 Mbit/s",
        "loss-each-way-10mb",
    ),
    Cause(
        "measurement on several testbeds at once inflates QUIC's page load times of 10 MB",
        "here, not in the thesis: what losses hold to a small window lasts as long as its round trips",
        "loss-each-way-10mb-alone",
    ),
    Cause(
        "TCP of gQUIC's tables with loss began with a remembered slow start threshold of few packets",
        emulab_2024.REMEMBERED,
        "remembered-threshold",
    ),
    Cause(
        "of 7 packets in table B.11",
        "what CUBIC leaves of a window of 10 at a loss, and what was found in a kernel's memory (docs/tcp-memory)",
        "threshold-4.5b",
    ),
    Cause("and in table B.12", "the same", "threshold-4.5e"),
    Cause(
        "no threshold, but the loss, lifts TCP in tables B.3 and B.4",
        "their servers had Linux 5.15, which does not remember",
        "threshold-4.6",
    ),
    Cause(
        "nor is it what sets gQUIC's tables with jitter apart",
        "Linux 4.15 again; there TCP's published means lie below those here",
        "threshold-jitter",
    ),
    Cause(
        "delays of table B.15 changed half as often as the method says",
        emulab_2024.LOOP,
        "jitter-interval-4.11a",
    ),
    Cause("so did those of table B.16", "the same", "jitter-interval-4.11c"),
    Cause(
        "gQUIC's 10 MB scatter without loss in tables B.9 and B.13 since their queue had 50 slots",
        "long-look-quic, commit b80a5bf of 29 November 2023: until then dummynet's default",
        "queue-slots",
    ),
    Cause(
        "the blue squares of many small objects come from stops of the client, not from its slowness",
        "here, not in the thesis: cpu.max with a period of 10 ms, hybrid slow start's limit of 4.5 ms",
        means.STOPPED,
    ),
    Cause(
        "each of many requests cost the thesis's QUIC v1 server so much that slow start ended early",
        emulab_2024.PLAIN_BUILD_V1,
        "request-cost",
    ),
    Cause(
        "the same of its gQUIC server",
        emulab_2024.PLAIN_BUILD,
        "request-cost-gquic37",
    ),
    Cause(
        "each request cost the gQUIC server half a millisecond, on every link and page alike",
        "the sweep above, of which six of these squares are known",
        "one-cost-gquic37",
    ),
    Cause(
        "pictures of 10 KB cost the QUIC v1 server 0.9 ms each, those of 5 KB 0.25 ms; so figure 4.6f has two groups",
        "the sweep above, of which five of these squares are known",
        "one-cost",
    ),
    Cause(
        "TCP's pages of many objects take longer because they come from Flask",
        "quic-setup and long-look-quic: WSGIDaemonProcess app threads=5; templates name the images that Flask serves",
        means.FLASK,
    ),
    Cause(
        "Flask costs gQUIC's tables as much, which have nothing to explain there",
        "the same scripts; TCP's published means of many objects lie at or below those here",
        means.FLASK_GQUIC,
    ),
    Cause(
        "pictures of 10068 bytes explain nothing",
        "so many have those of 10 KB in long-look-quic; here 10240",
        "exact-bytes",
    ),
    Cause(
        "each request cost the thesis's client 0.7 ms, which keeps the thread busy that acknowledges",
        "TCP alone, whose acknowledgements a kernel sends: pages of many objects are published later",
        "send-cost",
    ),
)


def causes(paper: Chapter, known: tuple[Cause, ...] = CAUSES) -> HTML:
    """Each cause with its evidence, its sweep, and whether it is confirmed."""
    rows = []
    for cause in known:
        found = predictions_of(cause.sweep, paper.data)
        held = f"{sum(one.holds is True for one in found)} of {len(found)}"
        rows.append(
            [cause.claim, f"{cause.evidence}; sweep {cause.sweep}", held, state([one.confirms for one in found])]
        )
    return HTML(html_table(["cause", "evidence", "predictions that hold", "verdict"], rows, numeric={2}))
