"""Why re-measured and published values differ: what the tables themselves can tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pandas as pd
from IPython.display import HTML

from longlook import paths
from longlook.analysis.convention import as_the_text_says
from longlook.analysis.convention import conventions as loss_conventions
from longlook.analysis.newest import newest
from longlook.audit.checks import primary, samples_by_key
from longlook.book.chapter import QUIC_TCP, Chapter
from longlook.book.data import COLUMNS
from longlook.book.drivers import beside
from longlook.book.evidence import alike
from longlook.book.flows import page
from longlook.book.muthuraj2024 import emulab_2024
from longlook.book.varied import REFERENCE, Row, same_square, square_at
from longlook.errors import LonglookError
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.squares import PUBLISHED
from longlook.figure.table import shown_table
from longlook.figure.versus import SIDES, Versus
from longlook.plan.cell import Cell
from longlook.plan.workload import bytes_of_kb
from longlook.published.muthuraj2024 import page_load_times
from longlook.record.parquet import records

VERSUS = Versus(*QUIC_TCP, PLT)
NO_LIMIT = "4.6d"
SLOW_CLIENT_SWEEP = "slow-client"
SLOW_CLIENT = ("slow-client-100", "slow-client-50", "slow-client-25")


def _pages(smallest_kb: int = 0, largest_kb: int = 10**6, fewest: int = 1, most: int = 10**4) -> Callable:
    """Whether a cell's page has objects of such sizes, and so many."""
    least, greatest = bytes_of_kb(smallest_kb) if smallest_kb else 0, bytes_of_kb(largest_kb)
    return lambda cell: least <= cell["object_bytes"] <= greatest and fewest <= cell["object_count"] <= most


GROUPS = (
    ("one object of at most 100 KB", _pages(largest_kb=100, most=1)),
    ("one object of 200 KB to 1 MB", _pages(smallest_kb=200, largest_kb=1000, most=1)),
    ("one object of 10 MB", _pages(smallest_kb=10_000, most=1)),
    ("2 to 10 objects", _pages(fewest=2, most=10)),
    ("100 or 200 objects", _pages(fewest=100)),
)


def offsets(paper: Chapter) -> HTML:
    """Median of re-measured minus published mean (ms), and of their ratio, by series and kind of page."""
    rows = []
    for series in paper.series:
        before, now = (paper.data.squares(paper.study, series, key, VERSUS) for key in (PUBLISHED.key, REFERENCE))
        if now.empty or before.empty:
            continue
        both = before.merge(now, on="key", suffixes=("", "_now"))
        both = both[both["p_value"].notna() & both["p_value_now"].notna()]
        for name, belongs in GROUPS:
            group = both[[belongs(cell) for cell in records(both)]]
            if len(group):
                medians = [text for side in SIDES for text in _medians(group, side)]
                rows.append([series, name, str(len(group)), *medians])
    head = ["figure", "pages", "squares", "QUIC, ms", "ratio", "TCP, ms", "ratio"]
    return shown_table(head, rows, numeric={2, 3, 4, 5, 6})


def _medians(group: pd.DataFrame, side: str) -> list[str]:
    published, measured = group[f"{side}_mean"], group[f"{side}_mean_now"]
    difference = f"{(measured - published).median():+.1f}".replace("-", style.MINUS)
    return [difference, f"{(measured / published).median():.2f}"]


def slow_client(paper: Chapter) -> HTML:
    """10 KB x 100 by how much CPU the browser may use: published, unlimited, and held to a share of one CPU."""
    sources = _slow_sources(paper)
    rows = []
    for bandwidth in (50.0, 100.0):
        for label, frame in sources:
            cell = square_at(frame, {"workload": "10kb-x100", "bandwidth_mbps": bandwidth})
            if cell is not None:
                rows.append([f"{bandwidth:g}", label, *_values(cell)])
    head = ["Mbit/s", "client", "QUIC, ms", "TCP, ms", "diff., %", "p"]
    return shown_table(head, rows, numeric={0, 2, 3, 4, 5})


def _slow_sources(paper: Chapter) -> list[tuple[str, pd.DataFrame]]:
    titles = {"published": "published (Emulab)", "reference": "here, no limit", "yours": "yours, no limit"}
    unlimited = alike(paper.data, SLOW_CLIENT_SWEEP).sources(paper.study, NO_LIMIT, VERSUS)
    found = [(titles[source.key], frame) for source, frame in unlimited.items()]
    for source, frame in paper.data.sources(paper.study, SLOW_CLIENT, VERSUS).items():
        whose = "here" if source.key == REFERENCE else "yours"
        for percent in sorted(frame["left_client_cpu_pct"].unique(), reverse=True):
            own = frame[(frame["left_client_cpu_pct"] == percent) & (frame["right_client_cpu_pct"] == percent)]
            found.append((f"{whose}, browser held to {percent:g} % of one CPU", own))
    return found


def _values(cell: Row | None) -> list[str]:
    if cell is None or pd.isna(cell["p_value"]):
        return ["–"] * 4
    means = [f"{cell[f'{side}_mean']:.0f} ± {cell[f'{side}_sd']:.0f}" for side in SIDES]
    p_value = "< 0.001" if cell["p_value"] < 0.001 else f"{cell['p_value']:.3f}"
    return [*means, f"{cell['pct_diff']:+.0f}".replace("-", style.MINUS), p_value]


def browser_time(paper: Chapter) -> HTML:
    """PLT over a link that takes next to no time: what browser and servers need for each page."""
    measured = paper.data.squares(paper.study, "browser-time", REFERENCE, VERSUS)
    rows = [[page(cell), *_values(cell)[:2]] for cell in records(measured)]
    return shown_table(["page", "QUIC, ms", "TCP, ms"], rows, numeric={1, 2})


