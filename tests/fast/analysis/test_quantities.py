"""Quantities that criteria name, of known loads."""

import pytest

from longlook.analysis.quantities import QUANTITIES, kept_median, late_share
from longlook.plan import criteria

PLT = {"one": {1: 100.0, 2: 110.0, 3: 120.0, 4: 400.0}, "two": {1: 50.0, 2: 60.0}}
STOOD = {"one": {1: 10.0, 2: 10.0, 3: 10.0, 4: 99.0}, "two": {1: 10.0, 2: 10.0}}


def numbered(row, metric):
    if row["arm"] == "tcp":
        return dict.fromkeys((1, 2, 3, 4), 20.0) if metric == "connect_ms" else {}
    return (PLT if metric == "plt_ms" else STOOD)[row["cell_id"]]


def sides(*cells):
    return [[{"cell_id": cell, "arm": arm} for cell in cells] for arm in ("quic", "tcp")]


def test_every_quantity_that_a_criterion_may_name_is_there():
    assert tuple(QUANTITIES) == criteria.QUANTITIES


def test_loads_whose_connection_was_late_are_told_of_all_cells_together():
    assert late_share(numbered, sides("one")).value == pytest.approx(1 / 4)
    assert late_share(numbered, sides("one", "two")).value == pytest.approx(1 / 6)
    assert late_share(numbered, [[], []]) is None


def test_what_is_kept_has_its_median():
    assert kept_median(numbered, sides("one")).value == pytest.approx(110 / 115)
    assert kept_median(numbered, sides("two")).value == 1
    assert kept_median(lambda row, metric: {}, sides("one")) is None
