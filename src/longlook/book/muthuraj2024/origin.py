"""Where the published numbers come from, for the chapters' first table."""

from __future__ import annotations

MACHINE = "Emulab: server d430, client d710, Dummynet bridge (thesis 3.1)"
STACKS = {
    "quicv1": "Chromium 111.0.5563.0, QUIC server of Chromium c43017f, Apache 2.4.52 (thesis table 3.2)",
    "gquic37": "Chromium 60.0.3108, its QUIC server, Apache 2.4.29 (thesis table 3.2)",
}
FILES = {
    "plt": "Muthuraj 2024, appendix B, 20 loads: <code>data/published/muthuraj2024/appendix_b.csv</code>",
    "fairness": "Muthuraj 2024, tables 4.1 and 4.2, 5 runs: <code>data/published/muthuraj2024/fairness.csv</code>",
}
"""By experiment."""
