"""What a chapter's cells call. Each function returns something that the notebook shows, or glues numbers.

A chapter's first cell is `paper = page.open_chapter("<name>")`; its other cells are one line each.
"""

from __future__ import annotations

from dataclasses import dataclass

from IPython.display import HTML, Markdown
from myst_nb import glue

from longlook import paths
from longlook.audit import read_shares
from longlook.book import audit_page
from longlook.book import data as book_data
from longlook.book.causes import browser_time_table, offsets_table, slow_client_table, slow_server_table, varied_table
from longlook.book.chapters import chapter_sweeps
from longlook.book.claims import claims_table
from longlook.book.figures import handshake_figure, live_figure
from longlook.book.numbers import figure_numbers, square_pct
from longlook.book.provenance import campaigns_of, provenance
from longlook.book.windows import window_table
from longlook.figure.live import LiveChart
from longlook.figure.table import compared_table, published_table
from longlook.sweep import load_sweep


def figures_of(sweeps: list[str]) -> list[str]:
    """Figures of page load times that sweeps named `figure-<figure>` measure."""
    names = [name for name in sweeps if name.startswith("figure-")]
    return [name.removeprefix("figure-") for name in names if load_sweep(paths.SWEEPS / f"{name}.toml").experiment == "plt"]


@dataclass(frozen=True)
class Chapter:
    """One results chapter: its name, the figures of its sweeps and the tables of the book."""

    name: str
    figures: list[str]
    data: book_data.PaperData

    def provenance(self) -> HTML:
        """Which campaign, stack digest, machine and date each column comes from."""
        return HTML(provenance(self.data, self.figures))

    def status(self) -> Markdown | None:
        """None where everything is measured; else what is missing, and the command that measures it."""
        used = {figure for _, _, figures in campaigns_of(self.data, self.figures) for figure in figures} | set(self.data.handshake_cells["figure"])
        missing = [figure for figure in self.figures if figure not in used]
        if not missing:
            return None
        names = ", ".join(missing)
        text = (
            f"**Not measured yet: figure {names}.** This copy holds no campaign for it, so only the published "
            f"values stand here. `longlook chapter {self.name}` measures this chapter on this machine and builds "
            f"the book again (`longlook chapter {self.name} --quick` with a few loads per cell); "
            "`make reproduce` measures a small selection of squares."
        )
        return Markdown(f"> {text}")

    def heatmap(self, figure: str) -> LiveChart | HTML:
        """The live heatmaps of one figure; a sentence where there is nothing to show."""
        return live_figure(self.data, figure) or _not_yet(figure)

    def handshakes(self, figure: str) -> LiveChart | HTML:
        """The heatmap of QUIC with 0-RTT against QUIC with 1-RTT."""
        return handshake_figure(self.data, figure) or _not_yet(figure)

    def glue_numbers(self) -> None:
        """Makes the numbers of all this chapter's figures available to its sentences."""
        for figure in self.figures:
            for name, text in figure_numbers(self.data, figure).items():
                glue(name, Text(text), display=False)

    def glue_square(self, name: str, figure: str, source: str, size_kb: int, count: int, bandwidth_mbps: int) -> None:
        """Makes the percentage difference of one square available under `name`."""
        glue(name, Text(square_pct(self.data, figure, source, size_kb, count, bandwidth_mbps)), display=False)

    def offsets(self) -> HTML:
        """By how much the reference campaigns differ from the published means, by kind of page."""
        return HTML(offsets_table(self.data, self.figures))

    def browser_time(self) -> HTML:
        """Pages over a link that takes next to no time."""
        return HTML(browser_time_table(self.data))

    def slow_client(self) -> HTML:
        """Many small objects on a client with little CPU."""
        return HTML(slow_client_table(self.data))

    def slow_server(self, figure: str, *figures: str) -> HTML:
        """Many small objects from a QUIC server with little CPU, beside the same squares of `figures`."""
        return HTML(slow_server_table(self.data, figure, figures))

    def varied(self, figure: str, figures: list[str], usual: str, varied: str) -> HTML:
        """Pages with one condition changed (`figure`, headed `varied`), beside the same squares of `figures` (headed `usual`)."""
        return HTML(varied_table(self.data, figure, figures, usual, varied))

    def windows(self) -> HTML:
        """Pages with different initial windows of either protocol."""
        return HTML(window_table(self.data))

    def table(self, table: str) -> HTML:
        """One table of appendix B, with a part for each campaign that measured its cells."""
        published = self.data.published[self.data.published["table"] == table]
        figure = published["figure"].iloc[0]
        parts = [
            compared_table(published, frame, source.title)
            for source, frame in self.data.sources(figure).items()
            if source.campaign is not None
        ]
        return HTML("".join(parts) if parts else published_table(published))


def _not_yet(figure: str) -> HTML:
    return HTML(f"<p>Figure {figure}: not measured yet, and the thesis has no table of it.</p>")


class Text(str):
    """A text that a notebook shows without quotes."""

    def __repr__(self) -> str:
        return str(self)


def open_chapter(name: str) -> Chapter:
    """The chapter called `name` in its front matter, with every table loaded once."""
    return Chapter(name, figures_of(chapter_sweeps(name)), book_data.load())


def claims() -> HTML:
    """The claims of the thesis's section 4.8: published, re-measured, and whether they hold."""
    flows = book_data.table(paths.PROCESSED, "transfer_flows")
    return HTML(claims_table(book_data.load(), flows, read_shares(paths.PUBLISHED)))


def open_audit() -> audit_page.AuditPage:
    """The audit of this copy, section by section."""
    return audit_page.open_audit(book_data.load())
