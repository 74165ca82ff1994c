"""Numbers that every figure has: `<series>.<column>.<what>`, as in {value}`4.6a.reference.summary`.

`column` is published, reference or yours; `what` is one of squares, left, right, none (counts), min, max (percentage
differences with their squares), summary (a clause with all of them), agreement (with the published figure), and paired
(what pairs of loads that met the same losses show, in three words: shown, shown to be small, not shown).
"""

from __future__ import annotations

import math
from collections import Counter

import pandas as pd

from longlook.analysis.crosstable import by_holm
from longlook.analysis.paired import Paired
from longlook.book.data import BookData
from longlook.book.value import NotMeasured, StatedNumber
from longlook.errors import LonglookError
from longlook.experiment.registry import named
from longlook.figure import style
from longlook.figure.squares import PUBLISHED
from longlook.figure.versus import Versus

WHAT = ("squares", "left", "right", "none", "min", "max", "summary", "agreement", "paired")
KEYS = (PUBLISHED.key, "reference", "yours")


def parse(name: str) -> tuple[str, str, str] | None:
    """(series, column, what) of such a name; None for any other name."""
    parts = name.rsplit(".", 2)
    if len(parts) == 3 and parts[1] in KEYS and parts[2] in WHAT:
        return parts[0], parts[1], parts[2]
    return None


def figure_number(data: BookData, study: str, series: str, key: str, what: str) -> StatedNumber:
    """One of them; `NotMeasured` where that column has nothing."""
    if what == "agreement":
        return agreement(data, study, series, key)
    if what == "paired":
        return of_pairs(data, study, series, key)
    versus = versus_of(data, study, series, key)
    sources = data.sources(study, series, versus)
    found = next((item for item in sources.items() if item[0].key == key), None)
    tested = found[1][found[1]["p_value"].notna()] if found else pd.DataFrame()
    if found is None or tested.empty:
        raise NotMeasured(f"series {series} is not measured")
    files = ", ".join(f"data/raw/{one}" for one in found[0].campaigns) or f"data/published/{study}"
    return StatedNumber(_texts(tested, versus)[what], f"{series}: {what} of {len(tested)} squares; from {files}")


def versus_of(data: BookData, study: str, series: str, key: str) -> Versus:
    """The first two arms of the series, in the first metric of its experiment."""
    rows = data.rows("arms", study, series, key)
    if rows.empty:
        raise NotMeasured(f"series {series} is not measured")
    names = list(dict.fromkeys(rows["arm"]))
    if len(names) < 2:
        raise LonglookError(f"series {series} compares no arms: it has {names[0]} alone")
    return Versus(names[0], names[1], named(rows["experiment"].iloc[0], f"series {series}").primary)


def _texts(frame: pd.DataFrame, versus: Versus) -> dict[str, str]:
    counts = {name: int((frame["verdict"] == name).sum()) for name in ("left", "right", "none")}
    low, high = (frame.loc[position] for position in (frame["pct_diff"].idxmin(), frame["pct_diff"].idxmax()))
    found = {"squares": str(len(frame)), **{name: str(count) for name, count in counts.items()}}
    found |= {"min": square_text(low), "max": square_text(high)}
    left, right = versus.words
    kept = by_holm(zip(frame["verdict"], frame["p_value"], strict=True))
    others = (kept["left"], kept["right"]) != (counts["left"], counts["right"])
    found["summary"] = (
        f"{left} is faster in {counts['left']} of {len(frame)} squares, {right} in {counts['right']}, and "
        f"{counts['none']} show no significant difference"
        + (f" ({kept['left']} and {kept['right']} with Holm's correction over them)" if others else "")
        + f"; the differences run from {found['min']} to {found['max']}"
    )
    return found


def square_text(cell: pd.Series) -> str:
    """`+72 % (5 KB at 10 Mbit/s)`."""
    parts = (cell["workload"], cell["object_bytes"], cell["object_count"])
    label = style.workload_label(*parts, cell["object_count"] > 1)
    return f"{style.signed_pct(cell['pct_diff'])} % ({label} at {cell['bandwidth_mbps']:g} Mbit/s)"


def agreement(data: BookData, study: str, series: str, key: str) -> StatedNumber:
    """A clause: in how many common squares the verdicts agree, and a constant would; how far the means are apart."""
    verdicts, means = (data.agreeing(table, study, series, key) for table in ("verdicts", "means"))
    verdicts = verdicts[verdicts["agree"].notna()]
    if verdicts.empty:
        if data.rows("cells", study, series, key).empty:
            raise NotMeasured(f"series {series} is not measured")
        return StatedNumber(
            "no square in common with the published figure", f"{series}: no cell of the same conditions"
        )
    tested = means[means["cell_id"].isin(verdicts["cell_id"])]
    quic, tcp = ((tested.loc[tested["protocol"] == one, "ratio"] - 1).abs().median() * 100 for one in ("quic", "tcp"))
    constant = int(verdicts["published"].value_counts().max())
    text = (
        f"{int(verdicts['agree'].astype(bool).sum())} of {len(verdicts)} verdicts agree (the most frequent published "
        f"verdict, said of every square, would in {constant}), and the means are off by "
        f"{quic:.1f} % (QUIC) and {tcp:.1f} % (TCP) in the median"
    )
    return StatedNumber(text, f"{series}: data/processed/agreement_verdicts.csv, agreement_means.csv")


def of_pairs(data: BookData, study: str, series: str, key: str) -> StatedNumber:
    """A clause: in how many squares which arm is shown to be better by pairs of loads, and the rest."""
    versus = versus_of(data, study, series, key)
    rows = data.rows("contrasts", study, series, key)
    rows = rows[
        (rows["metric"] == versus.metric.name) & (rows["left"] == versus.left) & (rows["right"] == versus.right)
    ]
    rows = rows[rows["pairs"] > 0]
    if rows.empty:
        raise NotMeasured(f"series {series} has no pairs of loads")
    found = [
        Paired(one.log_ratio, one.log_ratio_low, one.log_ratio_high, one.p_paired, one.pairs)
        for one in rows.itertuples()
    ]
    counts = Counter(one.winner if one.shown == "shown" else one.shown for one in found)
    left, right = versus.words
    times = sorted(math.exp(one.log_ratio) for one in found)
    text = (
        f"by pairs {left} is shown to be faster in {counts['left']} of {len(found)} squares and {right} in "
        f"{counts['right']}; a difference is shown to be small in {counts['shown to be small']} and not shown in "
        f"{counts['not shown']} ({right} takes {times[0]:.2f} to {times[-1]:.2f} times as long as {left})"
    )
    return StatedNumber(text, f"{series}: paired log ratios, data/processed/contrasts.csv")
