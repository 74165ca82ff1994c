"""A sweep's file that was changed anywhere is a sweep that can be measured, or refused in one message."""

import json
import math
import tomllib

import pytest
from fuzzing import accepted, changed, few_or_many, toml, torn
from hypothesis import given
from hypothesis import strategies as st

from longlook.experiment.measurable import require_measurable
from longlook.plan.sweep import MOST_CELLS, Sweep, load_sweep
from longlook.stack.arms import complete, sweep_files

NAMES = ("quick", "table-4.1", "loss-each-way-4.6e", "without-a-browser", "slow-server", "aa", "beyond-window")
TEXTS = [sweep_files()[name].read_bytes() for name in NAMES]
TREES = [tomllib.loads(text.decode()) for text in TEXTS]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("sweeps") / "x.toml"


def stands(found):
    """What an accepted sweep must be."""
    cells = found.cells()
    assert 0 < len(cells) <= MOST_CELLS and len({cell.id for cell in cells}) == len(cells)
    for cell in cells:
        assert "/" not in cell.id and cell.id.isprintable() and cell.id[0].isalnum()
        numbers = [*cell.link.model_dump().values(), cell.duration_s, cell.at_most_s]
        assert all(one is None or (type(one) in (int, float) and math.isfinite(one)) for one in numbers)
    assert Sweep.parse(json.loads(json.dumps(found.definition()))) == found
    accepted(lambda: require_measurable(found))


def read(file, text):
    file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    found = accepted(lambda: load_sweep(file, complete))
    if found is not None:
        stands(found)


@few_or_many(0.15)
@given(changed(st.sampled_from(TREES)))
def test_values(file, tree):
    read(file, toml(tree))


@few_or_many(0.08)
@given(torn(st.sampled_from(TEXTS)))
def test_text(file, text):
    read(file, text)


@few_or_many(0.07)
@given(changed(st.sampled_from(TREES), none=True))
def test_the_definition_that_a_campaign_keeps(tree):
    """As it comes from JSON, which has more than TOML."""
    found = accepted(lambda: Sweep.parse(complete(tree)))
    if found is not None:
        accepted(lambda: found.cells())
    accepted(lambda: Sweep.parse(tree))
