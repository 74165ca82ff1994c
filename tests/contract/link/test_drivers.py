"""A real link is what was set, with a loss and a queue and with netem's parameters, and a wrong one is noticed."""

import pytest
import wrong_links

from longlook.link.calibrate import calibrate
from longlook.link.linkpipe import LinkPipe
from longlook.plan.link import GEMODEL, Link
from longlook.testbed.netns import NetnsTestbed

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.timeout(300)]

FATES = dict(zip(GEMODEL, (1, 50, 100, 0), strict=True)) | {"corrupt_pct": 2, "duplicate_pct": 3, "jitter_sd_ms": 5}


@pytest.mark.parametrize("link", [wrong_links.LINK, Link.parse({"bandwidth_mbps": 10, "rtt_ms": 100} | FATES)])
def test_a_link_is_what_was_set(testbed_name, link):
    with NetnsTestbed(testbed_name) as bed, LinkPipe(bed) as driver:
        driver.configure(link, seed=1)
        record = calibrate(bed, driver, link)
        assert driver.changed() is None
    assert record["within_tolerance"] and record["set"]["queue_bytes"] == link.effective_queue_bytes


def test_another_rate_is_noticed(testbed_name, monkeypatch):
    monkeypatch.setattr(wrong_links.module, "ATTEMPTS", 1)
    with NetnsTestbed(testbed_name) as bed, LinkPipe(bed) as driver:
        told = wrong_links.noticed(bed, driver, wrong_links.spoil(driver, "a rate 2.8 % too low"))
    assert "server_to_client: 10 Mbit/s set" in told
