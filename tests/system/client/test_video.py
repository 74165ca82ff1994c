"""Sessions of a film that are wrong on purpose, by dash.js in the real browser: each is rejected for its own reason.

Right ones: experiment/test_sessions.py.
"""

import re
import threading
import time

import pytest
from arms import arm_on, is_right

from longlook.client.artefact import observed
from longlook.plan.link import Link
from longlook.plan.workload import FILM_KBPS, Video
from longlook.server.apache import Apache
from longlook.server.tcp import NO_CONNECTION
from longlook.site.film import segment_path

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.browser, pytest.mark.timeout(180)]

FILM = Video(duration_s=4)
SLOW = Link(bandwidth_mbps=0.2, rtt_ms=20)


def remove_second(root):
    for kbps in FILM_KBPS:
        (root / segment_path(kbps, 1)[1:]).unlink()


WRONG = {
    "a segment is missing": ("status", {"link": Link(bandwidth_mbps=20, rtt_ms=20), "spoil": remove_second}),
    "the player never starts": ("not_started", {"link": SLOW}),
}


def rejected(testbed_name, tmp_path, meanwhile=None, **how):
    """The record of one session."""
    with arm_on(testbed_name, tmp_path, Apache, "shreedhar2022video", workload=FILM, **how) as on:
        beside = threading.Thread(target=meanwhile or (lambda on: None), args=[on])
        beside.start()
        record = on.side.load(1)
        beside.join()
    assert not record["accepted"] and record["artefact"]["kind"] == "video"
    assert observed(record["artefact"]).metrics["session_ms"] >= 4000
    return record


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_session_is_rejected_for_its_own_reason(testbed_name, tmp_path, fault):
    reason, how = WRONG[fault]
    record = rejected(testbed_name, tmp_path, **how)
    assert record["reject_reason"] == reason, record["reject_detail"]


def cut_amidst_a_segment(on):
    """Once more has come than all that is fetched before the first segment, which takes two seconds on this link."""
    deadline, came = time.monotonic() + 60, [0]
    while max(came) < 20_000 and time.monotonic() < deadline:
        time.sleep(0.05)  # polling interval, bounded by the deadline
        seen = on.bed.run("client", ["ss", "-tinH", "dport", "=", ":443"], timeout_s=5)
        came = [0, *map(int, re.findall(r"bytes_received:(\d+)", seen))]
    on.side.client.drop_connections()


def test_a_download_whose_connection_is_cut_is_cut_short(testbed_name, tmp_path):
    record = rejected(testbed_name, tmp_path, cut_amidst_a_segment, link=SLOW)
    assert record["reject_reason"] == "cut_short" and "net::ERR_" in record["reject_detail"], record["reject_detail"]


@pytest.mark.quiet
def test_the_connection_stays_until_its_server_has_been_asked(testbed_name, tmp_path):
    with arm_on(testbed_name, tmp_path, Apache, "shreedhar2022video", workload=FILM) as on:
        record = on.side.load(1)
        assert is_right(record), record["reject_detail"]
        time.sleep(0.5)  # closing it takes a part of that
        assert on.side.server.cca_of_load() == "cubic"
        on.side.client.drop_connections()
        deadline = time.monotonic() + 5
        while on.side.server.cca_of_load() != NO_CONNECTION and time.monotonic() < deadline:
            time.sleep(0.1)  # polling interval, bounded by the deadline
        assert on.side.server.cca_of_load() == NO_CONNECTION
