"""Sphinx extension of the book: numbers in sentences and of figures, the Vega bundle, local mathematics, files, times.

Everything a page needs lies in the built folder; nothing is fetched when it is read.
"""

from __future__ import annotations

import json
import multiprocessing
from functools import cache
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import pybtex.plugin
from docutils.nodes import document
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from longlook.book import beside, markup, mathml, numbered, shown, value_role
from longlook.book.build import EXECUTION
from longlook.errors import LonglookError
from longlook.figure.live import javascript_bundle

BUNDLE = "vega-bundle.js"
_BUNDLING: dict[Any, BaseProcess] = {}
"""By the folder that is built into, what makes its libraries."""
_TREES: WeakValueDictionary[str, document] = WeakValueDictionary()
"""Of pages that were read."""
WRITERS = 8
"""Processes that write pages, a part of them each: the one that gives them theirs is busy beside them all the time, and
small parts let the first begin early and the last end soon after."""


def write_at_once(app: Sphinx, env: BuildEnvironment) -> None:
    """Has several processes write the pages, once one has read them."""
    app.parallel = WRITERS + 1  # the one that gives them their pages counts


def remember_plugins() -> None:
    """Has pybtex remember its plugins: it looks through everything that is installed, for each citation anew."""
    pybtex.plugin._load_entry_point = cache(pybtex.plugin._load_entry_point)


def note_tree(app: Sphinx, tree: document) -> None:
    """Remembers a page's tree, for as long as Sphinx has it."""
    _TREES[app.env.docname] = tree


def remember_trees() -> None:
    """Has Sphinx look for what a number names in the trees that it has: it would make each anew of its file, for every
    {numref} and once for the figures' numbers, and half a gigabyte of them is garbage before anybody looks for it. Of
    the first page it wants the contents, which are not in its tree any more once that is written."""
    made_anew = BuildEnvironment.get_doctree

    def get_doctree(env: BuildEnvironment, page: str) -> document:
        return (_TREES.get(page) if page != env.config.root_doc else None) or made_anew(env, page)

    BuildEnvironment.get_doctree = get_doctree  # type: ignore[method-assign, assignment]


def begin_bundle(app: Sphinx) -> None:
    """Begins to make the chart libraries, in a process of its own, since that takes a second in which Sphinx reads."""
    if app.builder.format == "html":
        _BUNDLING[app.outdir] = multiprocessing.get_context("fork").Process(target=_make_bundle, args=(_made(app),))
        _BUNDLING[app.outdir].start()


def write_bundle(app: Sphinx, error: Exception | None) -> None:
    """Writes the chart libraries into the built `_static`; the source tree holds no copy of them."""
    if process := _BUNDLING.pop(app.outdir, None):
        process.join()
        if error is None:
            if process.exitcode != 0:
                raise LonglookError(f"the chart libraries could not be made (status {process.exitcode})")
            _made(app).replace(Path(app.outdir, "_static", BUNDLE))


def _made(app: Sphinx) -> Path:
    """Where the libraries are until there is a folder for them."""
    return Path(app.outdir).with_name(BUNDLE)


def _make_bundle(file: Path) -> None:
    file.write_text(javascript_bundle(), encoding="utf-8")


def write_execution(app: Sphinx, error: Exception | None) -> None:
    """Writes what MyST-NB knows about each executed page, for the builder's time check."""
    pages = {}
    for name, data in getattr(app.env, "nb_metadata", {}).items():
        run = data.get("exec_data")
        if run:
            pages[name] = {"runtime_s": run.get("runtime"), "succeeded": bool(run.get("succeeded"))}
    Path(app.outdir).with_name(EXECUTION).write_text(json.dumps(pages, indent=1), encoding="utf-8")


def setup(app: Sphinx) -> dict:
    """Registers the extension with Sphinx."""
    remember_plugins()
    remember_trees()
    app.add_html_math_renderer("mathml", (mathml.visit_inline, None), (mathml.visit_display, None))
    value_role.setup(app)
    shown.setup(app)
    markup.setup(app)
    beside.setup(app)
    numbered.setup(app)
    app.connect("builder-inited", begin_bundle)
    app.connect("doctree-read", note_tree)
    app.connect("env-check-consistency", write_at_once)
    app.connect("build-finished", write_bundle)
    app.connect("build-finished", write_execution)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
