"""A film played by dash.js in the real browser over an emulated link; and sessions that are wrong on purpose."""

import threading

import pytest

from arms import arm_on
from longlook.client.artefact import observed
from longlook.plan.link import Link
from longlook.plan.workload import FILM_KBPS, Video
from longlook.server import SERVERS
from longlook.site.film import segment_path

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.browser, pytest.mark.timeout(180)]

LINK = Link(bandwidth_mbps=20, rtt_ms=20)
FILM = Video(duration_s=8)
STACK = "shreedhar2022video"


def film_on(testbed_name, tmp_path, server, link=LINK, **how):
    extra = {"handshake": "1rtt"} if server == "envoy" else {}
    return arm_on(testbed_name, tmp_path, SERVERS[server], STACK, link=link, workload=FILM, **extra, **how)


@pytest.mark.parametrize(("server", "protocol"), [("envoy", "h3"), ("apache", "h2")])
def test_a_session_tells_what_it_was_like(testbed_name, tmp_path, server, protocol):
    with film_on(testbed_name, tmp_path, server) as on:
        records = [on.side.load(index) for index in range(2)]
    told = [(one["accepted"] or one["reject_reason"] == "disturbed", one["reject_detail"]) for one in records]
    assert all(right for right, _ in told), told
    for one in records:
        found, seen = one["metrics"], observed(one["artefact"])
        assert (one["protocols_seen"], len(one["connections"])) == ([protocol], 1)
        assert LINK.rtt_ms < found["connect_ms"] < found["startup_ms"] < 3000
        assert found["stalls"] == 0 and found["frames"] > 100 and found["bytes"] > 36_000
        assert min(FILM_KBPS) <= found["mean_kbps"] <= max(FILM_KBPS)
        assert all(thing.sha256 for thing in seen.objects) and seen.metrics["startup_ms"] == found["startup_ms"]


def remove_third(root):
    for kbps in FILM_KBPS:
        (root / segment_path(kbps, 2)[1:]).unlink()


def exchange_first(root):
    for kbps in FILM_KBPS:
        first, second = (root / segment_path(kbps, index)[1:] for index in (0, 1))
        first.write_bytes(second.read_bytes()[: first.stat().st_size].ljust(first.stat().st_size, b"\0"))


WRONG = {
    "a segment is missing": ("apache", {"spoil": remove_third}, "status"),
    "a segment is another": ("envoy", {"spoil": exchange_first}, "object_content"),
    "nothing plays in time": ("apache", {"link": Link(bandwidth_mbps=0.03, rtt_ms=20)}, "not_started"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_session_is_rejected_for_its_own_reason_and_kept(testbed_name, tmp_path, fault):
    server, how, reason = WRONG[fault]
    with film_on(testbed_name, tmp_path, server, **how) as on:
        record = on.side.load(1)
    assert (record["accepted"], record["reject_reason"]) == (False, reason), record["reject_detail"]
    assert record["artefact"]["kind"] == "video"


def test_a_download_that_a_server_cuts_short_is_rejected_as_that(testbed_name, tmp_path):
    with film_on(testbed_name, tmp_path, "apache", link=Link(bandwidth_mbps=0.2, rtt_ms=20)) as on:
        stopped = threading.Timer(4.0, on.side.server.process.kill)
        stopped.start()
        record = on.side.load(1)
        stopped.join()
    assert (record["accepted"], record["reject_reason"]) == (False, "cut_short"), record["reject_detail"]
