"""What a sweep's or a testbeds' file can never mean is refused when it is read, in one message and at once."""

import re
from pathlib import Path

import pytest
from plans import sweep

from longlook import paths
from longlook.errors import LonglookError
from longlook.host.toml import read_toml
from longlook.plan import value
from longlook.plan.cell import Cell
from longlook.plan.sweep import load_sweep
from longlook.plan.value import PlanError, checked_name
from longlook.stack.arms import complete, open_sweep
from longlook.stack.spec import load_stack
from longlook.testbed.description import load_testbeds, parse_description

GOOD = """
name = "x"
study = "test"
title = "x"
stack = "quicv1"
loads = 3
seed = 1
[[cells]]
series = "x"
arms = [{ protocol = "quic" }, { protocol = "tcp" }]
bandwidth_mbps = [10]
rtt_ms = [36]
workloads = [{ size_kb = 5 }]
"""


@pytest.fixture
def refused(tmp_path):
    """Message of the error that reading a sweep's text gives."""

    def read(text, encoding="utf-8"):
        path = tmp_path / "sweep.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        with pytest.raises(LonglookError) as caught:
            load_sweep(path, complete).cells()
        assert str(path) in str(caught.value) and len(str(caught.value)) < 4000
        return str(caught.value)

    return read


def changed(old, new):
    assert old in GOOD
    return GOOD.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("bandwidth_mbps = [10]", "bandwidth_mbps = [true]", "bandwidth_mbps.0: Input should be a valid number"),
        ("bandwidth_mbps = [10]", 'bandwidth_mbps = ["50"]', "bandwidth_mbps.0: Input should be a valid number"),
        ("bandwidth_mbps = [10]", "bandwidth_mbps = [nan]", "finite"),
        ("bandwidth_mbps = [10]", "bandwidth_mbps = [inf]", "finite"),
        ("bandwidth_mbps = [10]", "bandwidth_mbps = [1e-300]", "greater than or equal to 0.01"),
        ("bandwidth_mbps = [10]", f"bandwidth_mbps = [1{'0' * 400}]", "bandwidth_mbps"),
        ("rtt_ms = [36]", "rtt_ms = [-1]", "rtt_ms"),
        ("loads = 3", "loads = true", "loads: Input should be a valid integer"),
        ("loads = 3", 'loads = "3"', "loads: Input should be a valid integer"),
        ("loads = 3", "loads = 3.0", "loads: Input should be a valid integer"),
        ("seed = 1", f"seed = {2**63}", "seed"),
        ("rtt_ms = [36]", "rtt_ms = [36]\ncontrol = 0", "control: Input should be a valid boolean"),
        ("rtt_ms = [36]", "rtt_ms = [36]\nreplicates = 20000", "replicates"),
        ("rtt_ms = [36]", "rtt_ms = [36]\nqueue_bytes = 1", "greater than or equal to 1514"),
        ("rtt_ms = [36]", "rtt_ms = [36]\nqueue_packets = 0", "queue_packets: Input should be greater than"),
        ("rtt_ms = [36]", "rtt_ms = [36]\nqueue_packets = 100001", "queue_packets: Input should be less than"),
        ("rtt_ms = [36]", "rtt_ms = [36]\nqueue_packets = true", "queue_packets: Input should be a valid integer"),
        ("rtt_ms = [36]", "rtt_ms = [36]\nqueue_packets = 50.0", "queue_packets: Input should be a valid integer"),
        ("rtt_ms = [36]", 'rtt_ms = [36]\nqueue_packets = "50"', "queue_packets: Input should be a valid integer"),
        ("rtt_ms = [36]", "rtt_ms = [36]\nqueue_packets = [50]", "queue_packets: Input should be a valid integer"),
        ("rtt_ms = [36]", "rtt_ms = [36]\nqueue_packets = 100000", None),
        ("rtt_ms = [36]", "rtt_ms = [36]\nupload_mbps = 0.768", None),
        ("rtt_ms = [36]", "rtt_ms = [36]\nupload_mbps = [1]", "upload_mbps: Input should be a valid number"),
        (
            "rtt_ms = [36]",
            "rtt_ms = [36]\nupload_mbps = 0",
            "upload_mbps: Input should be greater than or equal to 0.01",
        ),
        ("rtt_ms = [36]", "rtt_ms = [36]\nupload_mbps = 1.0000001", "upload_mbps: 1.0000001 has more than 6 digits"),
        ("rtt_ms = [36]", "rtt_ms = [36]\nburst_bytes = 12800000", None),
        ("rtt_ms = [36]", "rtt_ms = [36]\nburst_bytes = 1000", "burst_bytes: Input should be greater than"),
        ("rtt_ms = [36]", "rtt_ms = [36]\nburst_bytes = [12800000]", "burst_bytes: Input should be a valid integer"),
        ("rtt_ms = [36]", 'rtt_ms = [36]\nqueue_discipline = "codel"\necn = true', None),
        (
            "rtt_ms = [36]",
            'rtt_ms = [36]\nqueue_discipline = "fq-codel"',
            "queue_discipline: Input should be 'codel', 'fq_codel', 'pie' or 'dualpi2'",
        ),
        ("rtt_ms = [36]", 'rtt_ms = [36]\nqueue_discipline = "pie"', None),
        (
            "rtt_ms = [36]",
            'rtt_ms = [36]\nqueue_discipline = "dualpi2"',
            "queue_discipline = dualpi2 without ecn = true",
        ),
        (
            "rtt_ms = [36]",
            'rtt_ms = [36]\nqueue_discipline = "pie"\nupload_mbps = 500',
            "queue_discipline = pie at 500 Mbit/s: it is calibrated up to 100 Mbit/s",
        ),
        ("rtt_ms = [36]", "rtt_ms = [36]\necn = true", "ecn = true without queue_discipline: a droptail queue marks"),
        (
            "rtt_ms = [36]",
            'rtt_ms = [36]\nqueue_discipline = "codel"\nqueue_packets = 50',
            "queue_packets = 50 beside queue_discipline = codel, which has a limit of its own: 1000 packets",
        ),
        ("rtt_ms = [36]", 'rtt_ms = [36]\nqueue_discipline = "codel"\nqueue_bytes = 9000', "queue_bytes = 9000 beside"),
        ("rtt_ms = [36]", 'rtt_ms = [36]\ncross_flows = 2\ncross_cca = "bbr"', None),
        ("rtt_ms = [36]", 'rtt_ms = [36]\ncross_cca = "bbr"', "cross_cca = bbr without cross_flows: it is theirs"),
        ("rtt_ms = [36]", 'rtt_ms = [36]\ncross_protocol = "quic"', "cross_protocol = quic without cross_flows"),
        ("rtt_ms = [36]", "rtt_ms = [36]\ncross_flows = 0", "cross_flows: Input should be greater than or equal to 1"),
        ("rtt_ms = [36]", "rtt_ms = [36]\ncross_flows = 1\nloss_pct = 1", "cross_flows beside a loss: what that does"),
        ("rtt_ms = [36]", "rtt_ms = [36]\ncross_flows = 1\njitter_ms = 1", "cross_flows beside jitter"),
        (
            "workloads = [{",
            'cross_flows = 1\nworkloads = [{ kind = "download",',
            "cross_flows is of pages and sites, whose arms take turns",
        ),
        ("rtt_ms = [36]", "rtt_ms = [36]\nnetem = { corrupt_pct = 1, jitter_sd_ms = 2.5 }", None),
        (
            "rtt_ms = [36]",
            "rtt_ms = [36]\nnetem = { corrupt = 1 }",
            "netem has corrupt (did you mean corrupt_pct?); known keys: corrupt_pct, ",
        ),
        (
            "rtt_ms = [36]",
            "rtt_ms = [36]\nnetem = { corrupt_pct = true }",
            "netem.corrupt_pct: Input should be a valid",
        ),
        ("rtt_ms = [36]", "rtt_ms = [36]\nnetem = { corrupt_pct = 101 }", "corrupt_pct: Input should be less than"),
        (
            "rtt_ms = [36]",
            "rtt_ms = [36]\nqueue_bytes = 90000\nqueue_packets = 50",
            "queue_bytes = 90000 and queue_packets = 50: a queue is limited in bytes or in packets, not in both",
        ),
        ("rtt_ms = [36]", "rtt_ms = [36]\njitter_ms = [10]\njitter_interval_ms = inf", "jitter_interval_ms"),
        ("rtt_ms = [36]", "rtt_ms = [36]\njitter_ms = [10]\njitter_interval_ms = 1e-9", "jitter_interval_ms"),
        ("rtt_ms = [36]", f"rtt_ms = {list(range(1, 3000))}", "2999 cells in all, at most 2000"),
        ("size_kb = 5", "size_kb = 1000000, count = 10000", "at most 10000000000"),
        ("size_kb = 5", "size_bytes = 1", "greater than or equal to 200"),
        ("bandwidth_mbps = [10]", "bandwidth_mbps = [0.01]", None),
        ("size_kb = 5", "size_kb = 1000000", None),
        ("size_kb = 5", "size_kb = 1000000, count = 5", "for one sample: at most 3600 s"),
        ('series = "x"', 'series = "../../x"', "series"),
        ('series = "x"', 'series = "/x"', "series"),
        ('name = "x"', 'name = "x/../y"', "name"),
        ('name = "x"', 'name = "x\\u0000"', "name"),
        ('name = "x"', 'name = "x\\n"', "name"),
        ('study = "test"', 'study = ".."', "study"),
        ('stack = "quicv1"', 'stack = "../quicv1"', "'../quicv1' cannot name a stack"),
        ('stack = "quicv1"', "stack = 3", "stack"),
        ('title = "x"', 'title = "\\u001b[2J"', "title"),
        ('title = "x"', 'title = "\\u202e"', "title"),
        ('{ protocol = "quic" }', '{ protocol = "quic", quic_options = ["../../x"] }', "quic_options.0"),
        ('{ protocol = "quic" }', '{ protocol = "quic", server = "../x" }', "server"),
        ('{ protocol = "quic" }', '{ protocol = "quic", name = "../x" }', "name"),
        ('series = "x"', f'series = "{"x" * 119}"', None),
    ],
)
def test_a_sweep_that_cannot_be_measured(refused, tmp_path, old, new, words):
    text = changed(old, new)
    if words is None:  # just inside the bounds
        path = tmp_path / "sweep.toml"
        path.write_text(text)
        assert load_sweep(path, complete).cells()
    else:
        assert words in refused(text)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfe\x00", "not text in UTF-8"),
        (GOOD.encode("utf-16"), "not text in UTF-8"),
        (b"x = " + b"9" * 5000, "not TOML"),
        (b"x = " + b"[" * 5000, "not TOML"),
        (b"x = " + b"{a=" * 5000, "not TOML"),
        (b"\x00", "not TOML"),
        (b"#" * 5_000_000, "more than 4 MB"),
        (b"", "Field required"),
        (b"cells = 3", "cells"),
        (b"cells = [3]", "cells"),
        (b"[cells]", "cells"),
    ],
)
def test_a_file_that_is_no_sweep(refused, content, words):
    assert words in refused(content)


