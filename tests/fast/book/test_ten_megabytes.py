"""What was predicted of 10 MB alone on the machine, on made-up means."""

import pytest
from book_sample import PUBLISHED, interleaved, write_sweeps

from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.muthuraj2024 import ten_megabytes
from longlook.book.muthuraj2024.cell_loads import loads_of_sweep

PLACES = [
    (series, protocol, mbps)
    for series in ten_megabytes.CUBIC
    for protocol in ("quic", "tcp")
    for mbps in (10.0, 50.0, 100.0)
]
BESIDE = {place: Summary(15_000.0, 1_000.0, 20) for place in PLACES}


def alone(quic=(), tcp=()):
    """The first of QUIC's and of TCP's means are lower by these shares."""
    lower = {"quic": iter(quic), "tcp": iter(tcp)}
    return {place: Summary(one.mean * (1 - next(lower[place[1]], 0.0)), 900.0, 20) for place, one in BESIDE.items()}


@pytest.mark.parametrize(
    ("quic", "tcp", "holds"),
    [
        ((0.04,) * 5, (0.04,) * 2, True),
        ((0.04,) * 4, (), False),
        ((0.02,) * 6, (), False),
        ((0.1,) * 6, (0.1,) * 3, False),
    ],
)
def test_quic_must_be_earlier_alone_and_tcp_not(quic, tcp, holds):
    assert ten_megabytes.earlier(BESIDE, alone(quic, tcp)).holds is holds


def test_a_missing_mean_leaves_it_open():
    found = alone((0.1,) * 6)
    del found[PLACES[0]]
    assert ten_megabytes.earlier(BESIDE, found).holds is None
    assert ten_megabytes.held_by_losses({}).holds is None


@pytest.mark.parametrize(("share", "holds"), [(0.06, True), (0.08, False), (-0.06, True), (-0.08, False)])
def test_a_faster_link_must_not_matter(share, holds):
    found = alone()
    slow = (ten_megabytes.CUBIC[1], "quic", 50.0)
    found[slow] = Summary(15_000.0 / (1 + share), 900.0, 20)
    judged = ten_megabytes.held_by_losses(found)
    assert judged.holds is holds and judged.found.count(",") == 3


class Paper:
    def __init__(self, data):
        self.data = data


def test_each_campaign_is_judged_by_its_own_sweep(tmp_path):
    """The newer one has the same series; what was said of the older stays as it was."""
    longer = {"loss-each-way-10mb": 1.2, "loss-each-way": 1.0} | dict.fromkeys(
        (ten_megabytes.ALONE, ten_megabytes.ALONE_N1), 1.0
    )

    def loads(campaign, experiment, cell):
        sweep = campaign.removeprefix("reference-").rpartition("-")[0]
        return interleaved(campaign, experiment, cell, lambda *of: {"plt_ms": 14_000.0 * longer[sweep] + 10 * of[2]}, 5)

    write_sweeps(tmp_path, longer, "muthuraj2024", loads)
    paper = Paper(book_data.read(PUBLISHED, tmp_path))
    (one,) = ten_megabytes.beside_others(paper)
    assert one.holds is False and one.found.startswith("QUIC +20")
    near, earlier, held = ten_megabytes.predictions(paper)
    assert near.holds and held.holds and earlier.holds is False  # TCP is earlier as well
    assert "6 of 6" in earlier.found
    assert len(loads_of_sweep(paper.data, "loss-each-way-10mb")) == 9
    assert loads_of_sweep(paper.data, "none-such") == {}


def test_before_it_is_measured_there_is_no_prediction(tmp_path):
    paper = Paper(book_data.read(PUBLISHED, tmp_path))
    assert ten_megabytes.predictions(paper) == () and ten_megabytes.beside_others(paper) == ()
