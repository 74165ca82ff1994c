"""Formulas without MathJax."""

import xml.etree.ElementTree as ElementTree

import pytest

from longlook.book.mathml import UnknownTex, to_mathml


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
    assert "<msub><mi>t</mi><mtext>page load</mtext></msub>" in to_mathml(r"t_\text{page load}")
    assert "&lt;" in to_mathml("a < b")


@pytest.mark.parametrize("tex", [r"\begin{matrix}", r"\frac{a", "a }", r"\unknown", r"\text x", "x_"])
def test_what_is_not_understood_is_an_error(tex):
    with pytest.raises(UnknownTex):
        to_mathml(tex)
