"""Every way in which a load can be wrong has its own reason; the right load has none."""

from dataclasses import replace

import pytest

from longlook import paths
from longlook.client.observation import Observation, SeenObject, Unfinished, VideoSession
from longlook.experiment.carried import Crossed
from longlook.experiment.floor import floor_of
from longlook.experiment.opened import OpenedConnections
from longlook.experiment.oracle import Evidence, Expectation, Verdict, disturbance, judge, tolerated
from longlook.experiment.reasons import PAIR_REPEATED, REASONS
from longlook.host.kernel import SEND_BUFFER_BYTES
from longlook.plan.arm import Arm
from longlook.plan.link import Link
from longlook.plan.workload import Page, Video
from longlook.site.tree import SiteFile

FILES = {
    "/index.html": SiteFile(200, "aa" * 32, "text/html"),
    "/img/000.jpg": SiteFile(5120, "bb" * 32, "image/jpeg"),
}


def seen_object(path, size, **changes):
    return replace(SeenObject(path, 200, "h3", size, started_ms=0.0, ended_ms=50.0, connection="7"), **changes)


GOOD = Observation({"plt_ms": 103.5}, tuple(seen_object(path, one.size_bytes) for path, one in FILES.items()), 1.7)
QUIC = Expectation(FILES, protocol="h3", zero_rtt=True)
WARM = Expectation(FILES, protocol="h3", zero_rtt=None, reused=True)
RESUMED = Evidence(frozenset({"6"}), {"7": True})


def test_a_browser_that_learnt_of_http3_asks_for_no_page_on_a_connection_that_stood():
    learnt = replace(QUIC, learns=True)
    assert judge(GOOD, learnt, RESUMED).accepted and judge(replace(GOOD, connect_ms=None), QUIC, RESUMED).accepted
    assert judge(replace(GOOD, connect_ms=None), learnt, RESUMED).reason == "connection_reused"


def test_a_right_load_is_accepted_and_described():
    verdict = judge(GOOD, QUIC, RESUMED)
    assert (verdict.accepted, verdict.reason) == (True, None)
    assert (verdict.connections, verdict.protocols_seen, verdict.zero_rtt) == (("7",), ("h3",), True)


def change(index, **fields):
    objects = list(GOOD.objects)
    objects[index] = replace(objects[index], **fields)
    return replace(GOOD, objects=tuple(objects))


WRONG_LOADS = [
    ("unanswered", replace(GOOD, unfinished=(Unfinished("/img/000.jpg", False, "net::ERR_TIMED_OUT"),))),
    ("cut_short", replace(GOOD, unfinished=(Unfinished("/img/000.jpg", True, "under way"),))),
    ("status", change(1, status=404)),
    ("protocol", change(0, protocol="h2")),
    ("protocol", change(0, protocol="http/1.1")),
    ("compressed", change(1, encoding="gzip")),
    ("cached", change(1, cached=True)),
    ("object_size", change(1, size_bytes=5119)),
    ("object_content", change(1, sha256="bc" * 32)),
    ("object_count", replace(GOOD, objects=GOOD.objects[:1])),
    ("object_count", replace(GOOD, objects=())),
    ("object_count", replace(GOOD, objects=(*GOOD.objects, seen_object("/favicon.ico", 10)))),
    ("object_count", replace(GOOD, objects=(*GOOD.objects, GOOD.objects[1]))),
]


RIGHT_SESSION = VideoSession(started=True, frames=400, frames_dropped=20)
WRONG_SESSIONS = [
    ("not_started", {"started": False, "frames": 0, "frames_dropped": 0}),
    ("frames_dropped", {"frames_dropped": 21}),
    ("playback", {"wrong": "by the test"}),
]


@pytest.mark.parametrize(("reason", "facts"), WRONG_SESSIONS)
def test_each_wrong_session_of_a_film_has_its_reason(reason, facts):
    assert judge(replace(GOOD, session=RIGHT_SESSION), QUIC, RESUMED).accepted
    assert judge(replace(GOOD, session=replace(RIGHT_SESSION, **facts)), QUIC, RESUMED).reason == reason


