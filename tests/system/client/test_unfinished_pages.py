"""Pages of which one object never comes whole, by the real browsers: none counts, whatever the HAR has of it."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
import wrong_answers
from arms import WORKLOAD, arm_on, plt_ms

from longlook.client.artefact import observed
from longlook.client.base import LoadFailed
from longlook.plan.workload import Download, WebPage
from longlook.server.aioquic import Aioquic
from longlook.server.apache import Apache
from longlook.server.envoy import Envoy
from longlook.server.scripted import PROGRAMS
from longlook.site.page import PAGE, file_path, image_path
from longlook.site.tree import Site, described
from longlook.site.write import write_site

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.browser, pytest.mark.timeout(180)]

LOST, OTHER = (image_path(index) for index in range(2))
OVER_QUIC = Path(wrong_answers.__file__).with_name("wrong_answers_quic.py")


class WrongTcp(Apache):
    def _command(self):
        self._set_cca()
        own, told = self.settings, self.settings.faults
        given = [own.site.root, self.address, own.port, own.certificate, own.key, told["fault"], told["wrong"]]
        return [sys.executable, wrong_answers.__file__, *map(str, given), *told["in_order"]]


class WrongQuic(Aioquic):
    def _program(self):
        packages = f"PYTHONPATH={self.stack.python_path(self.component)}:{PROGRAMS}"
        told = self.settings.faults
        return ["env", packages, sys.executable, "-S", str(OVER_QUIC), told["fault"], told["wrong"]]


def loaded(testbed_name, tmp_path, by, fault, *, wrong=LOST, in_order=(PAGE, LOST, OTHER), **how):
    """The record of one load."""
    server, stack, browser = BY[by] if isinstance(by, str) else by
    how |= {"browser": browser, "handshake": "1rtt", "faults": {"fault": fault, "wrong": wrong, "in_order": in_order}}
    with arm_on(testbed_name, tmp_path, server, stack, **how) as on:
        on.side.around = replace(on.side.around, timeout_s=6)
        return on.side.load(0)


BY = {
    "Chromium 111, QUIC": (WrongQuic, "halme2021", "quicv1"),
    "Chromium 111, TCP": (WrongTcp, "quicv1", "quicv1"),
    "Chromium 111, TCP, read along": (WrongTcp, "quicv1", "quicv1live"),
    "Chromium 64, TCP": (WrongTcp, "gquic37", "gquic37"),
}
REASONS = {"reset": "unanswered", "cut short": "cut_short", "reset at its end": "cut_short"}


@pytest.mark.parametrize("by", BY)
def test_a_right_answer_of_the_same_servers_is_accepted(testbed_name, tmp_path, by):
    record = loaded(testbed_name, tmp_path, by, "none")
    assert record["reject_reason"] in (None, "disturbed"), record["reject_detail"]
    assert "unfinished" not in record["artefact"]["log"]["page"]


def test_a_page_that_cannot_be_asked_for_is_told_in_time(testbed_name, tmp_path):
    """The browser refuses the port; its answer comes before the driver's time is over."""
    server, stack, browser = BY["Chromium 111, TCP"]
    told = {"fault": "none", "wrong": LOST, "in_order": (PAGE, LOST, OTHER)}
    with arm_on(testbed_name, tmp_path, server, stack, browser=browser, handshake="1rtt", faults=told) as on:
        asked = {"url": "https://longlook.test:9/", "fresh_context": False, "clear_cache": True, "live": False}
        with pytest.raises(LoadFailed, match="net::ERR_UNSAFE_PORT"):
            on.side.client._ask(6, op="load", **asked)


@pytest.mark.parametrize("fault", REASONS)
@pytest.mark.parametrize("by", BY)
def test_an_object_that_does_not_come_whole_is_the_reason(testbed_name, tmp_path, by, fault):
    record = loaded(testbed_name, tmp_path, by, fault)
    assert record["reject_reason"] == REASONS[fault], record["reject_detail"]
    assert record["reject_detail"].startswith(f"{LOST}: net::ERR_")
    assert plt_ms(record) > 0
    (kept,) = observed(record["artefact"]).unfinished
    assert (kept.path, kept.answered) == (LOST, fault != "reset")


