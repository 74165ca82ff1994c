"""More of the cloud store: files by a browser, and those of 500 MB to 2 GB by curl with a slow client."""

from __future__ import annotations

from IPython.display import HTML

from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.shreedhar2022.evidence import (
    CLOUD_RTT_MS,
    ENVOY,
    HUGE,
    HUGE_SIZES,
    LARGEST,
    NEW,
    OLD,
    PACES,
    SIZES,
    SLOW,
    Downloads,
    LinkAndFile,
    file_of,
    newest,
    per_gigabyte,
    size_title,
    throughput,
    throughput_ratio,
    used,
)
from longlook.book.shreedhar2022.tables import LEAST_FOR_CPU, SLOW_SHARE, whole_percent
from longlook.book.times import Times, percent_text, times
from longlook.experiment.metrics import CLIENT_CPU, TTFB, TTLB
from longlook.figure import style
from longlook.figure.table import html_table
from longlook.published.shreedhar2022 import STORE_QUIC, STORE_TLS
from longlook.published.shreedhar2022 import throughput as printed_throughput

BROWSER = "shreedhar-cloud-browser"
NONE = style.DASH


def by_browser(size: int) -> LinkAndFile:
    """Where a browser fetches a file."""
    return LinkAndFile(BROWSER, CLOUD_RTT_MS, size)


def cpu_ratio(evidence: Downloads, where: LinkAndFile, quic: str, tcp: str) -> Times | None:
    """CPU of one arm's client over that of another's."""
    base, own = (evidence.summary(where, arm, CLIENT_CPU.name) for arm in (tcp, quic))
    return None if base is None or own is None else times(base, own)


def after_first_byte(evidence: Downloads, where: LinkAndFile, quic: str, tcp: str) -> float | None:
    """Throughput of one arm over another's, by means, of the time from the first byte to the last."""
    found = [[evidence.summary(where, arm, metric) for metric in (TTFB.name, TTLB.name)] for arm in (tcp, quic)]
    took_ms = [last.mean - first.mean for first, last in found if first is not None and last is not None]
    return took_ms[0] / took_ms[1] if len(took_ms) == len(found) else None


def browser(data: BookData | None = None) -> HTML:
    """By size: throughput of a fast and of a slow browser, MB/s; its CPU for a gigabyte, s; and how much of its quarter
    of a processor the slow one used, %."""
    found = newest(data or book_data.load(), BROWSER)
    if found is None:
        return HTML(style.NOTHING_YET)
    _, evidence = found
    rows = []
    for size in SIZES:
        where = by_browser(size)
        row = [size_title(size)]
        for pace in PACES:
            row += [_number(throughput(evidence, where, pace + arm), 2) for arm in (ENVOY, NEW)]
            row.append(_percent(throughput_ratio(evidence, where, pace + ENVOY, pace + NEW)))
        enough = size >= LEAST_FOR_CPU
        row += [_number(per_gigabyte(evidence, where, arm, CLIENT_CPU.name) if enough else None, 1)
                for arm in (ENVOY, NEW)]  # fmt: skip
        row += [whole_percent(used(evidence, where, SLOW + arm, CLIENT_CPU.name, SLOW_SHARE) if enough else None)
                for arm in (ENVOY, NEW)]  # fmt: skip
        rows.append(row)
    head = ["file", *("QUIC", "TCP", "QUIC over TCP (99 %)") * 2, *("QUIC", "TCP") * 2]
    groups = [
        ("", 1),
        ("fast browser, MB/s", 3),
        ("slow browser, MB/s", 3),
        ("s per GB", 2),
        ("slow, % of its share", 2),
    ]
    return HTML(html_table(head, rows, numeric=set(range(1, len(head))), groups=groups, tight=True))


def largest(data: BookData | None = None) -> HTML:
    """From 200 MB on, of curl with a slow client: throughput, printed and measured, MB/s; time to the first byte, s,
    and what QUIC's throughput is of TLS 1.2's from there on; CPU of the client for a gigabyte, s."""
    found = newest(data or book_data.load(), HUGE)
    if found is None:
        return HTML(style.NOTHING_YET)
    _, evidence = found
    known = printed_throughput()
    arms = (SLOW + ENVOY, SLOW + OLD)
    rows = []
    for size in (LARGEST, *HUGE_SIZES):
        where = file_of(size)
        own = [throughput(evidence, where, arm) for arm in arms]
        n = next((str(one.n) for one in own if one is not None), NONE)
        rows.append([
            size_title(size),
            *(f"{known[size][one]:.2f}" for one in (STORE_QUIC, STORE_TLS)),
            n,
            *(_number(one, 2) for one in own),
            _percent(throughput_ratio(evidence, where, *arms)),
            *(_seconds(evidence.summary(where, arm, TTFB.name)) for arm in arms),
            _plain(after_first_byte(evidence, where, *arms)),
            *(_number(per_gigabyte(evidence, where, arm, CLIENT_CPU.name), 1) for arm in arms),
        ])  # fmt: skip
    pair = ("QUIC", "TLS 1.2")
    head = ["file", *pair, "n", *pair, "QUIC over TLS 1.2 (99 %)", *pair, "from there on", *pair]
    groups = [("", 1), ("printed, MB/s", 2), ("", 1), ("measured, MB/s", 3), ("first byte, s", 3), ("s per GB", 2)]
    return HTML(html_table(head, rows, numeric=set(range(1, len(head))), groups=groups, tight=True))


def _seconds(found: Summary | None) -> str:
    return NONE if found is None else f"{found.mean / 1e3:.2f}"


def _plain(found: float | None) -> str:
    return NONE if found is None else f"{found:.3f}"


def _number(found: Summary | None, digits: int) -> str:
    return NONE if found is None else f"{found.mean:.{digits}f}"


def _percent(found: Times | None) -> str:
    return NONE if found is None else percent_text(found)