@pytest.mark.parametrize(("reason", "seen"), WRONG_LOADS)
def test_each_wrong_load_has_its_reason(reason, seen):
    verdict = judge(seen, QUIC, RESUMED)
    assert not verdict.accepted
    assert verdict.reason == reason
    assert verdict.detail


def test_a_hash_that_is_right_or_not_known_is_no_objection():
    assert judge(change(1, sha256="bb" * 32), QUIC, RESUMED).accepted


WRONG_CONNECTIONS = [
    ("zero_rtt_rejected", QUIC, Evidence(frozenset(), {"7": False})),
    ("unexpected_zero_rtt", Expectation(FILES, "h3", zero_rtt=False), RESUMED),
    ("several_connections", QUIC, Evidence(frozenset(), {"7": True, "8": True})),
    ("connection_reused", QUIC, Evidence(frozenset({"7"}), {"7": True})),
    ("connection_reused", QUIC, Evidence(frozenset(), {})),
    ("cca", QUIC, Evidence(frozenset(), {"7": True}, cca="bbr")),
    ("connection_reused", Expectation(FILES, "h3", None), Evidence(frozenset({"7"}))),
    ("several_connections", QUIC, Evidence(frozenset(), {"7": True}, opened=OpenedConnections(2, 0, {}))),
    (
        "several_connections",
        QUIC,
        Evidence(frozenset(), {"7": True}, opened=OpenedConnections(1, 0, {"tcp port 443": 1})),
    ),
    ("connection_reused", QUIC, Evidence(frozenset(), {"7": True}, opened=OpenedConnections(0, 0, {}))),
    ("connection_not_reused", WARM, Evidence(frozenset({"6"}))),
    ("connection_not_reused", WARM, Evidence(frozenset({"7"}), opened=OpenedConnections(1, 0, {}))),
    ("connection_not_reused", WARM, Evidence(frozenset({"7"}), opened=OpenedConnections(0, 0, {"quic port 443": 1}))),
    ("cca", WARM, Evidence(frozenset({"7"}), cca="bbr")),
    ("connection_options", QUIC, Evidence(frozenset(), {"7": True}, options=("RVCM", "IW10"))),
    ("connection_options", replace(QUIC, options=("ILD0",)), Evidence(frozenset(), {"7": True}, options=("RVCM",))),
]


@pytest.mark.parametrize(("reason", "wanted", "evidence"), WRONG_CONNECTIONS)
def test_each_wrong_connection_has_its_reason(reason, wanted, evidence):
    verdict = judge(GOOD, wanted, evidence)
    assert (verdict.accepted, verdict.reason) == (False, reason)


@pytest.mark.parametrize(
    ("connect_ms", "client_packets_lost", "accepted"),
    [(1.7, 1, True), (0.0, 1, True), (1.7, 0, False), (38.0, 1, False), (None, 1, False)],
)
def test_a_0rtt_request_that_the_link_lost_is_no_rejection(connect_ms, client_packets_lost, accepted):
    wanted = Expectation(FILES, "h3", zero_rtt=True, rtt_ms=36)
    evidence = Evidence(frozenset(), {"7": False}, client_packets_lost=client_packets_lost)
    verdict = judge(replace(GOOD, connect_ms=connect_ms), wanted, evidence)
    assert (verdict.accepted, verdict.zero_rtt) == (accepted, False)


@pytest.mark.parametrize(("connect_ms", "accepted"), [(37.5, True), (73.0, False)])
def test_over_tcp_an_attempt_at_early_data_comes_after_one_round_trip(connect_ms, accepted):
    wanted = Expectation(FILES, "h2", zero_rtt=True, rtt_ms=36)
    objects = tuple(replace(one, protocol="h2") for one in GOOD.objects)
    evidence = Evidence(frozenset(), {"7": False}, client_packets_lost=1)
    assert judge(replace(GOOD, objects=objects, connect_ms=connect_ms), wanted, evidence).accepted == accepted


