"""Pages that are looked at, by the real browser over an emulated link: what was seen is told with each load."""

import base64

import pytest
from arms import arm_on

from longlook.client.artefact import observed
from longlook.experiment.side import PICTURED
from longlook.plan.link import Link
from longlook.plan.workload import WebPage
from longlook.server import SERVERS

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.timeout(180)]

LINK = Link(bandwidth_mbps=10, rtt_ms=20)
PAGE = WebPage(size_bytes=450_888, resources=18)
TIMES = ("fcp_ms", "lcp_ms", "speed_index_ms", "complete_ms", "plt_ms", "connect_ms")


@pytest.mark.parametrize(("server", "protocol"), [("envoy", "h3"), ("apache", "h2")])
def test_a_load_tells_what_was_seen(testbed_name, tmp_path, server, protocol):
    arm = {"handshake": "1rtt", "cca": "bbr", "emulated_connections": None}
    with arm_on(testbed_name, tmp_path, SERVERS[server], "yu2021pages", link=LINK, workload=PAGE, **arm) as on:
        records = [on.side.load(index) for index in range(3)]
    told = [(one["accepted"] or one["reject_reason"] == "disturbed", one["reject_detail"]) for one in records]
    assert all(right for right, _ in told), told
    for one in records:
        times = one["metrics"]
        assert set(TIMES) <= set(times)
        assert LINK.rtt_ms < times["connect_ms"] < times["fcp_ms"] <= times["lcp_ms"]
        assert times["fcp_ms"] / 2 < times["speed_index_ms"] < times["complete_ms"]
        assert one["protocols_seen"] == [protocol]
        assert observed(one["artefact"]).metrics["speed_index_ms"] == times["speed_index_ms"]
        progress = one["artefact"]["paints"]["progress"]
        assert progress[0][:2] == [0, 0] and progress[-1][1] == 100
    # How many frames there are is the machine's.
    assert max(len(one["artefact"]["paints"]["progress"]) for one in records) >= 3
    assert min(one["metrics"]["lcp_ms"] - one["metrics"]["complete_ms"] for one in records) <= 100
    kept = [len(one["artefact"]["paints"]["pictures"]) for one in records]
    assert kept[PICTURED] >= 2 and sum(kept) == kept[PICTURED]
    pictures = [base64.b64decode(text) for _, text in records[PICTURED]["artefact"]["paints"]["pictures"]]
    assert all(one.startswith(b"\xff\xd8") and len(one) < 20_000 for one in pictures)
