"""What the sweeps of Envoy's releases predicted (heads of years-servers*.toml), and what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from longlook.analysis.welch import significant
from longlook.book.data import BookData
from longlook.book.flows import Contest
from longlook.book.predicted import Prediction, all_of
from longlook.book.years.releases import BASE, THRESHOLD, Served, cells, compared, shares

LEAST_SHARE = 0.9
OF_BASE = (3 / 4, 4 / 3)


def of_releases(data: BookData) -> tuple[Prediction, ...]:
    """Of both sweeps; none before they are measured."""
    return (*of_loads(cells(data), cells(data, THRESHOLD)), *of_shares(shares(data)))


def of_loads(found: Sequence[Served], jitter: Sequence[Served]) -> tuple[Prediction, ...]:
    """Of pages; none before they are measured."""
    loads = (_still(found), _same_verdicts(found)) if found else ()
    return (*loads, *(_adapts(one) for one in jitter if one.static))


def _still(found: Sequence[Served]) -> Prediction:
    every = compared(found)
    kept = significant([ratio.test.p_value for _, _, ratio in every])
    changed = [f"{name}, {cell.place.title}" for (cell, name, _), is_kept in zip(every, kept, strict=True) if is_kept]
    return Prediction(
        f"without jitter no release's mean differs significantly from that of Envoy {BASE}",
        f"{len(changed)} of {len(every)} do" + (f": {'; '.join(changed)}" if changed else ""),
        not changed,
    )


def _same_verdicts(found: Sequence[Served]) -> Prediction:
    same = tried = 0
    for cell in found:
        base = cell.lead(BASE)
        for name in cell.quic:
            lead = cell.lead(name)
            if name != BASE and base and lead:
                tried += 1
                same += lead.verdict == base.verdict
    return Prediction(
        f"of the releases' verdicts of QUIC against TCP at least nine in ten are those of Envoy {BASE} in the same "
        "cell",
        f"{same} of {tried}",
        same >= LEAST_SHARE * tried,
    )


def _adapts(jitter: Served) -> Prediction:
    ratios = {name: ratio for name in jitter.quic if (ratio := jitter.cost(name))}
    texts = [f"{name}: {ratio.value:.2f} times" for name, ratio in sorted(ratios.items())]
    return Prediction(
        "each release adapts its reordering threshold by itself: under jitter it takes significantly less time than "
        "with a static one",
        ", ".join(texts),
        all(ratio.test.significant and ratio.value > 1 for ratio in ratios.values()),
    )


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
