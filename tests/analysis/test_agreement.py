"""Two tables of cells held against each other: ratios, verdicts, errors, and which campaign is the newest."""

import math

import pandas as pd
import pytest

from longlook.analysis.agreement import compare, largest_disagreements, median_relative_error, share_agreeing
from longlook.analysis.cells import cell_of, label_of, newest


def row(
    campaign="local-20260101T000000", size=5, quic=(100.0, 2.0, 20), tcp=(150.0, 2.0, 20), figure="4.6a", **changes
):
    names = ("mean_ms", "std_ms", "n")
    values = {
        f"{arm}_{name}": value
        for arm, three in (("quic", quic), ("tcp", tcp))
        for name, value in zip(names, three, strict=True)
    }
    cell = {
        "campaign": campaign, "stack": "quicv1", "figure": figure, "cca": "cubic", "emulated_connections": 2,
        "workload_size_kb": size, "workload_count": 1, "bandwidth_mbps": 10.0, "rtt_ms": 36.0, "loss_pct": 0.0,
        "jitter_ms": 0.0, "cell_id": f"cell-{size}",
    }  # fmt: skip
    return cell | values | changes


def frame(*rows):
    return pd.DataFrame(rows)


def test_ratios_are_second_over_first_and_equal_verdicts_agree():
    (cell,) = compare(frame(row()), frame(row(campaign="x", quic=(110.0, 2.0, 6), tcp=(120.0, 2.0, 6))))
    assert cell.quic_ratio == pytest.approx(1.1) and cell.tcp_ratio == pytest.approx(0.8)
    assert (cell.a.verdict, cell.b.verdict, cell.agrees) == ("quic", "quic", True)
    assert (cell.a.pct_diff, cell.b.pct_diff) == (50, pytest.approx(9.0909, abs=1e-4))
    assert cell.campaign == "x" and cell.cell_id == "cell-5"


def test_verdicts_come_from_mean_deviation_and_n_of_each_side():
    noisy = row(quic=(100.0, 80.0, 20), tcp=(150.0, 80.0, 20))
    (cell,) = compare(frame(row()), frame(noisy))
    assert (cell.a.verdict, cell.b.verdict, cell.agrees) == ("quic", "none", False)


def test_cells_are_matched_by_everything_that_defines_them():
    other = {"bandwidth_mbps": 50.0, "rtt_ms": 112.0, "loss_pct": 1.0, "jitter_ms": 50.0}
    other |= {"cca": "bbr", "emulated_connections": 1, "figure": "4.6b", "stack": "gquic37"}
    for key, value in other.items():
        assert compare(frame(row()), frame(row() | {key: value})) == ()
    assert len(compare(frame(row(size=5), row(size=10)), frame(row(size=10), row(size=100)))) == 1


def test_a_cell_twice_in_one_table_is_an_error():
    with pytest.raises(ValueError, match="second table has 5 KB x 1"):
        compare(frame(row()), frame(row(), row()))


def test_shares_and_median_errors_by_hand():
    published = frame(*(row(size=size) for size in (5, 10, 100)))
    measured = frame(
        row(size=5, quic=(101.0, 2.0, 20)),
        row(size=10, quic=(110.0, 2.0, 20), tcp=(300.0, 2.0, 20)),
        row(size=100, quic=(50.0, 2.0, 20), tcp=(40.0, 2.0, 20)),
    )
    cells = compare(published, measured)
    assert share_agreeing(cells) == pytest.approx(2 / 3)
    assert median_relative_error(cells, "quic") == pytest.approx(0.10)
    assert median_relative_error(cells, "tcp") == pytest.approx(11 / 15)
    assert math.isnan(share_agreeing(())) and math.isnan(median_relative_error((), "tcp"))


def test_the_largest_disagreements_treat_half_and_double_alike():
    published = frame(row(size=5), row(size=10))
    measured = frame(row(size=5, quic=(160.0, 2.0, 20)), row(size=10, tcp=(75.0, 2.0, 20)))
    found = largest_disagreements(compare(published, measured), 2)
    assert [(one.protocol, one.ratio) for one in found] == [("tcp", 0.5), ("quic", 1.6)]


def test_a_missing_mean_is_left_out_of_errors():
    cells = compare(frame(row()), frame(row(tcp=(math.nan, math.nan, 0))))
    assert math.isnan(median_relative_error(cells, "tcp")) and cells[0].b.verdict == "none"
    white = row(quic=(100.0, 80.0, 20), tcp=(110.0, 80.0, 20))
    (untested,) = compare(frame(white), frame(row(tcp=(math.nan, math.nan, 0))))
    assert untested.a.verdict == untested.b.verdict == "none"
    assert (
        not untested.tested and not untested.agrees and math.isnan(share_agreeing([untested]))
    )  # white for want of loads is no agreement
    (tested,) = compare(frame(white), frame(white))
    assert share_agreeing([untested, tested]) == 1.0
    assert [one.protocol for one in largest_disagreements(cells)] == ["quic"]


def test_the_newest_campaign_of_a_figure_is_what_a_reader_sees():
    old, new = "figure-4.6a-20260101T000000", "quick-20260201T000000"
    table = frame(
        row(campaign=old, size=5), row(campaign=old, size=10), row(campaign=new, size=5),
        row(campaign=old, size=5, figure="4.6b"), row(campaign="reference-a-20270101T000000"),
    )  # fmt: skip
    chosen = newest(table, "local")
    assert sorted(zip(chosen["figure"], chosen["campaign"], strict=True)) == [("4.6a", new), ("4.6b", old)]
    assert list(newest(table, "reference")["campaign"]) == ["reference-a-20270101T000000"]
    assert newest(table.iloc[:0], "local").empty


def test_rows_become_cells_and_labels():
    cell = cell_of(row(size=1000, loss_pct=1.0))
    assert (cell.workload.size_kb, cell.link.loss_pct, cell.arms) == (1000, 1.0, ("quic", "tcp"))
    assert cell_of(row(protocol="tcp")).arms == ("a", "b")
    assert (
        label_of(row(size=1000, loss_pct=1.0, jitter_ms=50.0)) == "1 MB x 1, 10 Mbit/s, 36 ms, 1 % loss, 50 ms jitter"
    )
