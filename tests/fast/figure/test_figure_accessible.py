"""What figures say in words, and how they are drawn for a phone."""

import json

import pandas as pd
import pytest
from cells import REFERENCE, cell

from longlook.figure import control, steps, style, timeline
from longlook.figure.heatmap import PHONE, QUIC_TCP, heatmap, result_text, told
from longlook.figure.live import LiveChart
from longlook.figure.squares import PUBLISHED, figure_squares
from longlook.figure.table import html_table

STEPS = pd.DataFrame(
    [
        {"panel": "5 KB; no loss", "step": "2", "mean": 104.2, "published": 98.7},
        {"panel": "5 KB; no loss", "step": "none", "mean": 12345.6, "published": 98.7},
    ]
)


@pytest.fixture
def squares():
    published = [
        cell(),
        cell(size=10000, pct=-12.4, verdict="right"),
        cell(bandwidth=100.0, pct=-1.7, p=0.3, verdict="none"),
    ]
    measured = pd.DataFrame([cell(campaign=REFERENCE.campaigns[0], cell_id="one_cell", pct=70.0)])
    return figure_squares({PUBLISHED: pd.DataFrame(published), REFERENCE: measured})


def said(chart):
    rows = [row for rows in chart.to_dict()["datasets"].values() for row in rows]
    return {(row["panel"], row["said"]) for row in rows}


def test_a_square_says_its_result_and_no_field_names(squares):
    panel = "Published, RTT 36 ms, loss 0 %"
    assert {text for where, text in said(heatmap(squares)) if where == panel} == {
        "5 KB, 10 Mbit/s: QUIC faster by 72 %, shown",
        "10 MB, 10 Mbit/s: TCP faster by 12 %, shown",
        "5 KB, 100 Mbit/s: difference −1.7 %, not shown",
    }
    assert result_text({"measured": False}, QUIC_TCP) == "not measured"


def test_a_heatmap_says_its_result(squares):
    assert told(squares, QUIC_TCP) == (
        "Published: of 3 squares QUIC faster in 1, TCP faster in 1, not shown in 1; differences from −12 % to "
        "+72 %. Re-measured (reference): of 1 squares QUIC faster in 1, TCP faster in 0, not shown in 0; "
        "differences from +70 % to +70 %."
    )


def test_on_a_phone_panels_stand_below_each_other_each_with_its_labels(squares):
    (row,) = heatmap(squares, layout=PHONE).to_dict()["vconcat"]
    panels = row["vconcat"]
    assert [panel["title"]["text"] for panel in panels] == [PUBLISHED.title, REFERENCE.title]
    assert {panel["width"] for panel in panels} == {PHONE.width}
    assert all(panel["layer"][0]["encoding"]["y"]["axis"]["labels"] for panel in panels)
    legend = panels[0]["layer"][0]["encoding"]["color"]["condition"]["legend"]
    assert max(len(line) for line in legend["title"]) <= PHONE.line


def test_both_drawings_share_their_data(squares):
    page = LiveChart("x", heatmap(squares), "words", narrow=heatmap(squares, layout=PHONE))._repr_html_()
    data = json.loads(page.partition('class="ll-data">')[2].partition("</script>")[0])
    assert data["spec"]["datasets"] and data["narrow"]["datasets"] == {}


def test_what_is_not_shown_is_slanted(squares):
    assert json.dumps(heatmap(squares).to_dict()).count("datum.upright ? 'normal' : 'italic'") == 2


def test_control_squares_of_a_phone_are_broken_into_rows():
    cells = pd.DataFrame(
        [
            {"campaign": "c", "cell_id": str(number), "kind": f"s {kind}", "pct_diff": 0.5, "p_value": 0.5}
            for kind, count in (("QUIC", 9), ("TCP", 2))
            for number in range(count)
        ]
    )
    drawn = control.control_chart(cells, 7).to_dict()
    rows = next(iter(drawn["datasets"].values()))
    assert [(row["arm"], row["number"]) for row in rows[6:8]] == [("s|QUIC, 1 ff.", 7), ("s|QUIC, 8 ff.", 1)]
    assert {row["arm"] for row in rows[9:]} == {"s|TCP"}
    assert drawn["layer"][0]["encoding"]["y"]["axis"]["labelExpr"] == "split(datum.label, '|')"
    assert control.told(cells) == "11 cells, 0 significant; the largest difference is 0.5 %."
    assert control.told(cells.assign(p_value=None)) == "No cell was tested."


def test_steps_and_lines_in_words():
    assert steps.told(STEPS) == "5 KB, no loss: 104 ms at 2 to 12,300 ms at none; published 98.7 ms."
    lines = pd.DataFrame({"label": ["QUIC", "QUIC", "TCP"], "value": [1.0, 2.0, 0.5]})
    assert timeline.told(lines) == "QUIC: 1 to 2, median 1.5. TCP: 0.5 to 0.5, median 0.5."
    assert style.rounded(-0.01234) == "-0.0123"


def test_a_head_without_a_word_is_no_header():
    text = html_table(["a", "b"], [["1", "2"]], groups=[("", 1), ("x", 1)])
    assert '<td colspan="1"></td><th colspan="1">x</th>' in text
