"""What disturbs a load, by either rule: `rejudged.csv` has the sealed loads of which rule 2 says otherwise.

Sealed verdicts stay. `python -m longlook.book.rejudged` judges what the records keep again, by rule 2, and writes the
loads whose verdict it changes. A record has no duration of the load but its time (PLT), by which waiting is judged.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from IPython.display import HTML

from longlook import paths
from longlook.analysis.first_attempts import DISTURBED, Place, agreeing_at_first, are_first, by_arm, verdict
from longlook.analysis.newest import role_of
from longlook.analysis.order import one_row_each
from longlook.analysis.rejected import rejections
from longlook.analysis.welch import Summary
from longlook.book.agreement import squares
from longlook.book.data import BookData, load
from longlook.dataset.results import with_folders
from longlook.experiment.metrics import PLT
from longlook.experiment.oracle import Tolerated, disturbance
from longlook.experiment.told import main_metric, tolerated_in, waited_s
from longlook.figure import style
from longlook.figure.table import html_table
from longlook.plan.arm import Arm
from longlook.record.campaign import Campaign
from longlook.record.campaigns import scan_campaigns
from longlook.record.samples import read_records

FILE = "rejudged.csv"
LOAD = ("campaign", "cell_id", "arm", "index", "attempt")
TOGETHER = "all campaigns"
"""Of reference campaigns."""


def changed_loads(campaign: Campaign) -> Iterator[tuple[Any, ...]]:
    """The loads, as LOAD, that rule 1 judged and that rule 2 judges otherwise."""
    for cell, folder in with_folders(campaign):
        arms = {arm.name: arm for arm in cell.arms}
        within = tolerated_in(cell)
        if cell.mode == "interleaved" and within is not None:
            for record in read_records(folder):
                if _is_judged(record) and _is_disturbed(within, arms[record["arm"]], record) != record["disturbed"]:
                    yield tuple(record[name] for name in LOAD)


def _is_judged(record: Mapping[str, Any]) -> bool:
    """Nothing else was wrong with it, and its record keeps what a rule goes by."""
    known = record.get("stalls_ms") is not None and record.get("cpu") and main_metric(record["metrics"]) is not None
    return bool(known) and record.get("rule", 1) == 1 and record["reject_reason"] in (None, DISTURBED)


def _is_disturbed(within: Tolerated, arm: Arm, record: Mapping[str, Any]) -> bool:
    took_ms, cpu = main_metric(record["metrics"]) or 0.0, record["cpu"]
    return (
        disturbance(
            took_ms,
            record["stalls_ms"],
            cpu["machine_busy"],
            took_ms,
            record.get("link") or {},
            record.get("stopped_s"),
            waited_s(arm, {"client_wait_s": None, "server_wait_s": None} | cpu),
            record.get("clock_step_s", 0.0),
            within,
        )
        is not None
    )


def keep(raw: Path = paths.RAW, book: Path = paths.BOOK) -> None:
    """Writes the table, of every campaign that can be read."""
    with (book / FILE).open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(LOAD)
        for campaign in scan_campaigns(raw)[0]:
            if role_of(campaign.id) == "reference":
                writer.writerows(changed_loads(campaign))


def kept(book: Path = paths.BOOK) -> pd.DataFrame:
    """The table as it is kept."""
    with (book / FILE).open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    return pd.DataFrame(rows, columns=[*LOAD]).astype({"index": int, "attempt": int})


def by_second_rule(loads: pd.DataFrame, changed: pd.DataFrame) -> pd.DataFrame:
    """Rows of `samples` with the verdicts of rule 2; `changed` as `kept` has them."""
    own, others = (pd.MultiIndex.from_frame(one[[*LOAD]]) for one in (loads, changed))
    turned = own.isin(others)
    accepted = loads["accepted"].to_numpy(dtype=bool)
    reason = loads["reject_reason"].mask(turned, None).mask(turned & accepted, DISTURBED)
    return loads.assign(accepted=accepted ^ turned, reject_reason=reason)


def first_accepted(loads: pd.DataFrame) -> pd.DataFrame:
    """Of each load the first attempt that counts: one that a rule would not have repeated has no other."""
    own = loads[loads["accepted"] & ~loads["set_aside"].astype(bool)].sort_values("attempt", kind="stable")
    return own.drop_duplicates(["campaign", "cell_id", "arm", "index"])


HEAD = (
    "rule", "first attempts excluded, QUIC", "TCP", "p by arm", "their time", "p by time", "campaigns in which the arm "
    "tells", "verdicts that agree", "that are not as sealed",
)  # fmt: skip


def table(data: BookData | None = None) -> HTML:
    """Exclusions by rule 1, by rule 2, and none: how many, of whom, how slow they were, and what verdicts become."""
    data = data or load()
    compared = [one.compared for one in squares(data)]
    samples = data.whole("samples")
    samples = samples[samples["campaign"].map(role_of) == "reference"]
    loads = one_row_each(samples, PLT.name)
    loads = loads[loads["value"].notna() & loads["campaign"].isin(_of_turns(data))]
    if not compared or loads.empty:
        return HTML(style.NOTHING_YET)
    second = by_second_rule(loads, kept())
    places = pd.MultiIndex.from_tuples([(one.campaign, one.cell_id) for one in compared])
    asked = pd.MultiIndex.from_frame(loads[["campaign", "cell_id"]]).isin(places)
    own, own_second = loads[asked], second[asked]
    found: dict[str, tuple[pd.DataFrame | None, Mapping[Place, Mapping[str, Summary]]]] = {
        "1, as sealed": (loads, by_arm(own[own["accepted"].astype(bool) & ~own["set_aside"].astype(bool)])),
        "2": (second, by_arm(first_accepted(own_second))),
        "none: first attempts": (None, by_arm(own[are_first(own)])),
    }
    rows = [[name, *_excluded(judged), *_verdicts(compared, arms)] for name, (judged, arms) in found.items()]
    text = f"<p>Rule 2 judges {len(kept()):,} loads otherwise than they are sealed.</p>"
    return HTML(text + html_table(list(HEAD), rows, numeric=set(range(1, 6))))


def _of_turns(data: BookData) -> set[str]:
    cells = data.whole("cells")
    return set(cells[cells["mode"] == "interleaved"]["campaign"])


def _excluded(loads: pd.DataFrame | None) -> list[str]:
    if loads is None:
        return [style.DASH] * 6
    own = [one for one in rejections(loads, TOGETHER) if one.reason == DISTURBED]
    both = next((one for one in own if one.campaign == TOGETHER), None)
    if both is None:
        return [style.DASH] * 6
    named = [f"{one.campaign.removeprefix('reference-')} ({one.by_arm})" for one in own if one.depends]
    shares = [f"{both.rejected[name]:,} of {both.loads[name]:,}" for name in ("quic", "tcp")]
    tests = [style.p_text(both.p_value), f"{both.slower:.2f}", style.p_text(both.slower_p)]
    return [*shares, *tests, "; ".join(named) or "none"]


def _verdicts(compared, arms: Mapping[Place, Mapping[str, Summary]]) -> list[str]:
    equal, tested = agreeing_at_first(compared, arms)
    others = sum(
        verdict(arms.get((cell.campaign, cell.cell_id), {}), one.left, one.right) != one.measured
        for cell in compared
        for one in cell.verdicts
        if one.agree is not None
    )
    return [f"{equal} of {tested}", str(others)]


if __name__ == "__main__":
    keep()
