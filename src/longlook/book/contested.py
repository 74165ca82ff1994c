"""Numbers of sentences about shares of a bottleneck, by all runs of the same conditions."""

from __future__ import annotations

from collections.abc import Callable

from longlook.book.flows import Contest, contests
from longlook.book.value import SPACE, Measured, NotMeasured, Number, StatedNumber, number


@number
def of_contest(m: Measured, series: str, label: str, text: Callable[[Contest], str]) -> StatedNumber:
    """Something of the one verdict that these conditions have, with all runs that it rests on."""
    found = next((one for one in contests(m.data, m.study, series, m.key) if one.label == label), None)
    if found is None or found.ratio.verdict is None:
        raise NotMeasured(f"series {series} has no runs of {label}")
    files = ", ".join(f"data/raw/{one}" for one in found.campaigns)
    how = f"geometric mean and 99 % interval of the ratio of the rates over {found.runs_text}"
    return StatedNumber(text(found), f"{series}, {label}: {how}; from {files}")


def times_tcp(series: str, label: str) -> Number:
    """QUIC's rate over TCP's, with its interval."""
    return of_contest(series, label, lambda contest: f"{contest.ratio_text}{SPACE}times")
