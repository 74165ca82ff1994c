"""Markup that is mended while a page is written."""

from longlook.book.markup import mended


def test_names_are_those_that_are_seen_and_roles_those_that_are_allowed():
    before = '<details><summary aria-label="Toggle hidden content">\n<p>Show</p></summary><div role="doc-biblioentry">'
    assert mended(before) == '<details><summary>\n<p>Show</p></summary><div role="listitem">'
