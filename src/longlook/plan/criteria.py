"""Criteria: what of which cells is held against which bounds. Data, frozen and validated.

Predictions and claims (`plan/statements.py`) are criteria with a sentence; `analysis/judge.py` judges by them. A
criterion selects (`series`, `arms`, `where`, `each`), takes a `statistic` of a
`metric`, makes a number of it (`value`, `ratio`, `difference`, `spread`, `steps`; `over` the same arms under other
conditions, or `against` the same number of other arms or of another series), holds it against bounds (`within`,
`at_least`, `at_most`, `significant`) and asks it of every square, of some (`squares`), of any or of none.
`all` joins several. What one does not say, what it is part of says, then `[judging]`. A criterion that wants an `if` is
a quantity that is missing: there are no expressions.
"""

from __future__ import annotations

import math
import string
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, PrivateAttr, model_validator

from longlook.plan.conditions import ARM, PLACE
from longlook.plan.value import Many, Name, PlanError, Text, Value, listed, nearest

FORMS = ("value", "ratio", "difference", "spread", "steps", "arms")
BOUNDS = ("within", "at_least", "at_most", "significant")
BESIDE = ("column", "series", "metric", "sweep")
"""What `over` may name besides columns: another column of the evidence, another series, another clock, or one sweep,
whose own campaign then counts, whatever measured its series since."""
COLUMNS = (*PLACE, "netem", *ARM)
TOLD = (
    "value", "low", "high", "left", "right", "percent", "times", "ms", "trips", "met", "of", "size", "one", "other",
    "left_percent", "right_percent", "left_pct", "right_pct", "p", "pct", "unmet", "opposite", "pair", "link",
    "left_share", "right_share", "beyond", "unshown", "share", "left_median", "right_median", "least_pct",
    "greatest_pct", "pooled",
)  # fmt: skip
"""What templates have beside the columns."""
ARMS_OF_SPREAD = ("slowest", "quickest")
"""The arms that a spread is of, each with its columns: `{slowest[client]}`."""
ENDS = ("least", "greatest")
"""What a summary has of each of its bounds, in their order: `{least[0]}`."""
OF_PAIRS = (
    "late_share", "kept_median", "first_loss_correlation", "paired_ratio", "early_loads", "least_told_pct",
    "rate_ratio", "rate_share", "jain", "wrapped_lead_p50", "wrapped_lead_p75",
)  # fmt: skip
"""What `analysis/quantities.py` makes of the numbered loads of two arms; or of one, where there is a number of one."""
FIRST_LOST = "first_lost_packet"
"""In place of a metric, the number of the first packet from the server that the link lost in a load: from its seed."""
OF_CPU = ("cpu_s_per_gb", "both_cpu_s_per_gb", "cpu_used_pct", "busier_cpu_used_pct")
OF_ARMS = ("throughput_mb_s", "goodput_mbps", *OF_CPU, "stall_s", "plt_without_work_ms")
"""What it makes of the loads of one, of which then a ratio or a difference is made."""
OF_RECORDS = ("main_ms", "styles_ms", "before_pct")
"""What records say of each load, of which then the median is taken: in which order a web page arrived."""
OF_LOADS = ("wrapped_ms",)
"""What is made of a metric of each load, of which then the median is taken."""
BETWEEN = ("after_last_byte_ms",)
"""Of each load the difference of two metrics, of which then the least or the greatest is taken."""
REACH = "prediction_reach"
"""How far a mean is from the one that it is over, in times of how far as many further samples of that one would have
theirs in 99 of 100 cases: within 1 it is met."""
LOG_LIKELIHOODS = ("log10_mean_likelihood", "log10_variance_likelihood", "log10_likelihood")
"""Of the mean that it is over, of its variance, and of both, if they are of the same kind as its loads."""
OF_BASES = (REACH, "relative_error", *LOG_LIKELIHOODS)
"""What is made of a mean and the one that it is over; against another, how many times that one's it is, or of a
logarithm the difference."""
TENTHS = tuple(f"acked_{pct}_pct_ms" for pct in range(10, 101, 10))
"""When so much of what is acknowledged in the end of a transfer had been, since its start."""
WHOLE = TENTHS[-1]
OF_COURSES = (
    "acked_first_ms", *TENTHS, "best_trip_pct", "thin_pct", "limited_pct", "lost_packets", "in_flight_median_kb",
    "in_flight_most_kb", "window_kept",
)  # fmt: skip
"""What `analysis/course.py` makes of one transfer over its time. Of an arm's repeats that in the middle by WHOLE
counts; the interval reaches over every choice of them."""
APART = "acked_apart_pct"
"""Of two transfers by how much of the second's whole time they are apart at any tenth."""
OF_RUNS = (*OF_COURSES, APART)
QUANTITIES = (*OF_PAIRS, *OF_ARMS, *OF_RECORDS, *OF_LOADS, *BETWEEN, *OF_BASES, *OF_RUNS)
CPU_METRICS = ("client_cpu_s", "server_cpu_s")
Number = float | int


