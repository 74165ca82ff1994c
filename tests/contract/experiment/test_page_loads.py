"""A page by each protocol of each stack, a file, and the four chief reasons of rejection, on the real thing.

Every other wrong server is in tests/system/experiment/test_wrong_servers.py."""

import re

import pytest
from arms import arm_on, is_right, shorten_image, verdicts

from longlook.client.artefact import observed
from longlook.errors import LonglookError
from longlook.plan.workload import Download
from longlook.server.apache import Apache
from longlook.server.envoy import Envoy
from longlook.server.gquicd import Gquicd
from longlook.site.certificate import ORIGIN

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.browser, pytest.mark.timeout(300)]


@pytest.mark.parametrize(
    ("server", "stack"), [(Envoy, "quicv1"), (Apache, "quicv1"), (Gquicd, "gquic37"), (Apache, "gquic37")]
)
def test_a_right_page_is_accepted(testbed_name, tmp_path, server, stack):
    with arm_on(testbed_name, tmp_path, server, stack) as on:
        assert verdicts(on, loads=3) == [(True, None)] * 3


WRONG = {
    "truncates an object": (Envoy, {"spoil": shorten_image}, "object_size"),
    "serves HTTP/1.1": (Apache, {"faults": {"protocols": "http/1.1"}}, "protocol"),
    "has another controller": (Apache, {"server_cca": "reno"}, "cca"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_server_is_rejected_for_its_own_reason(testbed_name, tmp_path, fault):
    server, how, reason = WRONG[fault]
    with arm_on(testbed_name, tmp_path, server, "quicv1", **how) as on:
        assert verdicts(on) == [(False, reason)] * 2


def test_a_server_that_rejects_0rtt_is_rejected(testbed_name, tmp_path):
    with arm_on(testbed_name, tmp_path, Envoy, "quicv1", faults={"early_data": "false"}) as on:
        assert verdicts(on) == [(True, None), (False, "zero_rtt_rejected")]


def test_a_browser_that_is_told_by_alt_svc_alone_loads_over_http2_and_then_over_http3(testbed_name, tmp_path):
    with arm_on(testbed_name, tmp_path, Envoy, "quicv1", discovery="alt-svc") as on:
        assert not any("443" in flag for flag in on.side.client.flags() if "force-quic" in flag)
        assert on.side.discover() == [["h2"], ["h3"]]
        logged = (on.side.server.state / "tcp.log").read_text().splitlines()
        assert len(logged) == 1, "the server answered one file over TCP, and nothing else"
        for index in range(3):
            one = on.side.load(index)
            on.side.client.drop_connections()
            assert is_right(one), one["reject_detail"]
            assert (one["protocols_seen"], one["zero_rtt"], one["opened_over_link"]["opened"]) == (["h3"], True, 1)
            assert one["opened_over_link"]["raced"] >= 0 and one["opened_over_link"]["others"] == {}


NEVER_LEARNT = {
    "the server tells nothing": ({"faults": {"alt_svc": "clear"}}, "came over [['h2'], ['h2']], not"),
    "the browser was told before": (
        {"switches": [f"--origin-to-force-quic-on={ORIGIN}:443"]},
        "came over [['h3'], ['h3']], not",
    ),
}


@pytest.mark.parametrize("how", NEVER_LEARNT)
def test_a_browser_that_learns_nothing_or_knew_before_is_refused(testbed_name, tmp_path, how):
    changes, words = NEVER_LEARNT[how]
    with (
        arm_on(testbed_name, tmp_path, Envoy, "quicv1", discovery="alt-svc", **changes) as on,
        pytest.raises(LonglookError, match=re.escape(words)),
    ):
        on.side.discover()


def test_a_file_arrives_whole_on_a_connection_of_its_own(testbed_name, tmp_path):
    file = Download(size_bytes=200_000)
    with arm_on(testbed_name, tmp_path, Envoy, "quicv1", workload=file, handshake="1rtt") as on:
        one = on.side.load(0)
        (made,) = on.site.files.values()
    assert is_right(one), one["reject_detail"]
    (seen,) = observed(one["artefact"]).objects
    assert (seen.sha256, seen.size_bytes) == (made.sha256, file.size_bytes)
    assert one["opened_over_link"]["opened"] == len(one["connections"]) == 1
