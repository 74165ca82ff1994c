"""Interleaving: every load once, arms side by side, order from the seed; repeats bounded."""

import pytest

from longlook.experiment.schedule import Plan, draw_of, load_seed, schedule
from longlook.plan.cell import Cell

QUIC = {"stack": "quicv1", "protocol": "quic", "server": "envoy", "client": "chromium", "emulated_connections": 2}
TCP = {"stack": "quicv1", "protocol": "tcp", "server": "apache", "client": "chromium"}


def cell(*arms, **changes):
    base = {
        "study": "s",
        "series": "4.6a",
        "experiment": "plt",
        "arms": arms or (QUIC, TCP),
        "workload": {"size_kb": 5},
        "link": {"bandwidth_mbps": 10, "rtt_ms": 36},
        "loads": 20,
        "seed": 7,
    }
    return Cell.parse(base | changes)


def test_two_arms_are_measured_in_the_order_and_under_the_losses_that_they_always_were():
    """As of 2b30401; sealed campaigns can be measured again in the same order."""
    assert "".join(arm[0] for arm, _ in schedule(cell())) == "tqtqqttqtqqttqqttqtqqttqtqqttqqtqtqttqqtqt"
    control = cell(TCP, TCP, control=True, seed=2024)
    assert "".join(arm for arm, _ in schedule(control)) == "abababbababababaabbababaababbaababbabaabba"
    assert [load_seed(cell(), "quic", 3, 0), load_seed(cell(), "tcp", 0, 2)] == [
        4101629386050593254,
        4261980572239821489,
    ]
    aa = cell(QUIC, QUIC, control=True)
    assert [load_seed(aa, "a", 3, 0), load_seed(aa, "b", 3, 0)] == [3619249269379800371, 3020800380266027225]
    handshakes = cell(QUIC, QUIC | {"handshake": "1rtt"})
    assert load_seed(handshakes, "1rtt", 3, 1) == load_seed(handshakes, "0rtt", 3, 1) == 7472483585737404904


def test_every_load_once_and_both_arms_next_to_each_other():
    order = schedule(cell())
    assert sorted(order) == sorted([(arm, index) for arm in ("quic", "tcp") for index in range(21)])
    assert all(order[2 * i][1] == order[2 * i + 1][1] == i for i in range(21))


def test_order_depends_on_the_seed_alone_and_uses_both_orders():
    assert schedule(cell()) == schedule(cell())
    assert schedule(cell()) != schedule(cell(seed=8))
    first = {order[0] for order in zip(*[iter(schedule(cell()))] * 2, strict=True)}
    assert {arm for arm, _ in first} == {"quic", "tcp"}


def test_a_cell_against_itself_has_arms_a_and_b():
    assert {arm for arm, _ in schedule(cell(TCP, TCP, control=True))} == {"a", "b"}


def test_paired_loads_meet_the_same_loss_and_others_do_not():
    one = cell()
    assert load_seed(one, "quic", 3, 0) == load_seed(one, "tcp", 3, 0)
    assert len({load_seed(one, "tcp", index, draw) for index in range(21) for draw in range(3)}) == 63


def test_a_first_repeat_meets_the_losses_of_the_load_that_it_repeats_and_later_ones_others():
    assert [draw_of(attempt) for attempt in range(4)] == [0, 0, 1, 2]


def test_the_arms_of_an_aa_cell_meet_losses_of_their_own():
    one = cell(QUIC, QUIC, control=True)
    assert load_seed(one, "a", 3, 0) != load_seed(one, "b", 3, 0)


def test_repeats_go_to_the_end_and_are_bounded():
    plan = Plan(cell(loads=2))
    seen, repeated = [], 0
    for arm, index, attempt in plan:
        seen.append((arm, index, attempt))
        repeated += plan.repeat(arm, index, attempt)
    assert repeated == 6
    assert seen[6:][0][2] == 1
    assert len(seen) == 6 + 6


@pytest.mark.parametrize("count", [1, 3, 5])
def test_any_number_of_arms_is_interleaved_in_every_order(count):
    windows = [TCP | {"initial_window": 10 + n} for n in range(count)]
    one = cell(*windows, loads=200)
    order = schedule(one)
    names = set(one.arm_names)
    rounds = [order[start : start + count] for start in range(0, len(order), count)]
    assert all({arm for arm, _ in now} == names and len({index for _, index in now}) == 1 for now in rounds)
    assert {now[0][0] for now in rounds} == names == {now[-1][0] for now in rounds}
    assert len({load_seed(one, name, 1, 0) for name in names}) == 1


def test_the_arms_of_a_control_of_three_are_drawn_apart():
    one = cell(TCP, TCP, TCP, control=True)
    assert len({load_seed(one, name, 1, 0) for name in one.arm_names}) == 3
