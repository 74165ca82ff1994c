"""Tables as HTML."""

from longlook.figure.table import html_table


def test_text_is_escaped():
    assert "&lt;b&gt;" in html_table(["x"], [["<b>"]])
