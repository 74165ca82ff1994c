"""What the cells of the chapters on transfers call: fairness, windows, losses. Each function returns what the notebook shows."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Literal

import pandas as pd
from IPython.display import HTML, Markdown

from longlook import paths
from longlook.analysis.cells import accepted, newest_of
from longlook.analysis.fairness import Contest, measured_contests, published_contests
from longlook.probe.thin import thin
from longlook.audit import read_shares
from longlook.book import data as book_data
from longlook.book.chapters import chapter_sweeps
from longlook.book.provenance import machine_of, origin_of
from longlook.figure import style
from longlook.figure.live import Download, LiveChart
from longlook.figure.table import html_table
from longlook.figure.timeline import phases, timeline
from longlook.sweep import load_sweep

ROLES = (("reference", "re-measured (reference)"), ("local", "yours"))
SHORT = {"reference": "reference", "local": "yours"}
VERDICTS = {"quic": "QUIC has more", "tcp": "TCP has more", "fair": "fair", "unfair": "unfair"}
BINS = 300
KB = 1024


@dataclass(frozen=True)
class TransferChapter:
    """One chapter: the figures of its sweeps of transfers, and the tables made of them."""

    name: str
    figures: list[str]
    flows: pd.DataFrame
    timelines: pd.DataFrame
    throughputs: pd.DataFrame
    campaigns: pd.DataFrame
    published: pd.DataFrame

    def status(self) -> Markdown | None:
        """None where everything is measured; else what is missing, and the command that measures it."""
        missing = [figure for figure in self.figures if not (self.flows["figure"] == figure).any()]
        if not missing:
            return None
        text = f"**Not measured yet: {', '.join(missing)}.** `longlook chapter {self.name}` measures it on this machine and builds the book again."
        return Markdown(f"> {text}")

    def provenance(self) -> HTML:
        """Which campaign, stack and machine the figures come from."""
        rows = []
        for figure in self.figures:
            for role, title in ROLES:
                own = self._newest(figure, role)
                for campaign in own["campaign"].unique():
                    row = self.campaigns[self.campaigns["campaign"] == campaign].iloc[0]
                    runs = own.loc[own["campaign"] == campaign, "replicate"].nunique()
                    record = f"<code>data/raw/{html.escape(campaign)}</code>, {str(row['created'])[:16].replace('T', ' ')} UTC"
                    rows.append([html.escape(figure), title, origin_of(row), html.escape(machine_of(row)), f"{record}, {runs} runs of each"])
        head = ["Figure", "Column", "Stack", "Machine", "Campaign"]
        return HTML(html_table(head, rows, escape=False)) if rows else HTML("")

    def _newest(self, figure: str, role: str) -> pd.DataFrame:
        return newest_of(self.flows, figure, role)

    def shares(self, table: str) -> HTML:
        """One published table of shares beside the re-measured ones; scenarios without a published value follow."""
        columns = [("published", published_contests(self.published, table))]
        for role, title in ROLES:
            own = self._newest(f"table-{table}", role)
            if len(own):
                columns.append((title, measured_contests(own)))
        return HTML(_shares_table(columns))

    def measured_shares(self, figure: str) -> HTML:
        """Shares of a figure that the thesis has no numbers for."""
        columns = [(title, measured_contests(own)) for role, title in ROLES if len(own := self._newest(figure, role))]
        return HTML(_shares_table(columns)) if columns else HTML(style.NOTHING_YET)

    def throughput(self, figure: str, scenario: str, published: dict[str, float] | None = None) -> LiveChart | None:
        """Rates of one scenario's first run, one point per second; `published`: means to draw as lines, by label."""
        own = self._of(self.throughputs, figure, scenario)
        if own.empty:
            return None
        own = own.assign(time_s=own["time_s"].astype(int)).groupby(["flow", "time_s"], as_index=False)["bytes"].sum()
        frame = pd.DataFrame({"time_s": own["time_s"], "value": (own["bytes"] * 8 / 1e6).round(4), "label": own["flow"].map(self._labels(figure, scenario))})
        return self._chart(figure, scenario, "throughput", frame, "Mbit/s", list((value, text) for text, value in (published or {}).items()), step=True)

    def windows(self, figure: str, scenario: str, zoom_s: tuple[float, float] | None = None, workload: tuple[int, int] | None = None) -> LiveChart | None:
        """Congestion windows of one scenario's first run, KB; bytes in flight where a sender does not tell its window. With
        `zoom_s` only that part, unthinned."""
        own = self._of(self.timelines, figure, scenario, workload)
        if own.empty:
            return None
        parts = []
        labels = self._labels(figure, scenario)
        for flow, rows in own.groupby("flow", sort=False):
            window = rows.dropna(subset=["cwnd_bytes"])
            told = len(window) > 0
            rows = window.assign(value=window["cwnd_bytes"]) if told else rows.dropna(subset=["bytes_in_flight"]).assign(value=rows["bytes_in_flight"])
            rows = rows[rows["time_s"].between(*zoom_s)] if zoom_s else thin(rows, ["value"], BINS)
            parts.append(pd.DataFrame({"time_s": rows["time_s"].round(3), "value": (rows["value"] / KB).round(2), "label": labels[flow] + ("" if told else ", in flight")}))
        name = "windows-zoom" if zoom_s else "windows"
        return self._chart(figure, _with_page(scenario, workload), name, pd.concat(parts), "congestion window, KB", [])

    def compared(self, figure: str, scenarios: list[str], column: str, title: str, workload: tuple[int, int] | None = None, run: int = 0) -> LiveChart | None:
        """One series of several transfers on one time axis: `cwnd_bytes` (drawn in KB), `rtt_ms`; the senders' own figures."""
        parts = []
        for scenario in scenarios:
            own = self._of(self.timelines, figure, scenario, workload, run)
            own = own[own[column].notna() & ~own["source"].isin(["capture", "rtt_parts"])]
            if len(own):
                own = thin(own, [column], BINS)
                value = own[column] / KB if column.endswith("_bytes") else own[column]
                parts.append(pd.DataFrame({"time_s": own["time_s"].round(4), "value": value.round(3), "label": scenario}))
        if not parts:
            return None
        return self._chart(figure, _with_page(" and ".join(scenarios), workload), f"{column}-{run}", pd.concat(parts), title, [])

    def phases(self, figure: str, scenario: str) -> LiveChart | None:
        """The window coloured by the sender's phase, where the sender tells it."""
        own = self._of(self.timelines, figure, scenario)
        own = own[own["phase"].notna() & own["cwnd_bytes"].notna()]
        if own.empty:
            return None
        own = thin(own, ["cwnd_bytes"], BINS)
        frame = pd.DataFrame({"time_s": own["time_s"].round(3), "value": (own["cwnd_bytes"] / KB).round(2), "phase": own["phase"]})
        return self._live(figure, scenario, "phases", phases(frame, "congestion window, KB"), frame)

    def losses(self, figure: str, scenario: str, bin_s: float = 1.0) -> LiveChart | None:
        """Packets declared lost in each span of `bin_s`, and of them those that had arrived."""
        own = self._of(self.timelines, figure, scenario)
        own = own[own["lost"].notna()]
        if own.empty:
            return None
        parts = []
        labels = self._labels(figure, scenario)
        for (flow, _), rows in own.groupby(["flow", "source"], sort=False):
            at = (rows["time_s"] / bin_s).astype(int) * bin_s
            for column, word in (("lost", "declared lost"), ("spurious", "needlessly")):
                highest = rows[column].groupby(at).max()
                if highest.notna().any():
                    counts = highest.diff().fillna(highest).astype(int)
                    parts.append(pd.DataFrame({"time_s": counts.index, "value": counts.to_numpy(), "label": f"{labels[flow]}: {word}"}))
        return self._chart(figure, scenario, "losses", pd.concat(parts), f"packets per {bin_s:g} s", [], step=True)

    def counts(self, figure: str) -> HTML:
        """Time, rate and losses of every transfer of a figure: median over the accepted runs, and the range."""
        rows = []
        for role, title in ROLES:
            own = accepted(self._newest(figure, role))
            keys = ["stack", "scenario", "workload_size_kb", "workload_count", "flow"]
            for key, runs in own.groupby(keys, sort=False):
                numbers = [_spread(runs[name], digits) for name, digits in (("finished_s", 2), ("mean_mbps", 2), ("lost", 0), ("spurious", 0))]
                rows.append([title, key[0], key[1], style.workload_label(key[2], key[3], True), runs["label"].iloc[0], str(len(runs)), *numbers])
        head = ["column", "stack", "scenario", "page", "sender", "runs", "time, s", "Mbit/s", "declared lost", "needlessly"]
        return HTML(html_table(head, rows, numeric={5, 6, 7, 8, 9})) if rows else HTML(style.NOTHING_YET)

    def run_with(self, window: Literal["smallest", "largest"], figure: str, scenario: str, workload: tuple[int, int], nth: int = 0) -> int:
        """Number of the run whose largest window is smallest or largest, or the next one (`nth`)."""
        flows = accepted(self.flows[(self.flows["workload_size_kb"] == workload[0]) & (self.flows["workload_count"] == workload[1])])
        own = self._of(flows.assign(replicate=0, run=flows["replicate"]), figure, scenario).dropna(subset=["cwnd_max_bytes"])
        if own.empty:
            return 0
        largest = own.set_index("run")["cwnd_max_bytes"].astype(float).sort_values(ascending=window == "smallest")
        return int(largest.index[min(nth, len(largest) - 1)])

    def rtt_parts(self, figure: str, scenario: str, workload: tuple[int, int] | None = None, run: int = 0) -> LiveChart | None:
        """Where the RTT samples' time went beyond the link's own: the bottleneck's queue, the client's wait."""
        own = self._of(self.timelines, figure, scenario, workload, run)
        own = own[own["source"] == "rtt_parts"]
        if own.empty:
            return None
        queue, hold = own["down_ms"] - own["down_ms"].min(), own["hold_ms"]
        pairs = (("QUIC: queue on the way down", queue), ("QUIC: client's wait before the ACK", hold))
        frame = pd.concat(pd.DataFrame({"time_s": own["time_s"].round(4), "value": values.round(3), "label": label}) for label, values in pairs)
        return self._chart(figure, _with_page(scenario, workload), f"rtt-parts-{run}", frame, "part of the RTT sample, ms", [])

    def loads(self, figure: str) -> HTML:
        """Every load of a figure's pages: time, largest window, and where its RTT samples' time went."""
        rows = []
        for role, title in ROLES:
            own = accepted(self._newest(figure, role)).sort_values(["workload_count", "protocol", "label", "finished_s"])
            for flow in own.itertuples():
                numbers = [flow.finished_s * 1e3, flow.cwnd_max_bytes / KB, flow.queue_max_ms, flow.hold_max_ms, flow.response_ms_median]
                shown = ["–" if number is None or pd.isna(number) else f"{number:.0f}" for number in numbers]
                rows.append([SHORT[role], style.workload_label(flow.workload_size_kb, flow.workload_count, True), flow.label, *shown])
        head = ["column", "page", "sender", "time, ms", "window, KB", "queue, ms", "wait, ms", "answer, ms"]
        return HTML(html_table(head, rows, numeric=set(range(3, 8)), tight=True)) if rows else HTML(style.NOTHING_YET)

    def _of(self, table: pd.DataFrame, figure: str, scenario: str, workload: tuple[int, int] | None = None, run: int = 0) -> pd.DataFrame:
        """Rows of one run of one scenario, and of one page (size in KB, count) where a figure has several: the reader's own
        newest campaign if there is one, else the reference."""
        rows = table[(table["figure"] == figure) & (table["scenario"] == scenario)]
        if "replicate" in rows:
            rows = rows[rows["replicate"] == run]
        if workload is not None:
            rows = rows[rows["cell_id"].str.contains(f"_{workload[0]}kb-x{workload[1]}_", regex=False)]
        for role in ("local", "reference"):
            own = self._newest(figure, role)
            chosen = rows[rows["campaign"].isin(own["campaign"].unique())]
            if len(chosen):
                return chosen
        return rows.iloc[:0]

    def _labels(self, figure: str, scenario: str) -> dict[str, str]:
        """Flow -> legend text; numbered where two flows have the same."""
        rows = self.flows[(self.flows["figure"] == figure) & (self.flows["scenario"] == scenario)].drop_duplicates("flow")
        many = rows["label"].duplicated(keep=False)
        return {row.flow: f"{row.label} ({row.flow[-1]})" if twice else row.label for row, twice in zip(rows.itertuples(), many, strict=True)}

    def _protocols(self, frame: pd.DataFrame) -> dict[str, str]:
        return {label: "tcp" if label.startswith("TCP") else "quic" for label in dict.fromkeys(frame["label"])}

    def _chart(self, figure: str, scenario: str, what: str, frame: pd.DataFrame, title: str, references, step: bool = False) -> LiveChart:
        return self._live(figure, scenario, what, timeline(frame, self._protocols(frame), title, references, step=step), frame)

    def _live(self, figure: str, scenario: str, what: str, chart, frame: pd.DataFrame) -> LiveChart:
        slug = "".join(letter if letter.isalnum() else "-" for letter in f"{figure}-{scenario}-{what}".lower())
        return LiveChart(
            name=f"timeline-{slug}",
            chart=chart,
            alt_text=f"{what} over time, {scenario} ({figure}).",
            downloads=(Download(f"{slug}.csv", frame.to_csv(index=False)),),
            note=f"{html.escape(scenario)}, one run.",
            hint="Drag in the lower strip to zoom, double-click there for the whole.",
        )


