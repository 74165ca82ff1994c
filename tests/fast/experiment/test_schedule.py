"""Interleaving: every load once, arms side by side, order from the seed; repeats bounded."""

import pytest

from longlook.experiment.schedule import Plan, draw_of, load_seed, schedule, settled
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
    for loads in plan:
        seen.append(loads)
        repeated += plan.repeat(loads)
    assert repeated == 6
    assert seen[3] == [(arm, index, 1) for arm, index, _ in seen[0]]
    assert len(seen) == 3 + 6


def record(load, accepted=True):
    arm, index, attempt = load
    own = {"arm": arm, "index": index, "attempt": attempt, "set_aside": index == 0, "accepted": accepted}
    return own | {"reject_reason": None if accepted else "disturbed"}


def walked(one, wrong, pairs=True):
    """Records of a cell of which the loads `wrong` are rejected."""
    plan, found = Plan(one, pairs), []
    for loads in plan:
        found += settled(plan, loads, [record(load, load not in wrong) for load in loads])
    return found


@pytest.mark.parametrize("arm", ["quic", "tcp"])
def test_both_loads_of_a_pair_are_measured_again_whichever_was_rejected(arm):
    found = walked(cell(loads=3), [(arm, 2, 0)])
    other = "tcp" if arm == "quic" else "quic"
    by_load = {(one["arm"], one["index"], one["attempt"]): one["reject_reason"] for one in found}
    assert (by_load[arm, 2, 0], by_load[other, 2, 0]) == ("disturbed", "pair_repeated")
    assert by_load[arm, 2, 1] is by_load[other, 2, 1] is None
    assert len(found) == 10
    counting = [(one["arm"], one["index"]) for one in found if one["accepted"] and not one["set_aside"]]
    assert sorted(counting) == [(name, index) for name in ("quic", "tcp") for index in (1, 2, 3)]


def test_a_pair_of_which_both_are_rejected_is_measured_again_once_and_a_cold_one_never():
    wrong = [(arm, index, 0) for arm in ("quic", "tcp") for index in (0, 2)]
    assert [one["attempt"] for one in walked(cell(loads=2), wrong)] == [0] * 6 + [1] * 2


def test_a_load_counts_where_its_pair_is_not_measured_again_for_want_of_repeats():
    wrong = [("tcp", 1, attempt) for attempt in range(9)]
    found = walked(cell(loads=1), wrong)
    assert [one["reject_reason"] for one in found if one["arm"] == "quic"] == [None, *["pair_repeated"] * 3, None]


@pytest.mark.parametrize("pairs", [True, False])
def test_of_three_arms_and_in_older_cells_the_rejected_load_alone_is_measured_again(pairs):
    one = cell(*((QUIC, TCP, TCP | {"initial_window": 32}) if pairs else (QUIC, TCP)), loads=2)
    name = one.arm_names[0]
    found = walked(one, [(name, 1, 0)], pairs)
    assert [(load["arm"], load["index"], load["attempt"]) for load in found][-1] == (name, 1, 1)
    assert len(found) == 3 * len(one.arms) + 1
    assert {load["reject_reason"] for load in found} == {None, "disturbed"}


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
