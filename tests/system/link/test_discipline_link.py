"""A link whose queues manage themselves: a real one is believed, and one that does otherwise is not."""

import json

import pytest
import wrong_links
from arms import arm_on, is_right
from wrong_links import CODEL, DUALPI2, FQ_CODEL, PIE, S2C

from longlook.link.calibrate import calibrate
from longlook.link.linkpipe import LinkPipe
from longlook.plan.link import Link
from longlook.plan.workload import Page
from longlook.server.apache import Apache
from longlook.server.envoy import Envoy

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.timeout(240)]
CONTROLLED = (PIE, DUALPI2, Link(bandwidth_mbps=50, rtt_ms=20, queue_discipline="pie"))
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
            if own["kind"] in ("codel", "fq_codel"):
                own = {"interval_ms": 100} | own
            changed = {"queue_discipline": own} if own["kind"] else {"queue_packets": own["packets"]}
            kept = {key: value for key, value in self._wanted[S2C].items() if key != "queue_discipline"}
            self._ask(op="configure", **{S2C: kept | changed})
        return told


def believed(bed, driver, link):
    """What calibration measures of the queues of a right link, of each direction."""
    driver.configure(link, seed=1)
    record = calibrate(bed, driver, link)
    json.dumps(record)
    return [record["measured"]["queue_discipline"][way] for way in wrong_links.BOTH]


@pytest.mark.quiet
def test_a_real_discipline_is_believed(testbed_name):
    def look(bed, driver, link):
        found = believed(bed, driver, link)
        driver.configure(link, seed=5)
        driver.reseed(6)
        return found, driver.changed()

    for link, (found, changed) in wrong_links.side_by_side(testbed_name, look, RIGHT).items():
        for own in found:
            assert own["power"]["interval 10 % longer"] > 0.5, (link, own)
            assert (own["marked"] > 50, own["dropped"] > 50) == (bool(link.ecn), not link.ecn), (link, own)
        assert changed is None, link


@pytest.mark.quiet
def test_a_real_controller_is_believed(testbed_name):
    for link, found in wrong_links.side_by_side(testbed_name, believed, CONTROLLED).items():
        for own in found:
            assert own["dropped"] > 30 and (link.ecn or not own["marked"]), (link, own)


OTHERS = [
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
    (PIE, {"kind": None, "packets": 1000}, "pie: an overload waits for"),
    (PIE, {"kind": None, "packets": 7}, "pie: it never waited for more than"),
    (PIE, {"kind": "fq_codel"}, "pie: an overload waits for"),
    (PIE, {"kind": "dualpi2"}, "pie: a sparse flow waits for"),
    (PIE, {"target_ms": 30}, "pie: an overload waits for"),
    (PIE, {"ecn": False}, "pie: no packet of senders that understand marks was marked"),
    (DUALPI2, {"kind": None, "packets": 1000}, "dualpi2: an overload waits for"),
    (DUALPI2, {"kind": "pie"}, "of a sparse flow of the L queue were marked"),
    (DUALPI2, {"target_ms": 30}, "dualpi2: an overload waits for"),
]
"""Links, how their queues are set otherwise, and what calibration says."""


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_discipline_that_is_another_one_is_not(testbed_name, monkeypatch):
    monkeypatch.setattr(wrong_links.module, "ATTEMPTS", 1)

    def look(bed, driver, number):
        link, driver.spoil, _ = OTHERS[number]
        driver.configure(link, seed=1)
        return wrong_links.noticed(bed, driver, link) or ""

    for number, said in wrong_links.side_by_side(testbed_name, look, range(len(OTHERS)), beds=5, driver=Wrong).items():
        told = said.partition("attempts: ")[2].split("; ")
        assert any(one.startswith(S2C) and OTHERS[number][2] in one for one in told), (OTHERS[number], said)


def counted(record):
    """Of both directions together."""
    names = ("dropped_aqm", "marked_ce", "ecn_capable")
    return [sum(way.get(name, 0) for way in record["link"].values()) for name in names]


@pytest.mark.browser
@pytest.mark.parametrize("link", [FQ_CODEL, DUALPI2], ids=lambda link: link.id_parts[-1])
def test_tcp_is_marked_and_quic_which_cannot_be_is_dropped(testbed_name, tmp_path, link):
    page, told = Page.parse({"size_kb": 20, "count": 30}), {}
    for server in (Apache, Envoy):
        with arm_on(testbed_name, tmp_path, server, "quicv1", link=link, workload=page) as on:
            record = on.side.load(0)
            assert is_right(record), record["reject_detail"]
            told[server] = counted(record)
            if server is Apache:
                assert all("ecn" in one["options"] for one in record["tcp"])
                for role in ("server", "client"):
                    on.bed.run(role, ["sysctl", "-qw", "net.ipv4.tcp_ecn=2"], 10)
                on.side.client.drop_connections()
                record = on.side.load(1)
                assert (
                    record["reject_reason"] == "tcp_options" and record["reject_detail"] == "a connection without ECN"
                )
    dropped, marked, capable = told[Apache]
    assert dropped == 0 and marked > 3 and capable > 400
    dropped, marked, capable = told[Envoy]
    assert dropped > 3 and (marked, capable) == (0, 0)
