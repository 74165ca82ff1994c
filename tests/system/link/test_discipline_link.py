"""A link whose queues manage themselves: a real one is believed, and one that does otherwise is not."""

import json

import pytest
from wrong_links import C2S, CODEL, FQ_CODEL, S2C

from longlook.errors import LonglookError
from longlook.link import calibrate as module
from longlook.link.calibrate import calibrate
from longlook.link.linkpipe import LinkPipe
from longlook.plan.link import Link
from longlook.testbed.netns import NetnsTestbed

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.timeout(240)]
RIGHT = (CODEL, FQ_CODEL, Link(bandwidth_mbps=9, rtt_ms=170, queue_discipline="codel", ecn=True, loss_pct=1))


class Wrong(LinkPipe):
    """One whose queues are set otherwise behind the driver's back whenever they are to manage themselves."""

    spoil: dict

    def _require(self, found):
        """Believes what it is told."""

    def configure(self, link, seed):
        told = super().configure(link, seed)
        if link.queue_discipline is not None:
            own = self._wanted[S2C]["queue_discipline"] | self.spoil
            changed = {"queue_discipline": own} if own["kind"] else {"queue_packets": own["packets"]}
            kept = {key: value for key, value in self._wanted[S2C].items() if key != "queue_discipline"}
            self._ask(op="configure", **{S2C: kept | changed})
        return told


@pytest.mark.quiet
@pytest.mark.parametrize("link", RIGHT, ids=lambda link: link.id_parts[-1])
def test_a_real_discipline_is_believed(testbed_name, link):
    with NetnsTestbed(testbed_name) as bed, LinkPipe(bed) as driver:
        driver.configure(link, seed=1)
        record = calibrate(bed, driver, link)
        json.dumps(record)
        for way in (S2C, C2S):
            own = record["measured"]["queue_discipline"][way]
            assert own["power"]["interval 10 % longer"] > 0.5
            assert (own["marked"] > 50, own["dropped"] > 50) == (bool(link.ecn), not link.ecn)
        driver.configure(link, seed=5)
        driver.reseed(6)
        assert driver.changed() is None


@pytest.mark.parametrize(
    ("link", "spoil", "words"),
    [
        (FQ_CODEL, {"kind": None, "packets": 1000}, "fq_codel: of an overload no packet was marked"),
        (FQ_CODEL, {"kind": None, "packets": 60}, "of senders that understand marks were dropped"),
        (CODEL, {"kind": None, "packets": 1000}, "codel: of an overload no packet was dropped"),
        (CODEL, {"kind": None, "packets": 60}, "codel: the first packet was dropped after"),
        (FQ_CODEL, {"kind": "codel"}, "fq_codel: a sparse flow waits for"),
        (CODEL, {"kind": "fq_codel"}, "codel: a sparse flow waits for"),
        (FQ_CODEL, {"ecn": False}, "of senders that understand marks were dropped"),
        (CODEL, {"ecn": True}, "of senders that understand marks were marked"),
        (CODEL, {"interval_ms": 110}, "codel: the first packet was dropped after"),
        (CODEL, {"interval_ms": 90}, "codel: the first packet was dropped after"),
        (CODEL, {"target_ms": 20}, "codel: the first packet was dropped after"),
    ],
)
def test_a_discipline_that_is_another_one_is_not(testbed_name, link, spoil, words, monkeypatch):
    monkeypatch.setattr(module, "ATTEMPTS", 1)
    with NetnsTestbed(testbed_name) as bed, Wrong(bed) as driver:
        driver.spoil = spoil
        driver.configure(link, seed=1)
        with pytest.raises(LonglookError) as refused:
            calibrate(bed, driver, link)
        assert words in str(refused.value) and C2S not in str(refused.value)
