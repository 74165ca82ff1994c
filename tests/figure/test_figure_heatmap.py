"""Squares, heatmaps and the loads behind them, from small tables with known numbers."""

import json

import pandas as pd
import pytest

from longlook.figure import style
from longlook.figure.heatmap import heatmap, mean_text, p_text
from longlook.figure.live import Download, LiveChart, javascript_bundle, offline_spec, png, svg
from longlook.figure.runs import STATES, loads_of_squares, strip
from longlook.figure.squares import PUBLISHED, Source, figure_squares, square_key

REFERENCE = Source("reference", "Re-measured (reference)", "reference-figure-4.6a-20250801T101500")


def cell(size=5, count=1, bandwidth=10.0, pct=72.0, p=1e-9, verdict="quic", campaign="published", cell_id="", loss=0.0):
    return {
        "campaign": campaign, "stack": "quicv1", "figure": "4.6a", "workload_size_kb": size, "workload_count": count,
        "bandwidth_mbps": bandwidth, "rtt_ms": 36.0, "loss_pct": loss, "jitter_ms": 0.0, "cca": "cubic",
        "emulated_connections": 2, "quic_mean_ms": 100.0, "quic_std_ms": 2.0, "quic_n": 20,
        "tcp_mean_ms": 100.0 + pct, "tcp_std_ms": 3.0, "tcp_n": 20, "pct_diff": pct, "p_value": p, "verdict": verdict,
        "cell_id": cell_id,
    }  # fmt: skip


@pytest.fixture
def squares():
    published = pd.DataFrame(
        [cell(), cell(size=10000, pct=0.53), cell(bandwidth=100.0, pct=-1.7, p=0.3, verdict="none")]
    )
    measured = pd.DataFrame([cell(campaign=REFERENCE.campaign, cell_id="one_cell", pct=70.0)])
    return figure_squares({PUBLISHED: published, REFERENCE: measured})


def test_every_source_has_every_square(squares):
    assert squares.groupby("source").size().to_dict() == {"published": 3, "reference": 3}
    measured = squares[squares["source"] == "reference"]
    assert measured["measured"].tolist().count(True) == 1
    assert set(measured.loc[~measured["measured"], "label"]) == {"–"}


def test_a_square_names_its_raw_record(squares):
    assert set(squares["raw"]) == {"", f"data/raw/{REFERENCE.campaign}/one_cell"}
    assert (squares.loc[squares["source"] == "published", "raw"] == "").all()


def test_workloads_without_counts_are_ordered_by_size(squares):
    assert squares["workload"].unique().tolist() == ["5 KB", "10 MB"]


def test_counts_are_named_and_ordered_where_there_are_any():
    frame = pd.DataFrame([cell(size=5, count=200), cell(size=1000, count=1), cell(size=500, count=2)])
    found = figure_squares({PUBLISHED: frame})
    assert found["workload"].tolist() == ["1 MB × 1", "500 KB × 2", "5 KB × 200"]


def test_not_significant_is_white_and_marked_so(squares):
    row = squares[(squares["source"] == "published") & (squares["bandwidth"] == "100")].iloc[0]
    assert not row["significant"] and row["label"] == "−1.7"


def test_a_cell_whose_loads_were_all_rejected_counts_as_not_measured():
    lost = cell() | {"quic_mean_ms": None, "pct_diff": None, "p_value": None, "verdict": "none", "quic_n": 0}
    found = figure_squares({PUBLISHED: pd.DataFrame([lost])})
    assert not found["measured"].iloc[0]
    one_load = cell() | {"p_value": None, "verdict": "none", "quic_n": 1}
    assert not figure_squares({PUBLISHED: pd.DataFrame([one_load])})["measured"].iloc[0]
    assert '"verdict_text": "not measured"' in json.dumps(heatmap(found).to_dict())


def test_the_scale_is_symmetric_and_clamped(squares):
    text = json.dumps(heatmap(squares).to_dict())
    scales = [scale for scale in _find(json.loads(text), "scale") if isinstance(scale, dict) and "domain" in scale]
    assert scales
    for scale in scales:
        assert scale["clamp"] is True
        assert scale["domain"] == [-value if value else 0 for value in reversed(scale["domain"])]
        assert scale["range"][0] == style.BLUE_DARK and scale["range"][-1] == style.RED_DARK


