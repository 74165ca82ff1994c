"""What clients allow, as the chapter shows it."""

import pytest

from longlook import paths
from longlook.book.value import NotMeasured
from longlook.book.yu2021 import asked
from longlook.book.yu2021.numbers.objects import NUMBERS
from longlook.experiment.allowed import Allowed, write
from longlook.figure import style

KB = 1024


@pytest.fixture(autouse=True)
def kept(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "ALLOWED", tmp_path / "clients.csv")


def test_a_row_says_where_a_window_grows_and_who_takes_any_certificate():
    rows = [
        Allowed("quic bbr quicgo", "0.59", 512 * KB, 655 * KB, 768 * KB, 977 * KB, 0, True),
        Allowed("quic bbr ngtcp2", "0.12", 6144 * KB, 6144 * KB, 15360 * KB, 15360 * KB, 0, False),
        Allowed("tcp bbr curl", "8.21", 1024 * KB, 1024 * KB, 15360 * KB, 15360 * KB, 204 * KB, True),
    ]
    write(paths.ALLOWED, rows)
    html = asked.allowed().data
    for text in ("quic-go", "512 KB to 655 KB", "768 KB to 977 KB", "15,360 KB", "204 KB"):
        assert text in html
    assert html.count("takes") == 1 and html.count("refuses") == 2
    assert [NUMBERS[name](None).text for name in ("least-window", "unverified")] == ["655 KB", "ngtcp2"]


def test_before_anybody_is_asked_nothing_is_said():
    assert style.NOTHING_YET in asked.allowed().data
    for name in ("least-window", "unverified"):
        with pytest.raises(NotMeasured, match="longlook clients"):
            NUMBERS[name](None)
