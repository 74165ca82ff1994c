"""A page on a campaign, on kept data: its pairs, its words, what it lets out of a stranger's record."""

import json
import re
import statistics
from dataclasses import replace

import pytest
from campaigns import (
    QUIC,
    STACK_DIGEST,
    TCP,
    control_sweep,
    make_campaign,
    make_sample,
    make_sweep,
    open_campaign,
    write_cell,
)
from click.testing import CliRunner
from stated_servers import NGINX

from longlook import paths
from longlook.audit import to_json
from longlook.book.report import page, report_of
from longlook.cli import cli
from longlook.errors import LonglookError
from longlook.experiment.pictures import films
from longlook.server.stated import read

LOSSES = "reference-figure-4.6e-20261121T143758"
SEEN = "reference-yu-pages-20261127T045738"
"""Of pages that are looked at."""


@pytest.fixture(scope="module")
def found():
    return report_of(LOSSES)


def test_loads_that_met_the_same_losses_are_compared_as_pairs(found):
    report, _ = found
    told = [one for cell in report.cells for one in cell.told]
    assert [one.finding for one in told].count("left") == 16 and len(told) == 18
    assert all(one.better_pct > 0 and 2 <= one.pairs <= 20 for one in told)
    assert "is better by 3.2 to 116 % in 16 of 18 cells; in 2 of 18 no difference is shown" in report.sentences[0]
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
    load = report.loads[0]
    loads = (replace(load, label="<b>", objects=({**load.objects[0], "path": "/<script>z</script>"},)),)
    text = page(
        replace(report, sweep="<img src=x>", title="<script>y</script>", cells=(cell, *report.cells[1:]), loads=loads),
        results,
    )
    assert "<script" not in text and "<img" not in text and "&lt;script&gt;" in text
    assert "http" not in text.replace("http://www.w3.org/", "")


def test_of_each_protocol_the_load_nearest_to_the_median_is_shown_object_by_object(found):
    report, results = found
    assert len(report.loads) == 2 * len(results)
    for result in results:
        own = [one for one in report.loads if one.title == result.cell.full_label]
        for load, arm in zip(own, result.cell.arms, strict=True):
            values = result.values(arm.name, "plt_ms")
            middle = statistics.median(values)
            (sample,) = (
                one for one in result.samples if one.arm == arm.name and one.counts and one.index == load.index
            )
            assert load.plt_ms == sample.metrics["plt_ms"] == min(values, key=lambda value: abs(value - middle))
            assert [one["size_bytes"] for one in load.objects[1:]] == [result.cell.workload.object_bytes] * (
                result.cell.workload.object_count
            )
            assert all(one["started_ms"] <= one["answered_ms"] <= one["ended_ms"] for one in load.objects)
    text = page(report, results)
    for load in report.loads:
        assert text.count(load.name) >= 2, "it is named above its bars, and above its table"
        assert all(one["path"] in text for one in load.objects)


def test_arms_that_are_called_the_same_are_told_apart(tmp_path):
    campaign = make_campaign(tmp_path, control_sweep())
    report, _ = report_of(campaign.id, tmp_path)
    assert [arm.label for arm in report.cells[0].arms] == ["TCP CUBIC (a)", "TCP CUBIC (b)"]
    assert report.loads == (), "nothing is kept of these but numbers"


def test_what_was_seen_of_a_page_is_a_strip_that_keys_can_scroll():
    report, results = report_of(SEEN)
    text = page(report, results)
    pictures = re.findall(r'<img alt="([^"]*)"', text)
    assert len(pictures) == len(results) * 2 * 10 and all(one.endswith("% is seen") for one in pictures)
    assert text.count('class="scroll" role="region" tabindex="0" aria-label="Filmstrip: ') == len(results)
    first = films(paths.RAW / SEEN / results[0].cell.id)["quic"]
    assert report.films[results[0].cell.full_label]["quic"].pictures == first.pictures
    assert "films" not in json.loads(to_json(report))


def test_a_server_by_file_is_named_with_what_it_was_read_from(tmp_path):
    path = tmp_path / "nginx.toml"
    path.write_text(NGINX.read_text(encoding="utf-8").replace('["nginx"', '["sh"'), encoding="utf-8")
    (tmp_path / "nginx.conf").write_text((NGINX.parent / "nginx.conf").read_text(encoding="utf-8"), encoding="utf-8")
    statement = read(path)
    by_file = TCP | {"server": "by-file-tcp", "server_file": statement.digest}
    sweep = make_sweep({"arms": [QUIC, by_file], "workloads": [{"size_kb": 5}]})
    campaign = open_campaign(tmp_path, sweep, "local", STACK_DIGEST)
    (cell,) = sweep.cells()
    samples = [make_sample(campaign.id, cell, arm, 1, order, 90.0) for order, arm in enumerate(cell.arm_names)]
    write_cell(campaign, cell, samples, server_files={statement.digest: statement.model_dump(mode="json")})
    report, results = report_of(campaign.id, tmp_path)
    assert [arm.label for arm in report.cells[0].arms] == ["QUIC CUBIC, N = 2", "TCP CUBIC (nginx-h2)"]
    assert report.notes == (statement.line,)
    text = page(report, results)
    assert f"nginx.toml (SHA-256 {statement.files['nginx.toml']})" in text and statement.program_sha256 in text


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
