"""Each milestone over every version of QUIC: of known means; the figure."""

import io

import pandas as pd
import pytest
from book_sample import PUBLISHED, interleaved, write_sweeps

from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.years import each_version
from longlook.book.years.evidence import MEGABYTE, SMALLEST, CellByMilestone, PageAndBandwidth
from longlook.figure.live import LiveChart
from longlook.stack.arms import open_sweep

MEANS = {"Q037": 1.0, "Q039": 1.0, "Q043": 1.0, "h3-29": 1.1, "v1": 1.1}
PLACES = [
    PageAndBandwidth(SMALLEST, 5000, 1, 10.0),
    PageAndBandwidth(MEGABYTE, 1_000_000, 1, 10.0),
    PageAndBandwidth(SMALLEST, 5000, 1, 100.0),
    PageAndBandwidth(MEGABYTE, 1_000_000, 1, 100.0),
]
SPOKEN = {
    64: ("Q037", "Q039"),
    72: ("Q039", "Q043"),
    76: ("Q039", "Q043"),
    85: ("Q043",),
    88: ("Q043", "h3-29"),
    92: ("Q043", "h3-29", "v1"),
    111: ("v1",),
    153: ("h3-29", "v1"),
}


def found(others=None):
    """Ten loads of each; `others`: of a place's number, a milestone and a version another multiple of the mean."""
    others = others or {}
    return [
        CellByMilestone(
            place,
            {
                (number, version): Summary(100.0 * MEANS[version] * others.get((at, number, version), 1.0), 0.5, 10)
                for number, versions in SPOKEN.items()
                for version in versions
            },
            {},
            "reference-years-each-version",
        )
        for at, place in enumerate(PLACES)
    ]


def test_what_it_takes_longer_over_http3_is_told_of_one_browser():
    assert each_version.over_google(found()) == pytest.approx([1.1] * 3)  # 88: the draft; 92: both


def test_small_steps_add_up_from_the_first_browser_to_the_last():
    later = {(0, number, "Q043"): 1.0 + step / 100 for step, number in enumerate((72, 76, 85, 88, 92))}
    first, second = (each_version.ends(one) for one in found(later)[:2])
    assert first["Q043"].value == pytest.approx(1.04) and first["Q043"].test.significant
    assert second["Q043"].value == 1 and "Q037" not in first  # which one browser speaks


def test_the_figure_has_every_browser_with_each_of_its_versions(tmp_path):
    def loads(campaign, experiment, cell):
        return interleaved(campaign, experiment, cell, lambda *of: {"plt_ms": 101.0 + of[2]}, 6)

    write_sweeps(tmp_path, [each_version.SERIES], "years", loads)
    drawn = each_version.by_version(book_data.read(PUBLISHED, tmp_path))
    assert isinstance(drawn, LiveChart) and drawn.narrow is not None
    frame = pd.read_csv(io.StringIO(drawn.downloads[0].csv))
    arms = open_sweep(each_version.SERIES).cells()[0].arms
    assert len(frame) == len(PLACES) * len(arms) and set(frame["stack"]) == {arm.stack for arm in arms}
    assert set(frame["version"]) == set(each_version.LABELS.values()) and frame["drawn"].all()
    assert set(frame.loc[frame["number"] == 92, "wire"]) == {"Q043, gquicd", "h3-29, Envoy", "v1, Envoy"}
    assert "5 KB, 10 Mbit/s, Google's 43: 1.00 to 1.00" in drawn.alt_text


def test_each_browser_speaks_what_it_is_asked_for():
    assert {(number, version) for number, version in each_version._stacks()} >= {(64, "Q037"), (153, "h3-29")}
    assert len(each_version._stacks()) == len(open_sweep(each_version.SERIES).cells()[0].arms)
