"""Judging by criteria: what holds, what does not, and what stays open."""

import math

import pytest

from longlook.analysis.evidence import Column
from longlook.analysis.judge import judge
from longlook.errors import LonglookError
from longlook.plan.conditions import spelled
from longlook.plan.criteria import Criterion, Judging

RULE = Judging.parse({"metric": "plt_ms", "series": "s", "ratio": ["quic", "tcp"]})


def line(arm, mean, sd=1.0, n=20, **where):
    same = {"series": "s", "metric": "plt_ms", "rtt_ms": 36.0, "loss_pct": 0.0, "netem": None, "object_bytes": 5120}
    return spelled(same | {"arm": arm, "mean": mean, "sd": sd, "n": n} | where)


def judged(rows, said, of=None, column="reference", **others):
    columns = {"reference": rows, **others}
    found = {name: Column(lambda series, own=own: own) for name, own in columns.items()}
    return judge(Criterion.parse(said), RULE, found, column, of)


def pair(quic, tcp, **where):
    return [line("quic", quic, **where), line("tcp", tcp, **where)]


@pytest.mark.parametrize(("quic", "holds"), [(90, True), (110, False), (100, None)])
def test_an_interval_inside_its_bounds_holds_and_one_across_a_bound_is_open(quic, holds):
    assert judged(pair(quic, 100), {"at_most": 1}).holds is holds


def test_by_value_the_number_alone_decides():
    rows = pair(99.99, 100)
    assert judged(rows, {"at_most": 1}).holds is None
    assert judged(rows, {"at_most": 1, "by": "value"}).holds is True


def test_a_printed_mean_without_deviation_is_decided_by_its_number():
    rows = [line("quic", 90, sd=math.nan), line("tcp", 100, sd=math.nan)]
    assert judged(rows, {"at_most": 1}).holds is True
    assert judged(rows, {"at_least": 1}).holds is False


SQUARES = [*pair(90, 100), *pair(90, 100, rtt_ms=112.0), *pair(110, 100, rtt_ms=400.0)]


@pytest.mark.parametrize(
    ("asked", "holds"),
    [
        ({}, False),
        ({"squares": "any"}, True),
        ({"squares": "none"}, False),
        ({"squares": "not-every"}, True),
        ({"squares": {"least": 2, "of": 3}}, True),
        ({"squares": {"least": 3, "of": 3}}, False),
        ({"squares": {"most": 2, "of": 3}}, True),
        ({"squares": {"most": 1, "of": 3}}, False),
        (
            {
                "all": [
                    {"where": {"rtt_ms": [36, 112]}, "squares": {"least": 2, "of": 2}},
                    {"where": {"rtt_ms": [112, 400]}, "squares": {"most": 1, "of": 2}},
                ]
            },
            True,
        ),
        (
            {"all": [{"squares": {"least": 2, "of": 3}}, {"where": {"rtt_ms": 400}, "squares": {"least": 1, "of": 1}}]},
            False,
        ),
        (
            {"all": [{"squares": {"least": 2, "of": 3}}, {"where": {"rtt_ms": 9}, "squares": {"least": 1, "of": 1}}]},
            None,
        ),
    ],
)
def test_quantifiers(asked, holds):
    assert judged(SQUARES, {"at_most": 1, **asked}, of=len(asked.get("all", SQUARES[::2]))).holds is holds


def test_squares_within_a_criterion_are_one_part_of_it():
    within = {"at_most": 1, "all": [{"squares": "not-every"}, {"where": {"rtt_ms": 36}}]}
    found = judged(SQUARES, within)
    assert [one.holds for one in found.found] == [True, True] and len(found.found[0].parts) == 3


def test_growth_is_by_how_much_more_the_loads_of_one_grow():
    loads = {
        ("quic", 0.0): (10.0, 10.0),
        ("quic", 1.0): (30.0, 31.0),
        ("tcp", 0.0): (10.0, 10.0),
        ("tcp", 1.0): (11.0,) * 2,
    }
    rows = [line(arm, 1, loss_pct=loss) for arm, loss in loads]
    columns = {"reference": Column(lambda _: rows, lambda row: loads[row["arm"], row["loss_pct"]])}
    said = {"statistic": "growth", "where": {"loss_pct": 1}, "over": {"loss_pct": 0}, "at_least": 10}
    (found,) = judge(Criterion.parse(said), RULE, columns, "reference").found
    assert found.estimate.value == pytest.approx(20.5) and found.holds is True


