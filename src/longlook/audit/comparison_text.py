"""A comparison of two campaigns as text for a terminal (at most 120 columns); what matters most comes last."""

from __future__ import annotations

import math
from collections.abc import Sequence

from longlook.analysis.pairing import ArmPair, CellPair, MeasuredCell, Shift, largest_shifts
from longlook.analysis.welch import Summary
from longlook.audit.checks import allowed_by_chance
from longlook.audit.comparison import DRIFT, DRIFT_MS, Comparison, Side
from longlook.audit.origins import Fact
from longlook.audit.text import agreeing, few, wrapped

NOT_TOLD = "not recorded"
MORE = {"ms": ("slower", "faster"), "Mbit/s": ("faster", "slower")}
"""Unit -> what a larger and a smaller mean are."""


def format_comparison(found: Comparison) -> str:
    """The whole comparison: where both come from, every cell, the cells of one only, and what it all comes to."""
    pairing = found.pairing
    lines = [*_sides(found), "", *_origins(found), "", *_cells(found)]
    for name, cells in (("A", pairing.only_a), ("B", pairing.only_b)):
        lines += _only(name, cells)
    lines += ["", *_overall(found), "", *_conclusion(found)]
    return "\n".join(wrapped(lines)) + "\n"


def _sides(found: Comparison) -> list[str]:
    pairing = found.pairing
    what = "page load times" if found.unit == "ms" else "rates of transfers"
    return [
        f"Comparison of two campaigns: {what}",
        f"  A: {_side(found.a)}",
        f"  B: {_side(found.b)}",
        f"  cells in both: {len(pairing.pairs)}, in A only: {len(pairing.only_a)}, in B only: {len(pairing.only_b)} (a cell is the same "
        "under the same conditions, whatever the figure, the seed and the number of loads; a transfer's replicates are one cell)",
    ]


def _side(side: Side) -> str:
    state = "sealed" if side.sealed else "NOT SEALED"
    return (
        f"{side.campaign} ({side.role}, {state}, {side.measured} of {side.cells} cells measured, begun {side.created})"
    )


def _origins(found: Comparison) -> list[str]:
    shown = [fact for fact in found.facts if fact.is_main or fact.differs]
    lines = ["Where the cells of both were measured", f"  {'':26}{'A':40}{'B':40}", *(_fact(fact) for fact in shown)]
    differing = [fact.name for fact in found.facts if fact.differs]
    equal = sum(fact.a == fact.b and bool(fact.a) for fact in found.facts)
    lines.append(
        f"  they differ in {len(differing)} facts{': ' + ', '.join(differing) if differing else ''}; {equal} are equal"
    )
    if found.link:
        lines.append(
            f"  links as measured before each cell ({found.link.cells} told): RTTs at most {found.link.rtt_ms:.1f} ms apart, "
            f"rates at most {found.link.rate_pct:.1f} %"
        )
    if found.same_seeds:
        lines.append(
            f"  cells that draw losses or delays from the same seed in both: {found.same_seeds}. An emulator that heeds it gives both the same, "
            "and chance then explains fewer differences than is counted with below"
        )
    return lines


def _fact(fact: Fact) -> str:
    values = [" / ".join(_short(value) for value in side) or NOT_TOLD for side in (fact.a, fact.b)]
    return f"  {fact.name:25} {values[0]:39} {values[1]:39} {'differs' if fact.differs else ''}".rstrip()


def _short(value: str) -> str:
    """Long hexadecimal digests by their beginning."""
    commit, _, dirty = value.partition("-")
    if len(commit) >= 40 and all(digit in "0123456789abcdef" for digit in commit):
        return commit[:12] + (f"-{dirty}" if dirty else "")
    return value


def _cells(found: Comparison) -> list[str]:
    return [
        f"Cells in both: mean {found.unit} (sd) and number n of {'loads' if found.unit == 'ms' else 'transfers'}; "
        "ratio B / A, its 99 % interval, Welch's p, * below 0.01",
        f"    {'':8}{'A':>20}{'n':>5}{'B':>21}{'n':>5}{'ratio':>9}{'interval':>18}{'p':>10}",
        *(line for one in found.pairing.pairs for line in _cell(one)),
    ]


def _cell(one: CellPair) -> list[str]:
    head = f"  {_name(one)}"
    if len(one.arms) > 1:
        head += f": {_verdicts(one)}, {_agreement(one)}"
    return [head, *(_arm(arm) for arm in one.arms)]


def _name(one: CellPair) -> str:
    figures = one.a.figure if one.a.figure == one.b.figure else f"{one.a.figure} / {one.b.figure}"
    return f"[{figures}] {one.a.label}"


