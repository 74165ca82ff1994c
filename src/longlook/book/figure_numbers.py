"""Numbers that every figure has: `<series>.<column>.<what>`, as in {value}`4.6a.reference.summary`.

`column` is published, reference or yours; `what` is one of squares, left, right, none (counts), min, max (percentage
differences with their squares), paired (a clause with these, by pairs of loads that met the same losses), summary (the
same as the column is coloured: by pairs, and beside them by Welch's test; without pairs by that alone), and agreement
(with the published figure).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pandas as pd

from longlook.analysis.contrast import Verdict
from longlook.analysis.crosstable import by_holm
from longlook.analysis.paired import SMALL_PCT
from longlook.book.data import BookData
from longlook.book.value import NotMeasured, StatedNumber
from longlook.errors import LonglookError
from longlook.experiment.registry import named
from longlook.figure import style
from longlook.figure.squares import PUBLISHED
from longlook.figure.versus import NOT_SHOWN, SIDES, SMALL, Versus, decided
from longlook.record.parquet import records

WHAT = ("squares", "left", "right", "none", "min", "max", "summary", "agreement", "paired")
VERDICTS: tuple[Verdict, ...] = ("left", "right", "none")
SMALL_WORDS = f"{SMALL} (below {SMALL_PCT:g} %)"
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
    versus = versus_of(data, study, series, key)
    sources = data.sources(study, series, versus)
    found = next((item for item in sources.items() if item[0].key == key), None)
    tested = found[1][found[1]["p_value"].notna()] if found else pd.DataFrame()
    if found is None or tested.empty:
        raise NotMeasured(f"series {series} is not measured")
    if what == "paired" and not tested["pairs"].any():
        raise NotMeasured(f"series {series} has no pairs of loads")
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
    shown = [decided(row) for row in records(frame)]
    by_pairs = [bool(one.pairs) for one in shown]
    frame = frame.assign(pct=[one.pct for one in shown])
    low, high = (frame.loc[position] for position in (frame["pct"].idxmin(), frame["pct"].idxmax()))
    won = [(one.winner, one.p_value) for one in shown]
    counts = Counter(winner for winner, _ in won)
    found = {"squares": str(len(frame)), "min": square_text(low), "max": square_text(high)}
    found |= {name: str(counts[name]) for name in VERDICTS}
    left, right = versus.words
    small = sum(one.shown == SMALL and one.winner != "none" for one in shown)
    others = Counter(one.shown for one in shown if one.winner == "none")
    told = (
        f"{'by pairs ' if all(by_pairs) else ''}{left} is faster in {counts['left']} of {len(frame)} squares and "
        f"{right} in {counts['right']}{_holm(won)}"
        + (f"; {small} of these differences {'is' if small == 1 else 'are'} {SMALL_WORDS}" if small else "")
        + (f"; a difference is {SMALL} in {others[SMALL]}" if others[SMALL] else "")
        + (f"; no difference is shown in {others[NOT_SHOWN]}" if others[NOT_SHOWN] else "")
    )
    welch = list(zip(frame["verdict"], frame["p_value"], strict=True))
    beside = f"; by Welch's test in {' and '.join(str(sum(frame['verdict'] == one)) for one in SIDES)}{_holm(welch)}"
    ends = f"; the differences run from {found['min']} to {found['max']}"
    return found | {"paired": told + ends, "summary": told + (beside if any(by_pairs) else "") + ends}


def _holm(told: Sequence[tuple[Verdict | None, float]]) -> str:
    """` (17 and 0 with Holm's correction over them)`, where that makes a difference."""
    counts, kept = Counter(winner for winner, _ in told), by_holm(told)
    same = (counts["left"], counts["right"]) == (kept["left"], kept["right"])
    return "" if same else f" ({kept['left']} and {kept['right']} with Holm's correction over them)"


def square_text(cell: pd.Series) -> str:
    """`+72 % (5 KB at 10 Mbit/s)`."""
    return f"{style.signed_pct(cell['pct'])} % ({style.page_label(cell)} at {cell['bandwidth_mbps']:g} Mbit/s)"


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