def _pairs(data: Any) -> Any:
    """One pair of arms, or several."""
    return [data] if isinstance(data, list) and data and not isinstance(data[0], list) else data


class Range(Value):
    """A condition that is not one value, nor one of several."""

    least: Number | None = None
    most: Number | None = None
    stated: bool | None = Field(default=None, description="false: the link or the arm does not have it")

    def has(self, value: Any) -> bool:
        """Whether a value lies in it."""
        if self.stated is not None and (value is not None) is not self.stated:
            return False
        if self.least is None and self.most is None:
            return True
        return value is not None and (
            (-math.inf if self.least is None else self.least) <= value <= (math.inf if self.most is None else self.most)
        )


Condition = Range | bool | Number | str | list[Number | str]
Where = dict[str, Condition]
Arms = Many[str]
"""By name, or with shell patterns; `|` joins several."""


class Squares(Value):
    """So many squares at least or at most, of so many, and no more that are the opposite."""

    least: int | None = Field(default=None, ge=1)
    most: int | None = Field(default=None, ge=0)
    of: int = Field(ge=1)
    opposite: int | None = Field(default=None, ge=0, description="significant, and the other one of the two is less")

    @model_validator(mode="after")
    def _can_be_met(self) -> Self:
        if (self.least or 0) > self.of:
            raise ValueError(f"least = {self.least} of {self.of} squares can never be met")
        if self.least is None and (self.most is None or self.most >= self.of):
            raise ValueError(f"of {self.of} squares it asks nothing: least, or most below that")
        return self


def _require_columns(names: Iterable[str]) -> None:
    for name in names:
        if name not in COLUMNS:
            raise ValueError(f"no condition {name!r}{nearest(name, COLUMNS)}")


def _require_base(over: Where | None) -> None:
    for name in over or ():
        if name not in (*COLUMNS, *BESIDE):
            raise ValueError(f"over: no condition {name!r}{nearest(name, (*COLUMNS, *BESIDE))}")


class Rule(Value):
    """What all criteria have, and `[judging]` for those that do not say it."""

    called = "a criterion"

    series: Many[Name] | None = None
    arms: Arms | None = None
    where: Where = Field(default={})
    each: Many[str] | None = Field(
        default=None, description="columns that make the squares; default: every condition that `over` does not name"
    )
    metric: Name | None = None
    quantity: Name | None = Field(default=None, description="of QUANTITIES, in place of a statistic of the metric")
    statistic: Literal["mean", "sd", "cv", "slope", "lowest-median", "growth", "least", "greatest", "count"] | None = (
        Field(
            default=None,
            description="sd: standard deviation; cv: over the mean; growth: by what share the mean is above that of "
            "what it is over; least, greatest: of any load; count: of loads that count",
        )
    )
    unit: Literal["trips", "points", "s", "times"] | None = Field(
        default=None,
        description="of a time: round trips of the link, or seconds; of a ratio against another: percentage points "
        "between the two, of a difference against another how many times that it is, both by the numbers alone",
    )
    tell: Literal["each", "ends"] | None = Field(
        default=None, description="of more than three numbers each, or the ends and those that are not as predicted"
    )
    value: Arms | None = None
    ratio: Annotated[Many[Many[str]], BeforeValidator(_pairs)] | None = None
    difference: Annotated[Many[Many[str]], BeforeValidator(_pairs)] | None = None
    spread: Arms | None = Field(
        default=None, description="the slowest of the arms of a pattern over the quickest, or of those of `over.arm`"
    )
    steps: Arms | None = Field(
        default=None, description="ratios of each two arms of a pattern that follow one another in the sweep"
    )
    name: Text = Field(default="", description="template of what a reader calls a square")
    told: Text = Field(default="", description="template of what is told of a square")
    endless: Text = Field(default="", description="the same of a ratio to nothing, or of an interval without an end")
    neither: Text = Field(default="", description="the same where both of two are 0")
    along: Literal["rtt_ms", "total_bytes", "bandwidth_mbps"] | None = Field(default=None, description="of a slope")
    by: Literal["interval", "value", "several"] | None = Field(
        default=None,
        description="99 %: all of it inside holds, across a bound is open; or the number alone; several: the interval, "
        "and what is measured too few times to have one decides nothing",
    )

    @model_validator(mode="after")
    def _known_columns(self) -> Self:
        _require_columns((*self.where, *(self.each or ())))
        return self

    @model_validator(mode="after")
    def _known_quantity(self) -> Self:
        if self.quantity is not None and self.quantity not in QUANTITIES:
            raise ValueError(f"no quantity {self.quantity!r}{nearest(self.quantity, QUANTITIES)}")
        return self

    @model_validator(mode="after")
    def _known_words(self) -> Self:
        for field in ("name", "told", "endless", "neither", "summary"):
            for _, name, _, _ in string.Formatter().parse(getattr(self, field, "")):
                if name is not None and not _is_column(name) and not (field == "summary" and _in_summary(name)):
                    raise ValueError(f"{field}: no {{{name}}} to tell{nearest(name, (*COLUMNS, *TOLD))}")
        return self


