"""gquicd with a real Chromium over the emulated link: what it says, when it answers, how its sender behaves."""

import csv
import itertools
import json
import re
import statistics
from pathlib import Path

import arms
import pytest
from arms import plt_ms, shorten_image, verdicts

from longlook.errors import NotSupported
from longlook.plan.link import Link
from longlook.plan.workload import Page
from longlook.server.apache import Apache
from longlook.server.gquicd import Gquicd

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.browser, pytest.mark.timeout(180)]


VERSIONS = {"gquic37": 37, "c64q039": 39, "c69": 43}
"""Stack -> version of gQUIC."""


def arm_on(testbed_name, tmp_path, server=Gquicd, stack="gquic37", **how):
    return arms.arm_on(testbed_name, tmp_path, server, stack, **how)


@pytest.mark.parametrize("server", [Gquicd, Apache])
def test_the_right_servers_are_accepted(testbed_name, tmp_path, server):
    with arm_on(testbed_name, tmp_path, server) as on:
        assert verdicts(on, loads=5) == [(True, None)] * 5


@pytest.mark.parametrize("stack", VERSIONS)
def test_a_page_of_a_hundred_objects_is_whole(testbed_name, tmp_path, stack):
    page = Page.parse({"size_kb": 10, "count": 100})
    # One in ten comes short if the connection closes as soon as the browser has acknowledged what it has yet to read.
    with arm_on(testbed_name, tmp_path, stack=stack, workload=page) as on:
        assert verdicts(on, loads=12) == [(True, None)] * 12


@pytest.mark.quiet
@pytest.mark.parametrize("stack", VERSIONS)
def test_a_cold_handshake_takes_one_rejection_and_a_resumed_one_none(testbed_name, tmp_path, stack):
    rtt_ms = 200
    with arm_on(testbed_name, tmp_path, stack=stack, link=Link(bandwidth_mbps=50, rtt_ms=rtt_ms)) as on:
        rows = [on.side.load(index) for index in range(4)]
    assert [row["zero_rtt"] for row in rows] == [False, True, True, True]
    assert {tuple(row["protocols_seen"]) for row in rows} == {(f"http/2+quic/{VERSIONS[stack]}",)}
    # Page and image cost a round trip each. A server that destroys 0-RTT packets, or hands a session over late, takes
    # three and more.
    resumed = min(plt_ms(row) for row in rows[1:])
    assert 2 * rtt_ms <= resumed < 2.8 * rtt_ms
    assert plt_ms(rows[0]) - resumed > 0.8 * rtt_ms


@pytest.mark.quiet
def test_a_request_that_waits_for_the_end_of_the_handshake_is_no_0rtt(testbed_name, tmp_path):
    """Chromium waits after a change of its network: no REJ, and a round trip more all the same."""
    with arm_on(testbed_name, tmp_path, link=Link(bandwidth_mbps=50, rtt_ms=200)) as on:
        before = min([on.side.load(index) for index in range(4)][1:], key=plt_ms)
        for verb in ("add", "del"):
            on.bed.run("client", ["ip", "address", verb, "10.77.1.1/32", "dev", "eth0"], timeout_s=5)
        after = on.side.load(4)
    assert before["zero_rtt"] and not after["zero_rtt"]
    assert not after["accepted"] and after["reject_reason"] in ("zero_rtt_rejected", "disturbed")
    assert plt_ms(after) - plt_ms(before) > 100


def handshakes(netlog):
    """Of each QUIC session in a netlog, in order: the tags of the handshake messages that the browser received."""
    text = netlog.read_text()
    try:
        log = json.loads(text)
    except ValueError:  # a browser that was ended leaves the last event unfinished, and the list of events open
        log = json.loads(text[: text.rindex(",\n")] + "]}")
    received = log["constants"]["logEventTypes"]["QUIC_SESSION_CRYPTO_HANDSHAKE_MESSAGE_RECEIVED"]
    started = log["constants"]["logEventTypes"]["QUIC_SESSION"]
    sessions = {}
    for event in log["events"]:
        if event["type"] == started:
            sessions.setdefault(event["source"]["id"], [])
        if event["type"] == received:
            message = event["params"]["quic_crypto_handshake_message"]
            sessions.setdefault(event["source"]["id"], []).append(re.match(r"\s*(\w+)", message).group(1))
    return list(sessions.values())


def test_the_server_and_the_browsers_netlog_agree_on_0rtt(testbed_name, tmp_path):
    netlog = tmp_path / "netlog.json"
    with arm_on(testbed_name, tmp_path, switches=(f"--log-net-log={netlog}",)) as on:
        rows = [on.side.load(index) for index in range(6)]
    seen = handshakes(netlog)  # the end may be missing: the browser writes it in blocks
    assert len(seen) >= 4
    assert [row["zero_rtt"] for row in rows][: len(seen)] == ["REJ" not in tags for tags in seen]
    assert {tags[-1] for tags in seen[:4]} == {"SHLO"}


def test_a_shorter_object_is_rejected(testbed_name, tmp_path):
    with arm_on(testbed_name, tmp_path, spoil=shorten_image) as on:
        assert verdicts(on) == [(False, "object_size")] * 2


def test_a_server_that_keeps_the_connection_open_is_rejected(testbed_name, tmp_path):
    with arm_on(testbed_name, tmp_path, faults={"requests-per-page": 1000}) as on:
        assert verdicts(on) == [(True, None), (False, "connection_reused")]


def test_a_browser_that_offers_no_q037_is_not_supported(testbed_name, tmp_path):
    with (
        arm_on(testbed_name, tmp_path, browser="quicv1") as on,
        pytest.raises(NotSupported, match=r"not supported: offered .*0x00000001.*server speaks Q037"),
    ):
        on.side.load(0)


@pytest.mark.parametrize(("connections", "factor"), [(1, 0.70), (2, 0.85)])
def test_the_window_is_cut_by_the_factor_of_n(testbed_name, tmp_path, connections, factor):
    log = tmp_path / "congestion.csv"
    how = {"emulated_connections": connections, "faults": {"congestion-log": log}}
    with arm_on(
        testbed_name,
        tmp_path,
        link=Link(bandwidth_mbps=10, rtt_ms=36),
        workload=Page.parse({"size_kb": 10000}),
        **how,
    ) as on:
        on.side.load(0)
    with log.open() as lines:
        windows = [(int(row["cwnd_bytes"]), row["phase"]) for row in csv.DictReader(lines)]
    cuts = [
        after / before for (before, was), (after, phase) in itertools.pairwise(windows) if phase == "recovery" != was
    ]
    assert len(cuts) >= 2
    assert statistics.median(cuts) == pytest.approx(factor, abs=0.01)


@pytest.mark.granted("cpu_limits")
def test_a_server_can_be_held_to_a_share_of_a_cpu(testbed_name, tmp_path):
    with arm_on(testbed_name, tmp_path, server_cpu_pct=20) as on:
        pid = on.side.server.process.pid
        assert f"/longlook-{pid}" in Path(f"/proc/{pid}/cgroup").read_text()
        assert verdicts(on) == [(True, None)] * 2
    assert not any(Path("/sys/fs/cgroup").glob(f"**/longlook-{pid}"))
