"""The few formulas of the book as MathML, which browsers draw themselves (no MathJax, no network).

latex2mathml translates. It passes over much that it does not understand, so its result is looked through: whatever
is left of TeX in it is a warning, and a warning fails the build, so that no formula is ever shown half translated.
"""

from __future__ import annotations

import html
import re
from xml.etree import ElementTree

from docutils import nodes
from latex2mathml import commands
from latex2mathml.converter import convert_to_element
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

LOGGER = logging.getLogger(__name__)

PARTS = {"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "mover": 2, "munder": 2, "msubsup": 3, "munderover": 3}
"""How many children an element must have."""
_ESCAPED = re.compile(r"\\.", re.DOTALL)
_ENTITY = re.compile("&#x[0-9A-Fa-f]+;")
_TEX = re.compile(r"[\\{}$#]|^&$")
BAR = "\u00af"
"""Of the signs for a bar above something the one that browsers stretch; latex2mathml's for \\overline is U+2015."""


class UnknownTex(ValueError):
    """A piece of TeX that is not understood."""


def to_mathml(tex: str, display: bool = False) -> str:
    """MathML of one formula; raises `UnknownTex` for what is not understood."""
    _check_source(tex)
    try:
        math = convert_to_element(tex, display="block" if display else "inline")
    except Exception as error:  # those of latex2mathml have no class in common, and some are Python's own
        raise UnknownTex(f"{tex!r}: {type(error).__name__} {error}".rstrip()) from error
    for element in math.iter():
        _check_element(element, tex)
        # It writes symbols as entities, and leaves & and < in words as they are.
        element.text = html.unescape(element.text or "").replace("\u2015", BAR)
    for over in math.iter("mover"):
        if over[1].text == BAR:
            over.set("accent", "true")  # close to what is below, and no smaller
    return ElementTree.tostring(math, encoding="unicode")


def _check_source(tex: str) -> None:
    """Comments, braces without their partner, environments: what the translation shows no trace of."""
    plain = _ESCAPED.sub("", tex)
    if "%" in plain:
        raise UnknownTex(f"a comment in {tex!r}; the sign is \\%")
    depth = 0
    for brace in re.findall("[{}]", plain):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            raise UnknownTex(f"unexpected '}}' in {tex!r}")
    if depth:
        raise UnknownTex(f"no closing '}}' in {tex!r}")
    for name in re.findall(r"\\begin\s*{([^}]*)}", tex):
        if rf"\{name}" not in commands.MATRICES:
            raise UnknownTex(f"\\begin{{{name}}} in {tex!r}")


def _check_element(element: ElementTree.Element, tex: str) -> None:
    """Commands and signs that were passed on as they are, and elements that lack a part."""
    if _TEX.search(_ENTITY.sub("", element.text or "")):
        raise UnknownTex(f"{html.unescape(element.text or '')} in {tex!r}")
    if len(element) != PARTS.get(element.tag, len(element)):
        raise UnknownTex(f"{element.tag} of {len(element)} parts in {tex!r}")


def _render(node: nodes.Element, display: bool) -> str:
    try:
        return to_mathml(node.astext(), display)
    except UnknownTex as error:
        LOGGER.warning("formula not understood: %s", error, location=node)
        return f"<code>{html.escape(node.astext())}</code>"


def visit_inline(translator: HTML5Translator, node: nodes.math) -> None:
    """Sphinx hook for a formula within a sentence."""
    translator.body.append(_render(node, display=False))
    raise nodes.SkipNode


def visit_display(translator: HTML5Translator, node: nodes.math_block) -> None:
    """Sphinx hook for a formula on its own line, with its number if it has one."""
    number = f'<span class="eqno">({node["number"]})</span>' if node.get("number") else ""
    anchor = f' id="{node["ids"][0]}"' if node.get("ids") else ""
    translator.body.append(f'<div class="math"{anchor}>{number}{_render(node, display=True)}</div>\n')
    raise nodes.SkipNode
