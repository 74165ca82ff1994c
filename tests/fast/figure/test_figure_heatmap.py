"""Squares, heatmaps and the loads behind them, from small tables with known numbers."""

import json
import math
import re

import pandas as pd
import pytest
from cells import REFERENCE, arm_rows, cell

from longlook.errors import LonglookError
from longlook.experiment.metrics import PLT, RATE
from longlook.figure import style
from longlook.figure.heatmap import BY_PAIRS, QUIC_TCP, heatmap, mean_and_sd, mean_text
from longlook.figure.live import Attachment, LiveChart, javascript_bundle, offline_spec, png, svg
from longlook.figure.runs import STATES, loads_of_squares, strip
from longlook.figure.squares import PUBLISHED, Axes, figure_squares
from longlook.figure.versus import (
    SIDES,
    Versus,
    decided,
    least_told_pct,
    side_by_side,
    told_text,
    verdict_text,
    welch_text,
)

MEANS = {"mean": 100.0, "sd": 10.0, "n": 20}


@pytest.fixture
def squares():
    published = pd.DataFrame(
        [cell(), cell(size=10000, pct=0.53), cell(bandwidth=100.0, pct=-1.7, p=0.3, verdict="none")]
    )
    measured = pd.DataFrame([cell(campaign=REFERENCE.campaigns[0], cell_id="one_cell", pct=70.0)])
    return figure_squares({PUBLISHED: published, REFERENCE: measured})


def test_every_source_has_every_square(squares):
    assert squares.groupby("source").size().to_dict() == {"published": 3, "reference": 3}
    measured = squares[squares["source"] == "reference"]
    assert measured["measured"].tolist().count(True) == 1
    assert set(measured.loc[~measured["measured"], "label"]) == {"–"}


def test_a_square_names_its_raw_record(squares):
    assert set(squares["raw"]) == {"", f"data/raw/{REFERENCE.campaigns[0]}/one_cell"}
    assert (squares.loc[squares["source"] == "published", "raw"] == "").all()


def test_workloads_without_counts_are_ordered_by_size(squares):
    assert squares["x"].unique().tolist() == ["5 KB", "10 MB"]


def test_counts_are_named_and_ordered_where_there_are_any():
    frame = pd.DataFrame([cell(size=5, count=200), cell(size=1000, count=1), cell(size=500, count=2)])
    found = figure_squares({PUBLISHED: frame})
    assert found["x"].tolist() == ["1 MB × 1", "500 KB × 2", "5 KB × 200"]


def test_not_significant_is_white_and_marked_so(squares):
    row = squares[(squares["source"] == "published") & (squares["y"] == "100")].iloc[0]
    assert not row["significant"] and row["label"] == "−1.7"


PAIRS = {"left": "quic", "right": "tcp", "metric": "plt_ms", "campaign": "published", "cell_id": "one", "pairs": 18}


def of_pairs(low, middle, high, p, versus=QUIC_TCP):
    """A square of which Welch's test shows nothing, and pairs a ratio with its interval."""
    ratios = dict(
        zip(("log_ratio_low", "log_ratio", "log_ratio_high"), map(math.log, (low, middle, high)), strict=True)
    )
    contrasts = pd.DataFrame([PAIRS | ratios | {"p_paired": p}, PAIRS | ratios | {"p_paired": p, "cell_id": "other"}])
    arms = arm_rows({"quic": (100.0, 50.0, 20), "tcp": (120.0, 60.0, 20)})
    (row,) = figure_squares({REFERENCE: side_by_side(arms, versus, contrasts)}).to_dict("records")
    return row


