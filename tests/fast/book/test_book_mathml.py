"""Formulas without MathJax."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from longlook import paths
from longlook.book.mathml import UnknownTex, to_mathml


def text_of(tex: str) -> str:
    return "".join(ElementTree.fromstring(to_mathml(tex)).itertext())


@pytest.mark.parametrize(
    "tex",
    [
        r"x = \frac{\bar{t}_\text{TCP} - \bar{t}_\text{QUIC}}{\bar{t}_\text{QUIC}} \times 100",
        r"p < 0.01",
        r"D(k) = W (1 + g + \ldots + g^{k-2})",
        r"\sqrt{a^2 + b_i^2} \le 1{,}000",
        r"2 \cdot B \cdot \text{RTT} / 8",
    ],
)
def test_known_tex_becomes_well_formed_mathml(tex):
    root = ElementTree.fromstring(to_mathml(tex, display=True))
    assert root.tag.endswith("math") and root.get("display") == "block"


def test_parts_stand_where_they_belong():
    assert "<mfrac><mrow><mi>a</mi></mrow><mrow><mn>2</mn></mrow></mfrac>" in to_mathml(r"\frac{a}{2}")
    # Spaces in words are such as no line is broken at, and none is left out at their ends.
    assert "<msub><mi>t</mi><mtext>page\u00a0load</mtext></msub>" in to_mathml(r"t_\text{page load}")
    assert "<mtext>x</mtext>" in to_mathml(r"\text x")
    assert "&lt;" in to_mathml("a < b")


def test_signs_that_are_special_in_html_are_escaped():
    assert text_of(r"\text{a & b < c} \& \{d\} \# 50\%") == "a\u00a0&\u00a0b\u00a0<\u00a0c&{d}#50%"


@pytest.mark.parametrize("tex", [r"\overline{\text{TCP}}", r"\bar{t}"])
def test_a_bar_is_one_that_browsers_stretch(tex):
    (over,) = ElementTree.fromstring(to_mathml(tex)).iter("{http://www.w3.org/1998/Math/MathML}mover")
    assert over.get("accent") == "true" and over[1].text == "\u00af"


def test_every_formula_of_the_book_is_understood():
    pages = [page.read_text() for page in sorted(paths.BOOK.glob("*.md"))]
    formulas = [tex for text in pages for _, tex in re.findall(r"(\$\$?)(.+?)\1", text, re.DOTALL)]
    assert "difference=TCP\u00af\u2212QUIC\u00afQUIC\u00af\u00d7100" in [text_of(tex) for tex in formulas]


@pytest.mark.parametrize(
    "tex",
    [
        r"\begin{matrix}",
        r"\begin{unknown} a \end{unknown}",
        r"\frac{a",
        r"\frac{a}",
        "a }",
        "a & b",
        r"\unknown",
        r"\text{a {b} c}",
        "50 % of",
        "x_",
        "",
    ],
)
def test_what_is_not_understood_is_an_error(tex):
    with pytest.raises(UnknownTex):
        to_mathml(tex)
