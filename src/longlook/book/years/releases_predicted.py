"""What the sweep of Envoy's releases beside a TCP flow predicted (head of years-servers-share.toml), and what became
of it."""

from __future__ import annotations

from collections.abc import Mapping

from longlook.book.flows import Contest
from longlook.book.predicted import Prediction, all_of
from longlook.book.years.releases import BASE

OF_BASE = (3 / 4, 4 / 3)


def of_shares(found: Mapping[str, Contest]) -> tuple[Prediction, ...]:
    """Of flows beside a TCP flow; none before they are measured."""
    if not found:
        return ()
    texts = [f"{name}: {contest.ratio_text}" for name, contest in sorted(found.items())]
    more = [None if one.ratio.verdict == "open" else one.ratio.verdict == "left" for one in found.values()]
    base = found[BASE].ratio.value if BASE in found else float("nan")
    times = {name: one.ratio.value / base for name, one in found.items() if name != BASE}
    low, high = OF_BASE
    return (
        Prediction("each release takes more than its share beside one TCP flow", "; ".join(texts), all_of(*more)),
        Prediction(
            f"the ratio of the rates lies between three quarters and four thirds of that of Envoy {BASE}",
            "; ".join(f"{name}: {value:.2f} of it" for name, value in sorted(times.items())),
            all(low <= value <= high for value in times.values()),
        ),
    )
