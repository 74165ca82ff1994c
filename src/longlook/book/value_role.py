"""The role {value}`name` of the chapters' text: a computed number, and on it where it comes from.

A name is one of the chapter's own (`book/<study>/numbers/<chapter>.py`), one that every figure has
(`figure_numbers`), either of another page, which stands before it (`years/today:saved-least`), or a sweep of the
registry (`predictions:yu-queue`), to which it leads. An unknown name, or a number that cannot be computed, is a
warning, and a warning fails the build.
"""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec

from docutils import nodes
from docutils.nodes import Node, system_message
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole
from sphinx.writers.html5 import HTML5Translator

from longlook.analysis.newest import STUDY
from longlook.book import data as book_data
from longlook.book import registry
from longlook.book.figure_numbers import figure_number, parse
from longlook.book.value import NOT_YET, Measured, NotMeasured, Number, StatedNumber
from longlook.errors import LonglookError

LOGGER = logging.getLogger(__name__)
Numbers = Mapping[str, Number]
USED = re.compile(r"\{value\}`([^`]+)`")
"""Where a chapter's text names a number."""
COMPUTED: dict[tuple[str, str], StatedNumber] = {}
"""Those that were computed before the pages are read, by page and name; the others are computed where they stand."""


class value_node(nodes.inline):
    """A number in a sentence; its attribute `origin` says where it comes from."""


class ValueRole(SphinxRole):
    """Text and origin of one number."""

    def run(self) -> tuple[list[Node], list[system_message]]:
        page = self.env.docname
        try:
            found = COMPUTED.get((page, self.text)) or value_of(self.text, page, book_data.load())
        except LonglookError as error:
            LOGGER.warning("value %s: %s", self.text, error, location=self.get_location())
            found = StatedNumber("?", str(error))
        node: nodes.Element = value_node(self.rawtext, found.text, origin=found.origin)
        other, _, name = self.text.rpartition(":")
        if other == registry.PAGE:
            there = self.env.app.builder.get_relative_uri(page, f"book/{other}")
            node = nodes.reference("", "", node, internal=True, refuri=f"{there}#{registry.anchor(name)}")
        return [node], []


def value_of(name: str, page: str, data: book_data.BookData) -> StatedNumber:
    """The number of that name on a page (`book/muthuraj2024/zero-rtt`); a `LonglookError` where there is no such
    number."""
    other, colon, rest = name.rpartition(":")
    if colon and other != registry.PAGE:
        return value_of(rest, f"book/{other}", data)
    study = study_of(page)
    own = numbers_of(page)
    try:
        if colon:
            return registry.number(rest, Measured(data, study))
        if name in own:
            return own[name](Measured(data, study))
        if (figure := parse(name)) is not None:
            return figure_number(data, study, *figure)
    except NotMeasured as why:
        return StatedNumber(NOT_YET, str(why))
    near = difflib.get_close_matches(name, own, n=3, cutoff=0.4)
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    raise LonglookError(f"no number of this name in {module_of(page)}, and it is no <series>.<column>.<what>{hint}")


def study_of(page: str) -> str:
    """Whose chapter a page is; those of the book itself show the thesis's numbers."""
    parts = page.split("/")
    return parts[1] if len(parts) > 2 else STUDY


def module_of(page: str) -> str:
    """Where a page's numbers are defined."""
    return f"longlook.book.{study_of(page)}.numbers.{page.rpartition('/')[2].replace('-', '_')}"


@cache
def numbers_of(page: str) -> Numbers:
    """The numbers that are defined for a page; {} where there is no module of its name."""
    name = module_of(page)
    try:
        if find_spec(name) is None:
            return {}
    except ModuleNotFoundError:
        return {}
    return importlib.import_module(name).NUMBERS


def visit_html(self: HTML5Translator, node: value_node) -> None:
    """A span that tells its origin to whoever points at it."""
    self.body.append(self.starttag(node, "span", "", CLASS="ll-value", title=node["origin"]))


def depart_html(self: HTML5Translator, node: value_node) -> None:
    self.body.append("</span>")


def _plain(self: object, node: value_node) -> None:
    """Other writers show the text alone."""


def setup(app: Sphinx) -> None:
    """Registers role and node; called by the book's extension."""
    app.add_role("value", ValueRole())
    plain = (_plain, _plain)
    app.add_node(value_node, html=(visit_html, depart_html), latex=plain, text=plain, man=plain, texinfo=plain)
