"""The browser's processor time as a share of PLT."""

import pandas as pd

from longlook.analysis.processor import client_share


def test_a_cells_share_is_the_greatest_of_its_arms():
    rows = [
        ("c", "one", "quic", "plt_ms", 400.0),
        ("c", "one", "quic", "client_cpu_s", 0.3),
        ("c", "one", "tcp", "plt_ms", 500.0),
        ("c", "one", "tcp", "client_cpu_s", 0.1),
        ("c", "two", "quic", "plt_ms", 1000.0),
        ("c", "two", "quic", "client_cpu_s", 0.1),
        ("c", "two", "quic", "server_cpu_s", 9.0),
    ]
    arms = pd.DataFrame(rows, columns=["campaign", "cell_id", "arm", "metric", "mean"])
    assert client_share(arms).to_dict() == {("c", "one"): 0.75, ("c", "two"): 0.1}
