"""Links with netem's parameters: theory against draws, what linkpipe is told, and who refuses them."""

import random

import pytest

from longlook.errors import LonglookError
from longlook.link import netem
from longlook.link.dummynet import Dummynet
from longlook.link.linkpipe import LinkPipe
from longlook.plan.link import GEMODEL, Link

PLAIN = {"bandwidth_mbps": 10, "rtt_ms": 100}
DOWN, UP = "server_to_client", "client_to_server"


def link(**stated):
    return Link.parse(PLAIN | stated)


def correlated(rho, count, seed=1):
    draw, x = random.Random(seed), 0.5
    for _ in range(count):
        x = rho * x + (1 - rho) * draw.random()
        yield x


@pytest.mark.parametrize(("pct", "correlation"), [(10, None), (10, 25), (30, 25), (20, 75)])
def test_shares_under_correlation_are_those_of_the_generator(pct, correlation):
    count = 200_000
    befallen = sum(x < pct / 100 for x in correlated((correlation or 0) / 100, count))
    low, high = netem.share_bounds(count, netem.share(pct, correlation), correlation)
    assert low <= befallen <= high and high - low < 2 * befallen


def test_a_small_share_under_correlation_is_hardly_ever_met():
    assert netem.corrupted(link(corrupt_pct=1)) == pytest.approx(0.01)
    assert 1e-6 < netem.corrupted(link(corrupt_pct=1, corrupt_correlation_pct=25)) < 1e-5
    assert netem.duplicated(link()) == 0.0 and netem.duplicated(link(duplicate_pct=100)) == 1.0


def test_normal_delays_have_the_mean_and_the_spread_that_are_set_but_for_correlation_and_zero():
    assert netem.delay_ms(link(jitter_sd_ms=5)) == pytest.approx((50, 5), rel=0.002)
    assert netem.delay_ms(link(jitter_sd_ms=5, jitter_correlation_pct=25)) == pytest.approx((50, 3.24), rel=0.002)
    cut, spread = netem.delay_ms(link(jitter_sd_ms=50))
    assert cut == pytest.approx(50 * 0.8413 + 50 * 0.2420, rel=0.002) and spread < 45


@pytest.mark.parametrize("model", [(1, 50, 100, 0), (0.1, 10, 100, 0), (2, 20, 60, 0.5), (100, 100, 100, 0)])
def test_bounds_of_bursts_hold_and_tell_twice_the_loss(model):
    p, r, bad, good = (one / 100 for one in model)
    mean = (p * bad + r * good) / (p + r)
    for seed in range(30):
        draw, state, lost, count = random.Random(seed), 0, 0, 5000
        for _ in range(count):
            lost += draw.random() < (bad if state else good)
            state = 1 - state if draw.random() < (r if state else p) else state
        low, high = netem.chain_bounds(count, p, r, bad, good)
        assert low <= lost <= high
    low, high = netem.chain_bounds(200_000, p, r, bad, good)
    assert 0.5 * mean * 200_000 < low < mean * 200_000 <= high < 2 * mean * 200_000
    assert netem.chain_bounds(0, p, r, bad, good)[0] == 0


def test_losses_of_other_links_are_the_binomials():
    assert netem.loss_bounds(link(loss_pct=1), DOWN, 20_000) == netem.bounds(20_000, 0.005)
    assert netem.loss_bounds(link(), DOWN, 20_000) == (0, 0)
    one_way = link(loss_pct=1, loss_direction="up")
    assert netem.loss_bounds(one_way, DOWN, 20_000) == (0, 0)
    assert netem.loss_bounds(one_way, UP, 20_000) == netem.bounds(20_000, 0.01)


class Told(LinkPipe):
    """Keeps what would be asked of the emulator, and answers as it does."""

    def __init__(self):
        self._wanted, self.asked, self.extra = {}, None, {}

    def _ask(self, **request):
        if request["op"] == "configure":
            self.asked = {way: request[way] for way in ("server_to_client", "client_to_server")}
        own = {way: one | self.extra for way, one in self.asked.items()}
        return own | {"configured": 1, "reseeded": 0}


