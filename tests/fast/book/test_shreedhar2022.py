"""The chapter on Shreedhar et al. 2022: claims, predictions, tables and figures, with known numbers and without any."""

import csv
import math
import re
from urllib.parse import unquote

import pytest
from book_sample import PUBLISHED
from shreedhar_sample import SWEEPS, write_shreedhar
from table_rows import rows_of

from longlook.analysis.estimate import Estimate, difference
from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.evidence import StudyColumn, by
from longlook.book.judged import claim_columns, judged_of, undecided
from longlook.book.shreedhar2022 import chart, clock, tables
from longlook.book.shreedhar2022.names import ENVOY, LSQUIC, MUNICH, NAMES, OLD, PLACES, size_title
from longlook.book.shreedhar2022.numbers.connections import crossing_text
from longlook.book.value import NOT_YET, Measured, NotMeasured
from longlook.book.value_role import numbers_of, value_of
from longlook.errors import LonglookError
from longlook.experiment.metrics import CONNECT, TTLB
from longlook.figure import style
from longlook.figure.live import LiveChart
from longlook.published import shreedhar2022 as published
from longlook.published.claims import claims_of
from longlook.stack import load_stack

PAGE = "book/shreedhar2022/connections"
HOME = PLACES[MUNICH]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    processed = tmp_path_factory.mktemp("processed")
    write_shreedhar(processed)
    return book_data.read(PUBLISHED, processed)


@pytest.fixture(scope="module")
def found(data):
    return StudyColumn(data, published.STUDY)


@pytest.fixture
def nothing(tmp_path):
    return book_data.read(PUBLISHED, tmp_path)


def test_the_two_stacks_differ_in_tls_over_tcp_alone():
    new, old = (load_stack(name) for name in ("shreedhar2022", "shreedhar2022tls12"))
    assert (new.spec.tcp.tls, old.spec.tcp.tls) == ("1.3", "1.2") and new.spec.quic == old.spec.quic
    assert new.server_side("tcp") != old.server_side("tcp") and new.server_side("quic") == old.server_side("quic")
    assert [part.name for part in new.parts] == [part.name for part in old.parts]


def test_tables_ask_by_the_words_of_criteria(found, nothing):
    assert found.summary(OLD, CONNECT.name, **HOME).mean == pytest.approx(30.25)
    assert len(found.loads(LSQUIC, TTLB.name, **HOME)) == 4 and found.summary("nobody", TTLB.name, **HOME) is None
    asked = {"difference": [OLD, ENVOY], "metric": CONNECT.name}
    assert found.one(**asked, **HOME).value == pytest.approx(20)
    assert found.text("{value:.1f} ms, {n}", **asked, **HOME) == "20.0 ms, 4"
    assert found.text("{value}", value="nobody", metric=CONNECT.name, **HOME) == style.DASH
    with pytest.raises(LonglookError, match="2 numbers, not one"):
        found.one(**asked, series=["shreedhar-web"])
    own = StudyColumn(nothing, published.STUDY)
    assert not own.has(*SWEEPS) and own.one(**asked, **HOME) is None


def test_a_number_needs_every_arm_series_and_condition_that_it_lists(data):
    m = Measured(data, published.STUDY)
    said = {"metric": CONNECT.name, "series": HOME["series"]}
    assert by(m, difference=[OLD, ENVOY], **said, where={"rtt_ms": [10, 55]}).numbers.tolist() == [
        pytest.approx(20), pytest.approx(110)
    ]  # fmt: skip
    for lacking in (
        {"value": ["nobody", OLD]},
        {"value": OLD, "where": {"rtt_ms": [10, 11]}},
        {"value": OLD, "series": ["shreedhar-web", "no-such"]},
    ):
        with pytest.raises(NotMeasured, match=r"nobody|rtt_ms 11|no-such"):
            by(m, **said | lacking)


def test_a_difference_has_welch_s_interval():
    one = difference(Summary(10.0, 1.0, 10), Summary(12.0, 1.0, 10))
    assert (
        one.value == 2
        and one.high - 2 == pytest.approx(2.878 * math.sqrt(0.2), rel=1e-3)
        and one.low == pytest.approx(4 - one.high)
    )
    assert difference(Summary(10.0, 0.0, 3), Summary(12.0, 0.0, 3)) == Estimate(2.0, 2.0, 2.0)
    assert math.isnan(difference(Summary(10.0, math.nan, 1), Summary(12.0, 1.0, 5)).low)


def verdicts(data, title):
    found = claim_columns(published.STUDY, data, "connections")[title]
    return {one.newest.criterion.id[-2:]: one.verdict for one in found if one.parts}


def test_claims_as_printed_and_as_measured(data):
    printed = {
        "04": "holds (10 of 11 parts)", "05": "holds (1 of 2 parts)", "07": "holds (2 of 5 parts)", "08": "holds"
    }  # fmt: skip
    assert verdicts(data, "Published") == printed
    own = verdicts(data, "Re-measured (reference)")
    assert own["01"] == "holds (4 of 6 parts)" and own["05"] == "does not hold" and own["07"] == "holds"
    assert own["03"].startswith("holds in 4 of 8, not in share, Munich, Envoy")
    assert own["04"].startswith("holds in 4 of 8, not in ") and "08" not in own


