"""The claims about sessions of a film, with known sessions, with few of them, without stalls and without any."""

import math
from dataclasses import dataclass, field

import pytest
from book_sample import PUBLISHED

from longlook.book import data as book_data
from longlook.book.claimed import verdict
from longlook.book.shreedhar2022 import sessions_claims
from longlook.book.shreedhar2022.sessions import LONG, LOSSES, QUIC, SHORT, TCP, Played
from longlook.book.shreedhar2022.sessions_claims import APART, CLAIMS, Measured, Printed
from longlook.book.value import NOT_YET
from longlook.experiment.metrics import STALLED, STALLS, STARTUP, SWITCHES
from longlook.published import shreedhar2022 as published

BOTH = (SHORT, LONG)


@dataclass(frozen=True)
class Known(Played):
    """Sessions by series, loss, arm and metric."""

    table: dict = field(default_factory=dict)

    def _by_session(self, series, loss_pct, arm, metric):
        return dict(enumerate(self.table.get((series, loss_pct, arm, metric), ()), start=1))


def known(series=BOTH, sessions=6, **metrics):
    """`metrics`: name -> function of loss and arm that gives a session's value, to which a thousandth is added for each
    session where it is no count."""
    table = {
        (one, loss, arm, name): [
            of(loss, arm) * (1 + number / 1000 * (name not in COUNTS)) for number in range(sessions)
        ]
        for one in series
        for loss in LOSSES
        for arm in (QUIC, TCP)
        for name, of in metrics.items()
    }
    return Measured(Known(None, "", table))


COUNTS = (STALLS.name, SWITCHES.name)


def parts(number, own):
    claim = next(claim for claim in CLAIMS if claim.name.endswith(number))
    found = claim.parts(own)
    assert len(found) <= claim.of
    return {part.name: (part.numbers, part.holds) for part in found}


def verdicts(own):
    return {claim.name[-2:]: verdict(found, claim.of) for claim in CLAIMS if (found := claim.parts(own))}


def test_what_is_printed_is_held_to_the_same_bounds():
    assert verdicts(Printed()) == {
        "09": "holds (2 of 3 parts)",
        "10": "holds (1 of 2 parts)",
        "11": "holds (3 of 6 parts)",
        "12": "holds (3 of 6 parts)",
    }
    assert parts("09", Printed())["10 %"] == ("\N{MINUS SIGN}10.9 %", True)
    assert parts("10", Printed()) == {"3 minutes": ("up to +50.0 %", True)}
    assert parts("11", Printed())["3 minutes, 10 %"] == ("2.2 by HTTP/2, 2.08 by HTTP/3", True)
    found = published.streamed()
    assert pytest.approx(found[published.STALLS, 10, TCP] - found[published.STALLS, 10, QUIC]) == APART


def test_start_up_is_compared_by_medians_of_the_sessions_of_a_minute():
    def startup(loss, arm):
        return 300.0 if loss < 5 else 600.0 if arm == QUIC else 1000.0

    own = known(**{STARTUP.name: startup})
    assert [holds for _, holds in parts("09", own).values()] == [True, True, True]
    assert parts("09", own)["5 %"][0].startswith("\N{MINUS SIGN}40.0 % (")
    assert parts("09", known(series=(LONG,), **{STARTUP.name: startup})) == {}
    later = known(**{STARTUP.name: lambda loss, arm: 300.0 if arm == TCP else 330.0})
    assert [holds for _, holds in parts("09", later).values()] == [False, False, False]


