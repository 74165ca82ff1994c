"""Go tools: built once per content, by locked modules."""

from __future__ import annotations

import subprocess

import pytest

from longlook import paths
from longlook.errors import LonglookError
from longlook.stack import gobuild
from longlook.stack.__main__ import needed

MAIN = 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("one") }\n'


@pytest.fixture
def hello(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "TOOLS", tmp_path / "tools")
    monkeypatch.setattr(paths, "CACHE", tmp_path / "cache")
    gobuild.build_tool.cache_clear()
    source = tmp_path / "tools" / "hello"
    source.mkdir(parents=True)
    (source / "go.mod").write_text("module hello\n\ngo 1.21\n")
    (source / "main.go").write_text(MAIN)
    yield source
    gobuild.build_tool.cache_clear()


@pytest.mark.slow
def test_built_once_and_again_when_the_sources_change(hello):
    first = gobuild.build_tool("hello")
    assert subprocess.run([first], capture_output=True, text=True, timeout=300).stdout == "one\n"
    made = first.stat().st_mtime_ns
    gobuild.build_tool.cache_clear()
    assert gobuild.build_tool("hello").stat().st_mtime_ns == made
    gobuild.build_tool.cache_clear()
    (hello / "main.go").write_text(MAIN.replace("one", "two"))
    second = gobuild.build_tool("hello")
    assert second != first
    assert subprocess.run([second], capture_output=True, text=True, timeout=300).stdout == "two\n"


def test_tests_do_not_count_as_sources(hello):
    before = gobuild.source_hash(hello)
    (hello / "main_test.go").write_text("package main\n")
    assert gobuild.source_hash(hello) == before
    (hello / "go.sum").write_text("")
    assert gobuild.source_hash(hello) != before


def test_a_compiler_error_is_shown(hello):
    (hello / "main.go").write_text("package main\n\nfunc main() { nonsense() }\n")
    with pytest.raises(LonglookError, match="undefined: nonsense"):
        gobuild.build_tool("hello")


def test_a_go_that_is_too_old_is_named(hello):
    (hello / "go.mod").write_text("module hello\n\ngo 99.0\n")
    with pytest.raises(LonglookError, match=r"needs Go 99\.0 or newer.*tools/bootstrap"):
        gobuild.find_go(hello)


def test_a_tool_built_elsewhere_is_used(hello, monkeypatch, tmp_path):
    monkeypatch.setenv("LONGLOOK_TOOL_HELLO", "/bin/true")
    assert str(gobuild.build_tool("hello")) == "/bin/true"
    gobuild.build_tool.cache_clear()
    monkeypatch.setenv("LONGLOOK_TOOL_HELLO", str(tmp_path / "missing"))
    with pytest.raises(LonglookError, match="LONGLOOK_TOOL_HELLO"):
        gobuild.build_tool("hello")


def test_unknown_tool(hello):
    with pytest.raises(LonglookError, match="no tool 'other'"):
        gobuild.build_tool("other")


@pytest.mark.parametrize(
    ("stacks", "tools"),
    [
        ([], ["linkpipe"]),
        (["quicv1"], ["linkpipe"]),
        (["quicv1", "gquic37"], ["gquicd", "linkpipe"]),
        (["matrixnginx"], ["linkpipe", "quicgo"]),
        (["yu2021c126"], ["linkpipe", "quicgo"]),
    ],
)
def test_a_tool_that_is_a_parts_is_built_with_the_stacks_that_have_it(stacks, tools):
    assert needed(stacks) == tools