def test_linkpipe_is_told_what_is_stated_and_nothing_else():
    driver = Told()
    driver.configure(link(), seed=1)
    assert list(driver.asked["server_to_client"]) == [
        *("bandwidth_mbps", "delay_ms", "loss_pct", "queue_bytes", "queue_packets", "seed", "jitter")
    ]
    assert driver.asked["server_to_client"]["jitter"] == {"mode": "none", "range_ms": 0, "interval_ms": 0}
    model = dict(zip(GEMODEL, (1, 50, 100, 0), strict=True))
    driver.configure(link(corrupt_pct=1, corrupt_correlation_pct=25, duplicate_pct=2, jitter_sd_ms=5, **model), seed=1)
    for told in driver.asked.values():
        assert (told["corrupt_pct"], told["corrupt_correlation_pct"], told["duplicate_pct"]) == (1, 25, 2)
        assert told["gemodel"] == {"p_pct": 1, "r_pct": 50, "one_minus_h_pct": 100, "one_minus_k_pct": 0}
        assert told["jitter"] == {"mode": "normal", "range_ms": 0, "interval_ms": 0, "sd_ms": 5}
        assert told["loss_pct"] == 0 and "duplicate_correlation_pct" not in told
    assert driver.changed() is None
    driver.extra = {"corrupt_pct": 3}
    assert "corrupt_pct = 1.0 set, 3 in force" in driver.changed()


@pytest.mark.parametrize(("stated", "down", "up"), [({}, 1, 1), ({"loss_direction": "down"}, 2, 0)])
def test_linkpipe_is_told_the_loss_of_each_direction(stated, down, up):
    driver = Told()
    driver.configure(link(loss_pct=2, **stated), seed=1)
    assert (driver.asked[DOWN]["loss_pct"], driver.asked[UP]["loss_pct"]) == (down, up)
    assert {key: value for key, value in driver.asked[DOWN].items() if key != "loss_pct"} == {
        key: value for key, value in driver.asked[UP].items() if key != "loss_pct"
    }
    driver.extra = {"loss_pct": 1.5}
    assert f"server_to_client: loss_pct = {down:.1f} set, 1.5 in force" in driver.changed()


def test_linkpipe_is_told_the_rate_and_queue_of_each_direction():
    driver = Told()
    driver.configure(link(upload_mbps=1), seed=1)
    told = [(driver.asked[way]["bandwidth_mbps"], driver.asked[way]["queue_bytes"]) for way in (DOWN, UP)]
    assert told == [(10, link().effective_queue_bytes), (1, link().effective_queue_bytes // 10)]


def test_what_nobody_asked_for_is_noticed():
    driver = Told()
    driver.configure(link(), seed=1)
    driver.extra = {"duplicate_pct": 3}
    assert "server_to_client: duplicate_pct = None set, 3 in force" in driver.changed()
    with pytest.raises(LonglookError, match="the link is not as it was set"):
        driver.verify()


def test_linkpipe_is_told_the_depth_of_a_bucket():
    driver = Told()
    driver.configure(link(burst_bytes=12_800_000), seed=1)
    assert [told["burst_bytes"] for told in driver.asked.values()] == [12_800_000] * 2
    driver.configure(link(queue_discipline="fq_codel", ecn=True), seed=1)
    own = {"kind": "fq_codel", "target_ms": 5.0, "interval_ms": 100.0, "ecn": True}
    told = [(one["queue_discipline"], one["queue_packets"], one["queue_bytes"]) for one in driver.asked.values()]
    assert told == [(own, 10_240, 0)] * 2
    driver.configure(link(queue_discipline="pie"), seed=1)
    own = {"kind": "pie", "target_ms": 15.0, "ecn": False}
    assert [(one["queue_discipline"], one["queue_packets"]) for one in driver.asked.values()] == [(own, 1000)] * 2
    driver.configure(link(burst_bytes=12_800_000), seed=1)
    driver.extra = {"burst_bytes": 12_500_000}
    assert "burst_bytes = 12800000 set, 12500000 in force" in driver.changed()


def test_dummynet_refuses_them_by_name():
    driver = Dummynet.__new__(Dummynet)
    with pytest.raises(LonglookError, match="the dummynet link has no corrupt_pct, burst_bytes: only linkpipe does"):
        driver.configure(link(corrupt_pct=1, burst_bytes=12_800_000), seed=1)
    with pytest.raises(LonglookError, match="the dummynet link has no burst_bytes: only linkpipe does"):
        driver.configure(link(burst_bytes=12_800_000), seed=1)
    with pytest.raises(LonglookError, match="the dummynet link has no queue_discipline: only linkpipe does"):
        driver.configure(link(queue_discipline="codel"), seed=1)
    with pytest.raises(LonglookError, match="the dummynet link has no corrupt_pct, jitter_sd_ms: only linkpipe does"):
        driver.configure(link(corrupt_pct=1, jitter_sd_ms=2), seed=1)
