"""Which testbed measures which cells."""

from plans import sweep

from longlook.experiment.rows import assign, row_of


def cells(**changes):
    block = {
        "series": "4.6a",
        "bandwidth_mbps": [10, 50, 100],
        "workloads": [{"size_kb": size} for size in (5, 100, 10000)],
    }
    return sweep(block | changes, loads=20).cells()


def test_a_row_is_everything_but_the_size_and_the_number_of_objects():
    rows = {}
    for cell in cells():
        rows.setdefault(row_of(cell), []).append(cell.link.bandwidth_mbps)
    assert sorted(map(len, rows.values())) == [3, 3, 3]
    assert all(len(set(values)) == 1 for values in rows.values())


def test_rows_stay_together_and_the_long_ones_go_first():
    plan = assign(cells(), ["a", "b"], {})
    owners = {}
    for bed, own in plan.items():
        for cell in own:
            owners.setdefault(row_of(cell), set()).add(bed)
    assert all(len(beds) == 1 for beds in owners.values()) and len(owners) == 3
    assert sum(len(own) for own in plan.values()) == 9
    assert [cell.link.bandwidth_mbps for cell in plan["a"]] == [
        10,
        10,
        10,
    ]  # the slowest row alone weighs more than the others


def test_a_row_stays_with_the_testbed_that_began_it():
    every = cells()
    slow = row_of(every[0])
    plan = assign(every[1:], ["a", "b"], {slow: "b"})
    assert {cell.link.bandwidth_mbps for cell in plan["b"]} == {10}


def test_a_row_whose_testbed_is_gone_moves_as_a_whole():
    every = cells()
    plan = assign(every[1:], ["a", "b"], {row_of(every[0]): "gone"})
    assert len({bed for bed, own in plan.items() for cell in own if row_of(cell) == row_of(every[0])}) == 1
