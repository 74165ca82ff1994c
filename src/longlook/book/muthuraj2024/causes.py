"""Why re-measured and published values differ: what the tables themselves can tell."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from longlook.analysis.agreement import compare
from longlook.book.data import PaperData
from longlook.figure import style
from longlook.figure.table import html_table

GROUPS = (
    ("one object of at most 100 KB", lambda cell: _is(cell, largest_kb=100, most=1)),
    ("one object of 200 KB to 1 MB", lambda cell: _is(cell, smallest_kb=200, largest_kb=1000, most=1)),
    ("one object of 10 MB", lambda cell: _is(cell, smallest_kb=10_000, most=1)),
    ("2 to 10 objects", lambda cell: _is(cell, fewest=2, most=10)),
    ("100 or 200 objects", lambda cell: _is(cell, fewest=100)),
)
SLOW = re.compile(r"^slow-client-(\d+)$")


def _is(cell, smallest_kb=0, largest_kb=10**9, fewest=1, most=10**9) -> bool:
    size, count = re.search(r"_(\d+)kb-x(\d+)_", cell.cell_id).groups()
    return smallest_kb <= int(size) <= largest_kb and fewest <= int(count) <= most


def offsets_table(data: PaperData, figures: list[str]) -> str:
    """Median of re-measured minus published mean (ms), and of their ratio, by condition and kind of page."""
    rows = []
    for figure in figures:
        reference = data.frame(figure, "reference")
        if reference is None:
            continue
        both = [cell for cell in compare(data.frame(figure, "published"), reference) if cell.tested]
        for name, belongs in GROUPS:
            group = [cell for cell in both if belongs(cell)]
            if group:
                rows.append([figure, name, str(len(group)), *_medians(group, "quic"), *_medians(group, "tcp")])
    head = ["figure", "pages", "squares", "QUIC, ms", "ratio", "TCP, ms", "ratio"]
    return html_table(head, rows, numeric={2, 3, 4, 5, 6}) if rows else NOTHING


def _medians(group, protocol: str) -> list[str]:
    pairs = [(getattr(cell.a, f"{protocol}_mean_ms"), getattr(cell.b, f"{protocol}_mean_ms")) for cell in group]
    difference = pd.Series([measured - published for published, measured in pairs]).median()
    ratio = pd.Series([measured / published for published, measured in pairs]).median()
    return [f"{difference:+.1f}".replace("-", "−"), f"{ratio:.2f}"]


NOTHING = "<p>No reference campaign has measured these figures yet.</p>"


def slow_client_table(data: PaperData) -> str:
    """10 KB x 100 by how much CPU the browser may use: published, unlimited, and held to a share of one CPU."""
    rows = []
    for bandwidth in (50.0, 100.0):
        square = {"workload_size_kb": 10, "workload_count": 100, "bandwidth_mbps": bandwidth}
        for label, frame in _slow_sources(data):
            if (cell := _square_like(frame, square)) is not None:
                rows.append([f"{bandwidth:g}", label, *_values(cell)])
    head = ["Mbit/s", "client", "QUIC, ms", "TCP, ms", "diff., %", "p"]
    return html_table(head, rows, numeric={0, 2, 3, 4, 5}) if rows else NOTHING


def _slow_sources(data: PaperData) -> list[tuple[str, pd.DataFrame]]:
    titles = {"published": "published (Emulab)", "reference": "here, no limit", "yours": "yours, no limit"}
    found = [(titles[source.key], frame) for source, frame in data.sources("4.6d").items()]
    limits = sorted({int(match.group(1)) for name in data.cells["figure"] if (match := SLOW.match(name))}, reverse=True)
    for percent in limits:
        for source, frame in data.sources(f"slow-client-{percent}").items():
            if source.campaign is not None:
                whose = "here" if source.key == "reference" else "yours"
                found.append((f"{whose}, browser held to {percent} % of one CPU", frame))
    return found


def _values(cell: pd.Series) -> list[str]:
    if pd.isna(cell["p_value"]):
        return ["–"] * 4
    means = [f"{cell[f'{protocol}_mean_ms']:.0f} ± {cell[f'{protocol}_std_ms']:.0f}" for protocol in ("quic", "tcp")]
    p_value = "< 0.001" if cell["p_value"] < 0.001 else f"{cell['p_value']:.3f}"
    return [*means, f"{cell['pct_diff']:+.0f}".replace("-", "−"), p_value]


def browser_time_table(data: PaperData) -> str:
    """PLT over a link that takes next to no time: what browser and servers need for each page."""
    reference = data.frame("browser-time", "reference")
    if reference is None:
        return NOTHING
    rows = [[_page(cell), *_values(cell)[:2]] for _, cell in reference.iterrows()]
    return html_table(["page", "QUIC, ms", "TCP, ms"], rows, numeric={1, 2})


def varied_table(data: PaperData, figure: str, figures: list[str], usual: str, varied: str) -> str:
    """Squares of `figures`: published where the thesis has a table, re-measured as the method says (`usual`), and with one
    condition changed (`figure`, `varied`)."""
    changed = data.frame(figure, "reference")
    if changed is None:
        return NOTHING
    titles = {"published": "publ.", "reference": usual}
    if not data.published["figure"].isin(figures).any():
        del titles["published"]
    link = {"rtt_ms": "RTT, ms", "bandwidth_mbps": "Mbit/s"}
    if changed["rtt_ms"].nunique() == 1:
        del link["rtt_ms"]
    rows = []
    for _, cell in changed.sort_values(["rtt_ms", "bandwidth_mbps", "workload_count", "workload_size_kb"]).iterrows():
        columns = [*(_same_square(data, figures, key, cell) for key in titles), cell]
        means = [
            f"{one[f'{protocol}_mean_ms']:.0f}" if one is not None else "–"
            for protocol in ("quic", "tcp")
            for one in columns
        ]
        rows.append([*(f"{cell[name]:g}" for name in link), _page(cell), *means])
    head = [*link.values(), "page"]
    for protocol in ("QUIC", "TCP"):
        first, *rest = [*titles.values(), varied]
        head += [f"{protocol}, {first}", *rest]
    return html_table(head, rows, numeric={*range(len(head))} - {len(link)})


def _page(cell: pd.Series) -> str:
    """`10 KB × 100`, in one line."""
    return style.workload_label(cell["workload_size_kb"], int(cell["workload_count"]), True).replace(
        " ", "\N{NO-BREAK SPACE}"
    )


def _same_square(data: PaperData, figures: Sequence[str], key: str, wanted: pd.Series) -> pd.Series | None:
    """The square of one of these figures that has the workload, bandwidth and RTT of `wanted`, from one of its columns."""
    square = {name: wanted[name] for name in ("workload_size_kb", "workload_count", "bandwidth_mbps", "rtt_ms")}
    frames = (data.frame(figure, key) for figure in figures)
    found = (_square_like(frame, square) for frame in frames if frame is not None)
    return next((cell for cell in found if cell is not None), None)


def _square_like(frame: pd.DataFrame, square: dict[str, float]) -> pd.Series | None:
    """The row with these values in these columns."""
    found = frame[(frame[list(square)] == pd.Series(square)).all(axis=1)]
    return found.iloc[0] if len(found) else None


def slow_server_table(data: PaperData, figure: str, figures: tuple[str, ...]) -> str:
    """Pages of many objects by how much CPU the QUIC server may use: published and unlimited (`figures`), 20 % and 10 %
    of one CPU (`figure`)."""
    slowest = data.frame(f"{figure}-10", "reference")
    if slowest is None:
        return NOTHING
    rows = []
    for _, cell in slowest.sort_values(["rtt_ms", "workload_count"]).iterrows():
        columns = [_same_square(data, figures, key, cell) for key in ("published", "reference")]
        columns += [_same_square(data, (f"{figure}-20",), "reference", cell), cell]
        quic = [_values(one)[0] if one is not None else "–" for one in columns]
        rows.append([f"{cell['rtt_ms']:g}", _page(cell), *quic, *(_values(one)[1] for one in (columns[0], cell))])
    head = ["RTT, ms", "page", "QUIC, publ.", "no limit", "20 %", "10 %", "TCP, publ.", "here"]
    return html_table(head, rows, numeric={0, 2, 3, 4, 5, 6, 7})