def test_a_0rtt_request_that_the_link_reordered_is_no_rejection_and_one_that_was_not_tried_is():
    wanted = Expectation(FILES, "h3", zero_rtt=True, rtt_ms=36, reorders=True)
    assert judge(replace(GOOD, connect_ms=1.7), wanted, Evidence(frozenset(), {"7": False})).accepted
    waited = judge(replace(GOOD, connect_ms=38.0), wanted, Evidence(frozenset(), {"7": False}))
    assert waited.reason == "zero_rtt_rejected"


@pytest.mark.parametrize(("said", "reason"), [(None, None), (True, None), (False, "zero_rtt_rejected")])
def test_early_data_without_the_request_is_none(said, reason):
    evidence = Evidence(frozenset(), {"7": True})
    assert judge(replace(GOOD, early_data=said), QUIC, evidence).reason == reason


def test_tcp_connections_are_told_apart_by_the_client():
    wanted = Expectation(FILES, "h3", zero_rtt=None)
    assert judge(GOOD, wanted, Evidence(frozenset({"6"}))).accepted
    assert judge(change(1, connection="8"), wanted, Evidence(frozenset())).reason == "several_connections"


@pytest.mark.parametrize(
    ("names", "opened", "lost", "connections", "reason"),
    [
        (2, 2, 0, 2, None),
        (2, 3, 1, 2, None),
        (2, 3, 0, 2, "several_connections"),
        (2, 2, 0, 1, "several_connections"),
        (1, 2, 0, 1, "several_connections"),
        (1, 1, 0, 2, "connection_reused"),
        (1, 2, 0, 2, "connection_reused"),
        (2, 1, 0, 2, "connection_reused"),
        (2, 1, 1, 2, "connection_reused"),
    ],
)
def test_a_load_opens_as_many_connections_as_it_is_to(names, opened, lost, connections, reason):
    """By its client's names of them, and by the link's count."""
    seen = change(1, connection="8") if names == 2 else GOOD
    wanted = Expectation(FILES, "h3", zero_rtt=None, connections=connections)
    assert judge(seen, wanted, Evidence(frozenset(), opened=OpenedConnections(opened, lost, {}))).reason == reason


def test_none_of_several_connections_is_of_an_earlier_load():
    wanted = Expectation(FILES, "h3", zero_rtt=None, connections=2)
    assert judge(change(1, connection="8"), wanted, Evidence(frozenset({"8"}))).reason == "connection_reused"


def test_each_of_several_connections_sends_its_part():
    """As a send buffer that has not grown has it."""
    files = {path: replace(one, size_bytes=400_000) for path, one in FILES.items()}
    objects = tuple(replace(one, size_bytes=400_000) for one in GOOD.objects)
    told = Evidence(frozenset(), tcp=[TCP_INFO | {"send_buffer_bytes": SEND_BUFFER_BYTES}] * 2)
    one = replace(GOOD, objects=objects)
    two = replace(GOOD, objects=(objects[0], replace(objects[1], connection="8")))
    assert judge(one, Expectation(files, "h3", zero_rtt=None), told).reason == "tcp_options"
    assert judge(two, Expectation(files, "h3", zero_rtt=None, connections=2), told).accepted


def test_a_load_that_is_to_be_warm_uses_a_connection_of_before_and_no_other():
    assert judge(GOOD, WARM, Evidence(frozenset({"7"}), opened=OpenedConnections(0, 0, {}))).accepted
    assert judge(GOOD, WARM, Evidence(frozenset({"7"}))).accepted, "a link that counts none says nothing of it"
    two = change(1, connection="8")
    assert judge(two, WARM, Evidence(frozenset({"7", "8"}))).reason == "several_connections"