@pytest.mark.parametrize("name", ["folder.toml", "missing/x.toml", "nul\0.toml", "x" * 300 + ".toml", "/dev/zero.toml"])
def test_a_path_that_is_no_file(tmp_path, name):
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(LonglookError):
        open_sweep(str(tmp_path / name))


def test_what_never_ends_is_not_read_to_its_end(tmp_path):
    (tmp_path / "zero.toml").symlink_to("/dev/zero")
    with pytest.raises(LonglookError, match="no regular file"):
        read_toml(tmp_path / "zero.toml")


@pytest.mark.parametrize("name", ["../quicv1", "", ".", "..", "a/b", "a\0b", "-x", "x" * 200, 3, None])
def test_names_that_become_paths(name):
    with pytest.raises(LonglookError, match="cannot name a"):
        checked_name(name)
    with pytest.raises(LonglookError, match="cannot name a stack"):
        load_stack(name)


def test_a_cell_that_names_a_folder_elsewhere_is_refused():
    (cell,) = sweep().cells()
    plain = cell.model_dump(mode="json")
    assert Cell.parse(plain) == cell
    for wrong in ("../x", "x/y", "/x", ".x"):
        with pytest.raises(LonglookError, match="id"):
            Cell.parse(plain | {"id": wrong})


@pytest.mark.parametrize("folder", ["/var/../longlook", "/../longlook", "/var/./longlook", "/longlook/..", "longlook"])
def test_a_nodes_folder_that_root_empties_has_no_way_up(folder):
    node = {"host": "h", "address": "10.0.0.1"}
    bed = {"name": "a", "driver": "emulab", "user": "u", "server": node, "client": node}
    bed |= {"bridge": {"host": "h", "pipes": {"server_to_client": 1, "client_to_server": 2}}}
    assert parse_description(bed)
    with pytest.raises(LonglookError, match="folder"):
        parse_description(bed | {"folder": folder})


