"""What a link lost over a cell, against what was set."""

import pytest

from longlook.experiment.linkcheck import losses_wrong
from longlook.plan.link import Link

LOSSY = Link(bandwidth_mbps=10, rtt_ms=36, loss_pct=1)
NONE = {way: {"packets_in": 100, "dropped_loss": 7} for way in ("server_to_client", "client_to_server")}


def after(packets, lost, way="server_to_client"):
    right = {"packets_in": 100 + packets, "dropped_loss": 7 + packets // 200}
    return dict.fromkeys(NONE, right) | {way: {"packets_in": 100 + packets, "dropped_loss": 7 + lost}}


@pytest.mark.parametrize("way", NONE)
@pytest.mark.parametrize(
    ("packets", "lost", "right"),
    [(40000, 200, True), (40000, 140, False), (40000, 260, False), (40000, 0, False), (100, 0, True), (0, 0, True)],
)
def test_losses_of_a_cell_are_held_against_the_binomials_bounds(way, packets, lost, right):
    found = losses_wrong(LOSSY, NONE, after(packets, lost, way))
    assert (found == []) is right
    assert right or (found[0].startswith(f"{way}: {lost} of {packets} packets") and len(found) == 1)


def test_loads_that_meet_the_same_losses_are_less_independent():
    assert losses_wrong(LOSSY, NONE, after(40000, 140)) != []
    assert losses_wrong(LOSSY, NONE, after(40000, 140), alike=2) == []
    assert losses_wrong(LOSSY, NONE, after(40000, 100), alike=2) != []


def test_a_single_loss_where_none_is_set_is_too_many():
    link = Link(bandwidth_mbps=10, rtt_ms=36)
    clean = {way: {"packets_in": 5000, "dropped_loss": 7} for way in NONE}
    assert losses_wrong(link, NONE, clean) == []
    assert (
        losses_wrong(link, NONE, clean | {"client_to_server": {"packets_in": 5000, "dropped_loss": 8}}, alike=2) != []
    )


@pytest.mark.parametrize(
    ("lost", "other", "right"), [(400, 0, True), (400, 1, False), (200, 0, False), (200, 200, False)]
)
def test_a_loss_in_one_direction_is_none_in_the_other(lost, other, right):
    link = Link(bandwidth_mbps=10, rtt_ms=36, loss_pct=1, loss_direction="down")
    counted = {"server_to_client": lost, "client_to_server": other}
    seen = {way: {"packets_in": 40_100, "dropped_loss": 7 + count} for way, count in counted.items()}
    assert (losses_wrong(link, NONE, seen) == []) is right


def test_a_link_that_counts_drops_together_can_only_have_lost_too_little():
    assert losses_wrong(LOSSY, NONE, after(40000, 900), tells_apart=False) == []
    assert losses_wrong(LOSSY, NONE, after(40000, 0), tells_apart=False) != []
