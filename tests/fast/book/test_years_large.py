"""10 MB, by every browser and under loss by six: what becomes of the predictions, of known means."""

import pytest
from book_sample import PUBLISHED, interleaved, write_sweeps

from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.years import large
from longlook.book.years.evidence import Measured, Place
from longlook.book.years.milestones import milestones
from longlook.figure import style

SIX = (64, 76, 85, 92, 111, 153)


def cell(mbps=10.0, quic=8500.0, tcp=8600.0, sd=50.0, **others):
    """Ten loads of each browser; `others`: quic_92=9000.0 is another mean of one of them."""
    means = {(number, protocol): mean for number in SIX for protocol, mean in (("quic", quic), ("tcp", tcp))}
    means |= {(int(name.split("_")[1]), name.split("_")[0]): mean for name, mean in others.items()}
    times = {key: Summary(mean, sd, 10) for key, mean in means.items()}
    return Measured(Place("10000kb-x1", 10_000_000, 1, mbps), times, {}, "reference-years-large")


@pytest.mark.parametrize(
    ("fast", "expected"),
    [
        ({}, [True, True, True, True]),
        ({"quic_153": 6000.0}, [False, True, True, True]),
        ({"quic_85": 6000.0}, [True, True, True, True]),  # the step to 92 is none that was spoken of
        ({"tcp_76": 13_000.0}, [True, False, True, True]),
        ({"quic_64": 13_990.0}, [True, True, False, True]),
        ({"tcp": 11_000.0}, [True, True, True, False]),
    ],
)
def test_with_loss_it_is_the_senders(fast, expected):
    found = [cell(10.0, 10_000.0, 15_000.0), cell(100.0, **{"quic": 9000.0, "tcp": 14_000.0} | fast)]
    assert [one.holds for one in large.with_loss(found)] == expected


def test_what_is_not_measured_is_neither_right_nor_wrong(tmp_path):
    assert large.with_loss([]) == ()
    data = book_data.read(PUBLISHED, tmp_path)
    assert large.table(data).data == large.predictions(data).data == style.NOTHING_YET


def test_the_table_has_a_row_for_each_browser(tmp_path):
    def loads(campaign, experiment, cell):
        return interleaved(campaign, experiment, cell, lambda *of: {"plt_ms": 9001.0 + 10 * of[2]}, 4)

    write_sweeps(tmp_path, ["years-large", "years-large-loss"], "years", loads)
    data = book_data.read(PUBLISHED, tmp_path)
    shown = large.table(data).data
    every = [one for one in milestones() if one.stack]
    assert shown.count("<tr>") == 2 + len(every) and "100 Mbit/s, 1 % loss, s" in shown
    assert shown.count("9.03 ± 0.01") == 2 * len(every) + 4 * len(SIX)
    assert shown.count(style.DASH) == 4 * (len(every) - len(SIX))
    assert large.predictions(data).data.count("<tr>") == 1 + 6