@pytest.mark.parametrize(
    "content", [b"\xff", b"x = " + b"[" * 5000, b"testbed = 3", b"testbed = [3]", b"[[testbed]]\nname=3"]
)
def test_a_file_that_is_no_testbeds_file(tmp_path, content):
    path = tmp_path / "testbeds.toml"
    path.write_bytes(content)
    with pytest.raises(LonglookError):
        load_testbeds(path)
    for odd in (tmp_path, tmp_path / "missing.toml", tmp_path / "nul\0"):
        with pytest.raises(LonglookError):
            load_testbeds(odd)


SLIPS = [
    ("loads = 3", "loadz = 3", "unknown key loadz (did you mean loads?); known keys of a sweep: "),
    ("loads = 3", "stak = 3", "unknown key stak (did you mean stack?); known keys of a sweep: "),
    ("[[cells]]", "[[cells_of]]", "unknown key cells_of (did you mean cells?); known keys of a sweep: "),
    (
        "rtt_ms = [36]",
        "rtt = [36]",
        "cells.0: unknown key rtt (did you mean rtt_ms?); known keys of a [[cells]] block",
    ),
    ('arms = [{ protocol = "quic" }', 'arm = [{ protocol = "quic" }', "unknown key arm (did you mean arms?)"),
    (
        "rtt_ms = [36]",
        "rtt_ms = [36]\nloss_each_way = [1]",
        "loss_each_way (did you mean loss_each_way_pct?)",
    ),
    ('{ protocol = "tcp" }', '{ protcol = "tcp" }', "cells.0.arms.1: unknown key protcol (did you mean protocol?)"),
    (
        '{ protocol = "tcp" }',
        '{ protocol = "tcp", handshak = "1rtt" }',
        "(did you mean handshake?); known keys of an arm",
    ),
    ("size_kb = 5", "sizekb = 5", "unknown key sizekb (did you mean size_kb?); known keys of a page: "),
    ("size_kb = 5", 'kind = "download", size_kb = 5, cuont = 2', "did you mean count?); known keys of a download"),
    (
        "size_kb = 5",
        'kind = "donwload", size_kb = 5',
        "'donwload' is none of page, download, webpage, site, video (did",
    ),
    ("size_kb = 5", "objects = [{ size_kb = 5, cuont = 2 }]", "(did you mean count?); known keys of objects: "),
    ("rtt_ms = [36]", "rtt_ms = [36]\nnetem = { corupt_pct = 1 }", "(did you mean corrupt_pct?)"),
    ("rtt_ms = [36]", 'rtt_ms = [36]\nloss_direction = "left"', "'down' or 'up', not 'left'"),
    ("rtt_ms = [36]", "rtt_ms = []", "cells.0.rtt_ms: at least 1 is wanted, 0 given"),
]


