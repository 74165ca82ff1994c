"""Numbers of the chapter zero-rtt.md, each as it stands in its text."""

from __future__ import annotations

from longlook.book.value_role import Numbers

COLD = ("0rtt", "1rtt")
SMALL = ("5kb-x1", "10kb-x1")
RTT_MS = 36.0

NUMBERS: Numbers = {
    "lead-small": lambda m: m.gap("4.7b", workload=SMALL).span("ms"),
    "lead-100kb": lambda m: m.gap("4.7b", workload="100kb-x1").span("ms"),
    "more-100kb": lambda m: (
        (
            m.gap("4.7b", workload="100kb-x1").by("bandwidth_mbps")
            - m.gap("4.7b", workload="5kb-x1").by("bandwidth_mbps")
        )
        / RTT_MS
    ).span("round trips", 1),
    "pct-5kb": lambda m: m.pct("4.7c", COLD, workload="5kb-x1").span("%"),
    "pct-10mb": lambda m: m.pct("4.7c", COLD, workload="10000kb-x1").span("%", 1),
    "significant": lambda m: m.significant("4.7c", COLD).count(lambda sign: sign == 1),
    "significant-holm": lambda m: m.after_holm(("4.7c",), COLD),
    "squares": lambda m: m.significant("4.7c", COLD).count(),
    "saving-small": lambda m: m.gap("4.7c", COLD, workload=SMALL).span("ms"),
    "saving-slow": lambda m: m.gap(
        "4.7c", COLD, bandwidth_mbps=10.0, workload=(*SMALL, "100kb-x1", "500kb-x1", "1000kb-x1", "10000kb-x1")
    ).span("ms"),
    "saving-10mb": lambda m: m.gap("4.7c", COLD, workload="10000kb-x1", bandwidth_mbps=(50.0, 100.0)).span(
        "ms", joint="and"
    ),
    "saving-10mb-more": lambda m: (
        m.gap("4.7c", COLD, workload="10000kb-x1", bandwidth_mbps=(50.0, 100.0)) - RTT_MS
    ).span("ms"),
}
