"""What gtlsclient writes of a fetch, read."""

import json

import pytest

from longlook.client import downloaded
from longlook.client.artefact import observed
from longlook.client.ngtcp2.accounts import has_early_request, of_debug_output, of_qlog
from longlook.errors import LonglookError
from longlook.experiment.recheck import _print

OUTPUT = """\
Sent packet: local=[10.0.0.2]:55858 remote=[10.0.0.1]:443 ecn=0x2 1200 bytes
QUIC handshake has completed
Negotiated ALPN is h3
http: stream 0x0 submit request headers
http: stream 0x0 [:status: 200]
http: stream 0x0 [content-length: 200000]
"""
TOLD = {"status": 200, "protocol": "h3", "port": 55858}


def packet(time, way, kind, *frames):
    header = {"packet_type": kind, "packet_number": 0}
    return {"time": time, "name": f"transport:packet_{way}", "data": {"frames": list(frames), "header": header}}


def stream(number, offset=0):
    return {"frame_type": "stream", "stream_id": number, "offset": offset, "length": 10}


ACK, CRYPTO = {"frame_type": "ack"}, {"frame_type": "crypto", "offset": 0, "length": 36}
HEAD = {"qlog_format": "JSON-SEQ", "trace": {}}
FETCH = [
    HEAD,
    packet(3, "sent", "initial", CRYPTO),
    {"time": 3, "name": "recovery:metrics_updated", "data": {"congestion_window": 14520}},
    packet(20, "received", "handshake", CRYPTO),
    packet(20, "received", "1RTT", stream(3)),  # the server's settings
    packet(21, "sent", "handshake", ACK),
    packet(24, "sent", "handshake", CRYPTO),
    packet(24, "sent", "1RTT", stream(0)),  # the request
    packet(30, "sent", "handshake", CRYPTO),  # again
    packet(43, "received", "1RTT", ACK, stream(0)),
    packet(60, "received", "1RTT", stream(7), stream(0, 10)),
    packet(61, "received", "1RTT", stream(7)),
    packet(62, "sent", "1RTT", {"frame_type": "connection_close"}),
]


def qlog(events):
    return b"".join(b"\x1e" + json.dumps(event).encode() + b"\n" for event in events)


def test_times_count_from_the_first_packet_and_end_with_the_requests_last_bytes():
    assert of_qlog(qlog(FETCH)) == {"connect_ms": 21, "ttfb_ms": 40, "ttlb_ms": 57}


def test_a_request_that_left_as_early_data_is_told_from_one_that_waited():
    settings, request = packet(4, "sent", "0RTT", stream(2)), packet(5, "sent", "0RTT", stream(0))
    early = [*FETCH[:2], settings, request, *FETCH[2:]]
    assert has_early_request(qlog(early)) and of_qlog(qlog(early))["connect_ms"] == 2
    assert not has_early_request(qlog([*FETCH[:2], settings, *FETCH[2:]])) and not has_early_request(qlog(FETCH))


@pytest.mark.parametrize("without", ["sent initial", "sent handshake", "received stream"])
def test_half_a_fetch_is_told_as_such(without):
    gone = {
        "sent initial": lambda event: event["name"] == "transport:packet_sent",
        "sent handshake": lambda event: event["name"] == "transport:packet_sent" and CRYPTO in event["data"]["frames"],
        "received stream": lambda event: event["name"] == "transport:packet_received",
    }[without]
    kept = [HEAD, *(event for event in FETCH[1:] if not gone(event))]
    with pytest.raises(ValueError, match="holds no whole fetch"):
        of_qlog(qlog(kept))


def test_a_qlog_that_was_cut_is_an_error():
    with pytest.raises(ValueError, match=r"Unterminated|Expecting"):
        of_qlog(qlog(FETCH)[:-20])


def test_its_output_tells_status_protocol_and_port():
    assert of_debug_output(OUTPUT) == TOLD


@pytest.mark.parametrize(
    ("gone", "words"), [("[:status: 200]", "no status"), ("Negotiated", "no protocol"), ("Sent packet", "no packet")]
)
def test_what_is_not_there_is_said(gone, words):
    with pytest.raises(ValueError, match=words):
        of_debug_output(OUTPUT.replace(gone, "something else"))


def test_downloads_that_are_equal_by_the_qlog_are_told_apart():
    told = TOLD | of_qlog(qlog(FETCH)) | {"size": 200_000, "sha256": "ab" * 32}
    first, second = (downloaded.observation("/file-000.bin", 1, told | {"process_ms": took}) for took in (90.1, 90.2))
    assert first.metrics["ttlb_ms"] == second.metrics["ttlb_ms"]
    assert _print(first) != _print(second)


def test_a_record_gives_the_observation_back():
    told = TOLD | of_qlog(qlog(FETCH)) | {"size": 200_000, "sha256": "ab" * 32, "id": 4, "ok": True}
    first = downloaded.observation("/file-000.bin", 4, told)
    again = observed(json.loads(json.dumps(first.artefact)))
    assert again == first and again.connections == ("4:55858",) and again.protocols == ("h3",)
    assert again.metrics == {"connect_ms": 21, "ttfb_ms": 40, "ttlb_ms": 57} and again.connect_ms == 21
    assert "ok" not in first.artefact and "id" not in first.artefact
    with pytest.raises(LonglookError, match="a download, cannot be read"):
        observed({key: value for key, value in first.artefact.items() if key != "ttlb_ms"})
    with pytest.raises(LonglookError, match="a download, cannot be read"):
        observed(dict(first.artefact) | {"ttlb_ms": "soon"})
