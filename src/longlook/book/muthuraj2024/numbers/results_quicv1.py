"""Numbers of the chapter results-quicv1.md, each as it stands in its text."""

from __future__ import annotations

from longlook.book.hypotheses import stated
from longlook.book.value_role import Numbers


def _published(series: str, workload: str, bandwidth_mbps: float):
    return lambda m: m.published.pct(series, workload=workload, bandwidth_mbps=bandwidth_mbps).signed()


NUMBERS: Numbers = {
    "stated-slow-client": stated("slow-client"),
    "stated-slow-server": stated("slow-server"),
    "a.small": _published("4.6a", "5kb-x1", 10.0),
    "a.large": _published("4.6a", "10000kb-x1", 10.0),
    "d.many50": _published("4.6d", "10kb-x100", 50.0),
    "d.many100": _published("4.6d", "10kb-x100", 100.0),
    "d.most100": _published("4.6d", "5kb-x200", 100.0),
    "c.small": _published("4.6c", "5kb-x1", 10.0),
    "f.many50": _published("4.6f", "10kb-x100", 50.0),
}
