"""A real link is what was set: with a rate of each direction, with a loss and a queue, with netem's parameters; and a
wrong one is noticed."""

import pytest
import wrong_links

from longlook.link.calibrate import calibrate
from longlook.link.linkpipe import LinkPipe
from longlook.plan.link import GEMODEL, Link
from longlook.testbed.netns import NetnsTestbed

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.timeout(300)]

FATES = dict(zip(GEMODEL, (1, 50, 100, 0), strict=True)) | {"corrupt_pct": 2, "duplicate_pct": 3, "jitter_sd_ms": 5}


@pytest.mark.parametrize(
    "link", [wrong_links.LINK, wrong_links.CABLE, Link.parse({"bandwidth_mbps": 10, "rtt_ms": 100} | FATES)]
)
def test_a_link_is_what_was_set(testbed_name, link):
    with NetnsTestbed(testbed_name) as bed, LinkPipe(bed) as driver:
        driver.configure(link, seed=1)
        record = calibrate(bed, driver, link)
        assert driver.changed() is None
    assert record["within_tolerance"] and record["set"]["queue_bytes"] == link.effective_queue_bytes
    for way in wrong_links.BOTH:
        own, seen = link.one_way(way), record["measured"][way]
        assert seen["mbps"] == pytest.approx(own.bandwidth_mbps, rel=0.005)
        assert seen["queue_bytes"] == pytest.approx(own.longest_queue_bytes, rel=0.3)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("a rate 2.8 % too low", "server_to_client: 10 Mbit/s set"),
        ("the rate of the other direction", "client_to_server: 1 Mbit/s set, "),
    ],
)
def test_another_rate_is_noticed(testbed_name, monkeypatch, wrong, said):
    monkeypatch.setattr(wrong_links.module, "ATTEMPTS", 1)
    with NetnsTestbed(testbed_name) as bed, LinkPipe(bed) as driver:
        told = wrong_links.noticed(bed, driver, wrong_links.spoil(driver, wrong))
    assert said in told
