"""What a quick run of a chapter measures."""

from longlook.reproduce import _quick
from longlook.stack.arms import open_sweep


def test_a_quick_run_has_the_same_cells_with_fewer_samples():
    whole = open_sweep("figure-4.6a")
    quick = _quick(whole)
    assert (quick.loads, quick.name) == (5, "figure-4.6a-quick")
    assert [cell.key for cell in quick.cells()] == [cell.key for cell in whole.cells()]


def test_a_sweep_says_how_few_samples_are_enough_and_whether_it_can_be_left_out():
    """At 1 Mbit/s a download takes ten seconds and more: a quick run has tables 2 to 5 and no other cells."""
    assert _quick(open_sweep("halme-table-4")).loads == 2
    assert open_sweep("halme-queue").quick_loads == 0


def test_transfers_are_short_and_once_each():
    quick = _quick(open_sweep("table-4.1"))
    assert {block.replicates for block in quick.cells_of} == {1}
    assert max(block.duration_s for block in quick.cells_of) == 15


def test_a_block_can_be_left_out_of_a_quick_run():
    """10 MB by every browser take a sixth of all the time."""
    whole = open_sweep("years")
    left = {cell.key for cell in whole.cells()} - {cell.key for cell in _quick(whole).cells()}
    assert left == {cell.key for cell in whole.cells() if cell.workload.total_bytes == 10_000_000}
    assert len(left) == 1 and "quick" not in open_sweep("figure-4.6a").definition()["cells"][0]
