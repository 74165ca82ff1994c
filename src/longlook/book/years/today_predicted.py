"""What the sweeps of the software of 2026 predicted (heads of today-*.toml), and what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from IPython.display import HTML

from longlook.analysis.welch import Summary, summary_of
from longlook.book import data as book_data
from longlook.book.claimed import ClaimPart, largest, most_squares
from longlook.book.data import BookData
from longlook.book.flows import Contest, contests
from longlook.book.judged import predicted
from longlook.book.predicted import Prediction
from longlook.book.varied import REFERENCE
from longlook.book.years import early
from longlook.book.years.conclusions import KINDS, SHARES, TODAY, UNASKED, Squares, squares_of
from longlook.book.years.evidence import SMALLEST, STUDY
from longlook.experiment.metrics import PLT
from longlook.figure import style

LEAST_SAME = 11
TWO_ROUND_TRIPS_MS = (130.0, 170.0)
"""By so much QUIC's lead grows where each round trip takes 76 ms more."""
SMALL = "100kb-x1"
KEY_SHARE = "today-key-share"
WITHOUT = "c133x25519"
HALF = 0.5


def table(data: BookData | None = None) -> HTML:
    """Of all sweeps; without those that are not measured."""
    data = data or book_data.load()
    now, then = squares_of(data, "2026"), squares_of(data, "2024")
    return predicted(
        (
            *of_near(now, then, {panel: unasked(data, panel) for panel in "ad"}),
            *of_far(now),
            *of_loss(now),
            *of_jitter(now, squares_of(data, "2017"), data.squares(STUDY, "today-threshold", REFERENCE, KINDS)),
            *of_share(contests(data, *SHARES["2026"], REFERENCE)),
        ),
        KEY_SHARE,
        early.SERIES,
        data=data,
    )


def unasked(data: BookData, panel: str) -> pd.DataFrame:
    """Squares of a panel of figure 4.6 with QUIC's server as it is, against TCP with CUBIC."""
    frame = data.squares(STUDY, TODAY[f"4.6{panel}"][0], REFERENCE, UNASKED)
    return frame[frame["p_value"].notna()]


def of_near(now: Squares, then: Squares, unasked: Mapping[str, pd.DataFrame]) -> list[Prediction]:
    """Without loss, at 36 ms."""
    pairs = [_paired(now(figure), then(figure)) for figure in ("4.6a", "4.6d")]
    if any(one.empty for one in pairs):
        return []
    both = pd.concat(pairs)
    same = int((both["verdict"] == both["verdict_other"]).sum())
    verdicts = zip(both["verdict"], both["verdict_other"], strict=True)
    opposite = sum({one, other} == {"left", "right"} for one, other in verdicts)
    first = Prediction(
        f"at 36 ms at least {LEAST_SAME} verdicts with CUBIC are those of 2024, and none is the opposite one",
        f"{same} of {len(both)}; opposite: {opposite}",
        same >= LEAST_SAME and not opposite,
    )
    parts = [part for panel, frame in unasked.items() for part in most_squares(f"4.6{panel}", frame)]
    said = "QUIC with Envoy's own BBR is faster than TCP with CUBIC in more than half of the squares of both figures"
    return [first, *_all(f"{said}, and in none slower", parts)]


def _paired(now: pd.DataFrame, then: pd.DataFrame) -> pd.DataFrame:
    return now.merge(then, on=["workload", "bandwidth_mbps"], suffixes=("", "_other"), validate="one_to_one")


def _all(said: str, parts: Sequence[ClaimPart]) -> list[Prediction]:
    """That every part of it holds; nothing where there is none."""
    if not parts:
        return []
    return [Prediction(said, "; ".join(part.text for part in parts), all(part.holds for part in parts))]


def _most(said: str, squares: Squares, *figures: str) -> list[Prediction]:
    return _all(
        f"{said} QUIC is faster in more than half of the squares of {' and of '.join(figures)}, TCP in none",
        [part for figure in figures for part in most_squares(figure, squares(figure))],
    )