@pytest.mark.parametrize(
    ("told", "label", "marks", "said"),
    [
        ((1.2, 1.35, 1.6, 1e-5), "+35", (True, True), "QUIC faster"),
        ((0.6, 0.74, 0.9, 1e-5), "−26", (True, True), "TCP faster"),
        ((1.01, 1.02, 1.03, 1e-5), "+2.0", (True, True), "QUIC faster, shown to be small"),
        ((0.97, 1.01, 1.04, 0.3), "+1.0", (False, True), "shown to be small"),
        ((0.9, 1.1, 1.3, 0.1), "+10", (False, False), "not shown"),
    ],
)
def test_what_has_pairs_of_loads_goes_by_them_and_names_welch_beside(told, label, marks, said):
    row = of_pairs(*told)
    assert (row["label"], (row["significant"], row["upright"]), verdict_text(row, QUIC_TCP)) == (label, marks, said)
    assert row["verdict"] == "none" and welch_text(row, QUIC_TCP).startswith("+20 %, p = 0.26: not shown; ")
    assert (decided(row).text, decided(row).test[:9]) == (f"{label} % ({row_ends(told)} %)", "18 pairs,")


def row_ends(told):
    return " to ".join(style.signed_pct(100 * (told[end] - 1)) for end in (0, 2))


def test_pairs_of_the_arms_the_other_way_round_are_turned():
    row = of_pairs(1.25, 2.0, 4.0, 1e-5, Versus("tcp", "quic", PLT))
    assert (decided(row).text, verdict_text(row, Versus("tcp", "quic", PLT))) == ("−50 % (−75 to −20 %)", "QUIC faster")


def test_the_legend_says_what_goes_by_pairs(squares):
    assert BY_PAIRS not in json.dumps(heatmap(squares).to_dict())
    paired = pd.DataFrame([of_pairs(1.2, 1.35, 1.6, 1e-5)])
    assert BY_PAIRS in json.dumps(heatmap(paired).to_dict())


def test_a_cell_whose_loads_were_all_rejected_counts_as_not_measured():
    lost = cell() | {"left_mean": None, "pct_diff": None, "p_value": None, "verdict": None, "left_n": 0}
    found = figure_squares({PUBLISHED: pd.DataFrame([lost])})
    assert not found["measured"].iloc[0]
    one_load = cell() | {"p_value": None, "verdict": None, "left_n": 1}
    assert not figure_squares({PUBLISHED: pd.DataFrame([one_load])})["measured"].iloc[0]
    assert '"verdict_text": "not measured"' in json.dumps(heatmap(found).to_dict())


def test_beside_every_not_significant_stands_what_would_have_been_told(squares):
    told = re.findall(r'"verdict_text": "([^"]*)"', json.dumps(heatmap(squares).to_dict()))
    white = [text for text in told if text.startswith("not shown")]
    assert white == ["not shown; 2.9 % would be, in 4 of 5 repetitions"] and "QUIC faster" in told
    rows = {"verdict": "none"} | {f"{side}_{name}": one for side in SIDES for name, one in MEANS.items()}
    assert least_told_pct(rows, QUIC_TCP) == pytest.approx(11.30, abs=0.01)
    assert told_text(least_told_pct(rows | {"verdict": "left"}, QUIC_TCP)) == ""


def test_what_a_processor_bounds_has_strokes_and_words_and_says_so_in_the_legend(squares):
    plain, strokes = heatmap(squares).to_dict(), "strokes in a corner"
    assert strokes not in json.dumps(plain) and "M-10,0" not in json.dumps(plain)
    bound = squares.assign(left_processor_bound=squares["cell_id"] == "one_cell", right_processor_bound=None)
    made = heatmap(bound).to_dict()
    assert json.dumps(made).count("M-10,0") == 2 and strokes in json.dumps(made)
    rows = [row for data in made["datasets"].values() for row in data]
    assert [row["verdict_text"].endswith("bound by the processor") for row in rows if row["bound"]] == [True]
    assert sum(row["said"].endswith(", bound by the processor") for row in rows) == 1


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
    assert [row["title"]["text"] for row in rows] == ["RTT 36 ms, loss 0 %", "RTT 36 ms, loss 1 % (0.5 % each way)"]


def test_panels_stand_side_by_side_in_the_order_of_the_sources(squares):
    (row,) = heatmap(squares).to_dict()["vconcat"]
    assert [panel["title"]["text"] for panel in row["hconcat"]] == [PUBLISHED.title, REFERENCE.title]
    assert sum(panel["width"] for panel in row["hconcat"]) <= 700


