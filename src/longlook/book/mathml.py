"""The few formulas of the book as MathML, which browsers draw themselves (no MathJax, no network).

Understands the small part of TeX that the chapters use; anything else is a warning, and a warning fails the
build, so that no formula is ever shown half translated.
"""

from __future__ import annotations

import html
import re

from docutils import nodes
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

LOGGER = logging.getLogger(__name__)

SYMBOLS = {
    "times": "×", "cdot": "⋅", "pm": "±", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "approx": "≈", "neq": "≠",
    "ll": "≪", "gg": "≫", "sum": "∑", "max": "max", "min": "min", "log": "log", "ln": "ln", "to": "→",
    "lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋", "infty": "∞", "ldots": "…", "dots": "…", "%": "%",
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "Delta": "Δ", "mu": "μ", "sigma": "σ", "bar": None,
    "{": "{", "}": "}", "_": "_",
}  # fmt: skip
SPACES = {",": "0.17em", ";": "0.28em", ":": "0.22em", "quad": "1em", "qquad": "2em", " ": "0.25em", "!": "0em"}
IGNORED = {"left", "right", "displaystyle", "big", "Big", "bigl", "bigr", "Bigl", "Bigr"}
_TOKEN = re.compile(r"\\([A-Za-z]+|.)|([0-9]+(?:[.,][0-9]+)*)|(\s+)|(.)", re.DOTALL)


class UnknownTex(ValueError):
    """A piece of TeX that this translator does not know."""


def to_mathml(tex: str, display: bool = False) -> str:
    """MathML of one formula; raises `UnknownTex` for what it does not understand."""
    reader = _Reader(tex)
    body = reader.row(end=None)
    mode = "block" if display else "inline"
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML" display="{mode}">{body}</math>'


class _Reader:
    """A recursive-descent reader: rows of atoms, each with an optional subscript and superscript."""

    def __init__(self, tex: str) -> None:
        self.tokens = [match for match in _TOKEN.finditer(tex) if not match.group(3)]
        self.tex, self.at = tex, 0

    def row(self, end: str | None) -> str:
        """Atoms up to the token `end`, as one mrow."""
        parts = []
        while self.at < len(self.tokens):
            if end is not None and self.tokens[self.at].group(0) == end:
                self.at += 1
                return f"<mrow>{''.join(parts)}</mrow>"
            parts.append(self.scripted())
        if end is not None:
            raise UnknownTex(f"no closing {end!r} in {self.tex!r}")
        return f"<mrow>{''.join(parts)}</mrow>"

    def scripted(self) -> str:
        """An atom with what stands below and above it."""
        atom, scripts = self.atom(), {}
        while self.at < len(self.tokens) and self.tokens[self.at].group(0) in "_^":
            mark = self.tokens[self.at].group(0)
            self.at += 1
            scripts[mark] = self.atom()
        if len(scripts) == 2:
            return f"<msubsup>{atom}{scripts['_']}{scripts['^']}</msubsup>"
        if scripts:
            tag = "msub" if "_" in scripts else "msup"
            return f"<{tag}>{atom}{next(iter(scripts.values()))}</{tag}>"
        return atom

    def atom(self) -> str:
        """One number, letter, operator, group or command."""
        if self.at >= len(self.tokens):
            raise UnknownTex(f"{self.tex!r} ends too early")
        token = self.tokens[self.at]
        self.at += 1
        command, digits, _, other = token.groups()
        if command is not None:
            return self.command(command)
        if digits is not None:
            return f"<mn>{digits}</mn>"
        if other == "{":
            return self.row("}")
        if other in "}&":
            raise UnknownTex(f"unexpected {other!r} in {self.tex!r}")
        tag = "mi" if other.isalpha() else "mo"
        return f"<{tag}>{html.escape('−' if other == '-' else other)}</{tag}>"

    def command(self, name: str) -> str:
        """A backslash command with its arguments."""
        if name in ("frac", "dfrac", "tfrac"):
            return f"<mfrac>{self.atom()}{self.atom()}</mfrac>"
        if name == "sqrt":
            return f"<msqrt>{self.atom()}</msqrt>"
        if name in ("bar", "overline"):
            return f'<mover accent="true">{self.atom()}<mo>¯</mo></mover>'
        if name in ("text", "mathrm", "textrm", "mathit", "operatorname"):
            return f"<mtext>{html.escape(self.raw_group())}</mtext>"
        if name in SPACES:
            return f'<mspace width="{SPACES[name]}"/>'
        if name in IGNORED:
            return ""
        if SYMBOLS.get(name):
            tag = "mi" if SYMBOLS[name].isalpha() else "mo"
            return f"<{tag}>{html.escape(SYMBOLS[name])}</{tag}>"
        raise UnknownTex(f"\\{name} in {self.tex!r}; known: {', '.join(sorted(SYMBOLS))}, frac, sqrt, bar, text")

    def raw_group(self) -> str:
        """The text between the next braces, spaces kept."""
        start = self.tokens[self.at] if self.at < len(self.tokens) else None
        if start is None or start.group(0) != "{":
            raise UnknownTex(f"text without braces in {self.tex!r}")
        begin = start.end()
        while self.at < len(self.tokens) and self.tokens[self.at].group(0) != "}":
            self.at += 1
        if self.at == len(self.tokens):
            raise UnknownTex(f"no closing '}}' in {self.tex!r}")
        end = self.tokens[self.at].start()
        self.at += 1
        return self.tex[begin:end]


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
