"""A comparison of two campaigns as text for a terminal (at most 120 columns); what matters most comes last."""

from __future__ import annotations

import math
from collections.abc import Sequence

from longlook.analysis.pairing import CellPair, Shift, largest_shifts
from longlook.analysis.result import CellResult
from longlook.analysis.twofold import MeanPair, VerdictPair, count_agreeing, verdict_word
from longlook.analysis.welch import Summary
from longlook.audit.checks import allowed_by_chance
from longlook.audit.comparison import DRIFT, DRIFT_MS, ComparedCampaign, Comparison
from longlook.audit.origins import Fact
from longlook.audit.text import agreeing, few, wrapped
from longlook.experiment.base import Metric

NOT_TOLD = "not recorded"


def format_comparison(found: Comparison) -> str:
    """The whole comparison: where both come from, every cell, the cells of one only, and what it all comes to."""
    pairing = found.pairing
    lines = [*_campaigns(found), "", *_origins(found), "", *_cells(found)]
    for name, cells in (("A", pairing.only_a), ("B", pairing.only_b)):
        lines += _only(name, cells)
    lines += ["", *_overall(found), "", *_conclusion(found)]
    return "\n".join(wrapped(lines)) + "\n"


def _more(metric: Metric) -> tuple[str, str]:
    """What a larger and a smaller mean are."""
    return ("slower", "faster") if metric.better == "low" else ("faster", "slower")


def _campaigns(found: Comparison) -> list[str]:
    pairing = found.pairing
    return [
        f"Comparison of two campaigns: {found.metric.title}",
        f"  A: {_campaign(found.a)}",
        f"  B: {_campaign(found.b)}",
        f"  cells in both: {len(pairing.pairs)}, in A only: {len(pairing.only_a)}, in B only: {len(pairing.only_b)} "
        "(a cell is the same under the same conditions, whatever the figure, the seed and the number of samples; "
        "repeats of arms that run together are one cell)",
    ]


def _campaign(one: ComparedCampaign) -> str:
    state = "sealed" if one.sealed else "NOT SEALED"
    return f"{one.campaign} ({one.role}, {state}, {one.measured} of {one.cells} cells measured, begun {one.created})"


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
            f"  links as measured before each cell ({found.link.cells} told): RTTs at most {found.link.rtt_ms:.1f} ms "
            f"apart, rates at most {found.link.rate_pct:.1f} %"
        )
    if found.same_seeds:
        lines.append(
            f"  cells that draw losses or delays from the same seed in both: {found.same_seeds}. An emulator that "
            "heeds it gives both the same, and chance then explains fewer differences than is counted with below"
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
        f"Cells in both: mean {found.metric.unit} (sd) and number n of samples; "
        "ratio B / A, its 99 % interval, Welch's p, * below 0.01",
        f"    {'':8}{'A':>20}{'n':>5}{'B':>21}{'n':>5}{'ratio':>9}{'interval':>18}{'p':>10}",
        *(line for one in found.pairing.pairs for line in _cell(one)),
    ]


def _cell(one: CellPair) -> list[str]:
    verdicts = "; ".join(f"{_words(one, verdict)}, {_agreement(verdict)}" for verdict in one.verdicts)
    return [f"  {_name(one)}" + (f": {verdicts}" if verdicts else ""), *(_arm(mean) for mean in one.means)]


def _name(one: CellPair) -> str:
    a, b = one.a.cell, one.b.cell
    series = a.series if a.series == b.series else f"{a.series} / {b.series}"
    return f"[{series}] {a.full_label}"


def _words(one: CellPair, verdict: VerdictPair) -> str:
    """`quic / none`; where a cell has several verdicts, with the two arms in front."""
    words = [verdict_word(side.verdict, verdict.left, verdict.right) for side in (verdict.a, verdict.b)]
    return (f"{verdict.left} and {verdict.right}: " if len(one.verdicts) > 1 else "") + " / ".join(words)


def _agreement(verdict: VerdictPair) -> str:
    if not verdict.tested:
        return "too few samples"
    return "verdicts agree" if verdict.agrees else "VERDICTS DIFFER"