def test_loads_keep_their_state_and_those_without_a_time(squares):
    common = {"campaign": REFERENCE.campaigns[0], "cell_id": "one_cell", "metric": "plt_ms"}
    fields = ("arm", "index", "value", "accepted", "set_aside", "reject_reason")
    rows = [
        ("quic", 0, 140.0, True, True, None),
        ("quic", 1, 104.123, True, False, None),
        ("quic", 2, None, False, False, "load_failed"),
        ("tcp", 0, 300.0, False, True, "disturbed"),
    ]
    samples = pd.DataFrame([common | dict(zip(fields, row, strict=True)) for row in rows])
    packed = loads_of_squares(samples, squares, QUIC_TCP)["5kb-x1_10mbps_36ms_0pct_0msjitter"]
    assert packed["reference:left"] == [[0, 140.0, 1], [1, 104.12, 0], [2, None, 2, "load_failed"]]
    assert STATES[packed["reference:right"][0][2]].startswith("excluded")


def test_the_strip_chart_waits_for_its_data():
    spec = strip(QUIC_TCP).to_dict()
    assert {data["name"] for data in _find(spec, "data")} == {"points", "means", "floors"}
    assert "mean rate, Mbit/s" in json.dumps(strip(Versus("quic1", "tcp1", RATE)).to_dict())


def test_two_cells_on_one_square_are_an_error_that_names_series_and_conditions():
    frame = pd.DataFrame([cell(cell_id="one"), cell(cell_id="two") | {"left_server_cpu_pct": 20.0, "queue_bytes": 9}])
    with pytest.raises(LonglookError, match=r"series 4\.6a: 2 cells .*differ in queue_bytes, quic\.server_cpu_pct\."):
        figure_squares({PUBLISHED: frame})


def test_queues_of_other_lengths_in_packets_do_not_share_a_square():
    frame = pd.DataFrame([cell(cell_id=str(slots)) | {"queue_packets": slots} for slots in (50, 100)])
    with pytest.raises(LonglookError, match="they differ in queue_packets"):
        figure_squares({PUBLISHED: frame})
    blocks = figure_squares({PUBLISHED: frame}, Axes(by=("queue_packets",)))["block"]
    assert sorted(blocks) == [f"RTT 36 ms, loss 0 %, queue, packets: {slots}" for slots in (100, 50)]


def test_repeats_on_one_square_are_an_error_too():
    frame = pd.DataFrame([cell(cell_id="one"), cell(cell_id="two") | {"replicate": 1}])
    with pytest.raises(LonglookError, match="they differ in replicate"):
        figure_squares({PUBLISHED: frame})
    assert figure_squares({PUBLISHED: frame}, Axes(by=("replicate",)))["block"].nunique() == 2


def test_a_condition_of_both_arms_is_named_once():
    held = {"left_client_cpu_pct": 50.0, "right_client_cpu_pct": 50.0}
    with pytest.raises(LonglookError, match=r"they differ in quic\.client_cpu_pct\. Put that on an axis"):
        figure_squares({PUBLISHED: pd.DataFrame([cell(cell_id="one"), cell(cell_id="two") | held])})


def test_any_condition_can_be_an_axis_or_have_panels_of_its_own():
    frame = pd.DataFrame(
        [
            cell(cell_id=f"{limit}{rtt}") | {"left_server_cpu_pct": limit, "rtt_ms": rtt}
            for limit in (20.0, 5.0)
            for rtt in (36.0, 112.0)
        ]
    )
    found = figure_squares({PUBLISHED: frame}, Axes(x="quic.server_cpu_pct", y="rtt_ms"))
    assert found["x"].tolist() == ["5", "20", "5", "20"] and found["y"].tolist() == ["36", "36", "112", "112"]
    assert set(found["block"]) == {"loss 0 %"}
    text = json.dumps(heatmap(found, axes=Axes(x="quic.server_cpu_pct", y="rtt_ms")).to_dict())
    assert "QUIC: CPU of the server, %" in text and "RTT, ms" in text
    panels = figure_squares({PUBLISHED: frame}, Axes(by=("quic.server_cpu_pct",)))
    assert "RTT 36 ms, loss 0 %, QUIC: CPU of the server, %: 5" in set(panels["block"])