def of_far(now: Squares) -> list[Prediction]:
    """At 112 ms."""
    return [*_most("at 112 ms, with CUBIC,", now, "4.6c", "4.6f"), *_two_round_trips(now)]


def _two_round_trips(now: Squares) -> list[Prediction]:
    pairs = _paired(now("4.6c"), now("4.6a"))
    if pairs.empty:
        return []
    lead = pairs["right_mean"] - pairs["left_mean"] - (pairs["right_mean_other"] - pairs["left_mean_other"])
    smallest, small = (list(lead[pairs["workload"] == page]) for page in (SMALLEST, SMALL))
    low, high = TWO_ROUND_TRIPS_MS
    return [
        Prediction(
            f"from 36 to 112 ms QUIC's lead grows by {low:.0f} to {high:.0f} ms with 5 KB, two round trips, and by "
            "more with 100 KB",
            f"5 KB: {_ms(smallest)}; 100 KB: {_ms(small)}",
            all(low <= ms <= high for ms in smallest) and min(small, default=0.0) > max(smallest, default=0.0),
        )
    ]


def _ms(numbers: Sequence[float]) -> str:
    return " and ".join(f"{number:.0f}" for number in numbers) + " ms"


def of_loss(now: Squares) -> list[Prediction]:
    """With 1 % loss."""
    found = _most("with 1 % loss, with CUBIC,", now, "4.6b")
    for part in most_squares("4.6e", now("4.6e")):
        said = "with 1 % loss, with CUBIC, it is not in more than half of the squares of 4.6e"
        frame = now("4.6e")
        few = int((frame["verdict"] == "left").sum()) <= HALF * len(frame)
        found.append(Prediction(said, part.text, few))
    return [*found, *_most("with 1 % loss, with BBR,", now, "4.14b", "4.14e")]


def of_jitter(now: Squares, old: Squares, kinds: pd.DataFrame) -> list[Prediction]:
    """Under jitter."""
    found = []
    own, theirs = largest(now("4.11b")), largest(old("4.11b"))
    for mbps in sorted(set(own.index) & set(theirs.index)):
        text = f"{style.signed_pct(own[mbps])} %, gQUIC {style.signed_pct(theirs[mbps])} %"
        said = f"under jitter QUIC's difference from TCP, of 10 MB at {mbps:g} Mbit/s, is above gQUIC's"
        found.append(Prediction(said, text, bool(own[mbps] > theirs[mbps])))
    for row in kinds.to_dict("records"):
        text = f"{row['right_mean'] / row['left_mean']:.2f} times as long"
        said = "under jitter the same program takes significantly longer with the static threshold than with its own"
        found.append(Prediction(said, text, row["verdict"] == "left"))
    return [*found, *_most("under jitter, with BBR,", now, "4.15b", "4.15d")]


def of_share(found: Sequence[Contest]) -> list[Prediction]:
    """Beside a TCP flow."""
    by_label = {one.label: one.ratio for one in found}
    two, one = (by_label.get(label) for label in ("QUIC vs TCP", "QUIC (N=1) vs TCP"))
    predictions = []
    if two is not None:
        holds = None if two.verdict == "open" else two.verdict == "left"
        text = f"{two.value:.2f} times TCP's rate"
        predictions.append(Prediction("with N = 2 QUIC takes more than its share beside one TCP flow", text, holds))
    if two is not None and one is not None:
        text = f"{one.value:.2f} times TCP's rate, {one.value / two.value:.2f} of that"
        said = "with N = 1 the ratio of the rates is at most half of that with N = 2"
        predictions.append(Prediction(said, text, one.value <= HALF * two.value))
    return predictions


KeyShare = dict[tuple[float, str, str], Summary]
"""Loss, stack and protocol -> page load times, ms."""


def key_share(data: BookData) -> KeyShare:
    """Of its sweep; empty before it is measured."""
    arms = data.rows("arms", STUDY, KEY_SHARE, REFERENCE)
    arms = arms[arms["metric"] == PLT.name]
    return {(float(row["loss_pct"]), row["stack"], row["protocol"]): summary_of(row) for _, row in arms.iterrows()}
