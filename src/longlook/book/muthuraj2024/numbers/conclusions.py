"""Numbers of the chapter conclusions.md, each as it stands in its text."""

from __future__ import annotations

from longlook.book.muthuraj2024.numbers import bbr, fairness
from longlook.book.value_role import Numbers

SHARES = ("n2-times", "n1-times", "n1-runs", "n1-verdict", "gquic-n2", "gquic-n1", "gquic-n1-verdict")
"""As in the chapter on fairness: a claim has one verdict."""

NUMBERS: Numbers = {
    **{name: fairness.NUMBERS[name] for name in SHARES},
    "bbr-tcp-wins": bbr.NUMBERS["b.tcp-wins"],
    "published-quicv1": lambda m: m.published.pct("4.6a", workload="10000kb-x1", bandwidth_mbps=100.0).signed(),
    "published-gquic": lambda m: m.published.pct("4.5a", workload="10000kb-x1", bandwidth_mbps=100.0).signed(),
}
