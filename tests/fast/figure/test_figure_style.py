"""Labels: what is printed in squares and beside them."""

import math

import pytest

from longlook.figure import style


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (72.43, "+72"),
        (-24.29, "−24"),
        (0.53, "+0.5"),
        (-1.88, "−1.9"),
        (226.38, "+226"),
        (9.96, "+10"),
        (0.04, "0"),
        (-0.04, "0"),
    ],
)
def test_a_percentage_carries_its_sign(value, text):
    assert style.signed_pct(value) == text


@pytest.mark.parametrize("nothing", [None, math.nan])
def test_no_number_prints_nothing(nothing):
    assert style.signed_pct(nothing) == ""


def test_workloads_are_named_as_in_the_thesis():
    assert style.workload_label("5kb-x1", 5120, 1, with_count=False) == "5 KB"
    assert style.workload_label("10000kb-x1", 10_000_000, 1, with_count=False) == "10 MB"
    assert style.workload_label("500kb-x2", 512_000, 2, with_count=True) == "500 KB × 2"


def test_a_page_of_several_sizes_keeps_its_name():
    assert style.workload_label("5kb-x20-100kb-x2", math.nan, 22, with_count=True) == "5kb-x20-100kb-x2"


@pytest.mark.parametrize(
    ("value", "text"), [(20.0, "20"), (math.nan, "none"), (None, "none"), ("bbr", "bbr"), (True, "True")]
)
def test_a_value_of_a_condition(value, text):
    assert style.value_text(value) == text


def test_what_lies_on_an_axis_is_not_in_the_blocks_title():
    assert style.link_label(loss_pct=1.0) == "loss 1 % (0.5 % each way)"
    assert style.link_label(rtt_ms=36.0, jitter_ms=0.0) == "RTT 36 ms"


def test_jitter_is_named_only_where_there_is_some():
    assert style.link_label(36.0, 1.0, 0.0) == "RTT 36 ms, loss 1 % (0.5 % each way)"
    assert style.link_label(112, 0, 50) == "RTT 112 ms, loss 0 %, jitter 50 ms"


@pytest.mark.parametrize("pct", [*range(-100, 0, 5), *range(5, 101, 5), 226])
def test_the_number_can_be_read_on_its_square(pct):
    """WCAG 2.1 AA asks for a contrast of 4.5."""
    levels = sorted(
        style.luminance(colour) for colour in (style.square_colour(pct), style.text_on(pct, significant=True))
    )
    assert (levels[1] + 0.05) / (levels[0] + 0.05) >= 4.5


def test_the_colour_is_clamped():
    assert style.square_colour(100) == style.square_colour(226) == style.RED_DARK
    assert style.square_colour(-150) == style.BLUE_DARK
