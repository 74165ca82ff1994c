"""Every way in which a load can be wrong has its own reason; the right load has none."""

import copy

import pytest

from longlook.experiment.oracle import Evidence, Expectation, disturbance, judge, page_load_time_ms
from longlook.reasons import REASONS

SIZES = {"/index.html": 200, "/img/000.jpg": 5120}


def entry(path, size, protocol="h3", status=200, connection="7", headers=()):
    return {
        "request": {"url": f"https://longlook.test{path}"},
        "response": {
            "status": status,
            "httpVersion": protocol,
            "headers": [{"name": name, "value": value} for name, value in headers],
            "content": {"size": size},
        },
        "connection": connection,
        "timings": {"dns": 0.5, "connect": 1.7},
    }


def good():
    return {
        "pages": [{"pageTimings": {"onLoad": 104.0, "onContentLoad": 60.0}}],
        "entries": [entry(path, size) for path, size in SIZES.items()],
    }


QUIC = Expectation(sizes=SIZES, har_protocol="h3", zero_rtt=True)
RESUMED = Evidence(frozenset({"6"}), {"7": True})


def test_a_right_load_is_accepted_and_described():
    verdict = judge(good(), QUIC, RESUMED)
    assert (verdict.accepted, verdict.reason) == (True, None)
    assert (verdict.connection_ids, verdict.protocols_seen, verdict.zero_rtt) == (("7",), ("h3",), True)


def test_plt_excludes_dns_of_the_first_entry_and_an_absent_dns_phase():
    har = good()
    assert page_load_time_ms(har) == 103.5
    har["entries"][0]["timings"]["dns"] = -1
    assert page_load_time_ms(har) == 104.0


def change(har, index, **fields):
    changed = copy.deepcopy(har)
    for dotted, value in fields.items():
        target = changed["entries"][index]
        *way, last = dotted.split("__")
        for step in way:
            target = target[step]
        target[last] = value
    return changed


@pytest.mark.parametrize(
    ("reason", "har"),
    [
        ("status", change(good(), 1, response__status=404)),
        ("protocol", change(good(), 0, response__httpVersion="h2")),
        ("protocol", change(good(), 0, response__httpVersion="http/1.1")),
        ("compressed", change(good(), 1, response__headers=[{"name": "Content-Encoding", "value": "gzip"}])),
        ("cached", change(good(), 1, _fromDiskCache=True)),
        ("object_size", change(good(), 1, response__content__size=5119)),
        ("object_count", {**good(), "entries": good()["entries"][:1]}),
        ("object_count", {**good(), "entries": [*good()["entries"], entry("/favicon.ico", 10)]}),
    ],
)
def test_each_wrong_har_has_its_reason(reason, har):
    verdict = judge(har, QUIC, RESUMED)
    assert not verdict.accepted
    assert verdict.reason == reason
    assert verdict.detail


@pytest.mark.parametrize(
    ("reason", "wanted", "seen"),
    [
        ("zero_rtt_rejected", QUIC, Evidence(frozenset(), {"7": False})),
        ("unexpected_zero_rtt", Expectation(SIZES, "h3", zero_rtt=False), RESUMED),
        ("several_connections", QUIC, Evidence(frozenset(), {"7": True, "8": True})),
        ("connection_reused", QUIC, Evidence(frozenset({"7"}), {"7": True})),
        ("connection_reused", QUIC, Evidence(frozenset(), {})),
        ("cca", QUIC, Evidence(frozenset(), {"7": True}, cca="bbr")),
        ("connection_reused", Expectation(SIZES, "h3", None), Evidence(frozenset({"7"}))),
    ],
)
def test_each_wrong_connection_has_its_reason(reason, wanted, seen):
    verdict = judge(good(), wanted, seen)
    assert (verdict.accepted, verdict.reason) == (False, reason)


@pytest.mark.parametrize(
    ("connect_ms", "client_packets_lost", "accepted"),
    [(1.7, 1, True), (1.7, 0, False), (38.0, 1, False), (-1, 1, False)],
)
def test_a_0rtt_request_that_the_link_lost_is_no_rejection(connect_ms, client_packets_lost, accepted):
    har = change(good(), 0, timings__connect=connect_ms)
    wanted = Expectation(SIZES, "h3", zero_rtt=True, rtt_ms=36)
    verdict = judge(har, wanted, Evidence(frozenset(), {"7": False}, client_packets_lost=client_packets_lost))
    assert (verdict.accepted, verdict.zero_rtt) == (accepted, False)


def test_tcp_connections_are_told_apart_by_the_browser():
    wanted = Expectation(SIZES, "h3", zero_rtt=None)
    assert judge(good(), wanted, Evidence(frozenset({"6"}))).accepted
    two = change(good(), 1, connection="8")
    assert judge(two, wanted, Evidence(frozenset())).reason == "several_connections"


def test_every_reason_can_be_written_into_a_record():
    from longlook.record.runs import check_run

    base = dict.fromkeys(("campaign", "cell_id", "arm", "protocol", "load_index", "attempt", "order"), 0)
    for reason in REASONS:
        check_run(
            base | {"schema": "longlook.run/1", "plt_ms": None, "accepted": False, "reject_reason": reason}, "here"
        )


@pytest.mark.parametrize(
    ("plt_ms", "stalls", "busy", "duration", "disturbed"),
    [
        (100, [], 0.4, 150, False),
        (100, [5.2], 0.4, 150, True),
        (8600, [12.0], 0.4, 8700, False),  # a seventh of a percent of the load
        (8600, [12.0, 40.0], 0.4, 8700, True),
        (1000, [], 0.99, 1100, True),
        (100, [], 1.0, 120, False),  # too short for the kernel's ticks to tell
    ],
)
def test_disturbance(plt_ms, stalls, busy, duration, disturbed):
    assert (disturbance(plt_ms, stalls, busy, duration, link_counters()) is not None) is disturbed


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
    ],
)
def test_an_emulator_that_lags_or_loses_disturbs_the_load(counters, words):
    found = disturbance(100, [], 0.4, 150, link_counters(**counters))
    assert found is None if words is None else words in found