def test_every_claim_is_decided_or_named_with_its_reason():
    own = claims_of(published.STUDY).those("connections")
    assert len(own.claims) + len(own.undecided) == 13
    assert [why for *_, why in rows_of(undecided(published.STUDY, "connections"))] == [one.why for one in own.undecided]


@pytest.mark.parametrize("sweep", ["shreedhar-clock", "shreedhar-flows"])
def test_predictions_hold_where_they_should(data, sweep):
    assert all(one.holds for one in judged_of(sweep, data))


def test_a_wrapped_clock_never_shares_a_panel_with_times(found):
    frame = clock.points(found)
    times, rest = (frame[frame["panel"] == panel] for panel in (clock.TIMES, clock.LEFT))
    assert rest["ms"].max() < published.WRAP_MS < times["ms"].max()
    assert set(rest["protocol"]) == {"QUIC"}
    assert set(times[times["source"] == clock.PRINTED]["protocol"]) == {"TLS 1.2"}
    assert clock.wrapped([999.0, 1160.5]) == [999.0, 160.5]
    said = clock.picture(found.data).alt_text
    assert "QUIC's modulo 1000 ms: median" in said and "printed 1433" in said


@pytest.mark.parametrize("stage", chart.STAGES)
def test_distributions_say_in_words_what_they_show_and_have_no_wrapped_number(data, found, stage):
    shown = chart.distributions(stage, data)
    assert isinstance(shown, LiveChart) and shown.narrow is not None
    assert "Munich" in shown.alt_text and "slow client" in shown.alt_text and "printed" in shown.alt_text
    frame = chart.points(found, chart.STAGES[stage])
    printed = frame[frame["source"] == chart.PRINTED]
    assert ("QUIC (LSQUIC)" in set(printed["arm"])) is (stage == "connection")
    assert shown.downloads[0].csv.count("\n") == 1 + len(frame)
    assert shown._repr_html_().count("<img") == 1


def test_the_crossing_is_drawn_for_each_client_beside_the_printed_one(data, found):
    shown = chart.crossing(data)
    frame = chart.ratios(found)
    assert set(frame["line"]) == {*(name for name, _ in chart.LINES.values()), chart.PRINTED}
    assert len(frame[frame["line"] == chart.PRINTED]) == 10 and frame["ratio"].between(0.5, 2).all()
    assert "curl, slow: 500 KB 1." in shown.alt_text and shown._repr_html_().count("<img") == 1


def test_tables(data):
    shown = tables.percentiles(data)
    connection, every = rows_of(shown), csv.reader(unquote(shown.data.partition("csv;charset=utf-8,")[2]).splitlines())
    assert len(connection) == 12 and connection[4][:3] == ["Munich", NAMES[ENVOY], "10.2"]
    lsquic = next(row for row in every if row[:3] == ["download", "Munich", NAMES[LSQUIC]])
    assert lsquic[-4:] == [tables.WRAPPED] * 4
    rates = {row[0]: row[1:] for row in rows_of(tables.rates(data))}
    assert rates["2 GB"][:3] == ["10.15", "10.94", style.DASH] and rates["20 MB"][:3] == [style.DASH, style.DASH, "4"]
    assert rates["200 MB"][3] == f"{200_000 / (20.25 + 17_200):.2f}"
    cpu = {row[0]: row[1:] for row in rows_of(tables.processor(data))}
    assert cpu["200 MB"][0] == "28.0" and list(cpu) == ["5 MB", "10 MB", "20 MB", "50 MB", "100 MB", "200 MB"]
    assert re.search(r"20\.\d, 25\.\d \(\+5\.0\)", tables.slower(data).data)
    flows = {row[0]: row[1:] for row in rows_of(tables.at_once(data))}
    assert flows["1 QUIC + 1 TCP"][0] == "QUIC 9.6<br>TCP 4.6" and flows["1 QUIC + 1 TCP"][-1] == "QUIC has more"


def test_where_quic_falls_below_is_told_by_the_sizes_on_either_side():
    def told(*ahead):
        sizes = zip((500_000, 1_000_000, 5_000_000), ahead, strict=True)
        return crossing_text(list(sizes)).replace("\N{NO-BREAK SPACE}", " ")

    assert told(True, True, False) == "between 1 MB and 5 MB"
    assert told(True, True, True) == "nowhere up to 5 MB" and told(False, False, False) == "below 500 KB"
    assert told(False, True, False) == "between 1 MB and 5 MB"
    assert size_title(2_000_000_000) == "2 GB"


def test_numbers_of_the_text_have_their_records(data):
    values = {name: value_of(name, PAGE, data) for name in numbers_of(PAGE)}
    texts = {name: one.text.replace("\N{NO-BREAK SPACE}", " ") for name, one in values.items()}
    assert texts["tls12-longer"] == "20 ms" and texts["tls13-longer"] == "10 ms"
    assert texts["crossing-fast"] == "between 20 MB and 50 MB" and texts["crossing-slow"] == "between 1 MB and 2 MB"
    assert texts["cpu-curl"] == "3.5 times" and texts["cpu-lsquic"] == "2.9 times" and texts["slow-used"] == "100 %"
    assert texts["wrapped-most"] == "989 ms"
    assert texts["claims-decided"] == "7" and texts["claims-undecided"] == "6"
    assert texts["flows-first"] == texts["flows-last"] == NOT_YET  # the sample has nothing over time
    measured = [one for name, one in values.items() if not name.startswith("flows-")]
    assert all("data/" in one.origin for one in measured)
