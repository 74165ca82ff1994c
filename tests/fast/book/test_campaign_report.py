"""A page on a campaign, on kept data: its pairs, its words, what it lets out of a stranger's record."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from longlook.book.report import page, report_of
from longlook.cli import cli
from longlook.errors import LonglookError

LOSSES = "reference-figure-4.6e-20261121T143758"


@pytest.fixture(scope="module")
def found():
    return report_of(LOSSES)


def test_loads_that_met_the_same_losses_are_compared_as_pairs(found):
    report, _ = found
    told = [one for cell in report.cells for one in cell.told]
    assert [one.finding for one in told].count("left") == 16 and len(told) == 18
    assert all(one.better_pct > 0 and 2 <= one.pairs <= 20 for one in told)
    assert "is better by 3.23 to 116 % in 16 of 18 cells; in 2 of 18 no difference is shown" in report.sentences[0]
    assert {one.more_loads is None for one in told if one.finding != "not shown"} == {True}
    assert all(one.more_loads >= 1 for one in told if one.finding == "not shown")


def test_medians_and_percentiles_are_those_of_the_loads_that_count(found):
    report, results = found
    arm = report.cells[0].arms[0]
    values = sorted(results[0].values(arm.arm, "plt_ms"))
    assert (arm.loads, arm.median) == (20, pytest.approx((values[9] + values[10]) / 2))
    assert values[14] <= arm.p75 <= values[15]


def test_the_page_loads_nothing_and_a_strangers_words_are_text(found):
    report, results = found
    cell = replace(
        report.cells[0], arms=tuple(replace(arm, label="<script>x</script>") for arm in report.cells[0].arms)
    )
    text = page(
        replace(report, sweep="<img src=x>", title="<script>y</script>", cells=(cell, *report.cells[1:])), results
    )
    assert "<script" not in text and "<img" not in text and "&lt;script&gt;" in text
    assert "http" not in text.replace("http://www.w3.org/", "")


def test_the_command_writes_the_page_or_json(tmp_path):
    target = tmp_path / "page.html"
    told = CliRunner().invoke(cli, ["report", LOSSES, "--out", str(target)])
    assert told.exit_code == 0 and f"page: {target}" in told.output
    assert target.read_text(encoding="utf-8").startswith("<!doctype html>")
    as_json = json.loads(CliRunner().invoke(cli, ["report", LOSSES, "--json"]).output)
    assert (as_json["missing_cells"], len(as_json["cells"])) == (0, 18)


def test_a_campaign_that_is_not_there_is_an_error():
    with pytest.raises(LonglookError, match="there is no campaign 'nothing'"):
        report_of("nothing")
