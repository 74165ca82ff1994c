"""The metrics of all experiments, so that one name means one thing."""

from __future__ import annotations

from longlook.experiment.base import Metric

PLT = Metric("plt_ms", "ms", "low", "page load time")
TTLB = Metric("ttlb_ms", "ms", "low", "time to the last byte")
CONNECT = Metric("connect_ms", "ms", "low", "time until the connection stands")
TTFB = Metric("ttfb_ms", "ms", "low", "time to the first byte")
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
