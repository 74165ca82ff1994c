"""Numbers and captions of the book's figures and tables, the same on the screen and in print.

A cell of a chapter that shows a chart or a table says what it is, with MyST-NB's own option:

    mystnb:
      figure: {name: fig-4.6a, caption: ...}

The name begins with `fig-` or `tab-`, and {numref}`fig-4.6a` cites it from any page. The caption is text of the
chapter: roles work in it. It stands above what it names, since a square's loads open below. A table in Markdown stands
in the directive `table`, with the same kind of name. A chart or a table without a number is a warning, which fails the
build.
"""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

LOGGER = logging.getLogger(__name__)
ORIGINS = "book/provenance"
"""The page with a row for each study: its campaigns, stacks and machines."""
CHART, TABLE = 'class="ll-chart"', "<table"
PREFIXES = {"figure": "fig-", "table": "tab-"}


class numbered_figure(nodes.General, nodes.Element):
    """A chart with its caption."""


class numbered_table(nodes.General, nodes.Element):
    """One or several tables with a caption."""


class numbered_caption(nodes.caption):
    """The number of either, and the words beside it."""


NODES: dict[str, type[nodes.Element]] = {"figure": numbered_figure, "table": numbered_table}


class Numbered(SphinxTransform):
    """Makes numbered figures and tables of what the cells show, before Sphinx counts them."""

    default_priority = 400

    def apply(self, **kwargs: object) -> None:
        for bundle in list(self.document.findall(_is_bundle)):
            shown = _shown(bundle)
            figure = bundle.parent
            if isinstance(figure, nodes.figure):
                self._number(figure, shown)
            elif shown is not None:
                self._missing(bundle, shown, f"no number: give its cell a figure with a name ({PREFIXES[shown]}...)")
        for table in self.document.findall(nodes.table):
            if not (table["names"] and table["names"][0].startswith(PREFIXES["table"]) and _caption(table)):
                self._missing(table, "table", "no caption or no name (tab-...): put it into the directive `table`")

    def _number(self, figure: nodes.figure, shown: str | None) -> None:
        name = figure["names"][0] if figure["names"] else ""
        kind = next((kind for kind, prefix in PREFIXES.items() if name.startswith(prefix)), None)
        caption = _caption(figure)
        if kind is None or caption is None or shown not in (None, kind):
            self._missing(figure, shown or "figure", f"the name {name!r}, which does not say so, or no caption")
            return
        numbered = NODES[kind]("", ids=figure["ids"], names=figure["names"])
        numbered.source, numbered.line = figure.source, figure.line
        numbered += numbered_caption("", "", *caption.children)
        numbered.extend(child for child in figure.children if child is not caption)
        figure.replace_self(numbered)
        for one in numbered["ids"]:  # where Sphinx looks for what a label names
            self.document.ids[one] = numbered

    def _missing(self, node: nodes.Node, kind: str, what: str) -> None:
        LOGGER.warning("this %s has %s", kind, what, location=node)


def _is_bundle(node: nodes.Node) -> bool:
    """What MyST-NB makes of one output of a cell."""
    return isinstance(node, nodes.container) and node.get("nb_element") == "mime_bundle"


def _shown(bundle: nodes.Node) -> str | None:
    """`figure` where an output has a chart, `table` where it has a table and none; else None."""
    text = "".join(raw.astext() for raw in bundle.findall(nodes.raw) if "html" in raw.get("format", ""))
    return "figure" if CHART in text else "table" if TABLE in text else None


def _caption(node: nodes.Element) -> nodes.Element | None:
    return next((child for child in node.children if isinstance(child, nodes.caption | nodes.title)), None)


def visit_numbered(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append(self.starttag(node, "figure", "\n", CLASS=f"ll-{node.tagname.replace('_', '-')}"))


def depart_numbered(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append("</figure>\n")


def visit_caption(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append("<figcaption><p>")
    self.add_fignumber(node.parent)
    self.body.append('<span class="caption-text">')


def depart_caption(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append("</span>")
    page = self.builder.current_docname
    if page != ORIGINS:
        row = "".join(f"#{study}" for study in Path(page).parent.parts[1:])
        address = self.builder.get_relative_uri(page, ORIGINS) + row
        self.body.append(f' <a class="ll-origin" href="{address}">Origin</a>')
    self.add_permalink_ref(node.parent, "Link to this place")
    self.body.append("</p></figcaption>\n")


def setup(app: Sphinx) -> None:
    """Called by the book's extension."""
    for kind, node in NODES.items():
        app.add_enumerable_node(node, kind, html=(visit_numbered, depart_numbered))
    app.add_node(numbered_caption, html=(visit_caption, depart_caption))
    app.add_transform(Numbered)
