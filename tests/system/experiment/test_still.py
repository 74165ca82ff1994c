"""A still of a film that plays: a real browser is asked for it, and one that plays nothing yet is told of."""

import pytest

from longlook.errors import LonglookError
from longlook.experiment import still
from longlook.plan.workload import Video
from longlook.testbed.netns import NetnsTestbed


def test_it_is_of_the_sweep_s_film_without_loss():
    cell = still.cell()
    assert cell.link.loss_pct == 0 and list(cell.arm_names) == ["quic"] and cell.workload == still.FILM
    assert still.FILM.duration_s > still.AFTER_S and still.SCRIPT.exists()


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.browser
@pytest.mark.timeout(120)
def test_a_browser_that_plays_shows_a_picture_and_before_that_none(testbed_name, monkeypatch):
    monkeypatch.setattr(still, "FILM", Video(duration_s=4))
    with NetnsTestbed(testbed_name) as bed:
        assert 1000 < len(still.still(bed, after_s=3.0)) <= still.MOST_BYTES
        with pytest.raises(LonglookError, match=r"no film plays|tabs of a server"):
            still.still(bed, after_s=0.0)
