"""The section on Envoy's releases: what is told of them."""

from __future__ import annotations

import pytest

from longlook import paths
from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.years import releases
from longlook.book.years.releases import BASE, SHARE, SWEEP, Conditions, Release, ReleaseSquare, compared
from longlook.experiment.built_in import BuiltIn, Flag
from longlook.stack.arms import open_sweep

NAMES = ["1.36", "1.37", "1.38", "1.39", "1.40"]


def cell(loss=0.0, jitter=0.0, static=None, **others):
    """Fifteen loads of each release; `others`: e136=900.0 is another mean of one of them."""
    place = Conditions("1000kb-x1", 1_000_000, 1, 10.0, loss, 112.0 if jitter else 36.0, jitter)
    means = {name: others.get(f"e{name.replace('.', '')}", 1000.0) for name in NAMES}
    quic = {name: Summary(mean, 5.0, 15) for name, mean in means.items()}
    slow = {} if static is None else {name: Summary(static, 5.0, 15) for name in NAMES}
    return ReleaseSquare(place, quic, slow, "reference-years-servers")


def test_the_sweeps_have_every_release_and_each_is_one_of_them():
    assert [one.name for one in releases.releases()] == NAMES and releases.releases()[-1].name == BASE
    assert (
        {one.stack for one in releases.releases()} == set(open_sweep(SWEEP).stacks()) == set(open_sweep(SHARE).stacks())
    )
    labels = [scenario.label for scenario in open_sweep(SHARE).cells_of[0].scenarios]
    assert labels == [f"Envoy {name} vs TCP" for name in NAMES]


def test_the_scenario_of_a_release_has_its_stack():
    stacks = {one.name: one.stack for one in releases.releases()}
    for scenario in open_sweep(SHARE).cells_of[0].scenarios:
        assert scenario.arms[0].stack == stacks[scenario.label.split()[1]], scenario.label


def test_a_cell_is_named_by_its_page_and_link():
    assert cell().place.title == "1 MB, 10 Mbit/s"
    assert cell(loss=1.0).place.title == "1 MB, 10 Mbit/s, 1 % loss"
    assert cell(jitter=50.0).place.title == "1 MB, 10 Mbit/s, jitter"


def test_releases_are_compared_with_the_newest_and_not_under_jitter():
    found = compared([cell(e136=1200.0), cell(jitter=50.0)])
    assert [name for _, name, _ in found] == NAMES[:-1]
    assert found[0][2].value == pytest.approx(1.2)


def test_without_a_campaign_what_is_built_in_is_shown(tmp_path):
    data = book_data.read(paths.PUBLISHED, tmp_path)
    table = releases.built_table(data).data
    assert all(one.version in table and one.packaged in table for one in releases.releases())


def test_flags_are_shown_where_their_defaults_differ_and_counted_where_they_come_and_go(monkeypatch):
    built = [BuiltIn(f"envoy-{name}", "", "", "bbr", "2") for name in NAMES]
    kept = [Release(name, "", "", "", one) for name, one in zip(NAMES, built, strict=True)]
    monkeypatch.setattr(releases, "releases", lambda: kept)
    flags = [Flag(one.part, "reloadable_flag_same", 1) for one in built]
    flags += [Flag(one.part, "reloadable_flag_changed", int(one is built[4])) for one in built[2:]]
    flags += [Flag(built[0].part, "restart_flag_gone", 1)]
    monkeypatch.setattr(releases, "read_flags", lambda _path: flags)
    table = releases.flag_table().data
    assert ">changed</td>" in table and "same" not in table and "gone" not in table
    assert releases.came_and_gone() == (1, 1)
    monkeypatch.setattr(releases, "read_flags", lambda _path: [])
    assert releases.came_and_gone() == (0, 0) and "Not measured yet" in releases.flag_table().data


def test_the_figure_says_in_words_what_it_shows(monkeypatch):
    class Data:
        @staticmethod
        def campaign(_name):
            return {"stack": "quicv1, e136", "stack_digest": "aa, bb"}

    monkeypatch.setattr(releases, "newest", lambda _data: ("Here", [cell(e136=1200.0), cell(loss=1.0)]))
    figure = releases.against_base(Data())
    assert "1 MB, 10 Mbit/s: 1.00 to 1.20; 1 MB, 10 Mbit/s, 1 % loss: 1.00 to 1.00" in figure.alt_text
    rows = figure.downloads[0].csv.splitlines()[1:]
    assert [row.split(",")[0] for row in rows] == 2 * NAMES
