"""Numbers of the chapter conclusions.md, each as it stands in its text."""

from __future__ import annotations

from longlook.book.muthuraj2024.numbers import bbr, fairness
from longlook.book.value_role import Numbers

NUMBERS: Numbers = {
    "n1-times": fairness.NUMBERS["n1-times"],
    "n2-times": fairness.NUMBERS["n2-times"],
    "gquic-n2": fairness.NUMBERS["gquic-n2"],
    "gquic-n1": fairness.NUMBERS["gquic-n1"],
    "bbr-tcp-wins": bbr.NUMBERS["b.tcp-wins"],
    "published-quicv1": lambda m: m.published.pct("4.6a", workload="10000kb-x1", bandwidth_mbps=100.0).signed(),
    "published-gquic": lambda m: m.published.pct("4.5a", workload="10000kb-x1", bandwidth_mbps=100.0).signed(),
}
