"""The chapter on single files: the paper's rule, its claims, what was predicted, what is shown."""

import re
from dataclasses import dataclass, field, replace

import pytest
from book_sample import PUBLISHED
from yu2021_sample import bytes_down, time_ms, write_objects

from longlook import paths
from longlook.analysis.lowest import growth_ratio, lowest_difference, lowest_ratio, spread
from longlook.book import data as book_data
from longlook.book.claimed import verdict as verdict_of_parts
from longlook.book.judged import columns_of, judged, judged_of
from longlook.book.times import Times
from longlook.book.value import NOT_YET
from longlook.book.value_role import numbers_of, value_of
from longlook.book.yu2021 import chart, claims, first_loss, predictions, tables
from longlook.book.yu2021.evidence import (
    BBR,
    CONDITIONS,
    CUBIC,
    FAR,
    LARGE,
    LIKE,
    LOSSY,
    MAIN,
    MIDDLE,
    MIXED,
    NAMES,
    PAIRS,
    PLACES,
    QUIET,
    SMALL,
    Condition,
    Measured,
    Place,
    Printed,
    place,
    verdict,
)
from longlook.client import CLIENTS
from longlook.experiment.schedule import load_seed
from longlook.figure import style
from longlook.figure.live import LiveChart
from longlook.link.drawn import lost_packets
from longlook.stack.arms import open_sweep

PAGE = "book/yu2021/objects"
SWEEPS = (*MAIN.values(), "yu-clients", "yu-servers", "yu-each-way", "yu-queue", "yu-first-loss")


@dataclass(frozen=True)
class Model(Measured):
    """The sample's times without its tables; `changed` multiplies those of an arm, at a place or wherever it is."""

    changed: dict = field(default_factory=dict)

    def loads(self, where, arm, metric="ttlb_ms"):
        if where.series not in SWEEPS:
            return ()
        protocol, cca, client = arm.split()[:3]
        condition = where.condition
        if metric == "bytes_down":
            ms = bytes_down(protocol, where.size_bytes, condition.loss_pct)
        else:
            ms = time_ms(protocol, cca, client, where.size_bytes, condition.rtt_ms, condition.loss_pct)
        factor = self.changed.get((where, arm), self.changed.get(arm, 1.0))
        return () if factor is None else tuple(ms * factor + index / 10 for index in range(1, 5))

    def first_losses(self):
        """By CUBIC the earlier the longer, unless a slope says otherwise."""
        found = {}
        for arm in first_loss.ARMS:
            slope = self.changed.get(f"slope {arm}", -1.0 if "cubic" in arm else 0.0)
            numbers = {index: 10.0 * (7 * index % 40) for index in range(1, 41)}
            found[arm] = {index: (one, 1000 + slope * one + 17 * index % 40) for index, one in numbers.items()}
        return found


def model(changed=None):
    """Envoy for two connections is a little quicker."""
    return Model(None, "reference", {"quic cubic envoy two": 0.97} | (changed or {}))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    processed = tmp_path_factory.mktemp("processed")
    write_objects(processed)
    return book_data.read(PUBLISHED, processed)


@pytest.fixture
def nothing(tmp_path):
    return book_data.read(PUBLISHED, tmp_path)


@pytest.mark.parametrize("name", SWEEPS)
def test_arms_are_named_by_what_they_are(name):
    for cell in open_sweep(name).cells():
        assert cell.link.bandwidth_mbps == 10 and cell.link.queue_packets == (1000 if name == "yu-queue" else 50)
        for arm in cell.arms:
            protocol, cca, who, *two = arm.name.split()
            assert (arm.protocol, arm.cca) == (protocol, cca)
            own = arm.server if name == "yu-servers" else arm.client + ("126" if arm.stack == "yu2021c126" else "")
            assert own == who and (who in NAMES or name == "yu-servers")
            assert arm.client in CLIENTS and arm.handshake == "1rtt"
            quiche_by_cubic = arm.server == "envoy" and cca == "cubic"
            assert arm.emulated_connections == ((2 if two else 1) if quiche_by_cubic else None)


def test_every_published_square_is_measured_with_loss_on_the_way_down():
    cells = [(name, cell) for name in MAIN.values() for cell in open_sweep(name).cells()]
    found = {
        Place(name, cell.workload.object_bytes, Condition(cell.link.rtt_ms, cell.link.loss_pct)) for name, cell in cells
    }
    assert found == set(PLACES) and len(cells) == len(PLACES) == 15
    assert all(cell.link.loss_direction == ("down" if cell.link.loss_pct else None) for _, cell in cells)
    for provider in LIKE:
        assert all(Printed().square(provider, where).provider == provider for where in PLACES)


