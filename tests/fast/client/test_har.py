"""What a browser's HAR says, as an observation: the only place that knows HARs."""

import copy
import json

import pytest

from longlook.client.chromium.har import observation, recorded


def entry(path, size, at="2026-11-22T10:00:00.010Z", headers=(), **timings):
    return {
        "request": {"url": f"https://longlook.test:444{path}?q=1"},
        "response": {
            "status": 200,
            "httpVersion": "h3",
            "headers": [{"name": name, "value": value} for name, value in headers],
            "content": {"size": size},
            "_transferSize": size + 100,
        },
        "startedDateTime": at,
        "time": 40.12345,
        "connection": "7",
        "timings": {"dns": 0.5, "connect": 1.71234} | timings,
    }


def har(*entries):
    page = {"startedDateTime": "2026-11-22T10:00:00.000Z", "pageTimings": {"onLoad": 104.0, "onContentLoad": 60.0}}
    return {"creator": {"name": "t"}, "pages": [page], "entries": list(entries or (entry("/index.html", 200),))}


def test_plt_excludes_dns_of_the_first_entry_and_an_absent_dns_phase():
    assert observation(har()).metrics["plt_ms"] == 103.5
    assert observation(har(entry("/index.html", 200, dns=-1))).metrics["plt_ms"] == 104.0


def test_phases_that_did_not_happen_are_absent():
    whole = observation(har())
    assert whole.metrics == {"plt_ms": 103.5, "on_load_ms": 104.0, "on_content_load_ms": 60.0, "dns_ms": 0.5}
    assert whole.connect_ms == 1.71234
    without = observation(har(entry("/index.html", 200, dns=-1, connect=-1)))
    assert set(without.metrics) == set(whole.metrics) - {"dns_ms"} and without.connect_ms is None


def test_a_late_stamp_of_the_pages_request_gives_a_second_time_and_stays_in_the_artefact():
    given = har()
    given["pages"][0]["_lateMs"] = 60.12345
    whole = observation(given)
    assert whole.metrics["plt_ms"] == 103.5 and whole.metrics["plt_by_stamps_ms"] == pytest.approx(43.877)
    assert recorded(whole.artefact).metrics == whole.metrics
    assert "late_ms" not in observation(har()).artefact["log"]["page"]


def test_objects_are_told_with_path_size_times_and_what_became_of_them():
    gzip = entry("/img/a%20b.jpg", 5120, at="2026-11-22T10:00:00.050Z", headers=[("Content-Encoding", "gzip")])
    cached = entry("/img/001.jpg", 5120) | {"_fromDiskCache": True}
    seen = observation(har(entry("/index.html", 200), gzip, cached))
    page, packed, kept = seen.objects
    assert (page.path, page.size_bytes, page.encoding, page.cached, page.sha256) == (
        "/index.html",
        200,
        None,
        False,
        None,
    )
    assert (packed.path, packed.encoding) == ("/img/a b.jpg", "gzip") and kept.cached
    assert (page.started_ms, packed.started_ms) == (10.0, 50.0)
    assert packed.ended_ms == pytest.approx(90.12345)
    assert seen.connections == ("7",) and seen.protocols == ("h3",)


def test_the_artefact_is_the_har_without_what_is_equal_in_every_load():
    given = har(entry("/index.html", 200), entry("/img/000.jpg", 5120))
    before = copy.deepcopy(given)
    artefact = observation(given).artefact
    assert given == before and artefact["kind"] == "har"
    log = artefact["log"]
    assert set(log) == {"creator", "page", "entries"} and log["page"]["pageTimings"]["onLoad"] == 104.0
    assert log["entries"][1] == {
        "url": "https://longlook.test:444/img/000.jpg?q=1",
        "startedDateTime": "2026-11-22T10:00:00.010Z",
        "time": 40.123,
        "status": 200,
        "httpVersion": "h3",
        "size": 5120,
        "transferSize": 5220,
        "connection": "7",
        "timings": {"dns": 0.5, "connect": 1.712},
    }
    json.dumps(artefact)