def _with_page(scenario: str, workload: tuple[int, int] | None) -> str:
    return scenario if workload is None else f"{scenario}, {style.workload_label(*workload, True)}"


def _spread(values: pd.Series, digits: int) -> str:
    values = values.dropna()
    if values.empty:
        return "–"
    middle = f"{values.median():.{digits}f}"
    return middle if len(values) == 1 else f"{middle} ({values.min():.{digits}f}–{values.max():.{digits}f})"


def _shares_table(columns: list[tuple[str, list[Contest]]]) -> str:
    """Scenarios down, sources across: mean (sd) of each flow in Mbit/s, Jain's index, verdict."""
    names = list(dict.fromkeys(contest.scenario for _, contests in columns for contest in contests))
    head, rows = ["scenario"], []
    for title, _ in columns:
        head += [f"{title}: Mbit/s (sd)", "Jain", "verdict"]
    for name in names:
        row = [name]
        for _, contests in columns:
            contest = next((one for one in contests if one.scenario == name), None)
            row += _contest(contest) if contest else ["–", "", ""]
        rows.append(row)
    return html_table(head, rows, escape=False)


def _contest(contest: Contest) -> list[str]:
    shares = "<br>".join(f"{share.protocol.upper()} {share.mean_mbps:.2f} ({share.std_mbps:.2f})" for share in contest.shares)
    return [shares, f"{contest.jain:.3f}", VERDICTS[contest.verdict]]


def open_transfers(name: str) -> TransferChapter:
    """The chapter called `name` in its front matter, with the tables of its transfers."""
    figures = [
        figure
        for sweep in map(lambda one: load_sweep(paths.SWEEPS / f"{one}.toml"), chapter_sweeps(name))
        if sweep.transfers
        for figure in dict.fromkeys(block.figure for block in sweep.transfers)
    ]
    tables = [book_data.table(paths.PROCESSED, one) for one in ("transfer_flows", "transfer_timelines", "transfer_throughput", "campaigns")]
    return TransferChapter(name, figures, *tables, read_shares(paths.PUBLISHED))
