"""One cost per request on every link: what that does to the published tables.

What was foretold stands in sweeps/muthuraj2024/one-cost.toml and one-cost-gquic37.toml.
"""

from __future__ import annotations

from IPython.display import HTML

from longlook.analysis.agreement import meets
from longlook.analysis.welch import Summary, summary_of
from longlook.audit.checks import primary
from longlook.book.chapter import Chapter
from longlook.book.flows import page
from longlook.book.varied import REFERENCE
from longlook.figure import style
from longlook.figure.squares import PUBLISHED
from longlook.figure.table import html_table

QUICV1, GQUIC37 = "one-cost", "one-cost-gquic37"
USUAL = {QUICV1: ("4.6d", "4.6f"), GQUIC37: ("4.5d", "4.5f")}
"""Series of the same pages without a cost, published and re-measured."""
COSTS = {QUICV1: (900, 250), GQUIC37: (500,)}
"""us; that of pages of 10 KB first."""
PLACE = ["rtt_ms", "bandwidth_mbps", "object_count"]


def table(paper: Chapter, series: str) -> HTML:
    """Means of QUIC published, without a cost and with each, and TCP's; marked what meets the published one. By RTT,
    bandwidth and page, of those that have everything."""
    published, without = (_by_place(paper, USUAL[series], key) for key in (PUBLISHED.key, REFERENCE))
    rows = []
    loads = primary(paper.data.rows("arms", paper.study, series, REFERENCE)).sort_values(PLACE)
    for place, own in loads.groupby(PLACE, sort=False):
        costs = {row["request_cost_us"]: summary_of(row) for _, row in own[own["protocol"] == "quic"].iterrows()}
        tcp = [summary_of(row) for _, row in own[own["protocol"] == "tcp"].iterrows()]
        known, usual = published.get(tuple(place), {}), without.get(tuple(place), {})
        if set(costs) == set(COSTS[series]) and len(tcp) == 1 and len(known) == len(usual) == 2:
            first = own.iloc[0]
            title = f"{page(first)}, {first['bandwidth_mbps']:g} Mbit/s, {first['rtt_ms']:g} ms"
            quic = [usual["quic"], *(costs[cost] for cost in COSTS[series])]
            marked = [_times(one) + (" ✓" if meets(known["quic"], one) else "") for one in quic]
            rows.append([title, _times(known["quic"]), *marked, _times(known["tcp"]), _times(tcp[0])])
    if not rows:
        return HTML(style.NOTHING_YET)
    names = ["without", *(f"{cost} µs" for cost in COSTS[series])]
    head = ["page and link", "publ.", *names, "publ.", "re-measured"]
    groups = [("", 1), ("QUIC, ms", 1 + len(names)), ("TCP, ms", 2)]
    return HTML(html_table(head, rows, numeric=set(range(1, len(head))), groups=groups))


def _by_place(paper: Chapter, series: tuple[str, ...], key: str) -> dict[tuple, dict[str, Summary]]:
    """PLACE -> protocol -> its loads."""
    found: dict[tuple, dict[str, Summary]] = {}
    for _, row in primary(paper.data.rows("arms", paper.study, series, key)).iterrows():
        found.setdefault(tuple(row[name] for name in PLACE), {})[row["protocol"]] = summary_of(row)
    return found


def _times(one: Summary) -> str:
    return f"{one.mean:.0f} ± {one.sd:.0f}"