@pytest.mark.parametrize("by", BY)
def test_an_object_that_nobody_answers_is_named(testbed_name, tmp_path, by):
    """The load event waits for it: such a page has no times."""
    record = loaded(testbed_name, tmp_path, by, "silent")
    assert record["reject_reason"] == "load_failed"
    assert record["reject_detail"].endswith(f"no Page.loadEventFired, no end of {LOST} within 6000 ms")


def without_the_lost_one(root):
    """The site that such a page would be right for, were its HAR all that is known."""
    made = write_site(root, WORKLOAD, seed=1)
    return Site(root, {path: one for path, one in made.files.items() if path != LOST}, made.start)


@pytest.mark.parametrize("by", BY)
def test_a_request_that_no_har_has_is_no_less_missing(testbed_name, tmp_path, by):
    record = loaded(testbed_name, tmp_path, by, "reset", site=without_the_lost_one)
    assert record["reject_reason"] == "unanswered", record["reject_detail"]


def asked_by_a_script(root):
    """The first image is asked for when the other one is there, by a script, for which the load event does not wait.

    Without credentials old browsers would open another connection.
    """
    made = write_site(root, WORKLOAD, seed=1)
    page = root / PAGE[1:]
    asked = f"""<img onload='fetch("{LOST}", {{credentials: "include"}})'"""
    text = page.read_text().replace(f'<img src="{LOST}" alt="">', "").replace("<img", asked)
    page.write_text(text)
    return Site(root, {**made.files, PAGE: described(text.encode(), "text/html")}, made.start)


def goes_on(root):
    """A page that has another one in its place while it is read."""
    made = write_site(root, WORKLOAD, seed=1)
    page, next_page = root / PAGE[1:], root / "next.html"
    next_page.write_bytes(page.read_bytes())
    next_page.chmod(0o644)
    page.write_text(page.read_text().replace("</body>", "<script>location.replace('/next.html')</script></body>"))
    own = {f"/{one.name}": described(one.read_bytes(), "text/html") for one in (page, next_page)}
    return Site(root, {**made.files, **own}, made.start)


@pytest.mark.parametrize(("server", "stack"), [(Envoy, "quicv1"), (Apache, "gquic37")])
def test_a_page_that_goes_on_to_another_one_has_no_times(testbed_name, tmp_path, server, stack):
    with arm_on(testbed_name, tmp_path, server, stack, site=goes_on) as on:
        record = on.side.load(0)
    assert record["reject_reason"] == "load_failed", record
    assert "the page went on to /next.html by itself" in record["reject_detail"]


@pytest.mark.parametrize("by", BY)
def test_a_request_under_way_for_which_the_page_does_not_wait_is_told_of(testbed_name, tmp_path, by):
    record = loaded(testbed_name, tmp_path, by, "silent", site=asked_by_a_script, in_order=(PAGE, OTHER, LOST))
    assert (record["reject_reason"], record["reject_detail"]) == ("unanswered", f"{LOST}: under way")
    assert plt_ms(record) < 6000


def test_a_page_that_is_looked_at_is_no_exception(testbed_name, tmp_path):
    """Without its main image it may have no largest paint: that is not asked."""
    by, page = (WrongQuic, "halme2021", "yu2021pages"), WebPage(size_bytes=450_888, resources=18)
    record = loaded(testbed_name, tmp_path, by, "reset", wrong="/img/000.png", workload=page)
    assert record["reject_reason"] == "unanswered", record["reject_detail"]
    assert "paints" not in record["artefact"] and "speed_index_ms" not in record["metrics"]


FILE_ERRORS = {"silent": "nothing within 6000 ms", "reset": "net::ERR_", "cut short": "net::ERR_"}


@pytest.mark.parametrize("fault", FILE_ERRORS)
@pytest.mark.parametrize("by", ["Chromium 111, QUIC", "Chromium 111, TCP"])
def test_a_file_that_does_not_come_whole_is_a_failed_load_and_says_why(testbed_name, tmp_path, by, fault):
    how = {"wrong": file_path(0), "in_order": (file_path(0),), "workload": Download(size_bytes=100_000)}
    record = loaded(testbed_name, tmp_path, by, fault, **how)
    assert record["reject_reason"] == "load_failed" and FILE_ERRORS[fault] in record["reject_detail"], record
