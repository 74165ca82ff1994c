"""Sweeps: every file is valid, covers what it says, and mistakes name the file and the key."""

import math

import pytest
from plans import QUIC, TCP, sweep

from longlook.plan.sweep import Sweep, load_sweep
from longlook.plan.value import PlanError
from longlook.published import muthuraj2024
from longlook.stack.arms import complete, complete_arm, open_sweep, sweep_files


def test_every_sweep_in_the_repository_is_valid_and_has_distinct_cells():
    assert len(sweep_files()) >= 48
    for name in sweep_files():
        found = open_sweep(name)
        cells = found.cells()
        assert len({cell.id for cell in cells}) == len(cells), name
        assert found.name == name
        assert Sweep.parse(found.definition()).cells() == cells


def test_an_arm_has_an_n_only_where_its_stack_s_server_emulates_connections():
    assert complete_arm({"protocol": "quic"}, "quicv1")["emulated_connections"] == 2
    assert "emulated_connections" not in complete_arm({"protocol": "quic"}, "halme2021")
    assert all(arm.emulated_connections is None for cell in open_sweep("halme-table-2").cells() for arm in cell.arms)


def test_sweeps_lie_in_the_folder_of_their_study():
    for name, path in sweep_files().items():
        assert path.parent.name in (open_sweep(name).study, "sweeps"), path


def test_the_published_figures_are_covered_square_by_square():
    published = {
        (one.cell.series, one.cell.key)
        for one in muthuraj2024.page_load_times()
        if one.cell.series.startswith(("4.5", "4.6"))
    }
    ours = set()
    for name in sweep_files():
        if name.startswith(("figure-4.5", "figure-4.6")):
            for cell in open_sweep(name).cells():
                ours.add((cell.series, cell.key))
                assert cell.loads == 20
    assert ours == published


def test_a_missing_sweep_names_the_known_ones(tmp_path):
    (tmp_path / "quick.toml").write_text("")
    with pytest.raises(PlanError, match="known: quick"):
        load_sweep(tmp_path / "slow.toml", complete)
    with pytest.raises(PlanError, match=r"no sweep 'figure-9\.9'.*figure-4\.6a"):
        open_sweep("figure-9.9")


def test_a_sweep_with_the_same_cell_twice_is_refused():
    with pytest.raises(PlanError, match="lists cells twice"):
        sweep({}, {}).cells()


def test_cells_of_one_name_and_other_conditions_get_their_key_behind_it():
    cells = sweep({}, {"arms": [QUIC | {"emulated_connections": 1}, TCP]}).cells()
    assert len({cell.id for cell in cells}) == 2
    assert all(cell.id.endswith(f"_{cell.key[:8]}") for cell in cells)


TEXT = """
name = "wrong"
study = "test"
title = "t"
stack = "quicv1"

[[cells]]
series = "x"
arms = [{ protocol = "quic" }, { protocol = "tcp" }]
bandwidth_mbps = [10]
rtt_ms = [36]
workloads = [{ size_kb = 5 }]
"""


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "[[cells]]",
            "loadz = 3\n[[cells]]",
            "loadz .did you mean loads.*known keys of a sweep: .*cells, judging, predictions, stack$",
        ),
        ('series = "x"', 'series = "../../x"', "series"),
        ('name = "wrong"', 'name = "../wrong"', "name"),
        ("rtt_ms = [36]", "rtt_ms = [36]\nqeue_bytes = 1", "qeue_bytes"),
        ('{ protocol = "tcp" }', '{ protocol = "udp" }', "quic or tcp, not 'udp'"),
        ('stack = "quicv1"', 'stack = "quicv9"', "no stack 'quicv9'"),
        ('stack = "quicv1"\n', "", "an arm has no stack"),
        ("[36]", "[nan]", "finite"),
        ("title", "= title", "not TOML"),
    ],
)
def test_mistakes_name_the_file_and_the_key(tmp_path, old, new, words):
    path = tmp_path / "wrong.toml"
    path.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(PlanError, match=words) as told:
        load_sweep(path, complete).cells()
    assert str(path) in str(told.value) or "cells()" in words or words in ("series", "finite")


def test_a_file_that_is_no_text_is_named(tmp_path):
    (tmp_path / "x.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(PlanError, match=r"x\.toml cannot be read"):
        load_sweep(tmp_path / "x.toml", complete)


def test_a_loss_is_of_both_directions_or_of_each():
    def losses(**own):
        return [cell.link.loss_pct for cell in sweep(own).cells()]

    assert losses(loss_pct=[1]) == [1.0]
    assert losses(loss_each_way_pct=[0, 1, 0.5]) == [0.0, 2.0, 1.0]
    assert losses(loss_down_pct=[0, 1, 0.5]) == losses(loss_up_pct=[0, 1, 0.5]) == [0.0, 1.0, 0.5]
    for wrong, says in (
        ({"loss_down_pct": [1], "loss_up_pct": [1]}, "loss_up_pct or loss_down_pct, not both"),
        ({"loss_down_pct": [1], "loss_each_way_pct": [1]}, "loss_down_pct or loss_each_way_pct, not both"),
        ({"loss_down_pct": [1], "loss_pct": [1]}, "loss_pct or loss_down_pct, not both"),
        ({"loss_each_way_pct": [1], "loss_direction": "up"}, "loss_direction or loss_each_way_pct, not both"),
        ({"loss_up_pct": [0]}, "loss is up only, and none is stated"),
        ({"loss_down_pct": [100]}, "loss_pct"),
        ({"loss_pct": [1], "loss_each_way_pct": [1]}, "not both"),
        ({"loss_each_way_pct": "1"}, "a list of numbers"),
        ({"loss_each_way_pct": ["1"]}, "a list of numbers"),
        ({"loss_each_way_pct": [True]}, "a list of numbers"),
        ({"loss_each_way_pct": [60]}, "loss_pct"),
        ({"loss_each_way_pct": [math.nan]}, "loss_pct"),
    ):
        with pytest.raises(PlanError, match=says):
            losses(**wrong)
