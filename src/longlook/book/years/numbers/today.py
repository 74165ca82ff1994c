"""Numbers of the chapter today.md, each as it stands in its text."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from longlook import paths
from longlook.analysis.fairness import ratio_of_runs
from longlook.book.claimed import verdict
from longlook.book.contested import times_tcp
from longlook.book.data import BookData
from longlook.book.flows import ratio_text
from longlook.book.judged import prediction_verdict
from longlook.book.value import SPACE, Measured, NotMeasured, StatedNumber, kept_by_holm, number
from longlook.book.value_role import Numbers
from longlook.book.years.conclusions import BBR, CUBIC, UNASKED, YEARS, claims, parts
from longlook.book.years.evidence import SMALLEST
from longlook.book.years.today import STUDY, early_squares, first_leads, leads
from longlook.experiment.flights import read
from longlook.experiment.metrics import RATE
from longlook.figure.versus import Versus

Find = Callable[[BookData, Versus], pd.DataFrame]
BEFORE, WITH = "c119", "c133"
COMPUTED = "from data/processed/contrasts.csv and data/processed/throughput.parquet"


def _squares(m: Measured, versus: Versus, find: Find = leads) -> pd.DataFrame:
    found = find(m.data, versus)
    if found.empty:
        raise NotMeasured("no campaign of figure 4.6 with the software of 2026")
    return found


def _told(text: str, what: str, found: pd.DataFrame) -> StatedNumber:
    files = ", ".join(f"data/raw/{name}" for name in dict.fromkeys(found["campaign"]))
    return StatedNumber(text, f"{what}; from {files}")


@number
def _count(m: Measured, versus: Versus, verdict: str | None, find: Find = leads) -> StatedNumber:
    """Squares with that verdict; all where None."""
    found = _squares(m, versus, find)
    said = len(found) if verdict is None else int((found["verdict"] == verdict).sum())
    return _told(str(said), f"squares of figures 4.6a to f, {versus.left} against {versus.right}", found)


@number
def _kept(m: Measured, versus: Versus) -> StatedNumber:
    """Squares in which QUIC is faster by Holm's correction over all of them, then those in which TCP is."""
    found = _squares(m, versus)
    kept = kept_by_holm(found)
    return _told(f"{kept['left']} and {kept['right']}", f"{versus.left} against {versus.right}, Holm", found)


@number
def _first_share(m: Measured, label: str) -> StatedNumber:
    """QUIC's rate over TCP's in the first campaign of `today-share`, with its interval."""
    runs = m.data.where("samples", study=STUDY, series="today-share", label=label, metric=RATE.name)
    runs = runs[runs["accepted"].astype(bool) & (runs["campaign"] == runs["campaign"].min())]
    if runs.empty:
        raise NotMeasured("no campaign of today-share")
    rates = runs.pivot(index="cell_id", columns="arm", values="value")[["quic1", "tcp1"]].dropna()
    ratio = ratio_of_runs(list(rates.itertuples(index=False, name=None)))
    return _told(f"{ratio_text(ratio)}{SPACE}times", f"rates of {label}, QUIC's over TCP's", runs)


@number
def _saved(m: Measured, versus: Versus, reduce: Callable[[pd.Series], float]) -> StatedNumber:
    """QUIC's lead in ms, of the squares in which it is significantly faster."""
    found = _squares(m, versus)
    ahead = found[found["verdict"] == "left"]
    if ahead.empty:
        raise NotMeasured("QUIC is significantly faster in no square")
    ms = reduce(ahead["right_mean"] - ahead["left_mean"])
    return _told(f"{ms:,.0f}{SPACE}ms", f"leads of {versus.left} over {versus.right}", ahead)


@number
def _holding(m: Measured, year: str) -> StatedNumber:
    of = [one.parts for one in claims().claims]
    said = [(own, of[at]) for at, own in enumerate(parts(m.data)[year]) if own and not isinstance(own, str)]
    if not said:
        raise NotMeasured(f"no claim is measured with the software of {year}")
    count = sum(verdict(*one) == "holds" for one in said)
    return StatedNumber(f"{count} of {len(said)}", f"claims of section 4.8 that hold in every part, {year}; {COMPUTED}")


@number
def _more_bytes(_m: Measured, name: str) -> StatedNumber:
    """By how many bytes Chromium's first flight is longer with the key share than before it."""
    found = {one.stack: getattr(one, name) for one in read(paths.FLIGHTS)}
    if not {BEFORE, WITH} <= set(found):
        raise NotMeasured("`longlook flights` has not been run")
    text = f"{found[WITH] - found[BEFORE]:,}"
    return StatedNumber(text, f"{name}, {WITH} less {BEFORE}; from book/years/flights.csv")


@number
def _early(m: Measured, name: str, what: str) -> StatedNumber:
    """The least and the greatest of a column of `early_squares`, of the smallest page."""
    found = early_squares(m.data)
    if found.empty:
        raise NotMeasured("early data over TCP are not measured")
    own = found[found["workload"] == SMALLEST]
    unit, digits = (f"{SPACE}ms", 0) if name.endswith("_ms") else ("", 1)
    text = f"{own[name].min():.{digits}f} to {own[name].max():.{digits}f}{unit}"
    return _told(text, what, own)


NUMBERS: Numbers = {
    **{f"holding-{year}": _holding(year) for year in YEARS},
    "squares": _count(CUBIC, None),
    "bbr-loss": prediction_verdict("today-loss", 3),
    "bbr-jitter": prediction_verdict("today-jitter", 3),
    "cubic-quic": _count(CUBIC, "left"),
    "cubic-tcp": _count(CUBIC, "right"),
    "unasked-quic": _count(UNASKED, "left"),
    "unasked-tcp": _count(UNASKED, "right"),
    "bbr-quic": _count(BBR, "left"),
    "bbr-tcp": _count(BBR, "right"),
    "cubic-first": _count(CUBIC, "left", first_leads),
    "unasked-first": _count(UNASKED, "left", first_leads),
    "bbr-first": _count(BBR, "left", first_leads),
    "cubic-holm": _kept(CUBIC),
    "unasked-holm": _kept(UNASKED),
    "bbr-holm": _kept(BBR),
    "share-default": times_tcp("today-share-bbr", "QUIC BBR vs TCP"),
    "share-n2-first": _first_share("QUIC vs TCP"),
    "share-n1-first": _first_share("QUIC (N=1) vs TCP"),
    "saved-cubic-least": _saved(CUBIC, pd.Series.min),
    "saved-cubic-most": _saved(CUBIC, pd.Series.max),
    "saved-least": _saved(UNASKED, pd.Series.min),
    "saved-most": _saved(UNASKED, pd.Series.max),
    "key-share-quic": _more_bytes("quic_bytes"),
    "key-share-tcp": _more_bytes("tcp_bytes"),
    "early-saved": _early("median_saved_ms", "ms of TCP's median that early data save"),
    "early-left": _early("left_rounds", "round trips by which QUIC still leads"),
}
