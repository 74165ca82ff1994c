"""Small results of transfers that run together, with known rates."""

from longlook.analysis.result import CellResult
from longlook.experiment.registry import named
from longlook.plan.cell import Cell
from longlook.record.samples import Sample

SERVERS = {"quic": "envoy", "tcp": "apache"}


def together(campaign, series, label, rates, runs=5, emulated=2, finished_s=None, experiment="fairness", **metrics):
    """Flows of one scenario: protocol -> rate in Mbit/s, a hundredth (and a second) more in each run."""
    cells = tuple(_cell(series, label, rates, emulated, experiment, run) for run in range(runs))
    samples = [
        Sample(
            arm=arm.name, index=run, attempt=0, order=place, accepted=True, set_aside=False, reject_reason=None,
            disturbed=False, zero_rtt=None,
            metrics={
                "mean_mbps": rates[arm.protocol] + run / 100, "finished_s": finished_s and finished_s + run,
                "lost": 10.0,
                "cwnd_max_bytes": 50000.0 + run, **metrics,
            },
        )
        for run in range(runs)
        for place, arm in enumerate(cells[0].arms)
    ]  # fmt: skip
    counts = (len(cells[0].arms),) * runs
    return CellResult(campaign, named(experiment, "sample"), cells, tuple(samples), counts=counts)


def _cell(series, label, rates, emulated, experiment, run):
    arms = [
        {"stack": "quicv1", "protocol": one, "server": SERVERS[one], "client": "chromium"}
        | ({"emulated_connections": emulated} if one == "quic" else {})
        for one in rates
    ]
    return Cell.parse(
        {
            "study": "muthuraj2024", "series": series, "label": label, "experiment": experiment, "mode": "together",
            "arms": arms, "workload": {"size_kb": 50_000}, "duration_s": 60, "loads": 1, "replicate": run,
            "link": {"bandwidth_mbps": 5, "rtt_ms": 36, "queue_bytes": 30720},
        }
    )  # fmt: skip
