"""What was judged as it is told: a prediction's line and a claim's parts, by the templates of their criteria."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from longlook.analysis.estimate import Estimate
from longlook.analysis.evidence import Found
from longlook.analysis.fairness import ShareRatio
from longlook.analysis.judge import Judged
from longlook.analysis.quantifier import POOLS, Asked
from longlook.book.claimed import ClaimPart
from longlook.book.flows import share_text
from longlook.book.predicted import FEW, JudgedPrediction
from longlook.book.times import ms_text, percent_text, seconds_text, times_text, trips_text
from longlook.figure import style
from longlook.plan.conditions import Row
from longlook.plan.criteria import ARMS_OF_SPREAD, Criterion, Judging
from longlook.plan.workload import size_label

JOINT = "; "
OF_A_TIME = (None, "mean", "sd", "lowest-median", "least", "greatest")
"""Statistics of a time that are times too."""
ENDS_OF: Mapping[str, Callable[..., float]] = {"least": min, "greatest": max}


def row(one: Judged, words: Mapping[str, str]) -> JudgedPrediction:
    """A prediction's line."""
    parts = [part_of(found, one, words) for found in one.found]
    told = JOINT.join(f"{part.name}: {part.numbers}" if part.name else part.numbers for part in parts)
    if one.found and one.found[0].leaf.tell == "ends":
        told = JOINT.join(_ends(own, one, words) for own in _by_leaf(one.found))
    if one.found and one.found[0].leaf.unit == "points":
        told = _points_apart(parts, one)
    lacking = max(0, one.of - len(one.found))
    if one.criterion.summary and not (lacking and (one.criterion.told_bounds or one.criterion.squares in POOLS)):
        each = [*(part.numbers for part in parts), *lacking * [style.DASH]]
        counts: dict[str, Any] = {"met": one.met, "unmet": len(parts) - one.met, "of": one.of, "opposite": one.opposite}
        counts |= {"beyond": _named("not", parts, False), "unshown": _named("not shown of", parts, False, None)}
        counts |= _ends_in_pct(one.found) | _pooled(one.criterion.squares, one.found)
        told = filled(one.criterion.summary, counts | _ends_of_leaves(one), each)
        unmet = [part.name for part in parts if part.holds is False and part.name]
        told += f": {JOINT.join(unmet)}" if "{unmet}" in one.criterion.summary and unmet else ""
    told += f"{JOINT}{lacking} of {one.of} not measured" if lacking else ""
    return JudgedPrediction(getattr(one.criterion, "says", ""), told, one.holds, n=getattr(one.criterion, "n", 0))


def _named(word: str, parts: Sequence[ClaimPart], *which: bool | None) -> str:
    """`; not Envoy with curl`: squares by what became of them; nothing where there is none."""
    names = ", ".join(part.name for part in parts if part.holds in which)
    return f"{JOINT}{word} {names}" if names else ""


def _ends_of_leaves(judged: Judged) -> dict[str, list[_Number]]:
    """The least and the greatest number of each bound."""
    values = [[one.estimate.value for one in own] for own in _by_leaf(judged.found)]
    return {"least": [_Number(min(own)) for own in values], "greatest": [_Number(max(own)) for own in values]}


def _ends_in_pct(found: Sequence[Found]) -> dict[str, float]:
    """By how many per cent the least and the greatest are off once."""
    values = [one.estimate.value for one in found] or [math.nan]
    return {f"{word}_pct": _Pct((end(values) - 1) * 100) for word, end in ENDS_OF.items()}


def _pooled(asked: Asked, found: Sequence[Found]) -> dict[str, float]:
    """The one number of all squares, where that is what counts."""
    pool = POOLS.get(asked)
    return {"pooled": pool([one.estimate.value for one in found])} if pool and found else {}


def _by_leaf(found: Sequence[Found]) -> list[list[Found]]:
    """Numbers of one bound together."""
    return [[one for one in found if one.leaf is leaf] for leaf in {id(one.leaf): one.leaf for one in found}.values()]


def _ends(own: Sequence[Found], judged: Judged, words: Mapping[str, str]) -> str:
    """Of a few numbers each; of more the least and the greatest, and those that do not hold or are open."""
    parts = [part_of(found, judged, words) for found in own]
    few = len(parts) <= FEW
    told = [f"{part.name} {part.numbers}" for part in parts]
    if not few:
        low, high = (choose(own, key=lambda one: one.estimate.value) for choose in (min, max))
        ends = [
            part_of(replace(one, estimate=Estimate(one.estimate.value)), judged, words).numbers for one in (low, high)
        ]
        told = [f"{ends[0]} to {ends[1]} ({len(parts)} numbers)"]
    for word, which in (("not", False), ("open", None)):
        some = [part.name if few else f"{part.name} {part.numbers}" for part in parts if part.holds is which]
        told += [f"{word}: {', '.join(some)}"] if some else []
    return JOINT.join(told)


def _points_apart(parts: Sequence[ClaimPart], judged: Judged) -> str:
    """Of percentage points between ratios always the least and the greatest, and which are not as predicted."""
    values = [found.estimate.value for found in judged.found]
    beyond = [part.name for part in parts if part.holds is False]
    told = f"{min(values):.1f} to {max(values):.1f} points apart ({len(values)} squares)"
    return told + (f"{JOINT}not: {', '.join(beyond)}" if beyond else "")


def part_of(found: Found, judged: Judged, words: Mapping[str, str]) -> ClaimPart:
    """A square's number, by the templates of its criterion."""
    own, leaf = found.estimate, found.leaf
    if found.part is not None:
        return _several(found, found.part, judged, words)
    square = told_of(found, judged, words)
    endless = math.isinf(own.value) or math.isinf(own.high)
    told = leaf.endless if endless and leaf.endless else leaf.told or "{percent}"
    if leaf.neither and not (found.left.value or found.right.value):
        told = leaf.neither
    return ClaimPart(filled(leaf.name, square), filled(told, square), found.holds)