def test_how_long_a_stall_takes_is_of_the_sessions_that_stood_still():
    took = known(**{STALLS.name: lambda loss, arm: 2.0, STALLED.name: lambda loss, arm: 6e3 if arm == TCP else 4e3})
    for text, holds in parts("10", took).values():
        assert holds is True and text.startswith("3.0 against 2.0 s, +50.0 % (")
    some = Known(
        None,
        "",
        {
            (LONG, 10.0, arm, name): values
            for arm, stood in ((QUIC, [0.0, 2000.0, 2010.0]), (TCP, [0.0, 4000.0, 4010.0]))
            for name, values in ((STALLS.name, [0, 1, 1]), (STALLED.name, stood))
        },
    )
    assert some.stall_ms(LONG, 10.0, QUIC) == [2000.0, 2010.0]
    text, holds = parts("10", Measured(some))["3 minutes"]
    assert holds is False and text.startswith("4.0 against 2.0 s, +99.8 %")


def test_where_nothing_stalls_there_is_no_ratio():
    still = known(**{STALLS.name: lambda loss, arm: 0.0, STALLED.name: lambda loss, arm: 0.0})
    assert parts("10", still) == dict.fromkeys(("1 minute", "3 minutes"), ("no stalls of either", None))
    fewer = parts("11", still)
    assert set(fewer.values()) == {("no stalls of either", True), ("no stalls of either", False)}
    assert [name for name, (_, holds) in fewer.items() if not holds] == ["1 minute, 10 %", "3 minutes, 10 %"]
    alone = known(**{STALLS.name: lambda loss, arm: float(arm == TCP), STALLED.name: lambda loss, arm: 900.0})
    assert parts("10", alone)["1 minute"] == ("no stalls by HTTP/3", None)


def test_a_single_session_decides_nothing():
    own = known(
        sessions=1,
        **{
            STARTUP.name: lambda loss, arm: 300.0 if arm == QUIC else 900.0,
            STALLS.name: lambda loss, arm: 2.0 + (arm == TCP),
            STALLED.name: lambda loss, arm: 2e3 if arm == QUIC else 4.5e3,
            SWITCHES.name: lambda loss, arm: 0.0,
        },
    )
    found = [part for number in ("09", "10", "11", "12") for part in parts(number, own).values()]
    assert len(found) == 3 + 2 + 6 + 6 and {holds for _, holds in found} == {None}
    assert sum("no interval" in text for text, _ in found) == 11 and sum("no changes" in text for text, _ in found) == 6
    assert parts("10", own)["1 minute"][0] == "1.5 against 1.0 s, +50.0 % (no interval)"


@pytest.mark.parametrize(("sessions", "holds"), [(3, None), (6, True)])
def test_counts_that_never_vary_differ_only_where_so_many_sessions_can_tell_it(sessions, holds):
    own = known(sessions=sessions, **{STALLS.name: lambda loss, arm: float(loss == 10 and arm == TCP)})
    assert parts("11", own)["3 minutes, 10 %"][1] is holds
    assert parts("11", own)["3 minutes, 0 %"] == ("no stalls of either", True)
    more = known(sessions=sessions, **{SWITCHES.name: lambda loss, arm: 4.0 + (arm == QUIC)})
    assert parts("12", more)["1 minute, 10 %"][1] is holds
    assert parts("12", more)["1 minute, 5 %"][1] is (None if holds is None else False)


def test_an_interval_across_a_bound_leaves_a_part_open():
    table = {
        (LONG, loss, arm, STALLS.name): values
        for loss in LOSSES
        for arm, values in ((QUIC, [2, 2, 3]), (TCP, [2, 3, 3]))
    }
    text, holds = parts("11", Measured(Known(None, "", table)))["3 minutes, 10 %"]
    assert holds is None and text.startswith("2.67 by HTTP/2, 2.33 by HTTP/3 (difference \N{MINUS SIGN}")


def test_without_a_campaign_what_is_printed_stands_alone(tmp_path):
    nothing = book_data.read(PUBLISHED, tmp_path)
    assert list(sessions_claims.evaluate(nothing)) == ["Published"]
    text = sessions_claims.claims(nothing).data
    assert "holds (2 of 3 parts)" in text and NOT_YET not in text and 'id="shreedhar2022-09"' in text
    assert math.isnan(Printed().startup(5.0).low) and Printed().startup(0.0) is None
