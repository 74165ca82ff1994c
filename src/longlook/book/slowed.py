"""How page load times move where a share of every processor's time is taken.

`slowed.csv`, of a machine with one processor and with two, holds the rule to it by which a processor bounds an arm
(`processor.is_bound`). `python -m longlook.book.slowed PLAIN SLOWED ...` prints it, of pairs of campaigns of one sweep,
the second of which was run by `tools/slowed.py`. Loads that were rejected as disturbed count in both: a machine with
nothing left to give is one. It was made on 30 November 2026 on an Intel Xeon of two processors: of four local campaigns
of `sweeps/processors.toml`, by which the bound of an only processor was chosen first, and of four of
`sweeps/processors-others.toml`, on which that one failed. What is taken and what the host does in the minutes between
two campaigns is not told apart.
"""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import pandas as pd
from IPython.display import HTML

from longlook import paths
from longlook.analysis.processor import is_bound
from longlook.dataset.results import with_folders
from longlook.experiment.metrics import CLIENT_CPU, PLT
from longlook.figure import style
from longlook.figure.table import shown_table
from longlook.record.campaign import ENVIRONMENT_NAME, Campaign
from longlook.record.campaigns import find_campaign
from longlook.record.durable import read_json
from longlook.record.samples import Sample, read_samples

FILE = "slowed.csv"
LOST = 0.2
"""Of each processor's time."""
MOVES = 0.2
"""% of PLT for 1 % of the processors' time, from which on a machine a tenth slower takes 2 % longer."""
COLUMNS = (
    "sweep", "processors", "workload", "bandwidth_mbps", "rtt_ms", "protocol", "loads", "plt_ms", "slowed_loads",
    "slowed_plt_ms", "browser_share", "busy_share",
)  # fmt: skip
NUMBERS = ("plt_ms", "slowed_plt_ms", "browser_share", "busy_share")
HEAD = ("sweep", "processors", "marked", "arms", "% of PLT for 1 % of the processors' time", f"above {MOVES:g}")


def rows(plain: Campaign, slowed: Campaign) -> Iterator[tuple[object, ...]]:
    """One of each arm, as COLUMNS, of the cells that both have."""
    others = {(cell.workload, cell.link): folder for cell, folder in with_folders(slowed)}
    for cell, folder in with_folders(plain):
        again = others.get((cell.workload, cell.link))
        if again is None:
            continue
        processors = read_json(folder / ENVIRONMENT_NAME)["cpus"]
        for arm in cell.arms:
            own, other = (_loads(one, arm.name) for one in (folder, again))
            plt_ms, slowed_ms = (_mean(one, PLT.name) for one in (own, other))
            browser = 1000 * _mean(own, CLIENT_CPU.name) / plt_ms
            busy = fmean(load.machine_busy for load in own if load.machine_busy is not None)
            link = cell.link.bandwidth_mbps, cell.link.rtt_ms
            times = len(own), round(plt_ms, 1), len(other), round(slowed_ms, 1)
            shares = round(browser, 3), round(busy, 3)
            yield cell.series, processors, cell.workload.label, *link, arm.protocol, *times, *shares


def _loads(folder: Path, arm: str) -> list[Sample]:
    own = [one for one in read_samples(folder) if one.arm == arm and not one.set_aside]
    return [one for one in own if one.accepted or one.reject_reason == "disturbed"]


def _mean(loads: list[Sample], metric: str) -> float:
    found = [value for one in loads if (value := one.metrics.get(metric)) is not None]
    return fmean(found)


def kept(book: Path = paths.BOOK) -> pd.DataFrame:
    """The rows, with what PLT moves by (`moves`, as MOVES) and what the rule says (`bound`)."""
    with (book / FILE).open(encoding="utf-8", newline="") as lines:
        found = pd.DataFrame(list(csv.DictReader(lines)))
    found = found.astype({"processors": int} | dict.fromkeys(NUMBERS, float))
    longer = found["slowed_plt_ms"] / found["plt_ms"]
    moves = longer.map(math.log) / -math.log(1 - LOST)
    told = zip(found["browser_share"], found["busy_share"], found["processors"], strict=True)
    return found.assign(moves=moves, bound=[is_bound(*one) for one in told])


def table() -> HTML:
    """Of marked arms, and of the others: by how much their page load times move."""
    shown = []
    for (sweep, processors, bound), own in kept().groupby(["sweep", "processors", "bound"]):
        least, median, most = (own["moves"].quantile(at) for at in (0, 0.5, 1))
        moved = f"{median:.2f} ({least:.2f} to {most:.2f})".replace("-", style.MINUS)
        above = f"{(own['moves'] > MOVES).sum()} of {len(own)}"
        shown.append([sweep, str(processors), "yes" if bound else "no", str(len(own)), moved, above])
    return shown_table(HEAD, shown, numeric={1, 3, 4, 5})


if __name__ == "__main__":
    campaigns = [find_campaign(paths.RAW, name) for name in sys.argv[1:]]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(COLUMNS)
    for plain, slowed in zip(campaigns[::2], campaigns[1::2], strict=True):
        writer.writerows(rows(plain, slowed))
