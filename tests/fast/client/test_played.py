"""A session of a film: its numbers from what the browser told, and each way in which it may not count."""

import pytest
from films import FILM, PATHS, request, session

from longlook.client.artefact import observed
from longlook.client.played import stalls_ms, timeline
from longlook.errors import LonglookError
from longlook.experiment.oracle import Evidence, Expectation, judge
from longlook.site.film import MANIFEST, film_sizes, listed, segment_path
from longlook.site.tree import SiteFile

FILES = {
    path: SiteFile(size, listed(FILM)[path][1] if path != MANIFEST else "", "")
    for path, size in film_sizes(FILM).items()
}
WANTED = Expectation(FILES, protocol="h3", zero_rtt=False, chosen=True)
NEW = Evidence(frozenset(), {"7": False})
LATE = segment_path(1100, 5)


def test_its_numbers_follow_from_what_the_browser_told():
    found = observed(session())
    assert found.metrics["startup_ms"] == 1000 and found.metrics["connect_ms"] == 10.5
    assert (found.metrics["stalls"], found.metrics["stalled_ms"], found.metrics["switches"]) == (1, 3000, 1)
    assert found.metrics["mean_kbps"] == pytest.approx((2 * 365 + 12 * 1100) / 14)
    assert found.metrics["bytes"] == sum(film_sizes(FILM)[path] for path in PATHS)
    assert (found.metrics["frames"], found.metrics["frames_dropped"], found.metrics["session_ms"]) == (330, 2, 18_000)
    assert judge(found, WANTED, NEW).accepted


def test_a_session_over_its_time():
    rows = list(timeline(session()))
    assert [(row["time_s"], row["kbps"], row["stalled"]) for row in rows[::4]] == [
        *((0.0, 0, 0), (2.0, 365, 0), (4.0, 1100, 0), (6.0, 1100, 1), (8.0, 1100, 0)),
        *((time_s, 1100, 0) for time_s in (10.0, 12.0, 14.0, 16.0, 18.0)),
    ]
    assert rows[-1]["position_s"] == 14 and {row["buffer_s"] for row in rows} == {4.0}


def test_the_end_of_a_film_is_no_stall_and_the_end_of_a_session_ends_one():
    assert stalls_ms(session(events=[[900.0, "waiting"], [1000.0, "playing"], [9000.0, "ended"]])) == []
    assert stalls_ms(session(events=[[1000.0, "playing"], [17_000.0, "waiting"]])) == [(17_000, 18_000)]
    twice = [[1000.0, "playing"], [2000.0, "waiting"], [2100.0, "waiting"], [2500.0, "playing"], [2500.1, "playing"]]
    assert stalls_ms(session(events=twice)) == [(2000, 2500)]


def test_what_a_player_gives_up_or_has_under_way_at_the_end_is_no_fault():
    seen = observed(session(changes={PATHS[-1]: {"ended": "under way", "status": None, "ended_ms": None}}))
    assert judge(seen, WANTED, NEW).accepted
    given_up = session()
    given_up["requests"].append(request(segment_path(3000, 7), 900.0, ended="given up", sha256=None, size=None))
    assert judge(observed(given_up), WANTED, NEW).accepted


def test_of_a_segment_that_came_twice_the_last_one_in_time_is_shown():
    told = session()
    told["requests"].append(request(segment_path(3000, 6), 2000.0))
    told["requests"].append(request(segment_path(2000, 5), 17_000.0))
    assert observed(told).metrics["mean_kbps"] == pytest.approx((2 * 365 + 10 * 1100 + 2 * 3000) / 14)


WRONG = {
    "a segment is missing": (session(changes={LATE: {"status": 404, "sha256": None, "size": None}}), "status"),
    "a segment is cut short": (
        session(changes={LATE: {"ended": "net::ERR_CONTENT_LENGTH_MISMATCH", "sha256": None, "size": None}}),
        "cut_short",
    ),
    "a segment never was answered": (
        session(changes={LATE: {"ended": "net::ERR_CONNECTION_CLOSED", "status": None, "sha256": None, "size": None}}),
        "unanswered",
    ),
    "a segment has other bytes": (session(changes={LATE: {"sha256": "ab" * 32}}), "object_content"),
    "a segment is longer": (session(changes={LATE: {"size": 5}}), "object_size"),
    "it never begins": (session(events=[], media_s=0, frames=0, frames_dropped=0), "not_started"),
    "frames are dropped": (session(frames_dropped=40), "frames_dropped"),
    "it stood still, and told of no stall": (session(events=[[1000.0, "playing"]]), "playback"),
    "it went past what had not arrived": (
        session(changes={LATE: {"ended": "given up", "sha256": None, "size": None}}),
        "playback",
    ),
    "another protocol": (session(changes={LATE: {"protocol": "h2"}}), "protocol"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_session_that_may_not_count_has_its_reason(fault):
    told, reason = WRONG[fault]
    assert judge(observed(told), WANTED, NEW).reason == reason


def test_a_file_that_the_film_has_not_is_no_part_of_a_session():
    other = Expectation({path: one for path, one in FILES.items() if path != LATE}, "h3", zero_rtt=False, chosen=True)
    verdict = judge(observed(session()), other, NEW)
    assert (verdict.reason, LATE in str(verdict.detail)) == ("object_count", True)


def test_what_arrived_and_the_player_never_had_cannot_be_read():
    with pytest.raises(LonglookError, match="the player never had it"):
        observed(session(changes={LATE: {"sha256": None, "size": None}}))
