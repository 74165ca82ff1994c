"""Files that a page offers lie beside it."""

import logging

from longlook.book.beside import moved_out
from longlook.figure import live

CSV = 'page,"words, and more"\r\n10 KB × 100,"50 % & more <b>"\n'


def links(*files):
    return "".join(live.links([live.Attachment(*one)]) for one in files)


def test_a_page_links_to_its_files_and_they_have_every_byte(tmp_path):
    body = moved_out(f"<p>{links(('loads.csv', CSV))}</p>", "book/study/page", tmp_path)
    link = '<a download="loads.csv" href="../../_downloads/book/study/page/loads.csv">loads.csv</a>'
    assert body == f"<p>Data: {link}.</p>"
    assert (tmp_path / "_downloads/book/study/page/loads.csv").read_bytes() == CSV.encode()


def test_pages_may_have_files_of_one_name(tmp_path):
    pages = {"book/one": "a\n1\n", "book/two": "a\n2\n", "top": "a\n3\n"}
    for page, text in pages.items():
        moved_out(links(("x.csv", text)), page, tmp_path)
    assert {page: (tmp_path / "_downloads" / page / "x.csv").read_text() for page in pages} == pages


def test_two_files_of_one_name_on_a_page_are_a_warning(tmp_path, caplog):
    logging.getLogger("sphinx").propagate = True
    moved_out(links(("x.csv", "1"), ("x.csv", "1")), "book/one", tmp_path)
    assert caplog.text == ""
    moved_out(links(("x.csv", "1"), ("x.csv", "2")), "book/one", tmp_path)
    assert "book/one: two charts offer different files called x.csv" in caplog.text


def test_other_links_stay(tmp_path):
    body = '<a href="other.html">x</a><img src="data:image/svg+xml;base64,AAAA">'
    assert moved_out(body, "book/one", tmp_path) == body and not list(tmp_path.iterdir())