@pytest.mark.parametrize(("old", "new", "words"), SLIPS, ids=[one[1] for one in SLIPS])
def test_a_slip_is_told_with_the_keys_of_where_it_stands_and_the_nearest_one(refused, old, new, words):
    said = refused(changed(old, new))
    assert words in said
    assert "cells_of" not in said.replace("unknown key cells_of", ""), "which is no key"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("bandwidth_mbps = [10]", "bandwidth_mbps = 10"),
        ("rtt_ms = [36]", "rtt_ms = 36"),
        ("rtt_ms = [36]", "rtt_ms = [36]\nloss_pct = 1"),
        ("rtt_ms = [36]", "rtt_ms = [36]\nloss_down_pct = 1"),
        ("rtt_ms = [36]", "rtt_ms = [36]\njitter_ms = 10"),
        ("workloads = [{ size_kb = 5 }]", "workloads = { size_kb = 5 }"),
        ("workloads = [{ size_kb = 5 }]", "workloads = { objects = { size_kb = 5 } }"),
        ('arms = [{ protocol = "quic" }, { protocol = "tcp" }]', 'arms = { protocol = "quic", quic_options = "IW10" }'),
        (
            'arms = [{ protocol = "quic" }, { protocol = "tcp" }]',
            'scenarios = { label = "a", arms = { protocol = "tcp" } }',
        ),
        ("[[cells]]", "[cells]"),
    ],
)
def test_one_value_where_a_list_is_wanted_is_a_list_of_one(tmp_path, old, new):
    path = tmp_path / "sweep.toml"
    path.write_text(changed(old, new))
    assert len(load_sweep(path, complete).cells()) == 1


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('name = "x"', 'name = "reference-t"', "begins with 'reference-'"),
        ('name = "x"', 'name = "reference"', "begins with 'reference-'"),
        ('name = "x"', 'name = "a b"', "'a b' should be letters, digits, '.', '_' and '-', a letter or digit first"),
        ('title = "x"', 'title = "\\u001b[2J"', "should be one line, without characters that steer a terminal"),
        ('{ protocol = "quic" }', '{ protocol = "quic", quic_options = "IW 10" }', "one to four letters or digits"),
        ('{ protocol = "quic" }', '{ protocol = "quic", quic_options = ["IW10", "IW10"] }', "IW10 stands twice"),
        ("bandwidth_mbps = [10]", "bandwidth_mbps = [50, 50.0000001]", "50.0000001 has more than 6 digits"),
        ("bandwidth_mbps = [10]", "bandwidth_mbps = [0.0100001]", "in steps of a bit per second"),
        ("rtt_ms = [36]", "rtt_ms = [0.0005]", "in steps of a microsecond"),
        ("rtt_ms = [36]", "rtt_ms = [36]\nloss_pct = [0.0, -0.0]", "lists cells twice"),
        ("rtt_ms = [36]", "rtt_ms = [36]\nloss_pct = [0.00001]", "in steps of one packet in a million"),
        ("rtt_ms = [36]", "rtt_ms = [36]\nloss_down_pct = [99.9]", "0.1% of the packets down would arrive"),
        ("rtt_ms = [36]", "rtt_ms = [36]\nnetem = { corrupt_pct = 100 }", "no connection comes up"),
        (
            "rtt_ms = [36]",
            "rtt_ms = [36]\nnetem = { gemodel_p_pct = 100, gemodel_r_pct = 1, gemodel_one_minus_h_pct = 100, "
            "gemodel_one_minus_k_pct = 0 }",
            "no connection comes up",
        ),
        ("rtt_ms = [36]", "rtt_ms = [36]\nnetem = { corrupt_pct = 1.0000001 }", "more than 6 digits"),
        ("bandwidth_mbps = [10]\nrtt_ms = [36]", "bandwidth_mbps = [10000]\nrtt_ms = [10000]", "give queue_bytes"),
        ('{ protocol = "tcp" }', '{ protocol = "tcp", server_cpu_pct = 5 }', "ask for 10 % or more, or for a longer"),
        ('{ protocol = "tcp" }', '{ protocol = "tcp", client_cpu_pct = 9.9 }', "client_cpu_pct = 9.9 is 990 us"),
        ('{ protocol = "tcp" }', '{ protocol = "tcp", server_cpu_pct = 10.005 }', "no whole number of microseconds"),
        ('{ protocol = "tcp" }', '{ protocol = "tcp", server_cpu_pct = 50, cpu_period_us = 1000 }', "ask for 100 %"),
    ],
)
def test_what_would_be_lost_or_cannot_be_set_is_refused_before(refused, old, new, words):
    assert words in refused(changed(old, new))


