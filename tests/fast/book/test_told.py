"""What is told of predictions whose criteria have no words of their own: of this copy's campaign of `large-answers`."""

import re

from longlook.book.data import load
from longlook.book.judged import predictions_of


def test_a_time_is_told_as_one_and_numbers_of_one_part_are_all_told():
    found = [one.found for one in predictions_of("large-answers", load())]
    assert found[0].count(" % (") == 4
    assert re.match(r"200 ms, 0\.2 %: \d+\.\d ms \(", found[3])
