"""What figure 1 counts, and the page that says what that is."""

import re

from longlook import paths
from longlook.book.pays import KINDS


def test_the_page_says_of_each_row_of_the_figure_what_it_is():
    text = (paths.BOOK / "pays.md").read_text(encoding="utf-8")
    table = text.split("| --- | --- | --- |\n")[1].split("```")[0]
    assert re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE) == list(KINDS)