def test_a_cell_whose_record_could_not_be_read_again_is_refused(refused):
    text = changed("loads = 3", "loads = 1000")
    assert "up to 40,018,002 requests in one cell" in refused(text.replace("size_kb = 5", "size_kb = 5, count = 5000"))


def test_a_pattern_is_told_in_words_wherever_one_is():
    """No module has a field with a pattern and without words for it."""
    folder = Path(value.__file__).parents[1]
    bare = [path.name for path in folder.rglob("*.py") if re.search(r"\bpattern=", path.read_text(encoding="utf-8"))]
    assert bare == ["value.py"]
    assert all(words and "^" not in words and "\\" not in words for words in value.WORDS.values())


def test_two_sweeps_of_one_name_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "SWEEPS", tmp_path)
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.toml").write_text(GOOD)
    with pytest.raises(PlanError, match="are sweeps of one name"):
        open_sweep("x")


def test_ids_of_cells_that_are_told_apart_can_name_folders():
    arms = [{"protocol": "quic"}, {"protocol": "tcp"}]
    longest = {"series": "x" * 119, "arms": arms, "workloads": [{"objects": [{"size_kb": n} for n in range(1, 20)]}]}
    cells = sweep(longest | {"queue_bytes": 5000}, longest | {"queue_bytes": 6000}).cells()
    assert len({cell.id for cell in cells}) == 2
    assert all(Cell.parse(cell.model_dump(mode="json")) == cell for cell in cells)
