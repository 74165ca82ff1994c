"""The last whole book stays until the next one is in its place."""

import os
import signal
from pathlib import Path

import pytest

from longlook import paths
from longlook.book import build as builder


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_a_book_is_put_in_the_place_of_another(tmp_path, monkeypatch, number):
    (tmp_path / "book").mkdir()
    for name in ("_config.yml", "_toc.yml"):
        (tmp_path / name).touch()
    html = tmp_path / "_build" / "html"
    html.mkdir(parents=True)
    (html / "index.html").write_text("before")

    def run(out, fresh):
        made = out / builder.NEXT / "_build"
        (made / "html").mkdir(parents=True)
        (made / "html" / "index.html").write_text("after")
        (made / builder.EXECUTION).write_text("{}")
        return tmp_path / "log", 0

    def interrupted(*_):
        raise KeyboardInterrupt

    rename = Path.rename

    def signalled(path, target):
        found = rename(path, target)
        os.kill(os.getpid(), number)
        return found

    for name, value in (("ROOT", tmp_path), ("BOOK", tmp_path / "book"), ("STATE", tmp_path)):
        monkeypatch.setattr(paths, name, value)
    monkeypatch.setattr(builder, "_run", run)
    monkeypatch.setattr(builder, "check", lambda _: None)
    monkeypatch.setattr(Path, "rename", signalled)
    before = signal.signal(number, interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            builder.build()
    finally:
        signal.signal(number, before)
    assert (html / "index.html").read_text() == "after"
