"""Which batches of requests end hybrid slow start early, by numbers that are easily worked out."""

import pytest

from longlook.analysis.early_exit import RULES, borne_ms, early_loads, excess_ms, rise_ms

ALL, BEYOND = RULES


@pytest.mark.parametrize(("rtt_ms", "borne"), [(8, 4), (32, 4), (36, 4.5), (112, 14), (128, 16), (400, 16)])
def test_an_eighth_is_borne_within_bounds(rtt_ms, borne):
    assert borne_ms(rtt_ms) == borne


def test_all_of_the_work_counts_or_what_is_left_of_it_after_a_round_trip():
    assert rise_ms(ALL, 50, 800, 36) == 40 and rise_ms(BEYOND, 50, 800, 36) == pytest.approx(4)
    assert rise_ms(BEYOND, 50, 700, 36) == 0


def test_no_more_than_a_hundred_requests_come_at_once():
    for rule in RULES:
        assert rise_ms(rule, 200, 500, 36) == rise_ms(rule, 100, 500, 36) > rise_ms(rule, 90, 500, 36)


def test_slow_start_ends_early_above_what_is_borne():
    assert excess_ms(ALL, 100, 44, 36) < 0 < excess_ms(ALL, 100, 46, 36)
    assert excess_ms(BEYOND, 100, 404, 36) < 0 < excess_ms(BEYOND, 100, 406, 36)
    assert excess_ms(ALL, 100, 0, 36) == excess_ms(BEYOND, 100, 0, 36) == -4.5


def test_early_loads_are_those_that_their_work_does_not_explain():
    usual = [340.0, 350.0, 360.0]
    assert early_loads([350.0, 489.0, 491.0], usual, 0) == 1
    assert early_loads([350.0, 489.0, 571.0], usual, 80) == 1 and early_loads([350.0, 489.0, 569.0], usual, 80) == 0