TCP_INFO = {"options": ("timestamps", "sack", "window_scaling"), "mss_bytes": 1448, "mtu_bytes": 1500}
TCP_INFO |= {"send_buffer_bytes": 87_040}
OPENED = OpenedConnections(1, 0, {}, retries=0, other_bytes=300, window_packets=10, tls_resumed=1)
BESIDE = {"cca": "cubic", "mbps": 2.5}
CONTRADICTED = [
    ("bypassed", {"link": {"server_to_client": {"bytes_out": 5319}}}),
    ("other_traffic", {"opened": replace(OPENED, other_bytes=20_001)}),
    ("cross_traffic", {"cross_traffic": []}),
    ("cross_traffic", {"cross_traffic": [BESIDE, BESIDE]}),
    ("cross_traffic", {"cross_traffic": [BESIDE | {"cca": "bbr"}]}),
    ("cross_traffic", {"cross_traffic": [BESIDE | {"mbps": 0.0}]}),
    ("handshake", {"opened": replace(OPENED, retries=1)}),
    ("tls_session", {"opened": replace(OPENED, tls_resumed=0)}),
    ("tcp_options", {"tcp": [TCP_INFO, TCP_INFO | {"options": ("timestamps", "window_scaling")}]}),
    ("tcp_options", {"tcp": [TCP_INFO | {"mss_bytes": 1348, "mtu_bytes": 1400}]}),
    ("tcp_options", {"tcp": [TCP_INFO | {"send_buffer_bytes": 65_535}]}),
    ("initial_window", {"opened": replace(OPENED, window_packets=14)}),
    ("below_floor", {}),
]
ARM = {"name": "quic", "stack": "quicv1", "protocol": "quic", "server": "envoy", "client": "chromium"}


@pytest.mark.parametrize(("reason", "facts"), CONTRADICTED)
def test_what_contradicts_a_right_load_has_its_reason(reason, facts):
    right = replace(RESUMED, link={"server_to_client": {"bytes_out": 5320}}, hosts={}, opened=OPENED, tcp=[TCP_INFO])
    right = replace(right, cross_traffic=[BESIDE])
    rtt_ms = 20 if reason != "below_floor" else 60  # two round trips and 5 KB in 103.5 ms
    least = floor_of(Link(bandwidth_mbps=10, rtt_ms=rtt_ms), Page.parse({"size_kb": 5, "count": 1}), Arm.parse(ARM))
    wanted = replace(QUIC, floor=least, tls_resumed=True, crossed=Crossed(("cubic",), 0))
    if facts:
        assert judge(GOOD, wanted, right).accepted
    assert judge(GOOD, wanted, replace(right, **facts)).reason == reason


def test_a_window_and_groups_that_the_arm_states_are_right():
    seen = replace(RESUMED, opened=replace(OPENED, window_packets=32, retries=1))
    assert judge(GOOD, QUIC, seen).reason == "handshake"
    assert judge(GOOD, replace(QUIC, groups_stated=True), seen).reason == "initial_window"
    assert judge(GOOD, replace(QUIC, groups_stated=True, initial_window=32), seen).accepted


def test_objects_of_a_film_arrive_no_sooner_than_their_link_allows():
    least = floor_of(Link(bandwidth_mbps=10, rtt_ms=20), Video(duration_s=20), Arm.parse(ARM))
    film = replace(GOOD, metrics={"session_ms": 20_000.0}, session=RIGHT_SESSION)
    assert judge(film, replace(QUIC, floor=least), RESUMED).accepted
    early = replace(film, objects=tuple(replace(one, ended_ms=22.0) for one in film.objects))
    assert judge(early, replace(QUIC, floor=least), RESUMED).reason == "below_floor"


def test_the_reasons_are_those_that_can_be_given_and_no_others():
    """The tests above and those of the sides give each of them; a verdict with another one cannot be made."""
    wrong = (*WRONG_LOADS, *WRONG_SESSIONS, *WRONG_CONNECTIONS, *CONTRADICTED)
    by_the_oracle = {reason for reason, *_ in wrong}
    by_the_sides = {"load_failed", "disturbed", "link_changed", PAIR_REPEATED}
    assert by_the_oracle | by_the_sides == set(REASONS)
    method = (paths.BOOK / "methodology.md").read_text(encoding="utf-8")
    assert [reason for reason in REASONS if f"`{reason}`" not in method] == []
    with pytest.raises(ValueError, match="made_up"):
        Verdict(False, "made_up", "by the test")
    for contradiction in (Verdict, lambda accepted: Verdict(not accepted, "cca")):
        with pytest.raises(ValueError, match="accepted"):
            contradiction(False)


