"""Numbers of the chapter years.md, each as it stands in its text."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from statistics import median
from typing import Any

import pandas as pd

from longlook.analysis.contrast import Verdict
from longlook.analysis.crosstable import by_holm
from longlook.analysis.paired import Paired, of_row
from longlook.analysis.power import detectable
from longlook.analysis.ratio import ratio_of
from longlook.analysis.welch import Summary, significant
from longlook.book.data import BookData
from longlook.book.evidence import StudyColumn, by, columns_of, records_of
from longlook.book.value import SPACE, Measured, NotMeasured, Number, Quantity, StatedNumber, number, origin
from longlook.book.value_role import Numbers
from longlook.book.years import causes, each_version, evidence, needs, parts, releases
from longlook.book.years.evidence import AXIS, BASE, FIRST_HTTP3, LOSS, MANY, PROTOCOLS, SERIES
from longlook.book.years.milestones import number_by_stack
from longlook.book.years.tables import LARGE_LOSS, is_busiest
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.record.parquet import records

SLOW = 10.0
LAST_GOOGLE, FIRST_ENVOY = 85, 88
FIRST_TLS_13, SLOWER_WITH_MANY = 72, 76
"""The second takes longer for many objects than the one before."""
AROUND_KEY_SHARE = 119, 133
Tell = Callable[[Any], str]
Cells = list[evidence.CellByMilestone]
EACH_ARM = {"statistic": "count", "each": ["arm", "workload", "bandwidth_mbps"]}


@number
def _told(
    m: Measured, what: str, tell: Tell, find: Callable[[BookData, str], Any] | None = None, series: Sequence[str] = AXIS
) -> StatedNumber:
    """What is told of what some series found: of their cells, unless stated otherwise."""
    found = evidence.cells(m.data, m.key, series) if find is None else find(m.data, m.key)
    if not len(found):
        raise NotMeasured(f"no campaign of {', '.join(series)}")
    return StatedNumber(tell(found), f"{what}; {m.campaigns(*series)}")


_parts = partial(
    _told, "of one load of each browser, the one nearest to its median", find=parts.found, series=(SERIES,)
)
_each = partial(_told, find=each_version.cells, series=(each_version.SERIES,))
_served = partial(_told, find=lambda data, key: releases.cells(data, key=key), series=(releases.SERIES,))


def _least_to_most(counts: Collection[int]) -> str:
    return " to ".join(dict.fromkeys(str(choose(counts)) for choose in (min, max)))


def _from_to(times: Collection[float]) -> str:
    """The least and the greatest difference from once."""
    if not times:
        raise NotMeasured("no cell changes there")
    return " to ".join(style.signed_pct((choose(times) - 1) * 100) for choose in (min, max)) + f"{SPACE}%"


def _loads(found: Cells) -> str:
    return _least_to_most({one.n for cell in found for one in cell.times.values()})


def _leads(winner: str | None = None) -> Tell:
    """How many verdicts there are, or of how many this is."""
    return lambda found: str(
        sum(
            winner in (None, lead.verdict) for cell in found for one in cell.numbers("quic") if (lead := cell.lead(one))
        )
    )


def _leads_by_holm(found: Cells) -> str:
    """Verdicts for QUIC, then for TCP, that stay by Holm's correction over all."""
    leads = [lead for cell in found for one in cell.numbers("quic") if (lead := cell.lead(one))]
    return _kept((lead.verdict, lead.test.p_value) for lead in leads)


def _kept(tests: Iterable[tuple[Verdict | None, float]]) -> str:
    kept = by_holm(tests)
    return f"{kept['left']} and {kept['right']}"


def _by_pairs(tell: Callable[[Sequence[Paired]], str]) -> Tell:
    """Of rows of `contrasts`: what pairs of loads show of one browser's two protocols under loss."""

    def told(rows: pd.DataFrame) -> str:
        arms = [rows[side].str.partition("-")[2].str.rpartition("-")[2] for side in ("left", "right")]
        alike = (arms[0] == arms[1]) & rows["left"].str.startswith("quic") & rows["right"].str.startswith("tcp")
        return tell([of_row(row) for row in records(rows[alike & (rows["metric"] == PLT.name)])])

    return told


def _paired_leads(winner: str) -> Tell:
    return _by_pairs(lambda found: str(sum(one.winner == winner for one in found)))


