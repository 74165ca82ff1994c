"""Objects of 10 MB under loss, alone on the machine and beside other testbeds: what became of the predictions.

They stand in sweeps/muthuraj2024/loss-each-way-10mb.toml and -10mb-alone.toml. Each is judged by its sweep's own
campaign, where a series' newest counts elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from longlook.analysis.welch import Summary, summary_of
from longlook.book.chapter import Chapter
from longlook.book.data import BookData
from longlook.book.muthuraj2024.cell_loads import Loads, loads_of, loads_of_sweep, rows_of_sweep
from longlook.book.predicted import JudgedPrediction
from longlook.figure import style

KNOWN = "loss-each-way"
"""Which was measured alone, before any prediction was written."""
BESIDE = "loss-each-way-10mb"
"""The sweep that several testbeds measured at once."""
ALONE, ALONE_N1 = "loss-each-way-10mb-alone", "loss-each-way-10mb-alone-n1"
"""The sweep, and that of its squares with N = 1."""
CUBIC = ("loss-each-way-4.6b", "loss-each-way-4.9b")
"""Series with N = 2 and N = 1."""
AGAIN_MOST = 0.10
FASTER, QUIC_LEAST, TCP_MOST = 0.03, 5, 2
FAST_MBPS = (50.0, 100.0)
SAME = 0.07

Place = tuple[str, str, float]
"""Series, protocol, Mbit/s."""


def predictions(paper: Chapter) -> tuple[JudgedPrediction, ...]:
    """In the order of the sweep's head; none before it is measured."""
    beside, alone = means(paper.data, BESIDE), means(paper.data, ALONE, ALONE_N1)
    if not alone:
        return ()
    return (*again(paper, ALONE), earlier(beside, alone), held_by_losses(alone))


def beside_others(paper: Chapter) -> tuple[JudgedPrediction, ...]:
    """That of loss-each-way-10mb, of the method: one square was known from a campaign that measured it alone."""
    return again(paper, BESIDE)


def again(paper: Chapter, sweep: str) -> tuple[JudgedPrediction, ...]:
    """Of the square that both this sweep and the one alone have; none before it is measured."""
    alone, now = loads_of(paper.data, KNOWN), loads_of_sweep(paper.data, sweep)
    return tuple(near(alone[key], now[key]) for key in alone if key in now)


def near(alone: Loads, now: Loads) -> JudgedPrediction:
    """Loads by protocol, of the same cell."""
    shares = {protocol: now[protocol].mean / alone[protocol].mean - 1 for protocol in ("quic", "tcp")}
    return JudgedPrediction(
        f"both means of 10 MB at 10 Mbit/s lie within {AGAIN_MOST:.0%} of those of the sweep {KNOWN}, which was "
        "measured alone",
        ", ".join(f"{name.upper()} {share:+.1%}" for name, share in shares.items()).replace("-", style.MINUS),
        max(map(abs, shares.values())) <= AGAIN_MOST,
    )


def means(data: BookData, *sweeps: str) -> dict[Place, Summary]:
    """Of both series with CUBIC."""
    rows = [row for sweep in sweeps for row in rows_of_sweep(data, sweep).to_dict("records") if row["series"] in CUBIC]
    return {(row["series"], row["protocol"], row["bandwidth_mbps"]): summary_of(row) for row in rows}


def earlier(beside: Mapping[Place, Summary], alone: Mapping[Place, Summary]) -> JudgedPrediction:
    """The second."""
    shares = {place: alone[place].mean / beside[place].mean - 1 for place in alone if place in beside}
    by = {name: sorted(share for place, share in shares.items() if place[1] == name) for name in ("quic", "tcp")}
    count = {name: sum(share <= -FASTER for share in own) for name, own in by.items()}
    words = "; ".join(
        f"{name.upper()} {count[name]} of {len(own)} ({style.signed_pct(own[0] * 100)} to "
        f"{style.signed_pct(own[-1] * 100)} %)"
        for name, own in by.items()
        if own
    )
    return JudgedPrediction(
        f"alone at least {QUIC_LEAST} of QUIC's six means with CUBIC are lower by {FASTER:.0%} and more, and at most "
        f"{TCP_MOST} of TCP's",
        words,
        count["quic"] >= QUIC_LEAST and count["tcp"] <= TCP_MOST if len(shares) == 12 else None,
    )


def held_by_losses(alone: Mapping[Place, Summary]) -> JudgedPrediction:
    """The third."""
    shares = list(_faster_by_slower(alone))
    words = ", ".join(style.signed_pct(share * 100) for share in shares)
    return JudgedPrediction(
        f"at 50 and 100 Mbit/s the four means of an arm are the same within {SAME:.0%}",
        f"{words} %" if words else "not measured",
        max(map(abs, shares)) <= SAME if len(shares) == 4 else None,
    )


def _faster_by_slower(alone: Mapping[Place, Summary]) -> Iterator[float]:
    """What the mean is on the faster link, by that on the slower one, less one."""
    slower, faster = FAST_MBPS
    for series in CUBIC:
        for protocol in ("quic", "tcp"):
            pair = [alone.get((series, protocol, mbps)) for mbps in (slower, faster)]
            if pair[0] and pair[1]:
                yield pair[1].mean / pair[0].mean - 1
