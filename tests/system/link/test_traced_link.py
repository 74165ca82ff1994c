"""A link with a trace: a real one is believed, a wrong one is not, and a real page comes over it."""

import json

import pytest
import wrong_links
from arms import arm_on, is_right, plt_ms

from longlook.errors import LonglookError
from longlook.link.calibrate import calibrate
from longlook.link.linkpipe import LinkPipe
from longlook.plan.link import Link
from longlook.plan.trace import opportunities_of, window, with_traces
from longlook.plan.workload import Page
from longlook.server.apache import Apache
from longlook.server.envoy import Envoy
from longlook.testbed.netns import NetnsTestbed

LINK = Link.parse(with_traces({"trace": "markov.trace", "rtt_ms": 70}))
pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.timeout(240)]


class Wrong(LinkPipe):
    """One that is set otherwise behind the driver's back whenever its traces' clock is set."""

    def _require(self, found):
        """Believes what it is told."""

    def reseed(self, seed):
        super().reseed(seed)
        self.spoil(self)


def otherwise(**change):
    """Directions set anew, with something else."""

    def spoil(driver):
        own = {way: {**wanted, **change} for way, wanted in driver._wanted.items()}
        driver._ask(
            op="configure", **{way: {k: v for k, v in one.items() if v is not None} for way, one in own.items()}
        )

    return spoil


def at(offset_ms):
    def spoil(driver):
        driver._ask(op="reseed", seed=1, trace_offset_ms=offset_ms(driver._link.trace_offset_ms(1)))

    return spoil


@pytest.mark.quiet
def test_a_real_trace_passes_its_bytes_and_is_told(testbed_name):
    one_of_each = Link.parse(with_traces({"trace": "markov.trace", "upload_mbps": 2, "rtt_ms": 70, "loss_pct": 1}))
    with NetnsTestbed(testbed_name) as bed, LinkPipe(bed) as driver:
        driver.configure(one_of_each, seed=1)
        record = calibrate(bed, driver, one_of_each)
        json.dumps(record)
        (way, own), *others = record["measured"]["traces"].items()
        assert (way, others) == ("server_to_client", [])
        assert len(own["packets"]) > 50 and own["power"]["mean rate"] > 0.5
        configured = driver.configure(one_of_each, seed=5)
        assert configured["server_to_client"]["trace"] == {
            "path": "markov.trace", "sha256": LINK.trace.sha256, "offset_ms": LINK.trace_offset_ms(5),
        }  # fmt: skip
        assert "trace" not in configured["client_to_server"]
        driver.reseed(6)
        assert driver.changed() is None
        driver._ask(op="reseed", seed=6, trace_offset_ms=1)
        assert "'offset_ms': 1}" in driver.changed()


OTHERS = {
    "100 ms early": (at(lambda right: right + 100), "other bytes passed than the file has"),
    "another part": (at(lambda right: right + 15_000), "other bytes passed than the file has"),
    "its mean rate": (otherwise(trace=None), "other bytes passed than the file has"),
    "no limit": (otherwise(trace=None, bandwidth_mbps=0), "full packets passed"),
}


@pytest.mark.slow
def test_a_wrong_one_is_refused(testbed_name, monkeypatch):
    monkeypatch.setattr(wrong_links.module, "ATTEMPTS", 1)

    def look(bed, driver, other):
        driver.spoil, _ = OTHERS[other]
        driver.configure(LINK, seed=1)
        return wrong_links.noticed(bed, driver, LINK) or ""

    said = wrong_links.side_by_side(testbed_name, look, list(OTHERS), beds=len(OTHERS), driver=Wrong)
    for other, told in said.items():
        for way in wrong_links.BOTH:
            assert f"{way}: trace markov.trace: " in told, (other, told)
        assert OTHERS[other][1] in told, (other, told)


def test_a_file_that_was_changed_is_refused(testbed_name):
    other = LINK.model_copy(update={"trace": LINK.trace.model_copy(update={"sha256": "0" * 64})})
    with (
        NetnsTestbed(testbed_name) as bed,
        LinkPipe(bed) as driver,
        pytest.raises(LonglookError, match=r"sha256 of .*markov.trace is"),
    ):
        driver.configure(other, seed=1)


WHOLE = opportunities_of(LINK.trace)
SOON = {seed: len(window(WHOLE, LINK.trace_offset_ms(seed), 900)) for seed in range(300)}
FAST, STILL = max(SOON, key=SOON.get), min(SOON, key=SOON.get)
"""Seeds after which most, and fewest, packets may pass for 0.9 s."""


@pytest.mark.browser
def test_a_pause_that_has_chromium_open_a_second_connection_rejects_no_load(testbed_name, tmp_path):
    with arm_on(testbed_name, tmp_path, Apache, "quicv1", link=LINK) as on:
        opened = {FAST: [], STILL: []}
        for index, seed in enumerate([FAST, STILL] * 3):
            on.driver.reseed(seed)
            record = on.side.load(index)
            assert is_right(record), record["reject_detail"]
            opened[seed].append(record["opened_over_link"]["opened"])
            on.side.client.drop_connections()
    assert 1 in opened[FAST] and 2 in opened[STILL], opened  # a machine that is held up is a pause, too


@pytest.mark.browser
def test_a_real_page_meets_the_part_of_the_trace_that_its_seed_says(testbed_name, tmp_path):
    page = Page.parse({"size_kb": 10, "count": 10})
    with arm_on(testbed_name, tmp_path, Envoy, "quicv1", link=LINK, workload=page) as on:
        took = {FAST: [], STILL: []}
        for index, seed in enumerate([FAST, FAST, STILL, FAST, STILL, FAST]):
            on.driver.reseed(seed)
            record = on.side.load(index)
            assert is_right(record), record["reject_detail"]
            took[seed].append(plt_ms(record))
    (_cold, *early), late = took[FAST], took[STILL]
    # A machine that is held up makes one later, or lets the pause pass before it.
    assert min(early) < 800 < max(late), took