def slow_server(paper: Chapter, series: Sequence[str], of: Sequence[str]) -> HTML:
    """Pages of many objects by how much CPU the QUIC server may use: published and unlimited (the series `of`), then
    less and less of one CPU (`series`)."""
    frame = paper.data.squares(paper.study, tuple(series), REFERENCE, VERSUS)
    if frame.empty:
        return HTML(style.NOTHING_YET)
    limits = sorted(frame["left_server_cpu_pct"].unique(), reverse=True)
    held = [frame[frame["left_server_cpu_pct"] == limit] for limit in limits]
    rows = []
    for cell in records(held[-1].sort_values(["rtt_ms", "object_count"])):
        place = {name: cell[name] for name in ("workload", "bandwidth_mbps", "rtt_ms")}
        alike = beside(cell["campaign"], paper.data)
        usual = [same_square(alike, paper.study, of, key, cell, VERSUS) for key in (PUBLISHED.key, REFERENCE)]
        quic = [_values(one)[0] for one in (*usual, *(square_at(own, place) for own in held))]
        rows.append([f"{cell['rtt_ms']:g}", page(cell), *quic, _values(usual[0])[1], _values(cell)[1]])
    words = [f"{limit:g} %" for limit in limits]
    head = ["RTT, ms", "page", "QUIC, publ.", "no limit", *words, "TCP, publ.", "here"]
    return shown_table(head, rows, numeric={*range(len(head))} - {1})


WINDOWS = {"window-default": "QUIC 32, TCP 10", "window-quic10": "both 10", "window-tcp32": "both 32"}
"""Series -> who begins with how many packets."""
SAME_PAGE = ["bandwidth_mbps", "object_bytes"]


def windows(paper: Chapter) -> HTML:
    """Initial windows, how much of QUIC's lead is the first flight: mean PLT (ms) of each page with each pair of
    windows, and QUIC's lead. Means and lead are of one cell each, whose loads took turns."""
    rows = []
    for key, _, title in COLUMNS:
        own = [_by_page(paper.data.squares(paper.study, series, key, VERSUS)) for series in WINDOWS]
        for place in own[0].index:
            numbers = [text for frame in own for text in _lead(frame, place)]
            size = style.size_label(int(place[1])).replace(" ", "\N{NO-BREAK SPACE}")
            rows.append([title, f"{place[0]:g}", size, *numbers])
    head = ["column", "Mbit/s", "object", *["QUIC", "TCP", "lead, ms", "%"] * len(WINDOWS)]
    groups = [("", 3), *((words, 4) for words in WINDOWS.values())]
    return shown_table(head, rows, numeric=set(range(3, 15)), groups=groups)


def _lead(frame: pd.DataFrame, place: tuple) -> list[str]:
    if place not in frame.index:
        return ["–"] * 4
    cell = frame.loc[place]
    means = [cell["left_mean"], cell["right_mean"], cell["right_mean"] - cell["left_mean"]]
    return [*(f"{mean:.0f}" for mean in means), style.signed_pct(cell["pct_diff"])]


def _by_page(frame: pd.DataFrame) -> pd.DataFrame:
    own = frame.reindex(columns=[*SAME_PAGE, "left_mean", "right_mean", "pct_diff"])
    if own.duplicated(SAME_PAGE).any():
        raise LonglookError("initial windows: several cells of one page and bandwidth; they cannot stand in one line")
    return own.set_index(SAME_PAGE).sort_index()


REMEMBERING = {"B.11", "B.12"}
"""Tables whose TCP may have remembered a threshold."""


def tellings() -> Iterator[tuple[str, Callable[[Cell], Cell], set[str] | None]]:
    """What is held against 1 % each way: in words, the cell that it is, and of which tables; None: of all."""
    yield "half a per cent each way", as_the_text_says, None
    known = next(one for one in emulab_2024.stated() if REMEMBERING & {*one.tables})
    packets = known.arms["tcp"]["remembered_ssthresh"]
    yield f"the same, TCP with a threshold of {packets} packets", known.change, REMEMBERING


def conventions(paper: Chapter, tables: Sequence[str]) -> HTML:
    """Which meaning of a loss the published numbers of these tables support, as far as both were measured; of those
    whose TCP may have remembered a threshold once more with it."""
    arms = primary(newest(paper.data.where("arms", study=paper.study), REFERENCE))
    loads = samples_by_key(arms[(arms["mode"] == "interleaved") & ~arms["control"]])
    found = [
        (one, words)
        for words, divided, only in tellings()
        for one in loss_conventions(page_load_times(paths.PUBLISHED), loads, divided)
        if one.cells and one.table in (only or tables) and one.table in tables
    ]
    places = {table: place for place, table in enumerate(tables)}
    rows = [
        [
            one.table,
            words,
            f"{one.cells} of {one.published_cells}",
            f"{one.nearer_each_way} of {one.means}",
            *(f"{round(ratio):+d}".replace("-", style.MINUS) for ratio in (one.log10_by_means, one.log10_by_variances)),
            {"each way": "1 % each way", "divided": words}.get(one.supports, one.supports),
        ]
        for one, words in sorted(found, key=lambda each: places[each[0].table])
    ]
    counts = ["cells compared", "means nearer each way", "lg ratio, means", "lg ratio, variances"]
    head = ["table", "against 1 % each way", *counts, "supports"]
    return shown_table(head, rows, numeric={2, 3, 4, 5})
