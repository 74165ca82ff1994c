"""Tables that a chapter shows, read back."""

import html
import re


def rows_of(shown):
    """The cells of every row, without heads; those of several tables one after the other."""
    bodies = "".join(re.findall(r"<tbody>(.*?)</tbody>", shown.data, re.S))
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", bodies, re.S)
    return [[html.unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)] for row in rows]
