"""Windows of every server's controllers: downloads, their figure and table, what is predicted of them."""

import json

import pytest
from book_sample import PUBLISHED, campaign_row, tables_of
from table_rows import rows_of

from longlook import paths
from longlook.analysis.result import CellResult
from longlook.book import data as book_data
from longlook.book.judged import judged_of
from longlook.book.matrix import windows
from longlook.book.matrix.windows import SERIES, measured
from longlook.book.value_role import value_of
from longlook.dataset import rows
from longlook.dataset.tables import write_tables
from longlook.experiment.reading import MAY_LACK
from longlook.experiment.registry import named
from longlook.experiment.traces import write_traces
from longlook.figure.live import LiveChart
from longlook.probe import qlog
from longlook.record.samples import Sample
from longlook.stack.arms import open_sweep

PAGE = "book/matrix/matrix"
CAMPAIGN = f"reference-{SERIES}-20260101T000000"
NUMBERS = ("traces", "in-flight-cubic", "in-flight-bbr", "kept-quicgo", "kept-aioquic")
LOSING = {("ngtcp2", "reno"), ("lsquic", "reno"), ("lsquic", "cubic")}
"""Servers and controllers that leave slow start by loss."""
KEPT = {"envoy": 0.85, "lsquic": 0.8, "quicgo": 0.7}
"""Share of the window that they leave at a loss; others 0.7 by CUBIC and 0.5 by Reno."""
NOWHERE = dict.fromkeys(("ssthresh_bytes", *MAY_LACK), float("nan"))


def sizes(cell):
    """Windows in KB, a second each: without loss it grows, with loss CUBIC and Reno are cut to KEPT."""
    arm = cell.arms[0]
    if arm.cca == "bbr" or not cell.link.loss_pct:
        return [20, 400, 800, 800]
    kept = KEPT.get(arm.server, 0.7 if arm.cca == "cubic" else 0.5)
    return [20, 50, 50 * kept, 50, 50 * kept]


def lines(cell):
    """The server's account (Envoy has none of BBR), and a capture with nine tenths of that in flight and two losses."""
    arm = cell.arms[0]
    same = rows.who(CAMPAIGN, cell) | {"arm": arm.name, "replicate": 0, "phase": None, "rtt_ms": 36.0} | NOWHERE
    found = []
    for at, kb in enumerate(sizes(cell)):
        lost = 2.0 if at > 1 and (cell.link.loss_pct or (arm.server, arm.cca) in LOSING) else 0.0
        own = {"source": arm.server, "cwnd_bytes": kb * 1e3, "bytes_in_flight": None, "lost": None, "spurious": None}
        seen = {"source": "capture", "cwnd_bytes": None, "bytes_in_flight": kb * 900, "lost": lost, "spurious": 0.0}
        for one in (own, seen):
            if one["source"] == "capture" or (arm.server, arm.cca) != ("envoy", "bbr"):
                found.append(same | one | {"time_s": float(at)})
    return found


def sample(cell):
    lost = max(one["lost"] or 0.0 for one in lines(cell))
    metrics = {"mean_mbps": 20.0, "finished_s": float(len(sizes(cell))), "lost": lost, "spurious": 0.0}
    return Sample(
        arm=cell.arms[0].name, index=1, attempt=0, order=0, accepted=True, set_aside=False, reject_reason=None,
        disturbed=False, zero_rtt=None, metrics=metrics,
    )  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    processed = tmp_path_factory.mktemp("processed")
    cells = open_sweep(SERIES).cells()
    results = [CellResult(CAMPAIGN, named("traces", "sample"), (cell,), (sample(cell),), counts=()) for cell in cells]
    row = campaign_row(CAMPAIGN, "reference", SERIES, len(cells), "traces") | {"study": "matrix", "stack": "matrix"}
    tables = tables_of(results, [row]) | {"timelines": [line for cell in cells for line in lines(cell)]}
    write_tables(processed, tables)
    return book_data.read(PUBLISHED, processed)


