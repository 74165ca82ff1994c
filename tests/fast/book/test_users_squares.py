"""Twenty squares by root and by an ordinary user, of known loads."""

import pytest
from users_sample import by_root_and_user

from longlook.book import users
from longlook.figure import style

LOADS = 20
QUIC_MS, TCP_MS, STEP_MS = 200.0, 210.0, 0.2


def measured(folder, extra_ms=0.0, later=0, turned=0, disturbed=1, missing=0):
    """Both sweeps' tables. Loads of an arm are a step apart; the means of the user's first `later` squares are
    `extra_ms` above root's; in so many of his squares TCP is ahead, in each cell so many loads are disturbed, and so
    many of his squares are missing."""

    def times(number):
        found = {}
        for arm, mean in (("quic", QUIC_MS), ("tcp", TCP_MS)):
            late = extra_ms * (1 <= number <= later) + 12.0 * (arm == "quic" and 1 <= number <= turned)
            found[arm] = [mean + late + (index - LOADS / 2) * STEP_MS for index in range(LOADS + 1)]
        return found

    return by_root_and_user(folder, "with-root", "without-root", times, disturbed, missing)


def found_in(data):
    return users.judged_squares(*users._both(data))


@pytest.mark.parametrize(
    ("how", "expected", "word"),
    [
        ({}, [True, True, True], "alike"),
        ({"later": 1, "extra_ms": 3.0}, [True, True, True], "close"),  # two of 40 means, by less than 3.5 ms
        ({"later": 20, "extra_ms": 3.4}, [True, True, True], "close"),
        ({"later": 1, "extra_ms": 4.5}, [False, True, True], "different"),  # and by more than 2 %
        ({"turned": 1}, [True, False, True], "alike"),  # one mean of 40 is what chance explains
        ({"disturbed": 0}, [True, True, False], "alike"),
        ({"missing": 1}, [None, None, True], "alike"),
    ],
)
def test_what_was_predicted_of_the_squares_is_held_against_root(tmp_path, how, expected, word):
    judged = found_in(measured(tmp_path, **how))
    assert [one.holds for one in judged] == expected
    assert judged[0].found.startswith(word + ":")


def test_the_table_has_a_row_per_square_with_both(tmp_path):
    shown = users.squares_table(measured(tmp_path, turned=1)).data
    assert shown.count("<tr>") == 22  # two of them the head
    assert "<td class=num>200</td><td class=num>200</td><td class=num>210</td><td class=num>210</td>" in shown
    assert shown.count(f"<b>{style.signed_pct((210 / 200 - 1) * 100)}") >= 1
