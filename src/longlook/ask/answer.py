"""The answer to a question: measured, as a report whose first sentence is computed from its intervals."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from longlook.analysis.paired import SMALL_PCT
from longlook.analysis.result import CellResult
from longlook.ask.question import QUIC, TCP, Question
from longlook.book.report import CampaignReport, CellReport, Told, report_of
from longlook.doctor import make_ready
from longlook.experiment.ends import MANAGED
from longlook.experiment.metrics import PLT
from longlook.experiment.run import run_sweep
from longlook.link.base import DIRECTIONS
from longlook.link.traced import outside
from longlook.plan.value import capitalised
from longlook.record.campaign import CELL_NAME, ENVIRONMENT_NAME
from longlook.record.durable import read_json
from longlook.record.samples import read_records

Found = tuple[CellReport, Told]


@dataclass(frozen=True)
class Answer:
    """What was found, and `left`: what to do about what is missing, a text for the last lines."""

    report: CampaignReport
    results: list[CellResult]
    failures: list[str]
    left: str


def answered(question: Question) -> Answer:
    """Measure what is missing of a question, and answer it."""
    sweep = question.sweep()
    make_ready(sweep.cells())
    run = run_sweep(sweep)
    left = run.left(f"`{question.again}`, run again,")
    report, results = report_of(run.campaign.id, again=question.again, called=question.called())
    metric = question.gate.metric if question.gate else PLT.title
    wanted = len(sweep.cells())
    busy = busy_words(results, question) if left else ""
    failures = list(question.gate.failures(report.cells, QUIC, TCP, wanted)) if question.gate else []
    says = [sentence(report.cells, metric, question), *([busy] if busy else [])]
    says += [f"required and not so: {one}" for one in failures]
    cells = list(run.campaign.finished_cells())
    measured = [*links_measured(cells), *queues_told(cells), *crossed(cells), *versions(cells)]
    notes = [*question.notes(), *report.notes, *measured]
    report = replace(report, sentences=tuple(says), notes=tuple(notes))
    return Answer(report, results, failures, left)


def versions(cells: Sequence[Path]) -> Iterator[str]:
    """What the servers of these cells said that they are."""
    said: dict[str, str] = {}
    for folder in cells:
        said |= read_json(folder / ENVIRONMENT_NAME)["server_versions"]
    if said:
        yield f"Versions, as servers say them: {', '.join(f'{name} {text}' for name, text in said.items())}."


def links_measured(cells: Sequence[Path]) -> Iterator[str]:
    """The link of each series as it was before its loads."""
    said: dict[str, str] = {}
    for folder in cells:
        measured = read_json(folder / ENVIRONMENT_NAME)["calibration"]["measured"]
        ways = (_way_measured(measured, way, words) for way, words in zip(DIRECTIONS, ("down", "up"), strict=True))
        series = read_json(folder / CELL_NAME)["cell"]["series"]
        said[series] = ", ".join([f"a round trip of {measured['rtt_ms_median']:.3g} ms", *ways])
    yield from (f"Link {series}, as measured: {text}." for series, text in said.items())


def queues_told(cells: Sequence[Path]) -> Iterator[str]:
    """What queues that manage themselves did to the packets of each arm, in all its loads."""
    for folder in cells:
        cell = read_json(folder / CELL_NAME)["cell"]
        if cell["link"].get("queue_discipline") is None:
            continue
        counted: dict[str, Counter[str]] = {}
        for record in read_records(folder):
            for own in record["link"].values():
                kept = {name: round(own.get(name, 0)) for name in ("packets_in", *MANAGED)}
                counted.setdefault(record["arm"], Counter()).update(kept)
        arms = (
            f"of {own['packets_in']} packets of {arm} {own['dropped_aqm']} dropped and {own['marked_ce']} marked, "
            f"{own['ecn_capable']} said that they understand marks"
            for arm, own in counted.items()
        )
        yield f"Queues of {cell['label'] or cell['series']}: {'; '.join(arms)}."


def crossed(cells: Sequence[Path]) -> Iterator[str]:
    """What ran beside the loads of each arm, and how fast."""
    for folder in cells:
        cell = read_json(folder / CELL_NAME)["cell"]
        if (number := cell["link"].get("cross_flows")) is None:
            continue
        rates: dict[str, list[float]] = {}
        for record in read_records(folder):
            if record["accepted"] and not record["set_aside"]:
                rates.setdefault(record["arm"], []).append(sum(flow["mbps"] for flow in record["cross_traffic"]))
        arms = "; ".join(
            f"{statistics.median(own):.3g} Mbit/s beside {arm} ({min(own):.3g} to {max(own):.3g})"
            for arm, own in rates.items()
        )
        cca, several = cell["link"]["cross_cca"].upper(), "s" * (number > 1)
        over = cell["link"].get("cross_protocol", "tcp").upper()
        yield (
            f"Beside the loads of {cell['label'] or cell['series']} ran {number} flow{several} of {over} {cca} from "
            f"the server to the client, together at {arms or 'no rate: no load counted'}; medians."
        )


def _way_measured(measured: Mapping[str, Any], way: str, words: str) -> str:
    if (own := measured.get("traces", {}).get(way)) is None:
        return f"{measured[way]['mbps']:.4g} Mbit/s {words}"
    right = len(own["packets"]) - len(outside(own))
    return f"the bytes of its trace {words} in {right} of {len(own['packets'])} times {own['bin_ms']} ms"


def busy_words(results: Sequence[CellResult], question: Question) -> str:
    """What to do where other work on the machine disturbed loads; empty where it did not."""
    samples = [one for result in results for one in result.samples]
    disturbed = sum(one.disturbed for one in samples)
    if not disturbed:
        return ""
    return (
        f"This machine was busy: {disturbed} of {len(samples)} loads are excluded, since processors had other work. "
        f"End what else runs, and run the same again, which measures what is missing: {question.again}"
    )


def sentence(cells: Sequence[CellReport], metric: str, question: Question) -> str:
    """One, computed from the intervals of one metric: for each visit what each of its links tells."""
    said = []
    for label in question.labels:
        found = {
            cell.series: (cell, cell.told[0])
            for cell in cells
            if cell.metric == metric and cell.label.endswith(f", {label}")
        }
        said.append(f"{capitalised(label)}: {'; '.join(_parts(found, list(question.links)))}.")
    return f"Does HTTP/3 pay, by {metric}? {' '.join(said)}"


def _parts(found: dict[str, Found], links: list[str]) -> Iterator[str]:
    by: dict[str, list[str]] = {}
    for link in links:
        by.setdefault(found[link][1].finding if link in found else "none", []).append(link)
    for finding, says in (("left", "it pays on {}: it saves"), ("right", "it costs on {}:")):
        if own := by.get(finding):
            cells = [found[link][0] for link in own]
            ends = sorted(abs(cell.arms[1].median - cell.arms[0].median) for cell in cells)
            span = " to ".join(dict.fromkeys(f"{one:.0f}" for one in (ends[0], ends[-1])))
            yield f"{says.format(', '.join(own))} {span} {cells[0].unit} of the median"
    if own := by.get("small"):
        yield f"it does not on {', '.join(own)}: shown to differ by less than {SMALL_PCT:g} %"
    if own := by.get("not shown"):
        more = max(found[link][1].more_loads or 0 for link in own)
        rest = f"; about {more} more load{'s' * (more > 1)} of each would show it" if more else ""
        yield f"it is open on {', '.join(own)}{rest}"
    if own := by.get("none"):
        yield f"it is open on {', '.join(own)}, where no load counted"