def _in_summary(name: str) -> bool:
    """Whether it is a number by its place, or the end of a bound's numbers."""
    return name.isdigit() or _bound_of(name) is not None


def _is_column(name: str) -> bool:
    """Whether templates have it of a square, or of one of the two arms of a spread."""
    arm, _, column = name.removesuffix("]").partition("[")
    return name in (*COLUMNS, *TOLD) or (arm in ARMS_OF_SPREAD and column in COLUMNS)


def _bound_of(name: str) -> int | None:
    """Of `least[1]` the place of the bound."""
    word, _, place = name.removesuffix("]").partition("[")
    return int(place) if word in ENDS and place.isdigit() and name.endswith("]") else None


class Against(Value):
    """What else a number is held against: the same of another series, under other conditions or of other arms."""

    called = "against"

    study: Name | None = Field(default=None, description="of another study's sweep")
    column: Literal["published"] | None = Field(default=None, description="of another column of the evidence")
    series: Many[Name] | None = None
    metric: Name | None = None
    where: Where = Field(default={})
    ratio: Annotated[Many[Many[str]], BeforeValidator(_pairs)] | None = None
    difference: Annotated[Many[Many[str]], BeforeValidator(_pairs)] | None = None
    over: Where | None = Field(default=None, description="what it is over, where the number is over something")

    @model_validator(mode="after")
    def _known_columns(self) -> Self:
        _require_columns(self.where)
        _require_base(self.over)
        return self


class Judging(Rule):
    """What the criteria of a file have in common."""

    also: dict[Text, Name] = Field(
        default={},
        description="claims: what is added to a column's title, and the metric or quantity by which it is judged again",
    )
    words: dict[str, Text] = Field(default={}, description="for templates: a series or an arm as a reader calls it")
    sweeps: Many[Name] = Field(default=(), description="of the study, whose cells are squares of its predictions too")
    own: bool = Field(default=False, description="the sweep's own campaign counts, whatever measured its series since")
    campaigns: int = Field(
        default=1, ge=1, le=100, description="planned; what was measured beyond them began with results known"
    )


