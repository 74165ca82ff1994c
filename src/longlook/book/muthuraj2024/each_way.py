"""Tables B.3 and B.4 with the loss in each direction: what became of the predictions.

They stand in sweeps/muthuraj2024/loss-each-way-4.6b.toml (with -10mb.toml) and ...-4.6e.toml and were written before
the campaigns.
"""

from __future__ import annotations

from collections.abc import Sequence

from longlook.analysis.convention import conventions, each_way
from longlook.book.chapter import Chapter
from longlook.book.muthuraj2024.both import Both, Loads, both, loads_of, loads_of_sweep, median_error, printed_in
from longlook.book.predicted import JudgedPrediction
from longlook.figure import style
from longlook.plan.workload import bytes_of_kb

SERIES, USUAL, KNOWN = "loss-each-way-4.6e", "4.6e", "loss-each-way"
"""Measured with the loss each way, with the loss divided, and, each way, before the predictions were written."""
TABLE = "B.4"
SIZES, SIZES_USUAL, SIZES_TABLE = "loss-each-way-4.6b", "4.6b", "B.3"
LARGE = "loss-each-way-10mb"
"""The sweep of the largest objects, which several testbeds measured at once."""
DECADES = 2.0
NEARER, MEDIAN_ERROR = 14, 0.15
SIZES_MEDIAN_ERROR = 0.12
MANY = 100
LARGE_BYTES = bytes_of_kb(10_000)
QUIC_MOST, TCP_MOST, AGAIN_MOST = 0.10, 0.15, 0.10


def predictions(paper: Chapter) -> tuple[JudgedPrediction, ...]:
    """Of table B.4; none before it is measured."""
    found = both(paper.data, TABLE, USUAL, SERIES, each_way)
    return (_supported(paper, found), nearer(found), many(found)) if found else ()


def sizes(paper: Chapter) -> tuple[JudgedPrediction, ...]:
    """Of table B.3."""
    found = both(paper.data, SIZES_TABLE, SIZES_USUAL, SIZES, each_way)
    return (_supported(paper, found), nearer(found, 21, SIZES_MEDIAN_ERROR), large(found)) if found else ()


def _supported(paper: Chapter, found: Sequence[Both]) -> JudgedPrediction:
    """Of the cells that no campaign had when the prediction was written."""
    before = loads_of(paper.data, KNOWN)
    new = [one for one in found if _key(one) not in before]
    measured = {(one.printed.cell.study, one.printed.cell.key): one.usual for one in new}
    for one in conventions([one.printed for one in new], measured | {_key(one): one.changed for one in new}):
        return supported(one.cells, one.log10_by_means, one.log10_by_variances)
    return supported(0, 0.0, 0.0)


def _key(one: Both) -> tuple[str, str]:
    return one.printed.cell.study, each_way(one.printed.cell).key


def supported(cells: int, by_means: float, by_variances: float) -> JudgedPrediction:
    """The first of both tables: of cells that were not known when it was written; open without any."""
    words = f"{cells} cells: 10^{by_means:.1f} by means, 10^{by_variances:.1f} by variances"
    return JudgedPrediction(
        "in the cells that were not known, means and variances are each a hundred times as likely with 1 % each way",
        words.replace("-", style.MINUS),
        min(by_means, by_variances) >= DECADES if cells else None,
    )


def nearer(found: Sequence[Both], cells: int = 18, most: float = MEDIAN_ERROR) -> JudgedPrediction:
    """The second: the means of TCP, of so many cells in all."""
    count = sum(one.is_nearer("tcp") for one in found)
    error = median_error(found, "tcp")
    return JudgedPrediction(
        f"at least {NEARER} of {cells} means of TCP are nearer to the published ones, their median error is at most "
        f"{most:.0%}",
        f"{count} of {len(found)} nearer, median error {error:.1%}",
        count >= NEARER and error <= most,
    )


def many(found: Sequence[Both]) -> JudgedPrediction:
    """The third of table B.4: QUIC's means of pages with a hundred objects and more."""
    own = [one for one in found if one.printed.cell.workload.object_count >= MANY]
    met = sum(one.is_met("quic") for one in own)
    ratios = sorted(one.changed["quic"].mean / one.published("quic").mean for one in own)
    words = f"{met} of {len(own)} within the 99 % prediction interval"
    if ratios:
        words += f"; means {ratios[0]:.2f} to {ratios[-1]:.2f} of the published"
    return JudgedPrediction("pages of a hundred objects and more stay off for QUIC", words, bool(own) and met == 0)


def large(found: Sequence[Both]) -> JudgedPrediction:
    """The third of table B.3: objects of 10 MB."""
    own = [one for one in found if one.printed.cell.workload.object_bytes == LARGE_BYTES]
    said = f"10 MB: QUIC's three means lie within {QUIC_MOST:.0%} of the published ones, TCP's within {TCP_MOST:.0%}"
    if len(own) < 3:
        return JudgedPrediction(said, f"{len(own)} of 3 squares are measured", None)
    errors = {protocol: sorted(one.error(protocol) for one in own) for protocol in ("quic", "tcp")}
    words = "; ".join(
        f"{protocol.upper()} off by {own_errors[0]:.1%} to {own_errors[-1]:.1%}"
        for protocol, own_errors in errors.items()
    )
    return JudgedPrediction(said, words, errors["quic"][-1] <= QUIC_MOST and errors["tcp"][-1] <= TCP_MOST)


def beside_others(paper: Chapter) -> tuple[JudgedPrediction, ...]:
    """That of loss-each-way-10mb, of the method: one square was known from a campaign that measured it alone."""
    return again(paper, LARGE)


def again(paper: Chapter, sweep: str) -> tuple[JudgedPrediction, ...]:
    """Of the square that both this sweep and the one alone have; none before it is measured."""
    alone, now = loads_of(paper.data, KNOWN), loads_of_sweep(paper.data, sweep)
    cells = [one.cell for one in printed_in(SIZES_TABLE) if one.cell.workload.object_bytes == LARGE_BYTES]
    keys = [(cell.study, each_way(cell).key) for cell in cells]
    return tuple(near(alone[key], now[key]) for key in keys if key in alone and key in now)


def near(alone: Loads, now: Loads) -> JudgedPrediction:
    """Loads by protocol, of the same cell."""
    shares = {protocol: now[protocol].mean / alone[protocol].mean - 1 for protocol in ("quic", "tcp")}
    return JudgedPrediction(
        f"both means of 10 MB at 10 Mbit/s lie within {AGAIN_MOST:.0%} of those of the sweep {KNOWN}, which was "
        "measured alone",
        ", ".join(f"{name.upper()} {share:+.1%}" for name, share in shares.items()).replace("-", style.MINUS),
        max(map(abs, shares.values())) <= AGAIN_MOST,
    )