def _span(protocol: str, chosen: Callable[[evidence.CellByMilestone], bool] = lambda cell: True) -> Tell:
    """By how much the means of all browsers from FIRST_HTTP3 on differ from those of BASE."""
    return lambda found: _from_to(
        [
            ratio.value
            for cell in filter(chosen, found)
            for one in cell.numbers(protocol)
            if one >= FIRST_HTTP3 and one != BASE and (ratio := cell.to_base(one, protocol))
        ]
    )


def _slow_and_large(cell: evidence.CellByMilestone) -> bool:
    return cell.place.bandwidth_mbps == SLOW and cell.place.object_bytes * cell.place.object_count >= 1e6


def _steps(which: str, protocol: str | None = None) -> Tell:
    """How many `steps` there are, or `significant` ones, of one protocol or of all."""
    return lambda found: str(
        sum(len(getattr(one, which)) for one in evidence.changes(found) if protocol in (None, one.protocol))
    )


def _change(to: int, *protocols: str, workload: str | None = None) -> Tell:
    """How much longer pages take from one milestone to the next, in the cells that change there; of one page, if
    stated."""
    return lambda found: _from_to(
        [
            step.ratio.value
            for one in evidence.changes(found)
            if one.protocol in protocols and one.after.number == to
            for step in one.significant
            if workload in (None, step.place.workload)
        ]
    )


def _longer(found: Cells) -> str:
    """How much longer many objects take on the fast link than with the milestone before, over both protocols."""
    busiest = [one for one in found if is_busiest(one)]
    return _from_to([one.ratio.value for one in evidence.steps(busiest) if one.after.number == SLOWER_WITH_MANY])


def _cpu(protocol: str, at: int) -> Tell:
    def tell(found: Cells) -> str:
        (cell,) = filter(is_busiest, found)
        return f"{cell.cpu[cell.numbers(protocol)[at], protocol].mean:.2f}{SPACE}s"

    return tell


def _slowest(protocol: str) -> Number:
    """Of the busiest cell, from FIRST_HTTP3 on: of no browser takes a load more of its median than that."""
    numbers = number_by_stack()

    def find(data: BookData, key: str) -> list[float]:
        column = columns_of(data, evidence.STUDY)[key]
        rows = [row for row in column.rows([SERIES], PLT.name) if row["protocol"] == protocol]
        busiest = [row for row in rows if (row["workload"], row["bandwidth_mbps"]) == (MANY, evidence.FAST)]
        loads = [column.loads(row) for row in busiest if numbers.get(row["stack"], 0) >= FIRST_HTTP3]
        return [max(own) / median(own) for own in loads]

    what = f"slowest load of {protocol}, over its browser's median"
    return _told(what, lambda found: f"{max(found):.1f}", find, (SERIES,))


def _part(part: str, *protocols: str, first: float = 0, last: float = math.inf) -> Tell:
    """The least and the greatest of all browsers from `first` to `last`."""

    def told(found: Any) -> str:
        own = [
            getattr(one, part)
            for (number, protocol), one in found.items()
            if protocol in protocols and first <= number <= last
        ]
        return f"{min(own):.0f} to {max(own):.0f}{SPACE}ms"

    return told


def _step_of(part: str, first: int, then: int) -> Tell:
    """What the step from one milestone to another adds to a part, over QUIC."""
    return lambda found: f"{getattr(found[then, 'quic'], part) - getattr(found[first, 'quic'], part):.1f}{SPACE}ms"


def _hundred(m: Measured, stack: str, protocol: str) -> Quantity:
    """Mean of a hundred objects on the fast link."""
    return by(m, value=f"{protocol}-{stack}", metric=PLT.name, **causes.at(MANY, evidence.FAST))


def _causes_step(m: Measured) -> StatedNumber:
    own, asked = StudyColumn(m.data, m.study, m.key), {"metric": PLT.name, **causes.at(MANY, evidence.FAST)}
    arms = [[f"{protocol}-{stack}" for stack in (causes.AFTER, causes.BEFORE)] for protocol in PROTOCOLS]
    found = [one for pair in arms for one in own.found(difference=pair, **asked)]
    if len(found) < len(PROTOCOLS):
        raise NotMeasured(f"{causes.SERIES} is not measured")
    texts = [f"p{SPACE}={SPACE}{one.estimate.p_value:.1g}" for one in found]
    text = evidence.by_protocol(zip(PROTOCOLS, texts, strict=True))
    return StatedNumber(text, f"Welch's test of the means; {origin(records_of(found))}")


def _causes_share(m: Measured) -> StatedNumber:
    """Of what QUIC's and TCP's pages take longer than before, how much goes without the changes."""
    after, before, neither = (
        [_hundred(m, stack, one) for one in PROTOCOLS] for stack in (causes.AFTER, causes.BEFORE, causes.NEITHER)
    )
    parts = [(own - without) / (own - base) for own, base, without in zip(after, before, neither, strict=True)]
    return (Quantity.joined(*parts) * 100).span("%")


