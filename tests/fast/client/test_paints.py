"""What a page looked like while it loaded: its metrics, and that they are those of its curve."""

import pytest
from test_har import har

from longlook.client.artefact import observed
from longlook.client.chromium.har import observation
from longlook.client.chromium.paints import metrics, speed_index_ms
from longlook.errors import LonglookError

CURVE = [[0, 0], [100.0, 40], [250.0, 100]]
TOLD = {
    "speed_index_ms": 190.00004, "fcp_ms": 95.5, "lcp_ms": 240.25, "complete_ms": 250.0, "progress": CURVE,
    "pictures": [],
}  # fmt: skip


def test_a_speed_index_is_the_area_over_the_curve():
    assert speed_index_ms(CURVE) == pytest.approx(100 + 150 * 0.6)
    assert speed_index_ms([[0, 0], [100, 100], [200, 50], [300, 100]]) == pytest.approx(150)
    assert speed_index_ms([[0, 0], [80, 100]]) == 80


@pytest.mark.parametrize("curve", [[], [[0, 0], [100, 99]]])
def test_a_curve_without_an_end_has_none(curve):
    with pytest.raises(ValueError, match="does not end at 100 %"):
        speed_index_ms(curve)


def test_metrics_are_rounded_and_a_connection_is_one_of_them_where_there_is_one():
    found = metrics(TOLD, 31.23456)
    assert found == {
        "speed_index_ms": 190.0, "fcp_ms": 95.5, "lcp_ms": 240.25, "complete_ms": 250.0, "connect_ms": 31.235
    }  # fmt: skip
    assert "connect_ms" not in metrics(TOLD, -1)


def test_a_speed_index_that_is_not_its_curves_is_an_error():
    with pytest.raises(ValueError, match=r"is 191.0 ms, its curve says 190.000 ms"):
        metrics(TOLD | {"speed_index_ms": 191.0}, 0)


def test_its_record_says_the_same():
    seen = observation(har(), TOLD)
    assert seen.metrics["speed_index_ms"] == 190.0 and seen.metrics["plt_ms"] == 103.5
    assert observed(seen.artefact).metrics == seen.metrics
    assert set(observation(har()).metrics).isdisjoint({"speed_index_ms", "connect_ms"})


def test_a_record_of_which_a_part_was_changed_cannot_be_read():
    artefact = observation(har(), TOLD).artefact
    artefact["paints"] = TOLD | {"progress": [[0, 0], [50.0, 40], [250.0, 100]]}
    with pytest.raises(LonglookError, match="cannot be read"):
        observed(artefact)
    artefact["paints"] = {name: value for name, value in TOLD.items() if name != "lcp_ms"}
    with pytest.raises(LonglookError, match="lcp_ms"):
        observed(artefact)
