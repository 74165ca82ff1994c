"""The tables by the first attempt of each load, disturbed or not: what the rule of rejection does to a verdict.

Loads that failed otherwise (a wrong protocol, no 0-RTT) are no loads of their arm in these either.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from html import escape

from longlook.analysis.first_attempts import are_first
from longlook.book import reads
from longlook.book.data import BookData

NUMBER = ["campaign", "cell_id", "arm", "metric"]
"""Columns that name one of `arms`."""


def at_first(data: BookData, study: str) -> BookData:
    """The same tables; in `samples` the first attempts count, and `arms` has their means."""
    reads.rows("samples", study=study)
    return _at_first(data)


@lru_cache(maxsize=1)
def _at_first(data: BookData) -> BookData:
    samples, arms = data.table("samples"), data.table("arms")
    samples = samples.assign(accepted=are_first(samples))
    counting = samples[samples["accepted"]].dropna(subset=["value"])
    values = counting.groupby(NUMBER, observed=True)["value"]
    found = arms[NUMBER].join(values.agg(n="count", mean="mean", sd="std", median="median"), on=NUMBER)
    turns = (arms["mode"] == "interleaved") & found["n"].notna()  # others are pooled over repeats, and have one attempt
    numbers = ["n", "mean", "sd", "median"]
    whole = arms.assign(**{name: found[name].where(turns, arms[name]).astype(arms[name].dtype) for name in numbers})
    other = BookData(data.published, data.processed)
    other._tables.update(samples=samples, arms=whole, cells=data.table("cells"))
    return other


def changed(now: Mapping[str, str], first: Mapping[str, str]) -> str:
    """A paragraph on claims, whose verdicts are given by name; nothing of none."""
    others = [f"{name}: {first[name]} (above: {said})" for name, said in now.items() if first[name] != said]
    told = f"{len(others)} of {len(now)} verdicts change: {'; '.join(others)}" if others else "no verdict changes"
    return f"<p>By the first attempt of each load, excluded or not, {escape(told)}.</p>" if now else ""