def _causes_slow(m: Measured) -> StatedNumber:
    """What the changes add over QUIC and over TCP to a hundred objects on the slow link."""
    pairs = [[f"{protocol}-{stack}" for stack in (causes.AFTER, causes.NEITHER)] for protocol in PROTOCOLS]
    return ((by(m, ratio=pairs, metric=PLT.name, **causes.at(MANY, causes.SLOW)) - 1) * 100).span("%", 1)


def _versions(found: Cells, workload: str | None = None) -> list[tuple[Summary, Summary]]:
    """Of one browser and one server; of one page, if stated."""
    cells = [cell for cell in found if workload in (None, cell.place.workload)]
    return [own for cell in cells for own in each_version.pairs(cell)]


def _ends_told(found: Cells) -> list[bool]:
    """Whether a version's last browser differs from its first, by Holm's correction."""
    return significant([one.test.p_value for cell in found for one in each_version.ends(cell).values()])


def _drift(found: Cells) -> str:
    """How much longer the smallest page takes at last."""
    (cell,) = [one for one in found if (one.place.workload, one.place.bandwidth_mbps) == (evidence.SMALLEST, SLOW)]
    return f"{(each_version.ends(cell)[each_version.GOOGLE].value - 1) * 100:.0f}{SPACE}%"


def _small_told(found: Cells) -> str:
    """What half of the comparisons tell, or less."""
    return f"{median(detectable(*own) for own in _versions(found, evidence.SMALLEST)):.0f}{SPACE}ms"


def _servers_told(found: list[releases.ReleaseSquare]) -> str:
    """The difference, in per cent of the mean, that the loads of half of the comparisons tell or less."""
    both = [(cell.quic[name], cell.quic[releases.BASE]) for cell, name, _ in releases.compared(found)]
    return f"{median(detectable(own, base) / base.mean * 100 for own, base in both):.0f}{SPACE}%"


def _servers_changed(found: list[releases.ReleaseSquare]) -> str:
    return str(sum(significant([ratio.test.p_value for _, _, ratio in releases.compared(found)])))


@number
def _flags(_m: Measured, place: int, what: str) -> StatedNumber:
    if not releases.flags_by_release():
        raise NotMeasured("`longlook servers` has not been run")
    return StatedNumber(str(releases.came_and_gone()[place]), f"flags of QUICHE's {what}; book/years/flags.csv")


def _disk(_m: Measured) -> StatedNumber:
    return StatedNumber(f"{needs.disk_bytes() / 1e9:.1f}{SPACE}GB", "installed parts; book/years/spoken.csv")


def _hours(m: Measured) -> StatedNumber:
    found = needs.campaigns(m.data, m.key)
    if not found:
        raise NotMeasured("no campaign of this chapter")
    files = ", ".join(f"data/raw/{one['campaign']}" for one in found)
    return StatedNumber(f"{needs.hours(found):.1f}{SPACE}hours", f"time that they took; from {files}")


