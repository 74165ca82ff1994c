"""What a chapter's cells call. Each method returns something that the notebook shows; a chapter's first cell is

    paper = open_chapter("<name>")

and its other cells are one line each. Which chapter has which series follows from its front matter.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from IPython.display import HTML, Markdown

from longlook.book import data as book_data
from longlook.book import flows, heatmaps, timelines
from longlook.book.chapters import chapter_series, chapter_study
from longlook.book.contradicted import contradicted
from longlook.book.varied import Changes, varied_table
from longlook.errors import LonglookError
from longlook.experiment.base import Metric
from longlook.experiment.metrics import PLT, WINDOW_MAX
from longlook.experiment.registry import EXPERIMENTS
from longlook.figure.live import LiveChart
from longlook.figure.squares import Axes
from longlook.figure.versus import Versus

QUIC_TCP = ("quic", "tcp")


@dataclass(frozen=True)
class Chapter:
    """One results chapter: its name, its study, the series of its sweeps and the tables of the book."""

    name: str
    study: str
    series: tuple[str, ...]
    data: book_data.BookData

    def status(self) -> Markdown | None:
        """None where everything is measured, and nothing of the reader's own contradicts it; else what is missing, with
        the command that measures it, and what is contradicted."""
        missing = [one for one in self.series if not self.data.is_measured(self.study, one)]
        parts = [self._missing(missing) if missing else "", contradicted(self.data, self.study, self.series)]
        return Markdown("\n\n".join(f"> {text}" for text in parts if text)) if any(parts) else None

    def _missing(self, missing: Sequence[str]) -> str:
        return (
            f"**Not measured yet: {', '.join(missing)}.** This copy holds no campaign for it, so only the published "
            f"values stand here, where there are any. `longlook chapter {self.name}` measures this chapter on this "
            f"machine and builds the book again (`longlook chapter {self.name} --quick` with a few loads per cell); "
            "`make reproduce` measures a small selection of squares."
        )

    def heatmap(
        self,
        series: str | Sequence[str],
        x: str = "workload",
        y: str = "bandwidth_mbps",
        *,
        by: str | Sequence[str] = (),
        contrast: tuple[str, str] = QUIC_TCP,
        metric: str = PLT.name,
    ) -> LiveChart | HTML:
        """The live heatmaps of one or several series; a sentence where there is nothing to show.

        `x`, `y` and `by` (panels of their own) are conditions: columns of `cells`, or those of an arm, as in
        `quic.server_cpu_pct`. `contrast` names two arms of a cell, `metric` what of them is compared.
        Two cells on one square are an error.
        """
        panels = (by,) if isinstance(by, str) else tuple(by)
        axes = Axes(x, y, panels, contrast)
        found = heatmaps.live_heatmap(self.data, self.study, series, Versus(*contrast, metric_of(metric)), axes)
        names = series if isinstance(series, str) else ", ".join(series)
        return found or HTML(f"<p>Figure {names}: not measured yet, and no table of it is published.</p>")

    def varied(self, changes: Changes, usual: str, varied: str) -> HTML:
        """Series with one condition changed (headed `varied`), each beside the same squares of those that it names
        (headed `usual`)."""
        return HTML(varied_table(self.data, self.study, changes, usual, varied, Versus(*QUIC_TCP, PLT)))

    def table(self, name: str) -> HTML:
        """The shares of a series' scenarios, or of a published table's beside the published ones."""
        published = self.data.published
        own = published[(published["study"] == self.study) & (published["table"] == name)]
        together = own[own["mode"] == "together"]
        series = together["series"].iloc[0] if len(together) else name
        if together.empty and series not in self.series:
            raise LonglookError(f"no published table of shares and no series of this chapter is called {name!r}")
        return HTML(flows.shares_table(self.data, self.study, series))

    def counts(self, series: str) -> HTML:
        """Time, rate and losses of every transfer of a series: median over the accepted runs, and the range."""
        return HTML(flows.counts_table(self.data, self.study, series))

    def loads(self, series: str) -> HTML:
        """Every load of a series: time, largest window, and where its RTT samples' time went."""
        return HTML(flows.loads_table(self.data, self.study, series))

    def timeline(
        self,
        series: str,
        labels: str | Sequence[str],
        what: timelines.What,
        *,
        workload: str | None = None,
        run: int = 0,
        zoom_s: tuple[float, float] | None = None,
        published: bool = False,
    ) -> LiveChart | HTML:
        """Something over the time of a transfer: `throughput`, `windows` (of all its flows), `cwnd_bytes` and `rtt_ms`
        (of several scenarios), `losses`, `phases`, `rtt_parts`. `published`: printed means as lines."""
        own = (labels,) if isinstance(labels, str) else tuple(labels)
        watched = timelines.WatchedTransfer(series, own, workload, run, zoom_s, published)
        found = timelines.live_timeline(self.data, self.study, watched, what)
        return found or HTML(f"<p>Not measured yet: {html.escape(watched.title)} ({html.escape(series)}).</p>")

    def run_with(
        self, window: Literal["smallest", "largest"], series: str, label: str, workload: str, nth: int = 0
    ) -> int:
        """Number of the run whose largest window is smallest or largest, or the next one (`nth`)."""
        for key in ("yours", "reference"):
            own = flows.transfers(self.data, self.study, series, key)
            own = own[(own["label"] == label) & (own["workload"] == workload)].dropna(subset=[WINDOW_MAX.name])
            if len(own):
                ordered = own.sort_values(WINDOW_MAX.name, ascending=window == "smallest")
                return int(ordered["run"].iloc[min(nth, len(ordered) - 1)])
        return 0


def metric_of(name: str) -> Metric:
    """The metric of that name, of whichever experiment; an unknown one is an error that lists the known ones."""
    known = {metric.name: metric for experiment in EXPERIMENTS.values() for metric in experiment.metrics}
    if name not in known:
        raise LonglookError(f"no metric {name!r} (known: {', '.join(known)})")
    return known[name]


def open_chapter(name: str) -> Chapter:
    """The chapter called `name` in its front matter, with the tables of this copy."""
    return Chapter(name, chapter_study(name), chapter_series(name), book_data.load())