class Criterion(Rule):
    """One leaf, or `all` of several, which have what their parent says."""

    over: Where | None = None
    against: Annotated[Many[Against], BeforeValidator(listed)] = Field(
        default=(), description="of several, in points: how far outside what they span it is"
    )
    within: Many[Number] | None = Field(default=None, min_length=2, max_length=2)
    at_least: Number | None = None
    at_most: Number | None = None
    significant: Literal["left", "right", "none", "same"] | None = Field(
        default=None,
        description="which of two is less: all of the interval on its side of once, or of none; `none`: neither is; "
        "`same`: what is also found of the number that it is against; left and right may have bounds, too",
    )
    holm: Literal[True] | Arms | None = Field(
        default=None,
        description="what is significant is so by Holm's correction: over all its numbers, or over every "
        "step between arms of these patterns in its series",
    )
    squares: Squares | Literal["every", "any", "none", "not-every", "most", "told", "median", "sum"] = Field(
        default="every",
        description="of how many squares, all parts together, it is asked (most: of more than half, and none is the "
        "opposite; told: of none; median, sum: of that one number, by value); within `all`: these together are one "
        "part, called by `name`, its squares by `told`",
    )
    all: Many[Criterion] = ()
    summary: Text = Field(
        default="",
        description="template of what is told of all, each by its place ({0}), or the ends of a bound's numbers "
        "({least[0]}, {greatest[0]}); default: each, joined",
    )

    _part_of: tuple[Criterion, ...] = PrivateAttr(default=())

    @property
    def part_of(self) -> tuple[Criterion, ...]:
        """Of a leaf the criteria within `all` that have squares of their own, each one's numbers together one part of
        the one before; the outermost first."""
        return self._part_of

    @model_validator(mode="after")
    def _bounds_can_be_met(self) -> Self:
        if self.within is not None and (self.at_least is not None or self.at_most is not None):
            raise ValueError("within has both bounds; at_least and at_most are one each")
        if self.significant in ("none", "same") and self.bounds != (-math.inf, math.inf):
            raise ValueError(f'significant = "{self.significant}" has no other bound')
        if self.bounds[0] > self.bounds[1]:
            raise ValueError(f"no number lies within {self.bounds[0]:g} and {self.bounds[1]:g}")
        if self.ratio and self.bounds[1] < 0:
            raise ValueError(f"a ratio of times is never below {self.bounds[1]:g}")
        return self

    @model_validator(mode="after")
    def _known_base(self) -> Self:
        _require_base(self.over)
        return self

    @property
    def counts_tests(self) -> bool:
        """Whether it is of which of two means is significantly less, uncorrected: Holm's correction can be made."""
        mean = self.statistic in (None, "mean") and self.quantity is None and not self.against
        return self.significant in ("left", "right") and self.holm is None and mean

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest that it allows."""
        if self.within is not None:
            return self.within[0], self.within[1]
        return (
            -math.inf if self.at_least is None else self.at_least,
            math.inf if self.at_most is None else self.at_most,
        )

    @property
    def told_bounds(self) -> int:
        """How many of its bounds its summary tells the ends of."""
        names = (name for _, name, _, _ in string.Formatter().parse(self.summary) if name)
        return max((place + 1 for name in names if (place := _bound_of(name)) is not None), default=0)

    @property
    def places(self) -> int:
        """How many numbers its summary names by place."""
        names = (name for _, name, _, _ in string.Formatter().parse(self.summary))
        return max((int(name) + 1 for name in names if name and name.isdigit()), default=0)

    @property
    def pairs(self) -> tuple[tuple[str, ...], ...]:
        """The arms of each number: one, or the two of a ratio or difference."""
        alone = self.spread or self.steps or self.value or self.arms or ()
        return self.ratio or self.difference or tuple((one,) for one in alone)

    def pairs_against(self, against: Against) -> tuple[tuple[str, ...], ...]:
        """The arms of what each number is held against, in the order of `pairs`."""
        return against.ratio or against.difference or self.pairs

    def leaves(self, judging: Judging) -> Iterator[Criterion]:
        """What it joins, each with all that it is said by what it is part of."""
        yield from self._leaves(
            {key: getattr(judging, key) for key in Rule.model_fields.keys() & judging.model_fields_set}
        )

    def _leaves(self, above: Mapping[str, Any]) -> Iterator[Criterion]:
        own = {key: getattr(self, key) for key in Criterion.model_fields.keys() & self.model_fields_set}
        for choice in (FORMS, BOUNDS):  # who says one says it in place of the others
            if own.keys() & set(choice):
                above = {key: value for key, value in above.items() if key not in choice}
        found = {**above, **own, "where": {**above.get("where", {}), **self.where}}
        if self.all:
            below = {key: value for key, value in found.items() if key not in ("all", "squares")}
            for one in self.all:
                part = one if one.summary else one.model_copy(update={"summary": self.summary})
                for leaf in one._leaves(below):
                    if "squares" in one.model_fields_set:
                        leaf._part_of = (part, *leaf._part_of)
                    yield leaf
        else:
            yield Criterion.model_construct(**found).complete()

    def complete(self) -> Self:
        """Itself; a `PlanError` where it says too little to be judged."""
        if not self.pairs:
            raise PlanError("it says neither value, ratio, difference nor arms: of what?")
        if self.bounds == (-math.inf, math.inf) and not self.significant:
            raise PlanError("it has no bound: within, at_least, at_most or significant")
        if self.significant and not (self.ratio or self.difference or self.steps or self.over):
            raise PlanError("significant is one of two numbers: a ratio, a difference, or over other conditions")
        if self.significant == "same" and not (self.against and (self.ratio or self.difference)):
            raise PlanError("the same is found of two numbers: a ratio or a difference, and against")
        opposite = self.squares.opposite if isinstance(self.squares, Squares) else None
        if opposite is not None and self.significant in (None, "none"):
            raise PlanError("opposite squares are those of what is to be significant: left, right or same")
        if self.holm and (self.significant in (None, "same") or self.statistic not in (None, "mean") or self.against):
            raise PlanError("holm corrects tests of two means: significant, left, right or none")
        if self.statistic == "growth" and not (self.ratio and self.over):
            raise PlanError("growth is a ratio of two arms', over other conditions")
        if self.metric is None:
            raise PlanError("it has no metric, and [judging] has none")
        for one in self.against:
            self._require_against(one)
        if len(self.against) > 1 and self.unit != "points":
            raise PlanError('what several span is told of in points: unit = "points"')
        if self.unit == "points" and not (self.ratio and self.against):
            raise PlanError('points are between two ratios: unit = "points" needs ratio and against')
        if self.unit == "times" and not (self.difference and self.against):
            raise PlanError('times are of two differences: unit = "times" needs difference and against')
        if self.quantity in OF_ARMS and self.statistic not in (None, "mean"):
            raise PlanError(f"{self.quantity} is a mean: it has no other statistic")
        if self.quantity in (*OF_RECORDS, *OF_LOADS) and self.statistic != "lowest-median":
            raise PlanError(f'{self.quantity} is of each load: statistic = "lowest-median"')
        if self.quantity in BETWEEN and self.statistic not in ("least", "greatest"):
            raise PlanError(f"{self.quantity} is of each load: the least or the greatest")
        if self.quantity in OF_CPU and self.metric not in CPU_METRICS:
            raise PlanError(f"{self.quantity} is of {' or '.join(CPU_METRICS)}, not of {self.metric}")
        if self.quantity in OF_BASES and (self.over is None or self.difference or self.statistic not in (None, "mean")):
            raise PlanError(f"{self.quantity} is of a mean over another, and of nothing else")
        if self.quantity in OF_RUNS:
            self._require_runs()
        if (self.statistic == "slope") is not (self.along is not None):
            raise PlanError("a slope is along a condition, and nothing else is")
        return self

    def _require_runs(self) -> None:
        two, over = self.ratio or self.difference, self.over is not None
        if self.statistic not in (None, "mean") or self.against or self.significant or "column" in (self.over or {}):
            raise PlanError(f"{self.quantity} is of the repeat in the middle: bounds alone, and nothing against")
        if (two and over) or (self.quantity == APART and not (two or over)):
            raise PlanError(f"{self.quantity}: one arm over other conditions, or two that are a ratio or a difference")

    def _require_against(self, against: Against) -> None:
        if against.study is not None and self.statistic == "lowest-median":
            raise PlanError("of another study the means are known: no statistic of its loads")
        if (self.over is None) is not (against.over is None):
            raise PlanError("what is over other conditions is held against what is over some: over, and against.over")
        if self.over is None and not (self.ratio or self.difference):
            raise PlanError("what is held against another number is a ratio, a difference, or over other conditions")
        if self.over is not None and (self.ratio or self.difference or self.statistic == "lowest-median"):
            raise PlanError("what is over other conditions and against another number is the mean of one arm")
        if (against.ratio and not self.ratio) or (against.difference and not self.difference):
            raise PlanError("a ratio is held against a ratio, a difference against a difference")
        if len(self.pairs_against(against)) != len(self.pairs):
            raise PlanError(f"{len(self.pairs)} numbers against {len(self.pairs_against(against))}: one for each")
