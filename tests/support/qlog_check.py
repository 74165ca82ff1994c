"""Whether a qlog is one, and one that qvis opens."""

import json

CATEGORIES = {"transport:packet_sent", "transport:packet_received", "recovery:packet_lost", "recovery:metrics_updated"}
METRICS = {"congestion_window", "ssthresh", "smoothed_rtt", "bytes_in_flight", "latest_rtt"}
FRAMES = {"ack": {"acked_ranges"}, "stream": {"stream_id", "offset", "length"}}


def valid(text):
    """What is wrong with a qlog by its main schema (draft-ietf-quic-qlog-main-schema-02) and the event definitions of
    the same day, and by qvis, which looks for version and format in the first 1024 letters, wants events in order, and
    complains of packet sizes and types outside of `raw` and `header`."""
    head = text[:1024]
    found = [key for key in ('"qlog_version"', '"qlog_format"') if key not in head]
    log = json.loads(text)
    found += [key for key in ("qlog_version", "traces") if key not in log]
    if (log["qlog_version"], log["qlog_format"]) != ("0.3", "JSON"):
        found.append("version and format")
    for trace in log["traces"]:
        if trace["vantage_point"]["type"] not in ("client", "server", "network", "unknown"):
            found.append("vantage_point")
        common = trace["common_fields"]
        if common["time_format"] != "relative" or not isinstance(common["reference_time"], float):
            found.append("time_format")
        times = [event["time"] for event in trace["events"]]
        if times != sorted(times) or not trace["events"]:
            found.append("times")
        found += [problem for event in trace["events"] for problem in event_problems(event)]
    return found


def event_problems(event):
    name, data = event["name"], event["data"]
    if set(event) != {"time", "name", "data"} or name not in CATEGORIES:
        return [f"event {event}"]
    if name == "recovery:metrics_updated":
        return [] if data and data.keys() <= METRICS else [f"metrics {data}"]
    header = data["header"]
    found = [] if header.keys() == {"packet_type", "packet_number"} and header["packet_type"] == "1RTT" else ["header"]
    if name.startswith("transport:"):
        found += [] if data["raw"]["length"] > 0 else ["raw"]
        for frame in data["frames"]:
            missing = FRAMES[frame["frame_type"]] - frame.keys()
            found += [f"frame {frame}"] if missing else []
    return found
