"""Means, sweeps and tables of synthetic audits."""

from campaigns import (
    QUIC as QUIC_ARM,
)
from campaigns import (
    control_sweep,
)

from longlook.audit.checks import NEEDED
from longlook.dataset.tables import read_table

QUIC = [106.0, 107.0, 108.0]
TCP = [180.0, 182.0, 184.0]


def aa_sweep(cells=1, arm=QUIC_ARM):
    sizes = [{"size_kb": 5 + index} for index in range(cells)]
    return control_sweep({"arms": [arm, arm], "workloads": sizes})


def empty(tmp_path):
    """Tables without a row."""
    return {name: read_table(tmp_path / "nothing", name) for name in NEEDED}