def test_links_are_blocks_of_their_own():
    frame = pd.DataFrame([cell(), cell(loss=1.0)])
    rows = heatmap(figure_squares({PUBLISHED: frame})).to_dict()["vconcat"]
    assert [row["title"]["text"] for row in rows] == ["RTT 36 ms, loss 0 %", "RTT 36 ms, loss 1 %"]


def test_panels_stand_side_by_side_in_the_order_of_the_sources(squares):
    (row,) = heatmap(squares).to_dict()["vconcat"]
    assert [panel["title"]["text"] for panel in row["hconcat"]] == [PUBLISHED.title, REFERENCE.title]
    assert sum(panel["width"] for panel in row["hconcat"]) <= 700


def test_loads_keep_their_state_and_those_without_a_time():
    common = {
        "workload_size_kb": 5,
        "workload_count": 1,
        "bandwidth_mbps": 10.0,
        "rtt_ms": 36.0,
        "loss_pct": 0.0,
        "jitter_ms": 0.0,
    }
    runs = pd.DataFrame([
        common | {"protocol": "quic", "load_index": 0, "plt_ms": 140.0, "accepted": True, "reject_reason": None},
        common | {"protocol": "quic", "load_index": 1, "plt_ms": 104.123, "accepted": True, "reject_reason": None},
        common | {"protocol": "quic", "load_index": 2, "plt_ms": None, "accepted": False, "reject_reason": "load_failed"},
        common | {"protocol": "tcp", "load_index": 0, "plt_ms": 300.0, "accepted": False, "reject_reason": "disturbed"},
    ])  # fmt: skip
    packed = loads_of_squares(runs, "reference")[square_key(pd.Series(common))]
    assert packed["reference:quic"] == [[0, 140.0, 1], [1, 104.12, 0], [2, None, 2, "load_failed"]]
    assert STATES[packed["reference:tcp"][0][2]].startswith("rejected")


def test_the_strip_chart_waits_for_its_data():
    spec = strip().to_dict()
    assert {data["name"] for data in _find(spec, "data")} == {"points", "means", "floors"}


@pytest.mark.parametrize(("p", "text"), [(1e-9, "< 0.0001"), (0.034, "0.034"), (0.5, "0.5"), (float("nan"), "")])
def test_p_in_words(p, text):
    assert p_text(p) == text


def test_a_missing_mean_is_said_in_words():
    assert mean_text(float("nan"), float("nan"), 0) == "not measured"
    assert mean_text(1234.56, 7.89, 20) == "1,234.6 ± 7.9 ms (n = 20)"


def test_a_chart_is_one_block_with_everything_inside(squares):
    chart = LiveChart(
        "figure-x",
        heatmap(squares),
        'a "picture"',
        {"facts": {"x": "</script><b>"}},
        (Download("x.csv", "a,b\n1,2\n"),),
    )
    page = chart._repr_html_()
    assert page.count("</script>") == 1, "data must not end its script element"
    assert 'src="data:image/svg+xml;base64,' in page and "<noscript>" in page
    assert 'download="x.csv" href="data:text/csv;charset=utf-8,a%2Cb%0A1%2C2%0A"' in page
    assert "http" not in json.dumps(offline_spec(heatmap(squares)))


def test_static_pictures_need_no_browser(squares):
    spec = offline_spec(heatmap(squares))
    assert "+72" in svg(spec) and "10 MB" in svg(spec)
    assert png(spec, scale=1.0).startswith(b"\x89PNG")


def test_the_bundle_sets_the_one_function_that_pages_call():
    bundle = javascript_bundle()
    assert "window.vegaEmbed=" in bundle and len(bundle) > 500_000


def _find(node, key):
    """Every value of `key` in nested JSON."""
    if isinstance(node, dict):
        for name, value in node.items():
            if name == key:
                yield value
            yield from _find(value, key)
    elif isinstance(node, list):
        for item in node:
            yield from _find(item, key)