def test_every_reason_can_be_written_into_a_record():
    from longlook.record.samples import REQUIRED_KEYS, SCHEMA, check_record

    texts = dict.fromkeys(("campaign", "cell_id", "arm"), "one")
    base = dict.fromkeys(REQUIRED_KEYS, 0) | texts
    base |= {"schema": SCHEMA, "accepted": False, "set_aside": False, "metrics": {}}
    for reason in REASONS:
        check_record(base | {"reject_reason": reason}, "here")


@pytest.mark.parametrize(
    ("took_ms", "stalls", "busy", "duration", "disturbed"),
    [
        (100, [], 0.4, 150, False),
        (100, [5.2], 0.4, 150, True),
        (8600, [12.0], 0.4, 8700, False),  # a seventh of a percent of the load
        (8600, [12.0, 40.0], 0.4, 8700, True),
        (1000, [], 0.99, 1100, True),
        (100, [], 1.0, 120, False),  # too short for the kernel's ticks to tell
    ],
)
def test_disturbance_by_the_first_rule(took_ms, stalls, busy, duration, disturbed):
    assert (disturbance(took_ms, stalls, busy, duration, link_counters()) is not None) is disturbed


@pytest.mark.parametrize("took_ms", [100, 9000, 90_000])
@pytest.mark.parametrize(
    ("least_ms", "stalls", "busy", "counters", "words"),
    [
        (150, [5.2], 0.4, {}, "stalled for 5.2 ms"),
        (8000, [12.0, 27.0], 0.4, {}, None),
        (8000, [12.0, 29.0], 0.4, {}, "stalled for 41.0 ms"),
        (8000, [], 0.4, {"behind_us": 39000}, None),
        (8000, [], 0.4, {"behind_us": 41000}, "41 ms behind"),
        (150, [], 0.4, {"late_over_1ms": 10}, None),
        (150, [], 0.4, {"late_over_1ms": 11}, "11 of 1000 packets"),
        (150, [], 0.99, {}, None),
        (250, [], 0.99, {}, "99% busy"),
    ],
)
def test_by_the_second_rule_it_does_not_matter_how_long_a_load_took(least_ms, stalls, busy, counters, words, took_ms):
    within = tolerated(least_ms)
    found = disturbance(took_ms, stalls, busy, took_ms + 50, link_counters(**counters), within=within)
    assert found is None if words is None else words in found


def link_counters(**changes):
    clean = {"packets_out": 500, "late_over_1ms": 0, "socket_drops": 0}
    return {"server_to_client": clean | changes, "client_to_server": clean}


@pytest.mark.parametrize(
    ("counters", "words"),
    [
        ({}, None),
        ({"late_over_1ms": 10}, None),
        ({"late_over_1ms": 11}, "11 of 1000 packets"),
        ({"socket_drops": 1}, "lost 1 packets"),
        ({"behind_us": 400}, None),
        ({"behind_us": 6000}, "6 ms behind"),
    ],
)
def test_an_emulator_that_lags_or_loses_disturbs_the_load(counters, words):
    found = disturbance(100, [], 0.4, 150, link_counters(**counters))
    assert found is None if words is None else words in found


def test_a_program_that_was_stopped_disturbs_the_load_however_briefly():
    assert disturbance(100, [], 0.4, 150, link_counters(), {}) is None
    assert disturbance(100, [], 0.4, 150, link_counters(), {"47 envoy": 0.02}) == "stopped: 47 envoy for about 20 ms"


@pytest.mark.parametrize(
    ("waited", "words"),
    [
        ({"server": 0.07, "client": 0.5}, None),
        ({"server": 0.08}, "the server waited 80 ms for a processor within 150 ms"),
        ({"client": 0.61}, "the client waited 610 ms"),
    ],
)
def test_a_program_that_got_no_processor_disturbs_the_load(waited, words):
    found = disturbance(100, [], 0.4, 150, link_counters(), {}, waited)
    assert found is None if words is None else words in found
