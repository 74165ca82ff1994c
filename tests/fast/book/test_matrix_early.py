"""What early data spares: the sweep and the chart."""

import pytest
from book_sample import PUBLISHED
from matrix_sample import write_matrix

from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.matrix import early
from longlook.book.matrix.evidence import newest
from longlook.book.matrix.pairs import Pair
from longlook.book.value_role import value_of
from longlook.experiment.metrics import TTFB, TTLB
from longlook.figure import style

PAIRS = [pair for pair in early.shown() if not early.refused(pair)]
ODD = Pair("quic", "lsquic", "aioquic", "cubic")
FIRST, LAST = TTFB.name, TTLB.name


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    processed = tmp_path_factory.mktemp("processed")
    write_matrix(processed, (early.SERIES,))
    return book_data.read(PUBLISHED, processed)


def of():
    """Early data spares 36 ms, of the last byte of the large file 2 ms."""
    found = {}
    for pair in PAIRS:
        for size in early.SIZES:
            for metric in early.MOMENTS:
                less = 2.0 if (size, metric) == (early.LARGE, LAST) else 36.0
                found[pair, size, "1rtt", metric] = Summary(80.0, 0.5, 10)
                found[pair, size, "0rtt", metric] = Summary(80.0 - less, 0.5, 10)
    return found


def test_who_cannot_resume_is_told_by_the_words_of_the_refusal():
    assert early.refused(Pair("quic", "envoy", "curl", "cubic")) == "client curl does 1rtt, not 0rtt"
    assert early.refused(ODD) == ""


def test_a_pair_without_downloads_that_count_is_named():
    own = {place: one for place, one in of().items() if place[:3] != (ODD, early.SMALL, "0rtt")}
    assert early.spared(own, ODD, early.SMALL, LAST).why == "no download by 0-RTT counts"


def test_the_chart_has_a_square_for_every_pair_and_says_it_in_words(data):
    drawn = early.picture(data)
    frame = early.squares(newest(data, early.SERIES))
    assert len(frame) == 25 * len(early.SIZES) * len(early.MOMENTS) and frame["value"].notna().sum() == 80
    assert set(frame[frame["value"].isna()]["label"]) == {style.DASH}
    assert "1 KB, first byte: 20 of 25 pairs" in drawn.alt_text
    text = value_of("early-small", "book/matrix/matrix", data).text
    assert text.replace("\N{NO-BREAK SPACE}", " ") == "36 ms"
    assert value_of("early-pairs", "book/matrix/matrix", data).text == "20"
    paced = value_of("early-paced", "book/matrix/matrix", data)
    assert paced.text.replace("\N{NO-BREAK SPACE}", " ") == "36 ms"
    assert "means of ngtcp2 with LSQUIC" in paced.origin
    assert list(early.without(data)) == ["client curl does 1rtt, not 0rtt"]
    assert early.signed(-3.6) == f"{style.MINUS}4" and early.signed(-0.2) == "0"
