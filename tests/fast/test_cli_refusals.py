"""What a command can never do it refuses at once, in one line that says why; docs/fuzz.md has the times."""

import os

import pytest
from test_cli import longlook

from longlook import paths
from longlook.errors import LonglookError

NAN = ("nan", "inf", "-inf", "0", "-1", "1e9", "1e400", "ten", "")
BEDS = ("", "..", "a/b", "/", "A", "a b", "ä", "-", "x" * 17, "a\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Things that are not what they are called."""
    found = tmp_path_factory.mktemp("odd")
    (found / "folder.toml").mkdir()
    (found / "binary.toml").write_bytes(bytes(range(256)) * 40)
    (found / "nul.toml").write_bytes(b'name = "x"\0\n')
    (found / "latin.toml").write_bytes('title = "Größe"\n'.encode("latin-1"))
    (found / "beds.toml").write_text('[[testbed]]\nname = "a"\n')
    (found / "file").write_text("")
    return found


def refused(*arguments, **environment):
    """The one line."""
    done = longlook(*arguments, **environment)
    assert done.returncode in (1, 2) and done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("Error: ")
    return line


TABLE = [
    (("run", "DIR/folder.toml"), "Is a directory"),
    (("run", "DIR/binary.toml"), "not text in UTF-8"),
    (("run", "DIR/nul.toml"), "not TOML"),
    (("run", "DIR/latin.toml"), "not text in UTF-8"),
    (("run", "DIR"), "no sweep"),
    (("run", ""), "no sweep ''"),
    (("run", "../sweeps/quick"), "no sweep"),
    (("run",), "Missing argument"),
    (("run", "quick", "--nonsense"), "No such option"),
    (("run", "quick", "--testbeds", "DIR/folder.toml"), "is a folder"),
    (("run", "quick", "--testbeds", "DIR/missing.toml"), "there is no file"),
    (("run", "quick", "--testbeds", "DIR/binary.toml"), "not text in UTF-8"),
    (("run", "quick", "--testbeds", "DIR/nul.toml"), "not TOML"),
    (("run", "quick", "--testbeds", "DIR/beds.toml", "--testbed", "a"), "give one"),
    (("reproduce", "--sweep", "figure-9.9"), "no sweep 'figure-9.9'"),
    (("reproduce", "--sweep", "DIR/nul.toml"), "not TOML"),
    (("chapter", "../results-quicv1"), "no chapter"),
    (("stack", "show", "quicv9"), "no stack 'quicv9'"),
    (("stack", "show", "../quicv1"), "cannot name a stack"),
    (("stack", "install", "/"), "cannot name a stack"),
    (("verify", "../raw"), "cannot name a campaign"),
    (("verify", "x" * 300), "cannot name a campaign"),
    (("audit", "--campaign", "nothing-like-it"), "no campaign 'nothing-like-it'"),
    (("audit", "--campaign", ""), "cannot name a campaign"),
    (("compare", "../a", "b"), "cannot name a campaign"),
    (("studies", "years"), "unexpected extra argument"),
    (("testbeds", "DIR"), "is a folder"),
    (("testbeds", "DIR/missing.xml"), "there is no file"),
    (("testbeds", "DIR/binary.toml"), "not text in UTF-8"),
    (("testbeds", "DIR/nul.toml"), "not XML"),
    (("testbeds", "DIR/file", "--pipes", "0", "1"), "from 1 to 65,535"),
    (("calibrate", "--bandwidth-mbps", "nan"), "bandwidth_mbps"),
    (("calibrate", "--bandwidth-mbps", "1e9"), "bandwidth_mbps"),
    (("calibrate", "--rtt-ms", "-1"), "rtt_ms"),
    (("calibrate", "--loss-pct", "100"), "loss_pct"),
    (("soak", "--faults", "0"), "from 1 to 1,000,000"),
    (("soak", "--faults", "1.5"), "from 1 to 1,000,000"),
    (("soak", "--faults", "9" * 5000), "from 1 to 1,000,000"),
    (("soak", "--seed", "-1"), "is no whole number"),
    (("soak", "--record", "DIR"), "no name of a file"),
    (("soak", "--record", "DIR/file/x"), "cannot be written"),
    (("process", "x"), "unexpected extra argument"),
    *((("bench", "--seconds", one), "is no number from 3 to 600 s") for one in NAN),
    *((("soak", "--seconds", one), "is no number from 1 to 604,800 s") for one in NAN if one != "1e9"),
    *((("run", "quick", "--testbed", one), "cannot name a testbed") for one in BEDS),
    (("soak", "--testbed", "../x"), "cannot name a testbed"),
]


@pytest.mark.parametrize(("arguments", "words"), TABLE, ids=lambda one: " ".join(one)[:60])
def test_a_command_that_can_do_nothing(folder, arguments, words):
    assert words in refused(*(one.replace("DIR", str(folder)) for one in arguments))


@pytest.mark.parametrize(
    ("data", "words"),
    [("missing", "No such file"), ("file", "Not a directory"), ("folder", "holds other things"), ("", "holds other")],
)
@pytest.mark.parametrize("command", [("run", "quick"), ("process",), ("verify",), ("book",), ("studies",)])
def test_a_typo_in_the_name_of_the_data_folder(tmp_path, command, data, words):
    (tmp_path / "folder" / "within").mkdir(parents=True)
    (tmp_path / "file").write_text("")
    line = refused(*command, LONGLOOK_DATA=str(tmp_path / data))
    assert words in line and "LONGLOOK_DATA" in line
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"], "nothing was made"


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "raw").mkdir()
    (tmp_path / "processed").write_text("")
    assert "processed cannot be written" in refused("process", LONGLOOK_DATA=str(tmp_path))


def test_a_read_only_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everywhere
    with pytest.raises(LonglookError, match="cannot be written"):
        paths.require_writable(tmp_path / "raw")


def test_whoever_has_read_enough_may_go(tmp_path):
    """`longlook ... | head` is no reason for a traceback."""
    import subprocess
    import sys

    command = f"{sys.executable} -m longlook.cli run --help | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=300, check=False)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("make", "words"), [("mkdir", "no name of a file"), ("symlink", "is a symbolic link")])
def test_a_page_that_could_not_be_written_is_refused_before_it_is_measured(tmp_path, monkeypatch, make, words):
    """In a folder of everybody's somebody may have made what has its name."""
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "ask-docs.html"
    page.mkdir() if make == "mkdir" else page.symlink_to(tmp_path / "elsewhere")
    assert words in refused("ask", "docs") and words in refused("ask", "docs", "--out", str(page))
    assert words in refused("soak", "--record", str(page)) and not (tmp_path / "elsewhere").exists()