def test_the_rule_takes_the_lowest_medians(data):
    own = Measured(data, "reference")
    found = own.rule(place(SMALL), BBR)
    h3, h2 = (time_ms(protocol, "bbr", "curl", SMALL, 15, 0) + 0.25 for protocol in ("quic", "tcp"))
    assert found.value == pytest.approx(h3 / h2) and found.low < found.value < found.high < 0.95
    assert own.lead_ms(place(SMALL), BBR).value == pytest.approx(15)
    assert own.lead_ms(place(SMALL), BBR, ["chromium"], ["chromium"]).value == pytest.approx(12)
    assert own.rule(place(MIDDLE, LOSSY), MIXED).value > 1.15 > 1.05 > own.rule(place(MIDDLE, LOSSY), BBR).value
    assert own.behind_ms(place(SMALL), "quic bbr chromium", ["quic bbr quicgo"]).value == pytest.approx(3)
    assert own.rule(place(SMALL), BBR, ["nobody"]) is None


def test_the_tables_and_the_model_say_the_same(data):
    own, other = Measured(data, "reference"), model()
    for where in (place(SMALL), place(LARGE, FAR), Place("yu-queue", MIDDLE, FAR)):
        assert own.loads(where, "tcp cubic curl") == pytest.approx(other.loads(where, "tcp cubic curl"))


A, B = (10.0, 11.0, 12.0, 13.0), (20.0, 21.0, 22.0, 23.0)


def test_medians_are_compared_with_intervals_that_know_of_the_choice():
    found = lowest_ratio((A, B), (B,))
    assert found.value == pytest.approx(11.5 / 21.5) and found.low < found.value < found.high
    assert lowest_ratio((A, B), (B,)) == found
    assert lowest_difference((B,), (A,)).value == pytest.approx(10)
    assert spread((A, B, A)).value == pytest.approx(21.5 / 11.5)
    alone = lowest_ratio(((10.0,),), (A,))
    assert alone.value == pytest.approx(10 / 11.5) and str(alone.low) == "nan"
    grown = growth_ratio((A, tuple(one * 1.2 for one in A)), (A, tuple(one * 1.1 for one in A)))
    assert grown.value == pytest.approx(2)


@pytest.mark.parametrize(
    ("found", "said"),
    [(Times(0.9), -1), (Times(1.0), 0), (Times(1.2), 1), (Times(0.9, 0.8, 1.1), 0), (Times(0.9, 0.8, 0.99), -1)],
)
def test_a_difference_is_told_where_its_interval_leaves_out_none(found, said):
    assert verdict(found) == said


def verdicts_of(evidence):
    found = {claim.name: (claim.parts(evidence), claim.of) for claim in claims.CLAIMS}
    return {name: verdict_of_parts(parts, of) if parts else "" for name, (parts, of) in found.items()}


def test_what_is_published_is_held_to_the_same_criteria():
    said = verdicts_of(claims.Evidence(None))
    assert said["yu-01"] == said["yu-03"] == said["yu-06"] == "holds"
    assert said["yu-02"].startswith("holds (4 of 10")
    assert {name for name, text in said.items() if not text} == {"yu-04", "yu-05", "yu-08", "yu-09", "yu-11"}
    assert said["yu-16"].startswith("holds in 18 of 21, not in Google, 1 MB, 65 ms, Google, 1 MB, 115 ms, Facebook")


def test_claims_of_the_model():
    said = verdicts_of(claims.Evidence(model()))
    assert {name for name, text in said.items() if text == "holds"} == {
        "yu-01", "yu-02", "yu-03", "yu-04", "yu-05", "yu-06", "yu-09"
    }  # fmt: skip
    assert said["yu-08"] == "holds in 2 of 3, not in 100 KB (3 of 4 parts)"
    assert said["yu-16"].startswith("holds in 17 of 21, not in BBR against BBR, 1 MB, 65 ms")


