"""The metrics of all experiments, so that one name means one thing."""

from __future__ import annotations

from longlook.experiment.base import Metric

PLT = Metric("plt_ms", "ms", "low", "page load time")
BY_STAMPS = Metric("plt_by_stamps_ms", "ms", "low", "page load time by the browser's own stamps")
"""From the stamp that a browser gives the page's request, which Chromium of 2018 does when its answer is there."""
SPEED_INDEX = Metric("speed_index_ms", "ms", "low", "Speed Index")
"""The mean time at which what is seen of a page came to be seen: the area over its visual progress."""
FCP = Metric("fcp_ms", "ms", "low", "first contentful paint")
LCP = Metric("lcp_ms", "ms", "low", "largest contentful paint")
COMPLETE = Metric("complete_ms", "ms", "low", "time until what is seen is complete")
TTLB = Metric("ttlb_ms", "ms", "low", "time to the last byte")
FILE_MEAN = Metric("file_mean_ms", "ms", "low", "time until a file is whole, mean of a download's files")
DURATION = Metric("duration_ms", "ms", "low", "connection duration, first packet to last")
CONNECT = Metric("connect_ms", "ms", "low", "time until the connection stands")
TTFB = Metric("ttfb_ms", "ms", "low", "time to the first byte")
PACKETS = Metric("packets", "packets", None, "packets of the connection, both ways")
PACKETS_UP = Metric("packets_up", "packets", None, "packets from the client that reached the server")
BYTES_UP = Metric("bytes_up", "bytes", None, "bytes from the client that reached the server")
BYTES_DOWN = Metric("bytes_down", "bytes", None, "bytes that the server sent")
CLIENT_CPU = Metric("client_cpu_s", "s", None, "CPU of the client")
SERVER_CPU = Metric("server_cpu_s", "s", None, "CPU of the server")
RATE = Metric("mean_mbps", "Mbit/s", "high", "mean rate")
FINISHED = Metric("finished_s", "s", "low", "time until all is loaded")
LOST = Metric("lost", "packets", None, "packets declared lost")
SPURIOUS = Metric("spurious", "packets", None, "packets declared lost that had arrived")
RESPONSE_MEDIAN = Metric("response_ms_median", "ms", None, "time until the server answers, median")
RESPONSE_MAX = Metric("response_ms_max", "ms", None, "time until the server answers, longest")
WINDOW_MAX = Metric("cwnd_max_bytes", "bytes", None, "largest congestion window")
QUEUE_MAX = Metric("queue_max_ms", "ms", None, "longest queue on the way down")
HOLD_MAX = Metric("hold_max_ms", "ms", None, "longest wait of the client before it acknowledged")
STARTUP = Metric("startup_ms", "ms", "low", "time until a film begins to play")
STALLS = Metric("stalls", "stalls", "low", "times that a film stood still")
STALLED = Metric("stalled_ms", "ms", "low", "how long a film stood still")
SWITCHES = Metric("switches", "switches", None, "changes of the bitrate that was shown")
SHOWN = Metric("mean_kbps", "kbit/s", "high", "mean bitrate that was shown")
LOADED = Metric("bytes", "bytes", None, "bytes that the player loaded")
DROPPED = Metric("frames_dropped", "frames", None, "frames that the browser dropped")
FRAMES = Metric("frames", "frames", None, "frames, shown and dropped")
SESSION = Metric("session_ms", "ms", None, "length of the session")