def test_the_greatest_of_all_loads_decides():
    columns = {"reference": Column(lambda _: [line("quic", 1.0)], lambda row: (0.0, 0.0, 3.0))}
    (found,) = judge(
        Criterion.parse({"statistic": "greatest", "value": "quic", "at_most": 0}), RULE, columns, "reference"
    ).found
    assert found.estimate.value == 3 and found.holds is False


@pytest.mark.parametrize(("far", "allowed", "holds"), [(110, 0, False), (110, 1, True), (100, 0, True)])
@pytest.mark.parametrize("same", [{"significant": "left"}, {"significant": "same", "against": {"metric": "told_ms"}}])
def test_of_what_is_significant_so_many_squares_may_be_the_opposite(far, allowed, holds, same):
    rows = [*pair(90, 100), *pair(90, 100, rtt_ms=112.0), *pair(far, 100, rtt_ms=400.0)]
    rows += [row | {"metric": "told_ms", "mean": {"quic": 90, "tcp": 100}[row["arm"]]} for row in rows]
    found = judged(rows, same | {"squares": {"least": 2, "of": 3, "opposite": allowed}}, of=3)
    assert (found.holds, found.met, found.opposite) == (holds, 2, int(far > 100))


def test_a_verdict_is_held_against_that_of_another_study():
    theirs = Column(lambda series: [row | {"series": series} for row in pair(90, 100)])
    own = Column(lambda series: pair(80, 100), of_study=lambda study: {"other": theirs}[study])
    said = {"against": {"study": "other", "series": "4.6a"}, "significant": "same"}
    assert judge(Criterion.parse(said), RULE, {"reference": own}, "reference").holds is True


@pytest.mark.parametrize(("n", "holds"), [(1, None), (3, None), (6, True)])
def test_what_is_measured_too_few_times_decides_nothing(n, holds):
    sd = math.nan if n == 1 else 0.0
    rows = [line(arm, mean, sd=sd, n=n, campaign="c") for arm, mean in (("quic", 1.0), ("tcp", 2.0))]
    said = {"difference": ["tcp", "quic"], "at_least": 1, "by": "several"}
    assert judged(rows, said).holds is holds
    assert judged([row | {"campaign": None, "sd": math.nan} for row in rows], said).holds is True, "it is printed"


@pytest.mark.parametrize(("slow", "holds"), [(104, True), (110, None), (130, False)])
def test_the_slowest_of_some_arms_is_held_against_the_quickest_of_others(slow, holds):
    rows = [line("a 1", 90), line("a 2", slow, sd=5.0), line("b 1", 100.0), line("b 2", 120)]
    found = judged(rows, {"spread": "a *", "over": {"arm": "b *"}, "at_most": 1.1})
    assert (found.found[0].pair, found.holds) == (("a 2", "b 1"), holds)
    assert [one.value for one in (found.found[0].left, found.found[0].right)] == [slow, 100]
    assert judged([*rows, line("a 3", 95, n=0)], {"spread": "a *", "at_most": 1.1}).found == ()


@pytest.mark.parametrize(
    ("statistic", "bound", "holds"), [("least", -10, True), ("least", -4, False), ("greatest", 20, True)]
)
def test_a_difference_of_two_metrics_of_each_load_has_its_ends(statistic, bound, holds):
    loads = {"duration_ms": {1: 95.0, 2: 120.0, 3: 1.0}, "ttlb_ms": {1: 100.0, 2: 100.0}}
    column = Column(lambda _: [line("quic", 1.0)], numbered=lambda row, metric: loads[metric])
    said = {"quantity": "after_last_byte_ms", "value": "quic", "statistic": statistic}
    said |= {"at_least" if statistic == "least" else "at_most": bound}
    assert judge(Criterion.parse(said), RULE, {"reference": column}, "reference").holds is holds


def test_loads_are_counted_where_there_is_none_too():
    rows = [line("quic", 1.0, n=3), line("tcp", math.nan, n=0)]
    assert [one.met for one in judged(rows, {"value": ["quic", "tcp"], "statistic": "count", "at_least": 1}).found] == [
        True,
        False,
    ]


def test_a_stall_is_of_the_sessions_that_stood_still():
    loads = {"stalls": {1: 0.0, 2: 2.0, 3: 1.0}, "stalled_ms": {1: 0.0, 2: 4000.0, 3: 2010.0}}
    rows = [line("quic", 1.0)]
    column = Column(lambda _: rows, numbered=lambda row, metric: loads[metric])
    said = Criterion.parse({"quantity": "stall_s", "value": "quic", "at_most": 3})
    assert judge(said, RULE, {"reference": column}, "reference").found[0].estimate.value == pytest.approx(2.005)


