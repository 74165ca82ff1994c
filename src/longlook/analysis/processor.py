"""The browser's processor time beside the page load time: how far a cell is about the machine. Pure."""

from __future__ import annotations

import pandas as pd

from longlook.experiment.metrics import CLIENT_CPU, PLT

BUSY_SHARE = 0.5
"""Of PLT. A choice and no derived bound: a browser has several threads, so that a share does not say how much of its
time is on the critical path."""


def client_share(arms: pd.DataFrame) -> pd.Series:
    """Of rows of `arms`: the browser's mean processor time over the mean PLT, the greatest of a cell's arms; by
    campaign and cell. NaN where no processor time was told."""
    own = arms[arms["metric"].isin([PLT.name, CLIENT_CPU.name])]
    means = own.pivot_table(index=["campaign", "cell_id", "arm"], columns="metric", values="mean")
    means = means.reindex(columns=[PLT.name, CLIENT_CPU.name])
    return (1000 * means[CLIENT_CPU.name] / means[PLT.name]).groupby(level=["campaign", "cell_id"]).max()
