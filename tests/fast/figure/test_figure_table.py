"""Tables as HTML."""

from longlook.figure import style
from longlook.figure.table import html_table, shown_table


def test_text_is_escaped():
    assert "&lt;b&gt;" in html_table(["x"], [["<b>"]])


def test_numeric_columns_follow_the_first_of_them():
    shown = shown_table(["condition", "runs", "ms"], [["5 Mbit/s", "30", "12"]], numbers_from=1).data
    assert "<th>condition</th><th class=num>runs</th><th class=num>ms</th>" in shown


def test_a_table_without_a_row_says_that_nothing_is_measured_yet():
    assert shown_table(["condition"], []).data == style.NOTHING_YET