def test_one_square_is_any():
    assert judged(SQUARES[2:], {"at_most": 1, "squares": "any"}, of=2).holds is True


def test_fewer_squares_than_there_should_be_never_hold():
    rows = SQUARES[:4]
    for asked in ({}, {"squares": {"least": 2, "of": 3}}, {"squares": "any"}, {"squares": "none", "at_most": 0.5}):
        found = judged(rows, {"at_most": 1, **asked}, of=3)
        assert (found.holds, len(found.found)) == (None, 2), asked
    assert judged(SQUARES[2:], {"at_most": 1}, of=3).holds is False, "a square that fails decides"


def test_a_square_that_lacks_an_arm_is_none():
    found = judged([line("quic", 90)], {"at_most": 1})
    assert found.found == () and found.holds is None


def test_over_is_the_same_arm_under_other_conditions():
    rows = [line("quic", 200, loss_pct=2.0), line("quic", 100)]
    (found,) = judged(rows, {"arms": "quic", "where": {"loss_pct": 2}, "over": {"loss_pct": 0}, "at_most": 3}).found
    assert found.estimate.value == 2 and found.square["loss_pct"] == 2 and len(found.rows) == 2


def test_over_a_column_is_what_was_published_of_the_same_square():
    theirs = [line("quic", 50), line("quic", 1, rtt_ms=112.0)]
    said = {"arms": "quic", "over": {"column": "published"}, "at_most": 3}
    (found,) = judged([line("quic", 100)], said, published=theirs).found
    assert found.estimate.value == 2


def test_differences_and_quotients_of_growth():
    rows = [*pair(110, 100), *pair(130, 150, loss_pct=2.0)]
    asked = {"where": {"loss_pct": 2}, "over": {"loss_pct": 0}, "at_least": 0}
    (grown,) = judged(rows, asked | {"difference": ["tcp", "quic"]}).found
    assert grown.estimate.value == 30 and (grown.left.value, grown.right.value) == (50, 20)
    (times,) = judged(rows, asked | {"ratio": ["tcp", "quic"]}).found
    assert times.estimate.value == pytest.approx(1.5 / (130 / 110))


def test_a_slope_needs_every_value_that_is_listed():
    said = {"value": "quic", "statistic": "slope", "along": "rtt_ms", "where": {"rtt_ms": [10, 20, 30]}, "at_most": 5}
    rows = [line("quic", 3 * rtt + 7, rtt_ms=float(rtt)) for rtt in (10, 20, 30)]
    (found,) = judged(rows, said).found
    assert found.estimate.value == pytest.approx(3)
    assert judged(rows[:2], said).found == ()


def test_several_cells_on_one_square_are_refused_by_what_they_differ_in():
    rows = [*pair(90, 100), *pair(95, 100, duration_s=3.0)]
    with pytest.raises(LonglookError, match="2 cells on one square, which differ in duration_s"):
        judged(rows, {"at_most": 1, "each": "rtt_ms"})


def test_over_another_clock_times_are_of_one_unit():
    rows = [line("quic", 3, metric="finished_s", unit="s", sd=0.01), line("quic", 2000, metric="ttlb_ms", unit="ms")]
    said = {"arms": "quic", "metric": "finished_s", "over": {"metric": "ttlb_ms"}, "at_most": 2}
    (found,) = judged(rows, said).found
    assert found.estimate.value == pytest.approx(1.5) and found.holds


def test_what_a_text_says_to_lie_between_two_numbers_is_held_to_both():
    rows = [line("quic", 2.5, sd=math.nan, least=2.0, most=3.0, loss_pct=2.0), line("quic", 1, sd=math.nan)]
    said = {"arms": "quic", "where": {"loss_pct": 2}, "over": {"loss_pct": 0}}
    assert judged(rows, said | {"within": [2, 3]}).holds is True
    assert judged(rows, said | {"at_most": 2.6}).holds is None


def test_a_metric_that_no_load_has_is_made_of_one_that_it_has():
    rows = [line("quic", 50, metric="connect_ms", server="lsquic"), line("tcp", 50, metric="connect_ms", server="h2o")]
    (found,) = judged(rows, {"metric": "handshake_ms", "at_least": 1}).found
    assert (found.left.value, found.right.value) == (68, 50)


@pytest.mark.parametrize(
    ("quic", "sd", "holds"), [(110, 1, True), (90, 1, False), (101, 9, False), (110, math.nan, None)]
)
def test_what_has_to_be_significant_fails_where_its_interval_does_not_say_so(quic, sd, holds):
    rows = [line("quic", quic, sd), line("tcp", 100, sd)]
    assert judged(rows, {"significant": "right"}).holds is holds