def _verdicts(one: CellPair) -> str:
    return " / ".join(side.verdict if side.tested else "untested" for side in (one.a, one.b))


def _agreement(one: CellPair) -> str:
    if not one.tested:
        return "too few samples"
    return "verdicts agree" if one.agrees else "VERDICTS DIFFER"


def _arm(arm: ArmPair) -> str:
    ratio, p_value = arm.ratio, arm.ratio.test.p_value
    interval = f"{ratio.low:.3f} - {ratio.high:.3f}" if math.isfinite(ratio.low) else "-"
    return (
        f"    {arm.arm.upper():8}{_mean(arm.a)}{arm.a.n:>5} {_mean(arm.b)}{arm.b.n:>5}"
        f"{f'{ratio.value:.3f}' if math.isfinite(ratio.value) else '-':>9}{interval:>18}"
        f"{f'{p_value:.2g}' if arm.tested else '-':>10}{' *' if arm.significant else ''}"
    )


def _mean(one: Summary) -> str:
    digits = 1 if one.mean >= 20 or not math.isfinite(one.mean) else 2  # rates of a few Mbit/s
    mean = f"{one.mean:.{digits}f}" if math.isfinite(one.mean) else "-"
    return f"{mean:>11}{f'({one.sd:.{digits}f})' if math.isfinite(one.sd) else '':>9}"


def _only(name: str, cells: Sequence[MeasuredCell]) -> list[str]:
    if not cells:
        return []
    return ["", f"In {name} only: {len(cells)}", *few([f"  [{cell.figure}] {cell.label}" for cell in cells])]


def _overall(found: Comparison) -> list[str]:
    pairs = found.pairing.pairs
    lines = ["Overall, B over A", f"  verdicts that agree: {agreeing(pairs)}"]
    lines += few([f"    {_name(one)}: {_verdicts(one)}" for one in found.disagreeing()])
    lines += [f"  {_shift(shift, found.unit)}" for shift in found.shifts]
    lines.append(
        f"  means that differ by at most {', '.join(f'{name}: {near} of {of}' for name, (near, of) in found.near.items())}"
    )
    largest = largest_shifts(pairs)
    if largest:
        lines.append("  largest differences:")
    for one, arm in largest:
        mark = " *" if arm.significant else "  "
        lines.append(
            f"    x {arm.ratio.value:.3f}{mark} {arm.arm.upper():6}{arm.a.mean:>10.2f} -> {arm.b.mean:>9.2f} {found.unit}  {_name(one)}"
        )
    return lines


def _shift(shift: Shift, unit: str) -> str:
    return (
        f"{shift.kind.upper()}: median ratio {shift.median_ratio:.3f}; B {MORE[unit][0]} in {shift.above} of {shift.means}; "
        f"{shift.significant} of {shift.tested} tested means differ significantly"
    )


def _conclusion(found: Comparison) -> list[str]:
    counts = f"{found.significant} of {found.tested} means differ significantly, chance allows {found.allowed}"
    if found.outcome == "untested":
        return ["Comparison: nothing could be tested; both campaigns need two samples of a cell or more"]
    if found.outcome == "alike":
        reaches = ", ".join(f"{shift.kind.upper()} {_percent(shift.reach)}" for shift in found.shifts)
        return [
            f"Comparison: ALIKE, as far as these samples can tell. {counts}",
            f"  smaller differences than these would go unseen (the intervals' median half width): {reaches}",
        ]
    drift = f"{DRIFT:.0%}".replace("%", " %") + (f" and {DRIFT_MS:g} ms" if found.unit == "ms" else "")
    counts += f"; {found.beyond_drift} by more than the {drift} that repeated campaigns on one machine may drift"
    blamed = [
        _blame(shift, found.unit) for shift in found.shifts if shift.significant > allowed_by_chance(shift.tested)
    ]
    return [f"Comparison: {found.outcome.upper()}. {counts}", *blamed]


def _blame(shift: Shift, unit: str) -> str:
    """Which way, in how many cells and by how much one kind of arm differs significantly."""
    larger, smaller = MORE[unit]
    counts = ((shift.significant_above, larger), (shift.significant - shift.significant_above, smaller))
    ways = " and ".join(f"{word} in {count}" for count, word in counts if count)
    return f"  {shift.kind.upper()} in B is significantly {ways} of {shift.tested} cells, at the furthest x {shift.furthest_ratio:.3f}"


def _percent(share: float) -> str:
    return f"{share * 100:.1f} %" if math.isfinite(share) else "-"
