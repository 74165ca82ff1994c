"""Interleaving: every load once, arms side by side, order from the seed; repeats bounded."""

from longlook.experiment.schedule import Plan, load_seed, schedule
from longlook.scenario import Cell, Link, Workload


def cell(**changes):
    base = dict(
        figure="4.6a",
        stack="quicv1",
        workload=Workload(size_kb=5),
        link=Link(bandwidth_mbps=10, rtt_ms=36),
        loads=20,
        seed=7,
    )
    return Cell(**(base | changes))


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
    assert {arm for arm, _ in schedule(cell(protocols=("tcp", "tcp")))} == {"a", "b"}


def test_paired_loads_meet_the_same_loss_and_others_do_not():
    one = cell()
    assert load_seed(one, "quic", 3, 0) == load_seed(one, "tcp", 3, 0)
    assert len({load_seed(one, "tcp", index, attempt) for index in range(21) for attempt in range(3)}) == 63


def test_the_arms_of_an_aa_cell_meet_losses_of_their_own():
    one = cell(protocols=("quic", "quic"))
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