def _arm(mean: MeanPair) -> str:
    ratio, p_value = mean.ratio, mean.ratio.test.p_value
    interval = f"{ratio.low:.3f} - {ratio.high:.3f}" if math.isfinite(ratio.low) else "-"
    return (
        f"    {mean.arm.upper():8}{_mean(mean.a)}{mean.a.n:>5} {_mean(mean.b)}{mean.b.n:>5}"
        f"{f'{ratio.value:.3f}' if math.isfinite(ratio.value) else '-':>9}{interval:>18}"
        f"{f'{p_value:.2g}' if mean.tested else '-':>10}{' *' if mean.significant else ''}"
    )


def _mean(one: Summary) -> str:
    digits = 1 if one.mean >= 20 or not math.isfinite(one.mean) else 2  # rates of a few Mbit/s
    mean = f"{one.mean:.{digits}f}" if math.isfinite(one.mean) else "-"
    return f"{mean:>11}{f'({one.sd:.{digits}f})' if math.isfinite(one.sd) else '':>9}"


def _only(name: str, results: Sequence[CellResult]) -> list[str]:
    if not results:
        return []
    lines = [f"  [{one.cell.series}] {one.cell.full_label}" for one in results]
    return ["", f"In {name} only: {len(results)}", *few(lines)]


def _overall(found: Comparison) -> list[str]:
    pairs = found.pairing.pairs
    lines = ["Overall, B over A", f"  verdicts that agree: {agreeing(*count_agreeing(pairs))}"]
    lines += few([f"    {_name(one)}: {_words(one, verdict)}" for one, verdict in found.disagreeing()])
    lines += [f"  {_shift(shift, found.metric)}" for shift in found.shifts]
    near = ", ".join(f"{name}: {near} of {of}" for name, (near, of) in found.near.items())
    lines.append(f"  means that differ by at most {near}")
    largest = largest_shifts(pairs)
    if largest:
        lines.append("  largest differences:")
    for one, mean in largest:
        mark = " *" if mean.significant else "  "
        lines.append(
            f"    x {mean.ratio.value:.3f}{mark} {mean.arm.upper():6}{mean.a.mean:>10.2f} -> {mean.b.mean:>9.2f} "
            f"{found.metric.unit}  {_name(one)}"
        )
    return lines


def _shift(shift: Shift, metric: Metric) -> str:
    return (
        f"{shift.kind.upper()}: median ratio {shift.median_ratio:.3f}; B {_more(metric)[0]} in {shift.above} of "
        f"{shift.means}; {shift.significant} of {shift.tested} tested means differ significantly"
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
    drift = f"{DRIFT:.0%}".replace("%", " %") + (f" and {DRIFT_MS:g} ms" if found.metric.unit == "ms" else "")
    counts += f"; {found.beyond_drift} by more than the {drift} that repeated campaigns on one machine may drift"
    blamed = [
        _blame(shift, found.metric) for shift in found.shifts if shift.significant > allowed_by_chance(shift.tested)
    ]
    return [f"Comparison: {found.outcome.upper()}. {counts}", *blamed, *_bound(found)]


def _bound(found: Comparison) -> list[str]:
    """Where two machines may differ in nothing but how quick they are."""
    bound = sum(one.processor_bound for one in found.pairing.pairs)
    cells = f"  the processor bounds {bound} of these {len(found.pairing.pairs)} cells, in A or in B"
    return [f"{cells}: they are about the machines too (column processor_bound)"] if bound else []


def _blame(shift: Shift, metric: Metric) -> str:
    """Which way, in how many cells and by how much one kind of arm differs significantly."""
    larger, smaller = _more(metric)
    counts = ((shift.significant_above, larger), (shift.significant - shift.significant_above, smaller))
    ways = " and ".join(f"{word} in {count}" for count, word in counts if count)
    furthest = f"at the furthest x {shift.furthest_ratio:.3f}"
    return f"  {shift.kind.upper()} in B is significantly {ways} of {shift.tested} cells, {furthest}"


def _percent(share: float) -> str:
    return f"{share * 100:.1f} %" if math.isfinite(share) else "-"
