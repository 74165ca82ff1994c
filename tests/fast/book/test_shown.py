"""What MyST-NB is given of chapters that are executed elsewhere, and in which order their pages are read."""

from types import SimpleNamespace

import nbformat
import pytest
from myst_nb.core.config import NbParserConfig
from myst_nb.core.execute import NotebookClientBase

from longlook.book import shown
from longlook.book.value_role import COMPUTED


class Ended:
    """An execution of which all have ended but those that are pending."""

    pending = ("book/short", "book/long")

    def result(self, name):
        if name == "book/plain":
            return None
        output = nbformat.v4.new_output("display_data", data={"text/plain": name})
        return {"outputs": [[output]], "numbers": {"a-b": {"text": f"1 of {name}", "origin": ""}}, "cpu_s": 1.5}


@pytest.fixture
def app(monkeypatch):
    """What a handler is given, while an execution goes on."""
    monkeypatch.setattr(shown, "RUNNING", [Ended()])
    monkeypatch.setattr(shown, "_READ", {})
    monkeypatch.setattr(shown, "COMPUTED", {})
    return SimpleNamespace(env=SimpleNamespace(doc2path=lambda page: f"/root/{page}.md"))


def notebook():
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("x"), nbformat.v4.new_code_cell("1")])


def client_of(page, own):
    return shown._client(own, f"/root/{page}.md", NbParserConfig(execution_mode="off"), None)


def test_pages_that_are_executed_are_read_last_and_the_longest_behind_them(app):
    pages = ["book/a", "book/long", "book/plain", "book/short"]
    shown.read_last(app, app.env, pages)
    assert pages == ["book/a", "book/plain", "book/short", "book/long"]


def test_a_page_gets_its_outputs_and_numbers_and_the_notebook_that_is_written_none(app):
    shown.wait_for(app, "book/short", [""])
    own = notebook()
    client = client_of("book/short", own)
    client.start_client()
    assert client.code_cell_outputs(1) == (1, [{**client.notebook.cells[1].outputs[0]}])
    assert client.notebook.cells[1].outputs[0]["data"] == {"text/plain": "book/short"}
    assert client.exec_metadata["runtime"] == 1.5 and client.exec_metadata["succeeded"]
    assert own.cells[1].outputs == [] and own.cells[1].execution_count is None
    assert shown.COMPUTED["book/short", "a-b"].text == "1 of book/short" and shown.COMPUTED is not COMPUTED


def test_a_notebook_without_cells_is_executed_by_nobody(app):
    shown.wait_for(app, "book/plain", [""])
    client = client_of("book/plain", nbformat.v4.new_notebook())
    client.start_client()
    assert isinstance(client, shown.Shown) and client.exec_metadata["runtime"] is None


def test_whoever_runs_jupyter_book_without_an_execution_has_its_own_client(monkeypatch, app):
    monkeypatch.setattr(shown, "RUNNING", [])
    pages = ["book/b", "book/a"]
    shown.read_last(app, app.env, pages)
    shown.wait_for(app, "book/b", [""])
    assert pages == ["book/b", "book/a"] and type(client_of("book/b", notebook())) is NotebookClientBase


def test_a_table_that_proves_rather_than_tells_is_folded_and_says_how_long_it_is():
    table = "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr><tr><td>2</td></tr></tbody></table>"
    cell = nbformat.v4.new_code_cell("1", metadata={"tags": ["remove-input", shown.FOLD]})
    cell.outputs = [nbformat.v4.new_output("display_data", data={"text/html": table})]
    shown.fold(cell)
    html = cell.outputs[0]["data"]["text/html"]
    assert html == f'<details class="ll-fold"><summary>The table, 2 rows</summary>{table}</details>'
