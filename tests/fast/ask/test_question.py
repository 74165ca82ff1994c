"""A question's links, requirement, cells and sentence."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from longlook.ask import answer
from longlook.ask.answer import busy_words, links_measured, sentence
from longlook.ask.gate import parse
from longlook.ask.profiles import chosen, profiles
from longlook.ask.question import DEFAULT_LINKS, question
from longlook.book.report import ArmLoads, CellReport, Told
from longlook.cli import cli
from longlook.errors import LonglookError
from longlook.experiment.measurable import require_measurable
from longlook.experiment.registry import SITE
from longlook.plan.link import Link
from longlook.plan.sweep import Sweep
from longlook.site.recorded import bodies, open_site

ARMS = (ArmLoads("h3", "QUIC", 5, 850.0, 900.0, {}), ArmLoads("h2", "TCP", 5, 1000.0, 1100.0, {}))
TOLD = Told("h3", "h2", 15.0, 10.0, 20.0, 5, "left", None)
PAYS = CellReport("a link", "page load time", "ms", ARMS, (TOLD,), "cable", "cable, first visit")
COSTS = replace(PAYS, arms=(replace(ARMS[0], median=1120.0), ARMS[1]), told=(replace(TOLD, finding="right"),))
UNTOLD = replace(PAYS, told=(replace(TOLD, finding="not shown", more_loads=12),))
SMALL = replace(PAYS, told=(replace(TOLD, finding="small"),))


def test_every_profile_has_its_source_and_date_and_the_default_ones_exist():
    known = profiles()
    assert all(one.source and one.date for one in known.values())
    assert set(DEFAULT_LINKS) <= known.keys()
    slower = {
        "3g-fast": 0.768,
        "cable": 1,
        "cable-dualpi2": 1,
        "cable-fq-codel": 1,
        "cable-with-a-flow": 1,
        "slow-4g": 0.75,
    }
    assert {name: one.link.upload_mbps for name, one in known.items() if one.link.upload_mbps} == slower


def test_an_unknown_profile_has_the_nearest_name():
    with pytest.raises(LonglookError, match=r"no link 'cabel' \(did you mean cable\?\)"):
        chosen(["cabel"])


def test_the_repositorys_site_is_whole_and_can_be_asked_about():
    site = open_site("docs")
    assert {path for path, _ in bodies(site)} == {one.path for one in site.files}
    asked = question("docs", None, None, None, 5, "ttfb: h3 <= h2")
    assert (asked.again, asked.site) == ("longlook ask docs --loads 5 --require 'ttfb: h3 <= h2'", site)
    sweep = asked.sweep()
    require_measurable(sweep)
    assert Sweep.parse(sweep.definition()).cells() == sweep.cells()
    assert [cell.link for cell in sweep.cells()] == [one.link for one in asked.links.values()]
    assert [cell.link.rtt_ms for cell in sweep.cells()] == [28, 170, 70, 150]
    assert "Link cable: 5 Mbit/s down, 1 Mbit/s up, 28 ms. WebPageTest" in "\n".join(asked.notes())
    assert {cell.loads for cell in sweep.cells()} == {5}


def test_a_trace_is_asked_about_as_its_profile_has_it():
    asked = question("docs", "markov", None, None, 5, None)
    (cell,) = asked.sweep().cells()
    assert cell.link == profiles()["markov"].link and cell.link.trace.name == "markov.trace"
    said = "Link markov: trace markov.trace (5.37749 Mbit/s on average), 70 ms. tools/markov_trace.py, which prints"
    assert said in "\n".join(asked.notes())


def test_the_page_says_what_calibration_measured_of_each_link(tmp_path):
    way = {"packets": [3, 9, 3], "at_least": [2, 2, 2], "at_most": [4, 4, 4], "bin_ms": 100}
    plain = {"rtt_ms_median": 70.42, "server_to_client": {"mbps": 5.3774}, "client_to_server": {"mbps": 1.00001}}
    for name, series, measured in (("a", "cable", plain), ("b", "up", plain | {"traces": {"client_to_server": way}})):
        (tmp_path / name).mkdir()
        (tmp_path / name / "cell.json").write_text(json.dumps({"cell": {"series": series}}))
        (tmp_path / name / "environment.json").write_text(json.dumps({"calibration": {"measured": measured}}))
    assert list(links_measured([tmp_path / "a", tmp_path / "b"])) == [
        "Link cable, as measured: a round trip of 70.4 ms, 5.377 Mbit/s down, 1 Mbit/s up.",
        "Link up, as measured: a round trip of 70.4 ms, 5.377 Mbit/s down, "
        "the bytes of its trace up in 2 of 3 times 100 ms.",
    ]


def test_the_page_says_what_queues_did_to_each_protocol(tmp_path, monkeypatch):
    up = {"packets_in": 100}
    marked = {"packets_in": 430, "dropped_aqm": 0, "marked_ce": 10, "ecn_capable": 420}
    records = [
        {"arm": "h3", "link": {"down": {"packets_in": 500, "dropped_aqm": 29}, "up": up}},
        {"arm": "h2", "link": {"down": marked, "up": up | {"ecn_capable": 99}}},
        {"arm": "h3", "link": {"down": {"packets_in": 500, "dropped_aqm": 1}, "up": up}},
    ]
    monkeypatch.setattr(answer, "read_records", lambda _: records)
    told = []
    for link in ({}, {"queue_discipline": "fq_codel"}):
        (tmp_path / "cell.json").write_text(json.dumps({"cell": {"series": "a", "label": "a, first", "link": link}}))
        told.append(list(answer.queues_told([tmp_path])))
    assert told == [[], [
        "Queues of a, first: of 1200 packets of h3 30 dropped and 0 marked, 0 said that they understand marks; "
        "of 530 packets of h2 0 dropped and 10 marked, 519 said that they understand marks."
    ]]  # fmt: skip


def test_the_page_says_what_ran_beside_the_loads(tmp_path, monkeypatch):
    asked = question("docs", "cable-with-a-flow", None, None, 5, None)
    link = asked.sweep().cells()[0].link
    assert "28 ms, 1 flow of TCP CUBIC beside. WebPageTest" in "\n".join(asked.notes())
    rates = [("h3", 2.5, True), ("h2", 2.0, True), ("h3", 1.5, True), ("h3", 2.75, True), ("h3", 0.0, False)]
    records = [
        {"arm": arm, "accepted": right, "set_aside": mbps > 4, "cross_traffic": [{"mbps": mbps}]}
        for arm, mbps, right in (*rates, ("h3", 4.5, True))
    ]
    monkeypatch.setattr(answer, "read_records", lambda _: records)
    own = {"series": "a", "label": "a, first", "link": link.model_dump(mode="json")}
    told = []
    for cell in (own | {"link": {}}, own):
        (tmp_path / "cell.json").write_text(json.dumps({"cell": cell}))
        told.append(list(answer.crossed([tmp_path])))
    assert told == [[], [
        "Beside the loads of a, first ran 1 flow of TCP CUBIC from the server to the client, together at "
        "2.5 Mbit/s beside h3 (1.5 to 2.75); 2 Mbit/s beside h2 (2 to 2); medians."
    ]]  # fmt: skip


@pytest.mark.parametrize(
    "more",
    [
        {"upload_mbps": 1, "loss_pct": 1, "loss_direction": "up", "queue_packets": 50, "burst_bytes": 9000},
        {"jitter_ms": 4, "jitter_interval_ms": 50, "queue_bytes": 9000, "corrupt_pct": 1, "duplicate_pct": 2},
        {"cross_flows": 3, "cross_cca": "reno", "cross_protocol": "quic"},
    ],
)
def test_all_that_a_profile_states_is_measured(more):
    asked = question("docs", "cable", None, None, 1, None)
    link = Link.parse({"bandwidth_mbps": 5, "rtt_ms": 28} | more)
    profile = asked.links["cable"].model_copy(update={"link": link})
    (cell,) = replace(asked, links={"own": profile}).sweep().cells()
    assert cell.link == link


def test_the_sentence_says_what_each_link_told():
    one = question("docs", "cable", None, None, 5, None)
    assert sentence([PAYS], "page load time", one) == (
        "Does HTTP/3 pay, by page load time? First visit: it pays on cable: it saves 150 ms of the median."
    )
    others = (replace(cell, series=link) for cell, link in ((COSTS, "4g"), (UNTOLD, "lte"), (SMALL, "3g-fast")))
    once = replace(UNTOLD, told=(replace(TOLD, finding="not shown", more_loads=1),))
    assert "about 1 more load of each would" in sentence([once], "page load time", one)
    mixed = sentence(
        [PAYS, *others], "page load time", question("docs", "cable,4g,lte,3g-fast,slow-4g", None, None, 5, None)
    )
    assert "it pays on cable: it saves 150 ms" in mixed and "it costs on 4g: 120 ms of the median" in mixed
    assert "it does not on 3g-fast: shown to differ by less than 5 %" in mixed
    assert "it is open on lte; about 12 more loads" in mixed
    assert "it is open on slow-4g, where no load counted" in mixed


def test_a_busy_machine_is_named_with_what_to_do():
    asked = question("docs", "lte", None, None, 5, None)
    calm, busy = (SimpleNamespace(samples=[SimpleNamespace(disturbed=one)] * 4) for one in (False, True))
    assert busy_words([calm], asked) == ""
    told = busy_words([calm, busy], asked)
    assert "4 of 8 loads are excluded" in told and told.endswith("longlook ask docs --links lte --loads 5")


def test_an_unknown_visit_has_the_nearest_name():
    with pytest.raises(LonglookError, match=r"no visit 'frist' \(did you mean first\?\)"):
        question("docs", None, "frist", None, 5, None)


def test_visits_and_a_server_are_arms_and_the_sentence_says_both_visits():
    asked = question("docs", "cable", "first,return", "envoy", 1, None)
    sweep = asked.sweep()
    require_measurable(sweep)
    first, back = sweep.cells()
    assert [(arm.server, arm.handshake) for arm in (*first.arms, *back.arms)] == [
        ("envoy", "1rtt"),
        ("envoy-tcp", "1rtt"),
        ("envoy", "0rtt"),
        ("envoy-tcp", "resumed"),
    ]
    learnt = question("docs", "cable", "learnt", None, 1, None)
    require_measurable(learnt.sweep())
    ((h3, h2),) = [cell.arms for cell in learnt.sweep().cells()]
    assert (h3.learns, h3.handshake, h2.learns, h2.handshake) == (True, "0rtt", False, "resumed")
    assert any("told by Alt-Svc" in line for line in learnt.notes())
    refused = question("docs", "cable", "return,refused", None, 1, None)
    require_measurable(refused.sweep())
    assert [(h3.server, h3.handshake) for h3, _ in (cell.arms for cell in refused.sweep().cells())] == [
        ("envoy", "0rtt"),
        ("envoy-425", "0rtt"),
    ]
    assert any("answers what comes with the handshake with 425" in line for line in refused.notes())
    alone = tuple(one for one in learnt.site.files if one.path == learnt.site.start)
    with pytest.raises(LonglookError, match="needs a site that has a file beside its page"):
        replace(learnt, site=learnt.site.model_copy(update={"files": alone})).sweep().cells()
    returned = replace(COSTS, label="cable, return visit")
    assert sentence([PAYS, returned], "page load time", asked).endswith(
        "First visit: it pays on cable: it saves 150 ms of the median. Return visit: it costs on cable: 120 ms of the "
        "median."
    )
    assert asked.called() == {"h3": "HTTP/3 (envoy)", "h2": "HTTP/2 (envoy-tcp)"}


@pytest.mark.parametrize(
    ("text", "cells", "failures"),
    [
        ("plt: h3 <= h2", [PAYS], 0),
        ("plt: h3 <= h2", [COSTS], 1),
        ("plt: h3 <= h2 + 12 %", [COSTS], 0),
        ("plt: h3 <= h2 - 20 %", [PAYS], 1),
        ("plt: h3 <= h2", [replace(PAYS, arms=(replace(ARMS[0], median=float("nan")), ARMS[1]))], 1),
        ("plt: h3 <= h2", [], 1),
    ],
)
def test_a_gate_passes_only_what_was_measured_and_holds(text, cells, failures):
    assert len(list(parse(text, SITE).failures(cells, "h3", "h2", 1))) == failures


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("lpc: h3 <= h2", r"no metric 'lpc' is measured \(did you mean lcp\?\)"),
        ("h3 is faster", "is no requirement: one is 'plt: h3 <= h2"),
        ("plt: h2 <= h3", "is no requirement"),
    ],
)
def test_a_gate_that_means_nothing_is_refused_before_anything_is_measured(text, words):
    with pytest.raises(LonglookError, match=words):
        CliRunner().invoke(cli, ["ask", "docs", "--require", text], standalone_mode=False, catch_exceptions=False)