def told_of(found: Found, judged: Judged, words: Mapping[str, str]) -> dict[str, Any]:
    """What templates have of a square: its columns, and its number in every form."""
    own, leaf, usual = found.estimate, found.leaf, _usual(found)
    square: dict[str, Any] = {name: words.get(_spelled(value), value) for name, value in found.square.items()}
    square |= {"size": size_label(int(found.square["object_bytes"] or 0)), "met": judged.met, "of": judged.of}
    square |= {"value": own.value, "low": own.low, "high": own.high, "percent": usual, "p": own.p_value}
    sides = [_Pct((side.value - 1) * 100) for side in (own, found.left, found.right)]
    square |= dict(zip(("pct", "left_pct", "right_pct"), sides, strict=True))
    square |= {"times": times_text(own), "ms": _in_ms(found), "seconds": own.value / 1e3}
    square |= {"in_trips": own.value / float(found.square["rtt_ms"])}
    square |= {"left_percent": percent_text(found.left), "right_percent": percent_text(found.right)}
    square |= {"left_share": (1 - found.left.value) * 100, "right_share": (1 - found.right.value) * 100}
    square |= {"left": found.left.value, "right": found.right.value, "trips": trips_text(own)}
    square |= {"left_median": found.rows[0].get("median"), "right_median": found.rows[-1].get("median")}
    square |= {"share": _share(found)} if leaf.quantity == "rate_ratio" else {}
    square |= dict(zip(("one", "other"), (words.get(arm, arm) for arm in found.pair), strict=False))
    square |= {"pair": words.get(pair := " over ".join(found.pair), pair), "link": _link(found.square)}
    if leaf.spread:
        arms = [{name: words.get(_spelled(value), value) for name, value in row.items()} for row in found.rows[:2]]
        square |= dict(zip(ARMS_OF_SPREAD, arms, strict=False))
    return square


def _share(found: Found) -> str:
    own, (left, right) = found.estimate, (str(row["protocol"]) for row in found.rows[:2])
    campaigns = {run[0] for run in own.runs if isinstance(run, tuple)}
    return share_text(ShareRatio(own.value, own.low, own.high, len(own.runs)), left, right, len(campaigns))


def _link(square: Row) -> str:
    """`15 ms`, `1 % loss`: the loss where it has one."""
    return f"{square['loss_pct']:g} % loss" if square["loss_pct"] else f"{square['rtt_ms']:g} ms"


def _several(found: Found, part: Criterion, judged: Judged, words: Mapping[str, str]) -> ClaimPart:
    """Numbers that together are one part: by its summary, those that do not hold by name."""
    each = [part_of(one, judged, words) for one in found.parts]
    unmet = [one.numbers for one in each if one.holds is False]
    counts: dict[str, Any] = {"met": sum(one.holds is True for one in each), "unmet": len(unmet), "of": len(each)}
    counts |= {"opposite": sum(one.opposite for one in found.parts)}
    counts |= {word: [_Number(end(one.estimate.value for one in found.parts))] for word, end in ENDS_OF.items()}
    counts |= _ends_in_pct(found.parts) | _pooled(part.squares, found.parts)
    numbers = [one.numbers for one in each]
    told = filled(part.summary, counts, numbers) if part.summary else JOINT.join(numbers)
    told += f" ({JOINT.join(unmet)})" if "{unmet}" in part.summary and unmet else ""
    return ClaimPart(each[0].name, told, found.holds)


def _usual(found: Found) -> str:
    """A number in its unit."""
    own, leaf = found.estimate, found.leaf
    if leaf.value and leaf.statistic == "cv":  # no time, of which it were that many times
        return f"{own.value:.2f}"
    if leaf.unit in ("trips", "s"):
        return trips_text(own) if leaf.unit == "trips" else seconds_text(own)
    return ms_text(own) if leaf.difference or _is_time(found) else percent_text(own)


def _is_time(found: Found) -> bool:
    """Whether it is one arm's own number, over nothing, and in ms."""
    leaf, own = found.leaf, found.rows
    return len(own) == 1 and own[0].get("unit") == "ms" and leaf.quantity is None and leaf.statistic in OF_A_TIME


def _in_ms(found: Found) -> str:
    """A time in ms, in whichever unit its bounds are."""
    trips = found.leaf.unit == "trips"
    return ms_text(found.estimate.per(1 / found.rows[0]["rtt_ms"])) if trips else _usual(found)


def _spelled(value: Any) -> str:
    """As a key of `words`: numbers without a point where they are whole."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def filled(template: str, values: Mapping[str, Any], places: Sequence[str] = ()) -> str:
    """A template with its values, by name and by place; minus signs are real ones."""
    shown = {
        name: _Number(value) if isinstance(value, float) and not isinstance(value, _Number) else value
        for name, value in values.items()
    }
    return template.format(*places, **shown)


class _Number(float):
    """Formatted with a minus sign, not a hyphen; without a format as short as it can be."""

    def __format__(self, spec: str) -> str:
        return float(self).__format__(spec or "g").replace("-", style.MINUS)


class _Pct(_Number):
    """The same; without a format as percentages are told."""

    def __format__(self, spec: str) -> str:
        return super().__format__(spec) if spec else style.signed_pct(self)


def parts_of(one: Judged, judging: Judging) -> list[ClaimPart]:
    """Of one claim."""
    return [part_of(found, one, judging.words) for found in one.found]