@pytest.mark.parametrize(
    ("changed", "claim"),
    [
        ({"quic bbr ngtcp2": 1.2, "quic bbr quicgo": 1.2, "quic bbr chromium": 1.2}, "yu-01"),
        ({"tcp bbr curl": 1.3, "tcp bbr chromium": 1.3}, "yu-02"),
        ({"tcp bbr curl": 1.3, "tcp bbr chromium": 1.3}, "yu-03"),
        ({"slope quic cubic quicgo": 1.0}, "yu-04"),
        ({"tcp bbr curl": 0.8}, "yu-06"),
        ({"quic cubic ngtcp2": 1.2}, "yu-09"),
    ],
)
def test_a_claim_can_fail(changed, claim):
    assert verdicts_of(claims.Evidence(model(changed)))[claim] != "holds"


def test_ten_times_as_much_sent_again_is_told():
    parts = claims._more_lost(claims.Evidence(model()))
    assert [part.holds for part in parts] == [True, True] and parts[0].numbers.startswith("20.0 times")


OFF = {
    "yu-first-loss": [
        ({"slope quic cubic quicgo": 1.0}, [False, False, True, True]),
        ({"slope quic bbr quicgo": -5.0}, [True, True, False, False]),
    ],
}
"""Changes to the model, and what then holds of what a sweep predicted."""


def holds(sweep, changed=None):
    return [one.holds for one in predictions.OF[sweep](model(changed))]


def test_what_the_model_says_of_the_predictions():
    found = {sweep: holds(sweep) for sweep in predictions.OF}
    assert all(all(one) for one in found.values())


@pytest.mark.parametrize(("sweep", "changed", "expected"), [(name, *one) for name, own in OFF.items() for one in own])
def test_each_prediction_can_fail(sweep, changed, expected):
    found = holds(sweep, changed)
    assert [one is True for one in found] == [one is True for one in expected]


def test_an_arm_that_is_not_measured_leaves_what_is_said_of_a_pattern_open(data):
    sweep = open_sweep("yu-clients")
    columns = columns_of(data, sweep.study)
    whole = columns["reference"]
    columns["reference"] = replace(
        whole, of_series=lambda series: [row for row in whole.of_series(series) if row["arm"] != "quic bbr ngtcp2"]
    )
    found = judged(sweep, columns, "reference")
    assert [one.holds for one in found] == [None, True, None, None] and found[0].found == ()


def test_what_the_sample_says_of_predictions_that_are_data(data):
    data_of = {sweep: [one.holds for one in judged_of(sweep, data)] for sweep in SWEEPS if sweep not in predictions.OF}
    small, servers = data_of.pop("yu-100kb"), data_of.pop("yu-servers")
    assert small == [True, True, False, True, True] and False not in servers
    assert {sweep: len(holds) for sweep, holds in data_of.items() if all(holds)} == {
        "yu-1mb": 5, "yu-5mb": 4, "yu-queue": 2, "yu-clients": 4, "yu-each-way": 2,
    }  # fmt: skip


def rows_of(shown):
    """Without the heads, which may be two."""
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr[^>]*>(.*?)</tr>", shown.data)]
    return [row for row in rows[1:] if row]


@pytest.mark.parametrize("draw", [chart.best, chart.by_client])
def test_a_picture_says_in_words_what_it_shows_and_carries_its_data(data, draw):
    shown = draw(data)
    assert isinstance(shown, LiveChart) and shown.narrow is not None
    panels = 6 if draw is chart.best else 9
    assert shown.downloads[0].csv.count("\n") == 1 + 15 * panels
    assert shown._repr_html_().count("<img") == 1
    assert shown.alt_text.count(" of 15 squares") == panels


def test_the_words_of_the_best_against_the_best(data, nothing):
    said = chart.best(data).alt_text
    assert "Google (BBR against BBR): quicker in 11, slower in 0 of 15 squares, from −33.6 % (100 KB, 65 ms)" in said
    assert "CUBIC against BBR: quicker in 12, slower in 3 of 15 squares" in said
    alone = chart.best(nothing)
    assert alone.alt_text.count(" of 15 squares") == 3 and "Re-measured: not measured yet" in alone.note


def test_tables_of_the_sample(data):
    best = rows_of(tables.against_best(data))
    assert len(best) == 9 and best[0] == ["100 KB, 15 ms", "119 ms (+2.6 %)", "116 ms (0 %)", "116 ms (0 %)"]
    who = rows_of(tables.clients(data))
    assert len(who) == 9 and who[0][:3] == ["Chromium 111", "HTTP/3", "15.0"]
    assert [row[-1] for row in who] == [style.DASH, style.DASH, "50", "50", "50", "50", style.DASH, style.DASH, "50"]
    sent = rows_of(tables.servers(data))
    assert [row[0] for row in sent[-3:]] == ["Envoy, CUBIC for two connections", "Apache, BBR", "nginx, BBR"]
    assert sent[-2][2] == style.DASH
    assert len(rows_of(tables.direction(data))) == 6 and len(rows_of(tables.queue(data))) == 6 + 20


