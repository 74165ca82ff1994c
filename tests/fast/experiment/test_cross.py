"""What flows beside a load came to, from two readings."""

from longlook.experiment.cross import Reading, between


def test_a_flow_counts_that_ran_from_one_reading_to_the_other():
    before = Reading(10.0, {4001: ("cubic", 1_000_000), 4003: ("cubic", 500), 4005: ("bbr", 7)})
    after = Reading(10.5, {4005: ("bbr", 7), 4001: ("cubic", 1_250_000), 4007: ("cubic", 900)})
    assert between(before, after) == [{"cca": "cubic", "mbps": 4.0}, {"cca": "bbr", "mbps": 0.0}]