LOADS, VERDICTS = "accepted loads of every arm", "verdicts, one for each browser and cell"
PAIRED = "paired log ratios (data/processed/contrasts.csv)"
_lossy = partial(_told, series=LOSS)
_paired = partial(_told, PAIRED, find=lambda data, key: data.rows("contrasts", evidence.STUDY, LOSS, key), series=LOSS)
_large = partial(_told, series=LARGE_LOSS)
NUMBERS: Numbers = {
    "loads": _told(LOADS, _loads),
    "loss-loads": _lossy(LOADS, _loads),
    "browsers": _told("milestones measured", lambda found: str(len({number for number, _ in found[0].times}))),
    "cells": _told("cells without loss", lambda found: str(len(found))),
    "leads": _told(VERDICTS, _leads()),
    "leads-quic": _told(VERDICTS, _leads("left")),
    "leads-tcp": _told(VERDICTS, _leads("right")),
    "leads-holm": _told(VERDICTS, _leads_by_holm),
    "loss-leads": _lossy(VERDICTS, _leads()),
    "loss-leads-holm": _lossy(VERDICTS, _leads_by_holm),
    "loss-leads-quic": _lossy(VERDICTS, _leads("left")),
    "loss-leads-tcp": _lossy(VERDICTS, _leads("right")),
    "loss-paired-quic": _paired(_paired_leads("left")),
    "loss-paired-tcp": _paired(_paired_leads("right")),
    "loss-paired-holm": _paired(_by_pairs(lambda found: _kept((one.winner, one.p_value) for one in found))),
    "slow-quic": _told(f"means over those of Chromium {BASE}", _span("quic", _slow_and_large)),
    "all-quic": _told(f"means over those of Chromium {BASE}", _span("quic")),
    "all-tcp": _told(f"means over those of Chromium {BASE}", _span("tcp")),
    **{
        f"{name}-{protocol}": _told(
            f"steps of {protocol} between neighbouring milestones, in all cells", _steps(which, protocol)
        )
        for name, which in (("steps", "steps"), ("changed", "significant"))
        for protocol in PROTOCOLS
    },
    "change-of-server": _told(f"quic, to Chromium {FIRST_ENVOY}, in cells that change", _change(FIRST_ENVOY, "quic")),
    "change-large": _told(
        f"quic and tcp, to Chromium {FIRST_TLS_13}, in cells that change",
        _change(FIRST_TLS_13, *PROTOCOLS, workload=evidence.LARGEST),
    ),
    "change-hundred": _told(f"to Chromium {SLOWER_WITH_MANY}, over both protocols", _longer, series=(SERIES,)),
    "cpu-tcp-first": _told("CPU of the first browser for one load", _cpu("tcp", 0), series=(SERIES,)),
    "cpu-tcp-last": _told("CPU of the last browser for one load", _cpu("tcp", -1), series=(SERIES,)),
    "slowest-quic": _slowest("quic"),
    "slowest-tcp": _slowest("tcp"),
    "set-up-google": _parts(_part("set_up", "quic", last=LAST_GOOGLE)),
    "set-up-http3": _parts(_part("set_up", "quic", first=FIRST_ENVOY)),
    "set-up-tcp": _parts(_part("set_up", "tcp")),
    "browser-time": _parts(_part("browser", *PROTOCOLS)),
    "server-step": _parts(_step_of("whole", LAST_GOOGLE, FIRST_ENVOY)),
    "server-step-set-up": _parts(_step_of("set_up", LAST_GOOGLE, FIRST_ENVOY)),
    "share-step-set-up": _parts(_step_of("set_up", *AROUND_KEY_SHARE)),
    "causes-loads": lambda m: by(m, value="*", **EACH_ARM, series=causes.SERIES, metric=PLT.name).span(),
    "causes-step": _causes_step,
    "causes-share": _causes_share,
    "causes-slow": _causes_slow,
    "each-steps": _each("steps of a version, in all cells", _steps("steps")),
    "each-changed": _each("significant ones of them (Holm)", _steps("significant")),
    "each-longer": _each(
        "1 MB at 100 Mbit/s, HTTP/3 over Google's 43 by one browser",
        lambda found: _from_to(each_version.over_google(found)),
    ),
    "each-pairs": _each("versions of one browser and server", lambda found: str(len(_versions(found)))),
    "each-pairs-told": _each(
        "significant (Welch)", lambda found: str(sum(ratio_of(*one).test.significant for one in _versions(found)))
    ),
    "each-ends": _each("the last browser of a version against its first", lambda found: str(len(_ends_told(found)))),
    "each-ends-told": _each("significant ones (Holm)", lambda found: str(sum(_ends_told(found)))),
    "each-drift": _each("5 KB at 10 Mbit/s over Google's 43, the last browser over the first", _drift),
    "each-told": _each("least difference of 5 KB that is found in four of five repetitions", _small_told),
    "axis-disk": _disk,
    "axis-hours": _hours,
    "large-loads": _told(LOADS, _loads, series=(evidence.TEN_MB,)),
    "large-loss-loads": _large(LOADS, _loads),
    "large-tried": _large("steps of quic between neighbouring milestones", _steps("steps", "quic")),
    "large-changed": _large("significant ones of them (Holm)", _steps("significant", "quic")),
    "servers-compared": _served(
        f"releases against Envoy {releases.BASE}, by cell", lambda found: str(len(releases.compared(found)))
    ),
    "servers-changed": _served(f"significant differences from Envoy {releases.BASE} (Holm)", _servers_changed),
    "servers-span": _served(
        f"means over those of Envoy {releases.BASE}",
        lambda found: _from_to([ratio.value for _, _, ratio in releases.compared(found)]),
    ),
    "servers-told": _served("least difference that is found in four of five repetitions", _servers_told),
    "flags-new": _flags(0, "that came after the oldest release"),
    "flags-gone": _flags(1, "that the newest release no longer has"),
}
