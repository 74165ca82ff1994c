"""The check that a built page fetches nothing from a host."""

import pytest

from longlook.book.links import external_references, page_references


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://host.example/x.js"></script>',
        '<link rel="stylesheet" href="//host.example/x.css">',
        '<img src="http://host.example/x.png">',
        '<img srcset="a.png 1x, https://host.example/b.png 2x">',
        '<iframe src="https://host.example"></iframe>',
        "<style>@import 'https://host.example/x.css';</style>",
        "<style>p { background: url(https://host.example/x.png) }</style>",
        "<p style=\"background: url('//host.example/x.png')\">",
        '<script type="module">import x from "https://host.example/x.js"</script>',
        "<script>fetch('https://host.example/data')</script>",
    ],
)
def test_what_a_page_would_fetch_is_found(text):
    assert page_references(text), text


@pytest.mark.parametrize(
    "text",
    [
        '<a href="https://host.example">read more</a>',
        '<script src="../_static/x.js"></script>',
        '<img src="data:image/png;base64,AAAA">',
        '<link rel="canonical" href="https://host.example/">',
        '<script>const license = "https://host.example/license";</script>',
        "<p>https://host.example</p>",
    ],
)
def test_what_a_page_does_not_fetch_is_let_through(text):
    assert page_references(text) == []


def test_style_sheets_are_read_too(tmp_path):
    (tmp_path / "x.css").write_text("@font-face { src: url('https://host.example/f.woff') }")
    assert [target for _, target in external_references(tmp_path)] == ["https://host.example/f.woff"]