def test_an_unknown_condition_is_an_error_that_lists_the_known_ones():
    with pytest.raises(LonglookError, match=r"no condition 'speed'.*bandwidth_mbps.*quic.cca.*server_cpu_pct"):
        figure_squares({PUBLISHED: pd.DataFrame([cell()])}, Axes(x="speed"))


def test_arms_stand_side_by_side_whichever_is_asked_for_first():
    arms = arm_rows({"0rtt": (94.0, 2.0, 20), "1rtt": (131.0, 2.0, 20)})
    one, other = (side_by_side(arms, Versus(*pair, PLT)).iloc[0] for pair in (("0rtt", "1rtt"), ("1rtt", "0rtt")))
    assert (one["left_mean"], one["verdict"]) == (94.0, "left") and (other["left_mean"], other["verdict"]) == (
        131.0,
        "right",
    )
    assert one["pct_diff"] == pytest.approx(39.36, abs=0.01) and other["pct_diff"] == pytest.approx(-28.24, abs=0.01)


def test_a_contrast_has_words_of_its_own():
    versus = Versus("0rtt", "1rtt", PLT)
    frame = side_by_side(arm_rows({"0rtt": (94.0, 2.0, 20), "1rtt": (131.0, 2.0, 20)}), versus)
    text = json.dumps(heatmap(figure_squares({PUBLISHED: frame}), versus).to_dict())
    assert "0-RTT PLT, mean" in text and "blue, minus = 1-RTT faster; red, plus = 0-RTT faster" in text
    assert "QUIC" not in text.replace("QUIC vs", "") and '"verdict_text": "0-RTT faster"' in text


def test_more_is_better_for_a_rate():
    frame = side_by_side(
        arm_rows({"quic1": (3.7, 0.1, 5), "tcp1": (1.2, 0.1, 5)}, "mean_mbps"), Versus("quic1", "tcp1", RATE)
    )
    assert frame["verdict"].tolist() == ["left"] and frame["pct_diff"].iloc[0] == pytest.approx(208.3, abs=0.1)


@pytest.mark.parametrize(("p", "text"), [(1e-9, "< 0.0001"), (0.034, "0.034"), (0.5, "0.5"), (float("nan"), "")])
def test_p_in_words(p, text):
    assert style.p_text(p) == text


def test_a_deviation_is_rounded_once():
    """2.246 rounded to two digits and then to one would be 2.3."""
    assert mean_text(106.0, 2.246, 20) == "106.0 ± 2.2 ms (n = 20)" and mean_and_sd(106.0, 2.246, "ms") == "106.0 ± 2.2"
    assert style.mean_sd(106.0, None, 1) == ("106.0", "")


def test_a_missing_mean_is_said_in_words():
    assert mean_text(float("nan"), float("nan"), 0) == "not measured"
    assert mean_text(1234.56, 7.89, 20) == "1,234.6 ± 7.9 ms (n = 20)"


def test_a_chart_is_one_block_with_everything_inside(squares):
    chart = LiveChart(
        "figure-x",
        heatmap(squares),
        'a "picture"',
        {"facts": {"x": "</script><b>"}},
        downloads=(Attachment("x.csv", "a,b\n1,2\n"),),
    )
    page = chart._repr_html_()
    assert page.count("</script>") == 1, "data must not end its script element"
    assert 'src="data:image/svg+xml;base64,' in page and "<noscript>" in page
    assert repr(chart) == "LiveChart('figure-x')", "a notebook keeps it beside the HTML"
    assert 'download="x.csv" href="data:text/csv;charset=utf-8,a%2Cb%0A1%2C2%0A"' in page
    assert "http" not in json.dumps(offline_spec(heatmap(squares)))


def test_static_pictures_need_no_browser(squares):
    spec = offline_spec(heatmap(squares))
    picture = svg(spec)
    assert "+72" in picture and "10 MB" in picture and not re.search('aria-label="(?!Title)', picture)
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
