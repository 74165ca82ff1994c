"""From Chromium 72 to 76: what becomes of the predictions, of known means; and the table of them."""

import pytest
from book_sample import PUBLISHED, interleaved, write_sweeps

from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.years import causes
from longlook.figure import style

MEANS = {"c72": 340.0, "c76": 440.0, "c76nocache": 400.0, "c76blinkcors": 400.0, "c76neither": 360.0}
"""Of a hundred objects on the fast link, over both protocols, ms."""


def found(**others):
    """`others`: c76neither_quic=400.0 is another mean there; cpu_..., slow_... and small_... of the other columns."""
    of = {}
    for stack, mean in MEANS.items():
        for one in ("quic", "tcp"):
            name = f"{stack}_{one}"
            of["plt_ms", causes.MANY, 100.0, stack, one] = Summary(others.get(name, mean), 20.0, 24)
            of["client_cpu_s", causes.MANY, 100.0, stack, one] = Summary(
                others.get(f"cpu_{name}", mean / 2000), 0.02, 24
            )
            of["plt_ms", causes.MANY, 10.0, stack, one] = Summary(others.get(f"slow_{name}", 1200.0), 5.0, 24)
            for mbps in (10.0, 100.0):
                of["plt_ms", causes.SMALLEST, mbps, stack, one] = Summary(others.get(f"small_{name}", 90.0), 3.0, 24)
    return of


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ({}, [True, True, True, True]),
        ({"c76neither_quic": 395.0}, [False, True, True, True]),  # less than half of the step
        ({"c72_tcp": 435.0, "c76neither_tcp": 437.0}, [False, True, True, True]),  # more than half, and not significant
        ({"c72_tcp": 470.0, "c76neither_tcp": 455.0}, [False, True, True, True]),  # both the other way round
        ({"c76blinkcors_tcp": 431.0}, [True, False, True, True]),
        ({"c76nocache_quic": 450.0}, [True, False, True, True]),
        ({"cpu_c76neither_tcp": 0.2}, [True, True, False, True]),
        ({"slow_c76neither_quic": 1170.0}, [True, True, True, False]),
        ({"small_c76neither_quic": 96.0}, [True, True, True, False]),
    ],
)
def test_what_becomes_of_the_predictions(others, expected):
    assert [one.holds for one in causes.of_causes(found(**others))] == expected


def test_what_is_not_measured_is_neither_right_nor_wrong(tmp_path):
    assert causes.of_causes({}) == ()
    data = book_data.read(PUBLISHED, tmp_path)
    assert causes.table(data).data == causes.predictions(data).data == style.NOTHING_YET


def test_the_table_has_a_row_for_each_browser(tmp_path):
    def loads(campaign, experiment, cell):
        return interleaved(
            campaign,
            experiment,
            cell,
            lambda _, arm, index: {"plt_ms": MEANS[arm.stack] + 10 * index, "client_cpu_s": 0.2},
            4,
        )

    write_sweeps(tmp_path, ["years-causes"], "years", loads)
    data = book_data.read(PUBLISHED, tmp_path)
    shown = causes.table(data).data
    assert shown.count("<tr>") == 2 + len(causes.NAMES) and "without a disk cache" in shown
    assert shown.count("0.20 ± 0.00") == 2 * len(causes.NAMES)
    assert causes.predictions(data).data.count("<tr>") == 1 + 4
