"""Real TCP through queues whose delay is controlled: what waits behind two bulk flows, beside droptail."""

import contextlib
import statistics

import pytest
from wrong_links import S2C, side_by_side

from longlook.experiment.cross import CrossTraffic
from longlook.experiment.ecn import negotiated
from longlook.link.stream import ECT1
from longlook.link.streams import PORT, PROBE_BYTES, Stream, one_way_ms, spaced
from longlook.plan.link import Link

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.quiet, pytest.mark.timeout(240)]
USUAL = {"bandwidth_mbps": 10, "rtt_ms": 40, "cross_flows": 2}
PROBES, SETTLED = 400, 150
"""Packets 20 ms apart, and those of the first three seconds."""


def waits_ms(bed, link, *fields):
    """The median wait of probes with each of these ECN fields, beside the link's flows."""
    ecn = negotiated(bed) if link.ecn else contextlib.nullcontext()
    with ecn, CrossTraffic(bed, link):
        probes = [
            Stream(bed, S2C, [spaced(PROBES, 0.02) | {"ecn": field}], PORT + number)
            for number, field in enumerate(fields)
        ]
        for one in probes:
            one.go()
        own_ms = link.rtt_ms / 2 + PROBE_BYTES * 8 / (link.bandwidth_mbps * 1e3)
        rows = [one.result()[1][0] for one in probes]
    return [statistics.median(one_way_ms([row for row in own if row[0] >= SETTLED], own_ms)) for own in rows]


QUEUES = {
    "droptail": ({"queue_bytes": 150_000}, (0,)),
    "PIE": ({"queue_discipline": "pie"}, (0,)),
    "PIE that marks": ({"queue_discipline": "pie", "ecn": True}, (0,)),
    "DualPI2": ({"queue_discipline": "dualpi2", "ecn": True}, (0, ECT1)),
}
"""What a link has, and the ECN fields of the probes beside its flows."""


def test_tcp_is_held_at_the_target_and_beside_it_droptail_is_full(testbed_name):
    def look(bed, driver, name):
        queue, fields = QUEUES[name]
        link = Link.parse(USUAL | queue)
        driver.configure(link, seed=1)
        waits, counted = waits_ms(bed, link, *fields), driver.counters()[S2C]
        return waits, counted["dropped_aqm"], counted["marked_ce"]

    told = side_by_side(testbed_name, look, [*QUEUES], beds=len(QUEUES))
    (full,), *signals = told["droptail"]
    assert full > 60 and signals == [0, 0]
    (dropping,), dropped, marked = told["PIE"]
    assert 7 < dropping < 25 and dropped > 20 and marked == 0, (dropping, dropped, marked)
    (marking,), dropped, marked = told["PIE that marks"]
    assert 7 < marking < 25 and marked > 10, (marking, dropped, marked)
    (classic, low), dropped, marked = told["DualPI2"]
    assert 7 < classic < 25 and low < 3 and marked > 20 > dropped, (classic, low, dropped, marked)