@pytest.mark.parametrize(("long", "holds"), [(200, True), (150, False)])
def test_what_is_over_other_conditions_is_held_against_the_same_elsewhere(long, holds):
    means = {112.0: 150, 400.0: 100, 36.0: long, 9.0: 100}
    rows = [line("quic", mean, rtt_ms=rtt) for rtt, mean in means.items()]
    said = {
        "arms": "quic",
        "each": ["loss_pct"],
        "where": {"rtt_ms": 36},
        "over": {"rtt_ms": 9},
        "against": {"where": {"rtt_ms": 112}, "over": {"rtt_ms": 400}},
        "significant": "right",
    }
    (found,) = (one := judged(rows, said)).found
    assert (found.left.value, found.right.value, one.holds) == (long / 100, 1.5, holds)


@pytest.mark.parametrize(("quic", "sd", "holds"), [(100.1, 1, True), (110, 1, False), (110, math.nan, None)])
def test_what_is_not_to_be_significant_fails_where_it_is(quic, sd, holds):
    found = judged([line("quic", quic, sd), line("tcp", 100, sd)], {"significant": "none"})
    assert (found.holds, found.met) == (holds, int(holds is True))


@pytest.mark.parametrize(("far", "holds"), [((80, 100), True), ((120, 100), False), ((100, 100), False)])
def test_a_verdict_is_the_same_as_that_which_it_is_against(far, holds):
    rows = [*pair(90, 100), *pair(*far, rtt_ms=112.0)]
    said = {"where": {"rtt_ms": 36}, "against": {"where": {"rtt_ms": 112}}, "significant": "same"}
    assert judged(rows, said).holds is holds


@pytest.mark.parametrize(("first", "holds", "opposite"), [(110, True, 0), (130, False, 1), (100.1, None, 0)])
def test_most_squares_are_significant_and_within_bounds_and_none_beyond_them(first, holds, opposite):
    """A square that is not significant counts for neither."""
    rows = [*pair(first, 100), *pair(115, 100, rtt_ms=112.0), *pair(100.1, 100, rtt_ms=400.0)]
    found = judged(rows, {"significant": "right", "within": [1.05, 1.2], "squares": "most"})
    assert (found.holds is True, found.opposite) == (bool(holds), opposite)


@pytest.mark.parametrize(("own", "holds"), [(101, True), (104, False), (96, False)])
def test_a_mean_is_within_the_prediction_interval_of_the_printed_one(own, holds):
    printed = [line("tcp", 100, sd=4.0, n=20)]
    said = {"value": "quic", "over": {"column": "published", "arm": "tcp"}, "quantity": "prediction_reach"}
    (found,) = (one := judged([line("quic", own)], said | {"within": [-1, 1]}, published=printed)).found
    assert one.holds is holds and (found.estimate.value > 0) is (own > 100)
    unknown = [line("tcp", 100, sd=math.nan)]
    assert judged([line("quic", own)], said | {"within": [-1, 1]}, published=unknown).found == ()


ARMS = ("a72", "a85", "a92", "a103", "b72", "b85")
STEPS = {"steps": "a*", "significant": "none"}


def steps(last=100.0, arms=ARMS):
    return [line(arm, last if arm == "a103" else 100) for arm in arms]


def test_steps_are_between_arms_that_follow_one_another_in_the_sweep():
    found = judged(steps(), STEPS)
    assert [one.pair for one in found.found] == [("a72", "a85"), ("a85", "a92"), ("a92", "a103")] and found.holds
    assert [one.holds for one in judged(steps(110), STEPS).found] == [True, True, False]


@pytest.mark.parametrize(
    ("asked", "holds"),
    [
        ({}, False),  # p is 0.0054
        ({"holm": True}, True),
        ({"steps": "a9*|a1*"}, False),
        ({"steps": "a9*|a1*", "holm": True}, False),  # a family of one
        ({"steps": "a9*|a1*", "holm": "a*"}, True),
        ({"steps": "a9*|a1*", "holm": ["a*", "b*"]}, True),
    ],
)
def test_holm_corrects_for_all_numbers_of_the_family(asked, holds):
    found = judged(steps(100.93), STEPS | asked)
    assert found.found[-1].estimate.p_value == pytest.approx(0.0054, abs=0.0005)
    assert found.holds is holds


