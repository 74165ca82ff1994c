"""Markup of the book's tools that screen readers stumble over, mended while a page is written.

What the theme has wrong is in book/_templates; what a script has to look at first, in book/_static/accessible.js.
"""

from __future__ import annotations

from sphinx.application import Sphinx

MENDED = {
    # MyST-NB: the name leaves out the words that are seen, "Show code cell source".
    '<summary aria-label="Toggle hidden content">': "<summary>",
    # docutils: the role is deprecated, and none that the list around it may hold.
    ' role="doc-biblioentry"': ' role="listitem"',
}


def mended(body: str) -> str:
    """The HTML of a page's body, mended."""
    for wrong, right in MENDED.items():
        body = body.replace(wrong, right)
    return body


def _mend(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    if "body" in context:
        context["body"] = mended(context["body"])


def setup(app: Sphinx) -> None:
    """Called by the book's extension."""
    app.connect("html-page-context", _mend)
