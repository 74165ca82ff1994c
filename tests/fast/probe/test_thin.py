"""Thinning keeps what a figure must show."""

import pandas as pd

from longlook.probe.thin import thin


def test_thinning_keeps_extremes_and_order():
    table = pd.DataFrame({"time_s": [n / 1000 for n in range(10_000)], "value": [0.0] * 10_000})
    table.loc[4321, "value"], table.loc[8765, "value"] = 99.0, -99.0
    made = thin(table, ["value"], bins=50)
    assert len(made) <= 50 * 4 and {99.0, -99.0} <= set(made["value"])
    assert made["time_s"].is_monotonic_increasing and made["time_s"].iloc[-1] == 9.999


def test_a_short_timeline_stays_as_it_is():
    table = pd.DataFrame({"time_s": [0.0, 1.0], "value": [1.0, None]})
    assert thin(table, ["value"], bins=50).equals(table)
