"""The tables of two sweeps with the same cells, one by root and one by an ordinary user, of known loads."""

from __future__ import annotations

from book_sample import PUBLISHED, sample, write_sweeps

from longlook.analysis.result import CellResult
from longlook.book import data as book_data
from longlook.experiment.registry import named


def by_root_and_user(folder, root, user, times, disturbed, missing):
    """Names of both sweeps; `times(number)`: by arm the page load times of a square, of the user's with that number,
    of root's with 0. In each of the user's cells so many loads are disturbed, and so many of his squares are
    missing."""
    seen = []

    def loads(campaign, experiment, cell):
        is_users = campaign.startswith(f"reference-{user}-")
        seen.append(is_users)
        number = sum(seen) if is_users else 0
        by_arm = times(number)
        first, own = next(iter(by_arm.items()))
        found = [sample(arm, index, ms) for arm, values in by_arm.items() for index, ms in enumerate(values)]
        found += [sample(first, len(own) + more, 300.0, reason="disturbed") for more in range(disturbed * is_users)]
        left = [] if is_users and number <= missing else found
        return CellResult(campaign, named(experiment, "sample"), (cell,), tuple(left))

    write_sweeps(folder, [root, user], "muthuraj2024", loads)
    return book_data.read(PUBLISHED, folder)