@pytest.mark.parametrize(("slowest", "holds"), [(104, True), (106, False)])
def test_a_spread_of_means_is_that_of_the_slowest_over_the_quickest(slowest, holds):
    rows = [line("a72", 101), line("a85", slowest), line("a92", 100)]
    found = judged(rows, {"spread": "a*", "by": "value", "at_most": 1.05})
    assert found.found[0].estimate.value == slowest / 100 and found.holds is holds
    assert judged([*rows, line("a103", 1, n=0)], {"spread": "a*", "by": "value", "at_most": 1.05}).holds is None


@pytest.mark.parametrize(
    ("asked", "holds"),
    [
        ({"squares": "median", "at_most": 0.91}, True),
        ({"squares": "median", "at_most": 0.89}, False),
        ({"squares": "sum", "within": [2.89, 2.91]}, True),
        ({"squares": "sum", "at_most": 2.8}, False),
        ({"all": [{"squares": "median", "at_most": 0.91}, {"squares": "told", "at_most": 0}]}, True),
    ],
)
def test_one_number_of_all_squares_decides_or_none(asked, holds):
    assert judged(SQUARES, asked | {"by": "value"}).holds is holds
    assert judged(SQUARES[:2], {"squares": "median", "at_most": 2}, of=3).holds is None


@pytest.mark.parametrize(("statistic", "bound"), [("sd", 3.0), ("cv", 1.5)])
def test_a_standard_deviation_is_told_by_itself_or_over_the_mean(statistic, bound):
    rows = [line("quic", 200, sd=30.0), line("tcp", 100, sd=10.0)]
    assert judged(rows, {"statistic": statistic, "within": [bound - 1e-9, bound + 1e-9]}).holds


PRINTED = [line("quic", 100), line("tcp", 100, sd=10.0)]


def of_bases(quantity, form, **bounds):
    rows = [line("tcp", 104, sd=10.0), line("quic", 90, sd=10.0), line("tcp", 140, sd=10.0, rtt_ms=112.0)]
    said = {"quantity": quantity, "over": {"column": "published", "rtt_ms": 36}, "where": {"rtt_ms": 36}}
    return judged(rows, said | form | bounds, published=PRINTED)


FARTHER = {"value": "tcp", "against": {"where": {"rtt_ms": 112}, "over": {"column": "published", "rtt_ms": 36}}}


@pytest.mark.parametrize(
    ("quantity", "form", "value"),
    [
        ("relative_error", {"value": "tcp"}, 0.04),
        ("relative_error", {"ratio": ["quic", "tcp"]}, 2.5),
        ("relative_error", FARTHER, 0.1),
        ("log10_mean_likelihood", FARTHER, 19.5 * math.log10((1 + 160 / 38) / (1 + 1.6 / 38))),  # t, 38 degrees
        ("log10_variance_likelihood", FARTHER, 0.0),
        ("log10_likelihood", FARTHER, 13.63),
    ],
)
def test_how_far_a_mean_is_from_the_printed_one_is_held_against_that_of_others(quantity, form, value):
    assert of_bases(quantity, form, at_least=value - 0.05, at_most=value + 0.05).holds
    assert not of_bases(quantity, form, at_least=value + 0.06).holds


def test_a_verdict_is_held_against_the_published_one():
    said = {"significant": "same", "against": {"column": "published"}}
    assert judged(pair(90, 100), said, published=pair(80, 100)).holds is True
    assert judged(pair(90, 100), said, published=pair(100, 80)).holds is False


def test_parts_may_have_parts():
    at = [{"where": {"rtt_ms": rtt}, "squares": {"least": 1, "of": 1}, "at_most": 1} for rtt in (36, 400)]
    any_of = {"squares": "any", "all": at}
    assert judged(SQUARES, {"all": [any_of, {"where": {"rtt_ms": 112}, "at_most": 1, "squares": "every"}]}).holds
    found = judged(SQUARES, {"all": [any_of, {"where": {"rtt_ms": 400}, "at_most": 1, "squares": "every"}]})
    assert found.holds is False and [len(one.parts) for one in found.found] == [2, 1]


def test_of_several_series_the_first_that_has_the_square_counts():
    printed = [line("tcp", 50, series="b"), line("tcp", 20, series="a", rtt_ms=112.0), line("tcp", 25, series="a")]
    rows = [line("tcp", 100), line("tcp", 100, rtt_ms=112.0)]
    columns = {"reference": Column(lambda series: rows)}
    columns["published"] = Column(lambda series: [row for row in printed if row["series"] == series])
    said = {"value": "tcp", "over": {"column": "published", "series": ["b", "a"]}, "at_most": 9}
    found = judge(Criterion.parse(said), RULE, columns, "reference").found
    assert [one.estimate.value for one in found] == [2, 5]