def of(data, server, cca, loss_pct):
    return measured(data, "reference")[server, cca, loss_pct]


def test_what_is_seen_of_a_download(data):
    own = of(data, "quicgo", "reno", 1.0)
    assert own.window["bytes"].tolist() == pytest.approx([20e3, 50e3, 35e3, 50e3, 35e3])
    assert own.in_flight["bytes"].tolist() == pytest.approx([18e3, 45e3, 31.5e3, 45e3, 31.5e3])
    assert own.kept == pytest.approx(0.7) and len(own.cuts) == 2 and own.lost == 2 and own.finished_s == 5
    assert own.losses.to_dict("records") == [{"time_s": 2.0, "count": 2.0}]
    untold = of(data, "envoy", "bbr", 1.0)
    assert untold.window.empty and untold.cuts.empty and len(untold.in_flight) == 4


def test_the_figure_has_every_server_in_words_too(data):
    drawn = windows.picture(data)
    assert isinstance(drawn, LiveChart) and drawn.narrow is not None
    assert "quic-go, 1 % loss, CUBIC or Reno: Reno, window up to 50 KB, 2 packets lost." in drawn.alt_text
    assert "Envoy, no loss: BBR, in flight up to 720 KB, 0 packets lost." in drawn.alt_text
    rows = drawn.chart.to_dict()["vconcat"]
    assert [len(row["hconcat"]) for row in rows] == [3, 3, 3, 2, 2] and windows.link_kb(data) == 450
    tops = [{panel["layer"][0]["encoding"]["y"]["scale"]["domain"][1] for panel in own} for own in zip(
        *(row["hconcat"][:2] for row in rows), strict=True)]  # fmt: skip
    assert [len(own) for own in tops] == [1, 1] and min(tops[0]) > 10 * max(tops[1]), "a scale for each column"
    shown = drawn._repr_html_()
    assert shown.count("<img") == 1 and "matrix-windows.csv" in shown
    assert [item.name for item in drawn.downloads] == ["matrix-windows.csv"]  # the raw records are not here


def test_a_trace_is_offered_where_its_record_is(data, tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "RAW", tmp_path)
    own = of(data, "lsquic", "cubic", 0.0)
    folder = tmp_path / own.campaign / own.cell_id
    folder.mkdir(parents=True)
    event = {"time": 0.0, "name": qlog.METRICS, "data": {"bytes_in_flight": 1}}
    cell = next(cell for cell in open_sweep(SERIES).cells() if cell.id == own.cell_id)
    write_traces(folder, cell, [qlog.Trace("x", "lsquic 1", "Of a test.", 0.0, [event])])
    (offered,) = windows.picture(data).downloads[1:]
    assert offered.name == "lsquic-cubic-0pct.qlog" and offered.media == "application/json"
    assert json.loads(offered.csv)["traces"][0]["events"] == [event]


def test_the_table_says_who_tells_no_window(data):
    found = {(row[0], row[1]): row[2:] for row in rows_of(windows.table(data))}
    assert len(found) == 11
    assert found["Envoy", "BBR"][0].startswith("nothing:") and found["Envoy", "BBR"][2] == "–"
    assert found["quic-go", "Reno"] == ["its qlog", "4.0", "800", "360", "0", "5.0", "50", "32", "2", "0.70 (2 cuts)"]


def test_numbers_of_the_text(data):
    texts = {name: value_of(name, PAGE, data).text.replace("\N{NO-BREAK SPACE}", " ") for name in NUMBERS}
    assert texts["traces"] == "22" and texts["kept-quicgo"] == "0.70" and texts["kept-aioquic"] == "0.50"
    assert texts["in-flight-bbr"] == "360 KB" and texts["in-flight-cubic"] == "22 to 38 KB"
    assert CAMPAIGN in value_of("traces", PAGE, data).origin


def test_predictions_hold_where_they_should(data):
    assert [one.holds for one in judged_of(SERIES, data)] == [True] * 4
