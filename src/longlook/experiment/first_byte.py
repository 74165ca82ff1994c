"""When a page's first byte came, from the HAR that each record of a page keeps; no metric of the record itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from longlook.client.artefact import observed
from longlook.client.observation import Observation
from longlook.experiment.metrics import TTFB
from longlook.experiment.recheck import Recheck, recheck_interleaved, sample_in
from longlook.plan.cell import Cell
from longlook.record.samples import Sample, read_records


def read_sites(cell: Cell, folder: Path) -> list[Sample]:
    """The samples of a finished cell, with when the first byte of each page came."""
    return [_with(sample_in(cell, one), one) for one in read_records(folder)]


def recheck_sites(cell: Cell, folder: Path) -> Recheck:
    """As recheck_interleaved, with the same samples as `read_sites`."""
    found = recheck_interleaved(cell, folder)
    found.samples = [_with_first_byte(one, found.seen.get(one.order)) for one in found.samples]
    return found


def _with(sample: Sample, record: Mapping[str, Any]) -> Sample:
    artefact = record.get("artefact")
    return _with_first_byte(sample, None if artefact is None else observed(artefact))


def _with_first_byte(sample: Sample, seen: Observation | None) -> Sample:
    """As PLT: from when the page was asked for, without the time that its name took."""
    answered = None if seen is None or not seen.objects else seen.objects[0].answered_ms
    if answered is None:
        return sample
    first_ms = max(answered - (sample.metrics.get("dns_ms") or 0.0), 0.0)
    return replace(sample, metrics={**sample.metrics, TTFB.name: round(first_ms, 3)})
