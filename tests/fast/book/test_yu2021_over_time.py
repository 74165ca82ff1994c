"""Acknowledged bytes over time: downloads, their figures, what is predicted of them."""

import pytest
from book_sample import PUBLISHED, campaign_row, tables_of
from table_rows import rows_of

from longlook.analysis.result import CellResult
from longlook.book import data as book_data
from longlook.book.judged import judged_of
from longlook.book.registry import predicted
from longlook.book.value_role import numbers_of, value_of
from longlook.book.yu2021 import over_time
from longlook.book.yu2021.over_time import FIGURES, SERIES, measured, median_of
from longlook.dataset import rows
from longlook.dataset.tables import columns, write_tables
from longlook.experiment.registry import named
from longlook.figure.live import LiveChart
from longlook.record.samples import Sample
from longlook.stack.arms import open_sweep

PAGE = "book/yu2021/over-time"
CAMPAIGN = f"reference-{SERIES}-20260101T000000"
STEPS, LOADS = 50, 3
KINDS = [(one.number, label) for one in FIGURES.values() for label in one.labels]


def course(cell):
    """First acknowledgement and last, s: as predicted, and a tenth of a second more or less in the other repeats."""
    arm, far = cell.arms[0], cell.link.rtt_ms > 100
    first, length = (0.3, 0.2 if cell.workload.total_bytes < 500_000 else 1.0) if far else (0.05, 0.9)
    length *= 1.2 if arm.cca == "cubic" else 1.0
    first += 0.12 if far and arm.protocol == "tcp" else 0.0
    return first, first + length + (cell.replicate - 1) / 10


def lines(cell):
    """As much acknowledged in each of STEPS equal times; two losses; CUBIC has less in flight than the link holds."""
    arm, (first, last) = cell.arms[0], course(cell)
    own = dict.fromkeys(columns("timelines")) | rows.who(CAMPAIGN, cell)
    own |= {"arm": arm.name, "replicate": cell.replicate}
    total, seen = cell.workload.total_bytes, "capture" if arm.protocol == "quic" else "tcp_probe"
    held = cell.link.bandwidth_mbps * 1e3 / 8 * cell.link.rtt_ms
    for step in range(STEPS + 1):
        at = {"time_s": first + (last - first) * step / STEPS}
        yield own | at | {"source": "acks", "acked_bytes": total * (step + 1) / (STEPS + 1)}
        flying = held * (0.5 if arm.cca == "cubic" else 2)
        lost = 2.0 if cell.link.loss_pct and step > 10 else 0.0
        window = {"cwnd_bytes": 2 * held, "allowed_bytes": 50e3} if arm.protocol == "tcp" else {}
        yield own | at | {"source": seen, "bytes_in_flight": flying, "lost": lost, "spurious": 0.0} | window
        if arm.protocol == "quic":
            yield own | at | {"source": "flow_control", "allowed_bytes": 400e3}


def sample(cell):
    metrics = {"mean_mbps": 8.0, "finished_s": course(cell)[1], "lost": 2.0 if cell.link.loss_pct else 0.0}
    return Sample(
        arm=cell.arms[0].name, index=1, attempt=0, order=0, accepted=True, set_aside=False, reject_reason=None,
        disturbed=False, zero_rtt=None, metrics=metrics | {"spurious": 0.0},
    )  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    processed = tmp_path_factory.mktemp("processed")
    cells = open_sweep(SERIES).cells()
    groups = {}
    for cell in cells:
        groups.setdefault((cell.label, cell.key), []).append(cell)
    results = [
        CellResult(CAMPAIGN, named("cwnd", "sample"), tuple(own), tuple(map(sample, own)), counts=(1,) * len(own))
        for own in groups.values()
    ]
    row = campaign_row(CAMPAIGN, "reference", SERIES, len(cells), "cwnd") | {"study": "yu2021", "stack": "yu2021"}
    tables = tables_of(results, [row]) | {"timelines": [line for cell in cells for line in lines(cell)]}
    write_tables(processed, tables)
    return book_data.read(PUBLISHED, processed)


@pytest.fixture
def found(data):
    return measured(data, "reference")


def test_of_each_kind_the_load_in_the_middle_stands_for_all(found):
    assert list(found) == KINDS and {len(loads) for loads in found.values()} == {LOADS}
    for loads in found.values():
        assert [one.cell_id[-3:] for one in loads[1:]] == ["_r1", "_r2"] and median_of(loads) is loads[1]
    assert median_of(loads[:2]) is loads[0]


@pytest.mark.parametrize("number", FIGURES)
def test_each_figure_shows_one_load_of_each_kind_in_words_too(data, number):
    drawn = over_time.picture(number, data)
    assert isinstance(drawn, LiveChart) and drawn.narrow is not None
    for label in FIGURES[number].labels:
        assert drawn.alt_text.count(f"{label}: ") == 1
    assert f"the median of {LOADS} loads" in drawn.note
    shown = drawn._repr_html_()
    assert shown.count("<img") == 1 and f"{SERIES}-{number}.csv" in shown


def test_the_words_say_when_half_and_all_was_acknowledged(data):
    words = over_time.picture("5", data).alt_text
    assert "Apache, BBR: 1,050 KB after 0.95 s, half of it after 0.50 s, 2 packets declared lost." in words


def test_the_table_has_every_load_and_what_the_receiver_allows(data):
    found = {(row[0], row[1]): row[2:] for row in rows_of(over_time.table(data))}
    assert list(found) == KINDS
    own = found["5", "Apache, CUBIC"]
    assert own[:2] == ["1.03, 1.13, 1.23", "0.050"] and own[3:5] == ["2", "100"] and own[6:] == ["50", "0.0"]
    assert found["7", "ngtcp2, BBR"][6:] == ["400", "0.0"]


def test_numbers_of_the_text(data):
    told = {name: value_of(name, PAGE, data).text for name in numbers_of(PAGE)}
    assert told == {"loads": "36", "limited": "0\N{NO-BREAK SPACE}%"}


def test_the_median_load_decides_and_with_every_choice_it_was_open(data):
    assert [one.holds for one in judged_of(SERIES, data)] == [True] * 7
    rows = [row for row in rows_of(predicted(SERIES, data=data)) if row[0] == SERIES]
    assert [row[3:] for row in rows] == [["holds", f"by the earlier rule: {one}"] for one in ("open", "open", "holds")]


def test_a_load_without_acknowledgements_does_not_count(data):
    bare = data.whole("timelines").assign(acked_bytes=float("nan"))
    other = book_data.read(PUBLISHED, data.processed)
    other._tables["timelines"] = bare
    assert over_time.measured(other, "reference") == {}
