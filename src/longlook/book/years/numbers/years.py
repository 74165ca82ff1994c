"""Numbers of the chapter years.md, each as it stands in its text."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from statistics import median

import pandas as pd

from longlook.analysis.power import detectable
from longlook.analysis.ratio import Ratio, ratio_of
from longlook.analysis.welch import ALPHA, Summary, significant
from longlook.book.hypotheses import stated
from longlook.book.value import SPACE, Measured, NotMeasured, StatedNumber
from longlook.book.value_role import Numbers
from longlook.book.years import causes, each_version, evidence, large, needs, parts, releases, releases_shown
from longlook.book.years.evidence import AXIS, BASE, FIRST_HTTP3, LOSS, MANY, Change
from longlook.book.years.tables import is_busiest
from longlook.experiment.metrics import PLT
from longlook.figure import style

SLOW = 10.0
LAST_GOOGLE, FIRST_ENVOY = 85, 88
FIRST_TLS_13, SLOWER_WITH_MANY = 72, 76
"""The second takes longer for many objects than the one before."""
AROUND_KEY_SHARE = 119, 133


def _cells(m: Measured, series: Sequence[str] = AXIS) -> list[evidence.Measured]:
    found = evidence.cells(m.data, m.key, series)
    if not found:
        raise NotMeasured(f"no campaign of {', '.join(series)}")
    return found


def _told(text: str, what: str, found: Iterable[evidence.Measured | releases.Served]) -> StatedNumber:
    files = ", ".join(f"data/raw/{name}" for name in dict.fromkeys(one.campaign for one in found))
    return StatedNumber(text, f"{what}; from {files}")


def _loads(series: Sequence[str] = AXIS) -> Callable[[Measured], StatedNumber]:
    def number(m: Measured) -> StatedNumber:
        found = _cells(m, series)
        text = _least_to_most({one.n for cell in found for one in cell.times.values()})
        return _told(text, "accepted loads of every arm", found)

    return number


def _least_to_most(counts: Collection[int]) -> str:
    least, most = min(counts), max(counts)
    return str(least) if least == most else f"{least} to {most}"


def _between(values: Collection[float], unit: str, digits: int = 0) -> str:
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}{SPACE}{unit}"


def _from_to(pcts: Collection[float]) -> str:
    """The least and the greatest difference."""
    return f"{style.signed_pct(min(pcts))} to {style.signed_pct(max(pcts))}{SPACE}%"


def _browsers(m: Measured) -> StatedNumber:
    found = _cells(m)
    return _told(str(len({number for number, _ in found[0].times})), "milestones measured", found)


def _leads(count: Callable[[str], bool], series: Sequence[str] = AXIS) -> Callable[[Measured], StatedNumber]:
    def number(m: Measured) -> StatedNumber:
        found = _cells(m, series)
        verdicts = [lead.verdict for cell in found for one in cell.numbers("quic") if (lead := cell.lead(one))]
        said = sum(count(str(verdict)) for verdict in verdicts)
        return _told(str(said), "verdicts, one for each browser and cell", found)

    return number


def _by_pairs(winner: str) -> Callable[[Measured], StatedNumber]:
    """Comparisons of one browser under loss in which pairs of loads show one arm to be faster."""

    def number(m: Measured) -> StatedNumber:
        found = _cells(m, LOSS)
        rows = pd.concat([m.data.rows("contrasts", m.study, one, m.key) for one in LOSS])
        arms = [rows[side].str.partition("-")[2].str.rpartition("-")[2] for side in ("left", "right")]
        alike = (arms[0] == arms[1]) & rows["left"].str.startswith("quic") & rows["right"].str.startswith("tcp")
        own = rows[alike & (rows["metric"] == PLT.name) & (rows["p_paired"] < ALPHA)]
        said = int(((own["log_ratio"] > 0) == (winner == "left")).sum())
        return _told(str(said), "paired log ratios (data/processed/contrasts.csv)", found)

    return number


def _span(protocol: str, chosen: Callable[[evidence.Measured], bool]) -> Callable[[Measured], StatedNumber]:
    """By how much the means of all browsers from FIRST_HTTP3 on differ from those of BASE."""

    def number(m: Measured) -> StatedNumber:
        found = [cell for cell in _cells(m) if chosen(cell)]
        pcts = [
            (ratio.value - 1) * 100
            for cell in found
            for one in cell.numbers(protocol)
            if one >= FIRST_HTTP3 and one != BASE and (ratio := cell.to_base(one, protocol))
        ]
        return _told(_from_to(pcts), f"means over those of Chromium {BASE}", found)

    return number


def _slow_and_large(cell: evidence.Measured) -> bool:
    return cell.place.bandwidth_mbps == SLOW and cell.place.object_bytes * cell.place.object_count >= 1e6


def _steps(
    changed: Callable[[Change], int], protocol: str, series: Sequence[str] = AXIS
) -> Callable[[Measured], StatedNumber]:
    def number(m: Measured) -> StatedNumber:
        found = _cells(m, series)
        counts = [changed(one) for one in evidence.changes(found) if one.protocol == protocol]
        return _told(str(sum(counts)), f"steps of {protocol} between neighbouring milestones, in all cells", found)

    return number


def _change(to: int, *protocols: str, workload: str | None = None) -> Callable[[Measured], StatedNumber]:
    """How much longer pages take from one milestone to the next, in the cells that change there; of one page, if
    stated."""

    def number(m: Measured) -> StatedNumber:
        found = _cells(m)
        pcts = [
            (step.ratio.value - 1) * 100
            for one in evidence.changes(found)
            if one.protocol in protocols and one.after.number == to
            for step in one.significant
            if workload in (None, step.place.workload)
        ]
        if not pcts:
            raise NotMeasured("no cell changes there")
        return _told(_from_to(pcts), f"{' and '.join(protocols)}, to Chromium {to}, in cells that change", found)

    return number


def _longer(to: int, workload: str) -> Callable[[Measured], StatedNumber]:
    """How much longer a page takes on the fast link than with the milestone before, over both protocols."""

    def number(m: Measured) -> StatedNumber:
        found = [
            one for one in _cells(m) if (one.place.workload, one.place.bandwidth_mbps) == (workload, evidence.FAST)
        ]
        pcts = [(one.ratio.value - 1) * 100 for one in evidence.steps(found) if one.after.number == to]
        return _told(_from_to(pcts), f"to Chromium {to}, over both protocols", found)

    return number


def _cpu(protocol: str, at: int) -> Callable[[Measured], StatedNumber]:
    def number(m: Measured) -> StatedNumber:
        (cell,) = [one for one in _cells(m) if is_busiest(one)]
        numbers = cell.numbers(protocol)
        own = cell.cpu[numbers[at], protocol]
        return _told(f"{own.mean:.2f}{SPACE}s", f"CPU of Chromium {numbers[at]} for one load", [cell])

    return number


def _slowest(protocol: str) -> Callable[[Measured], StatedNumber]:
    """Of the busiest cell, from FIRST_HTTP3 on: of no browser takes a load more of its median than that."""

    def number(m: Measured) -> StatedNumber:
        (cell,) = [one for one in _cells(m) if is_busiest(one)]
        of = evidence.loads_of(m.data, cell, m.key)
        most = max(
            max(own) / median(own) for (number, kind), own in of.items() if kind == protocol and number >= FIRST_HTTP3
        )
        return _told(f"{most:.1f}", f"slowest load of {protocol}, over its browser's median", [cell])

    return number


def _parts(m: Measured) -> parts.Found:
    found = parts.found(m.data, m.key)
    if not found:
        raise NotMeasured(f"no load of {parts.PAGE} of {parts.SERIES}")
    return found


def _part(
    part: Callable[[parts.Parts], float], *protocols: str, first: float = 0, last: float = math.inf
) -> Callable[[Measured], StatedNumber]:
    """The least and the greatest of all browsers from `first` to `last`."""

    def number(m: Measured) -> StatedNumber:
        own = [
            part(one)
            for (number, protocol), one in _parts(m).items()
            if protocol in protocols and first <= number <= last
        ]
        return _told(_between(own, "ms"), "of one load of each browser, the one nearest to its median", _cells(m))

    return number


def _step_of(part: Callable[[parts.Parts], float], first: int, then: int) -> Callable[[Measured], StatedNumber]:
    """What the step from one milestone to another adds to a part, over QUIC."""

    def number(m: Measured) -> StatedNumber:
        found = _parts(m)
        text = f"{part(found[then, 'quic']) - part(found[first, 'quic']):.1f}{SPACE}ms"
        return _told(text, f"QUIC, Chromium {first} to {then}, one load of each", _cells(m))

    return number


def _causes(tell: Callable[[causes.Found], str], what: str) -> Callable[[Measured], StatedNumber]:
    def number(m: Measured) -> StatedNumber:
        if not (found := causes.found(m.data, m.key)):
            raise NotMeasured(f"no campaign of {causes.SERIES}")
        campaigns = m.data.rows("arms", evidence.STUDY, causes.SERIES, m.key)["campaign"].unique()
        return StatedNumber(tell(found), f"{what}; from {', '.join(f'data/raw/{name}' for name in campaigns)}")

    return number


def _causes_share(found: causes.Found) -> str:
    return _between([one * 100 for one in causes.shares(found).values()], "%")


def _causes_step(found: causes.Found) -> str:
    tests = {one: causes.test_of(found, causes.BEFORE, one) for one in evidence.PROTOCOLS}
    return evidence.by_protocol((one, f"p{SPACE}={SPACE}{test.p_value:.1g}") for one, test in tests.items())


def _causes_slow(found: causes.Found) -> str:
    """What the changes add on the slow link."""
    return _between([(1 / one - 1) * 100 for one in causes.slow_ratios(found).values()], "%", digits=1)


def _each_version(tell: Callable[[list[evidence.Measured]], str], what: str) -> Callable[[Measured], StatedNumber]:
    def number(m: Measured) -> StatedNumber:
        found = each_version.cells(m.data, m.key)
        if not found:
            raise NotMeasured(f"no campaign of {each_version.SERIES}")
        return _told(tell(found), what, found)

    return number


def _of_steps(count: Callable[[Change], int]) -> Callable[[list[evidence.Measured]], str]:
    return lambda found: str(sum(count(one) for one in evidence.changes(found)))


def _versions(found: list[evidence.Measured]) -> list[tuple[evidence.Place, tuple[Summary, Summary]]]:
    return [(cell.place, own) for cell in found for own in each_version.pairs(cell)]


def _ends(found: list[evidence.Measured]) -> list[Ratio]:
    return [one for cell in found for one in each_version.ends(cell).values()]


def _drift(found: list[evidence.Measured]) -> str:
    """How much longer the smallest page takes at last."""
    (cell,) = [one for one in found if (one.place.workload, one.place.bandwidth_mbps) == (evidence.SMALLEST, SLOW)]
    return f"{(each_version.ends(cell)[each_version.GOOGLE].value - 1) * 100:.0f}{SPACE}%"


def _small_told(found: list[evidence.Measured]) -> str:
    """What half of the comparisons tell, or less."""
    told = [detectable(*own) for place, own in _versions(found) if place.workload == evidence.SMALLEST]
    return f"{median(told):.0f}{SPACE}ms"


def _longer_than_googles(found: list[evidence.Measured]) -> str:
    return _from_to([(one - 1) * 100 for one in each_version.over_google(found)])


def _served(m: Measured) -> list[releases.Served]:
    found = releases.cells(m.data, key=m.key)
    if not found:
        raise NotMeasured(f"no campaign of {releases.SERIES}")
    return found


def _servers_compared(m: Measured) -> StatedNumber:
    found = _served(m)
    return _told(str(len(releases.compared(found))), f"releases against Envoy {releases.BASE}, by cell", found)


def _servers_changed(m: Measured) -> StatedNumber:
    found = _served(m)
    kept = significant([ratio.test.p_value for _, _, ratio in releases.compared(found)])
    return _told(str(sum(kept)), f"significant differences from Envoy {releases.BASE} (Holm)", found)


def _servers_span(m: Measured) -> StatedNumber:
    found = _served(m)
    pcts = [(ratio.value - 1) * 100 for _, _, ratio in releases.compared(found)]
    return _told(_from_to(pcts), f"means over those of Envoy {releases.BASE}", found)


def _servers_told(m: Measured) -> StatedNumber:
    """The difference, in per cent of the mean, that the loads of half of the comparisons tell or less."""
    found = _served(m)
    pcts = [
        detectable(cell.quic[name], base) / base.mean * 100
        for cell, name, _ in releases.compared(found)
        if (base := cell.quic[releases.BASE])
    ]
    return _told(f"{median(pcts):.0f}{SPACE}%", "least difference that is found in four of five repetitions", found)


def _flags(place: int, what: str) -> Callable[[Measured], StatedNumber]:
    def number(_m: Measured) -> StatedNumber:
        if not releases_shown.flags_by_release():
            raise NotMeasured("`longlook servers` has not been run")
        return StatedNumber(
            str(releases_shown.came_and_gone()[place]), f"flags of QUICHE's {what}; book/years/flags.csv"
        )

    return number


def _disk(_m: Measured) -> StatedNumber:
    return StatedNumber(f"{needs.disk_bytes() / 1e9:.1f}{SPACE}GB", "installed parts; book/years/spoken.csv")


def _hours(m: Measured) -> StatedNumber:
    found = needs.campaigns(m.data, m.key)
    if not found:
        raise NotMeasured("no campaign of this chapter")
    files = ", ".join(f"data/raw/{one['campaign']}" for one in found)
    return StatedNumber(f"{needs.hours(found):.1f}{SPACE}hours", f"time that they took; from {files}")


NUMBERS: Numbers = {
    "loads": _loads(),
    "loss-loads": _loads(LOSS),
    "browsers": _browsers,
    "cells": lambda m: _told(str(len(_cells(m))), "cells without loss", _cells(m)),
    "leads": _leads(lambda _: True),
    "leads-quic": _leads(lambda verdict: verdict == "left"),
    "leads-tcp": _leads(lambda verdict: verdict == "right"),
    "loss-leads": _leads(lambda _: True, LOSS),
    "loss-leads-quic": _leads(lambda verdict: verdict == "left", LOSS),
    "loss-paired-quic": _by_pairs("left"),
    "loss-paired-tcp": _by_pairs("right"),
    "loss-leads-tcp": _leads(lambda verdict: verdict == "right", LOSS),
    "slow-quic": _span("quic", _slow_and_large),
    "all-tcp": _span("tcp", lambda _: True),
    "steps-quic": _steps(lambda one: len(one.steps), "quic"),
    "changed-quic": _steps(lambda one: len(one.significant), "quic"),
    "steps-tcp": _steps(lambda one: len(one.steps), "tcp"),
    "changed-tcp": _steps(lambda one: len(one.significant), "tcp"),
    "change-of-server": _change(FIRST_ENVOY, "quic"),
    "change-large": _change(FIRST_TLS_13, *evidence.PROTOCOLS, workload=evidence.LARGEST),
    "change-hundred": _longer(SLOWER_WITH_MANY, MANY),
    "cpu-tcp-first": _cpu("tcp", 0),
    "cpu-tcp-last": _cpu("tcp", -1),
    "slowest-quic": _slowest("quic"),
    "slowest-tcp": _slowest("tcp"),
    "set-up-google": _part(lambda one: one.set_up, "quic", last=LAST_GOOGLE),
    "set-up-http3": _part(lambda one: one.set_up, "quic", first=FIRST_ENVOY),
    "set-up-tcp": _part(lambda one: one.set_up, "tcp"),
    "browser-time": _part(lambda one: one.browser, "quic", "tcp"),
    "server-step": _step_of(lambda one: one.whole, LAST_GOOGLE, FIRST_ENVOY),
    "server-step-set-up": _step_of(lambda one: one.set_up, LAST_GOOGLE, FIRST_ENVOY),
    "share-step-set-up": _step_of(lambda one: one.set_up, *AROUND_KEY_SHARE),
    "causes-loads": _causes(
        lambda found: _least_to_most({one.n for one in found.values()}), "accepted loads of an arm"
    ),
    "causes-step": _causes(_causes_step, "Welch, Chromium 72 against 76, a hundred objects at 100 Mbit/s"),
    "causes-share": _causes(_causes_share, "of QUIC's and of TCP's step, without either change"),
    "causes-slow": _causes(_causes_slow, "over QUIC and over TCP, a hundred objects at 10 Mbit/s"),
    "stated-causes": stated("years-causes"),
    "each-steps": _each_version(_of_steps(lambda one: len(one.steps)), "steps of a version, in all cells"),
    "each-changed": _each_version(_of_steps(lambda one: len(one.significant)), "significant ones of them (Holm)"),
    "each-longer": _each_version(_longer_than_googles, "1 MB at 100 Mbit/s, HTTP/3 over Google's 43 by one browser"),
    "each-pairs": _each_version(lambda found: str(len(_versions(found))), "versions of one browser and server"),
    "each-pairs-told": _each_version(
        lambda found: str(sum(ratio_of(*one).test.significant for _, one in _versions(found))), "significant (Welch)"
    ),
    "each-ends": _each_version(lambda found: str(len(_ends(found))), "the last browser of a version against its first"),
    "each-ends-told": _each_version(
        lambda found: str(sum(significant([one.test.p_value for one in _ends(found)]))), "significant ones (Holm)"
    ),
    "each-drift": _each_version(_drift, "5 KB at 10 Mbit/s over Google's 43, the last browser over the first"),
    "each-told": _each_version(_small_told, "least difference of 5 KB that is found in four of five repetitions"),
    "stated-each-version": stated("years-each-version"),
    "axis-disk": _disk,
    "axis-hours": _hours,
    "stated-years": stated("years"),
    "stated-versions": stated("years-versions"),
    "stated-loss": stated("years-loss"),
    "large-loads": _loads((evidence.TEN_MB,)),
    "large-loss-loads": _loads(large.LOSSY),
    "large-tried": _steps(lambda one: len(one.steps), "quic", large.LOSSY),
    "large-changed": _steps(lambda one: len(one.significant), "quic", large.LOSSY),
    "stated-large": stated("years-large"),
    "stated-large-loss": stated("years-large-loss"),
    "servers-compared": _servers_compared,
    "servers-changed": _servers_changed,
    "servers-span": _servers_span,
    "servers-told": _servers_told,
    "flags-new": _flags(0, "that came after the oldest release"),
    "flags-gone": _flags(1, "that the newest release no longer has"),
    "stated-servers": stated("years-servers"),
    "stated-servers-share": stated("years-servers-share"),
}