def test_a_copy_without_data_says_so(nothing, tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "ALLOWED", tmp_path / "clients.csv")
    shown = (tables.against_best, tables.clients, tables.servers, tables.direction, tables.queue)
    for one in (*shown, chart.by_client, first_loss.picture):
        assert "Not measured yet" in one(nothing).data
    assert "Not measured yet" in predictions.predictions(*SWEEPS, data=nothing).data
    assert "no numbers" in claims.claims(nothing).data and "Facebook" in claims.claims(nothing).data
    for name in numbers_of(PAGE):
        if name != "squares" and not name.startswith("stated-"):
            assert value_of(name, PAGE, nothing).text == NOT_YET


def test_numbers_of_the_text(data):
    texts = {name: value_of(name, PAGE, data).text.replace("\N{NO-BREAK SPACE}", " ") for name in numbers_of(PAGE)}
    assert texts["squares"] == "45" and texts["small-quiet"] == "−11 %" and texts["small-far"] == "−27 %"
    assert texts["mixed-lossy-1mb"].startswith("+") and texts["mixed-lossy-5mb"].endswith(" downloads of each client")
    assert texts["bbr-lossy"] == "−1.6 to −0.3 %"
    assert texts["claims"] == "9" and texts["browser-behind"] == "3.0 ms"
    assert " of 45 (" in texts["agree"] and "data/" in value_of("agree", PAGE, data).origin
    assert sum(int(texts[f"claims-{one}"]) for one in ("hold", "fail", "partly")) == 9


def test_the_first_lost_packet_follows_from_the_seed_of_the_load(data):
    found = Measured(data, "reference").first_losses()
    (cell,) = open_sweep("yu-first-loss").cells()
    assert found.keys() == set(first_loss.ARMS) == set(cell.arm_names)
    for index, (first, _) in found[first_loss.TCP_BBR].items():
        lost = lost_packets(cell.link, "server_to_client", load_seed(cell, first_loss.TCP_BBR, index, 0))
        assert first == next(lost) and found[first_loss.QUIC_CUBIC][index][0] == first
    shown = first_loss.picture(data)
    assert shown.downloads[0].csv.count("\n") == 1 + 16 and shown.alt_text.count("correlation") == 4


def test_a_correlation_has_an_interval_and_needs_some_downloads():
    found = model().first_losses()
    own = first_loss.correlation(found, first_loss.QUIC_CUBIC)
    assert own.low < own.value < own.high < -0.9
    assert abs(first_loss.correlation(found, first_loss.TCP_BBR).value) < 0.3
    less = first_loss.difference(found, first_loss.QUIC_CUBIC, first_loss.TCP_BBR)
    assert less.high < 0 and first_loss.text(less).startswith("−")
    few = {first_loss.TCP_BBR: {1: (3.0, 900.0), 2: (5.0, 901.0)}}
    assert first_loss.correlation(few, first_loss.TCP_BBR) is None
    assert first_loss.difference(few, first_loss.TCP_BBR, first_loss.TCP_BBR) is None
    flat = {first_loss.TCP_BBR: {index: (3.0, 900.0 + index) for index in range(5)}}
    assert first_loss.correlation(flat, first_loss.TCP_BBR).value == 0


def test_every_claim_is_judged_or_its_reason_is_told():
    judged = {claim.name for claim in claims.CLAIMS}
    apart = {f"yu-{number:02d}" for number in (7, 10, 12, 13, 14, 15)}
    assert judged | apart == {f"yu-{number:02d}" for number in range(1, 17)}
    assert len(claims.NOT_JUDGED) == 3 and "mvfst" in claims.not_judged().data


def test_every_controller_of_the_pairs_is_in_every_cell():
    for name in MAIN.values():
        for cell in open_sweep(name).cells():
            for pair in PAIRS:
                assert {f"quic {pair.quic} quicgo", f"tcp {pair.tcp} curl"} <= set(cell.arm_names)
    assert {pair.title for pair in (BBR, CUBIC)} == {"BBR against BBR", "CUBIC against CUBIC"}
    assert [one.label for one in CONDITIONS] == ["15 ms", "0.1 % loss", "1 % loss", "65 ms", "115 ms"]
    assert CONDITIONS[0] == QUIET
