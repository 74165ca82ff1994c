"""Tries at a cell: a failure is told by its kind and never by its text; a testbed that comes back is used again."""

import contextlib
import time
from types import SimpleNamespace

import nbformat
import pytest
from plans import sweep

from longlook import paths
from longlook.errors import LonglookError
from longlook.experiment import execute as executing
from longlook.experiment import measure as measuring
from longlook.experiment.execute import execute
from longlook.experiment.failure import Failure
from longlook.experiment.hung import stacks_kept
from longlook.experiment.measure import Measurer
from longlook.experiment.places import Place
from longlook.experiment.progress import Progress
from longlook.record.campaigns import open_campaign


class Told(Place):
    """A place whose tries end as they are told to."""

    is_here = True

    def __init__(self, *failures, back=True):
        self.failures, self.back, self.asked, self.tries = list(failures), back, [], 0

    def attempt(self, cell, campaign, folder, set_aside):
        self.tries += 1
        return self.failures.pop(0)

    def owned(self, what):
        return contextlib.nullcontext()

    def clean(self):
        pass

    def is_back(self, patience_s):
        self.asked.append(patience_s)
        return self.back


@pytest.fixture
def campaign(tmp_path):
    made = open_campaign(tmp_path, sweep({"bandwidth_mbps": [10, 50]}), "local", "ab" * 32)
    yield made
    made.close()


def test_a_failure_that_only_mentions_a_lost_node_is_the_cells_own(campaign):
    place = Told(Failure("cell", "NodeError: somebody wrote this"), Failure("cell", "again"))
    assert Measurer(place).measure(campaign, campaign.cells()[0]) == Failure("cell", "again")
    assert place.asked == [] and place.tries == 2


def test_who_waits_for_nodes_says_so(campaign):
    said = []
    place = Told(Failure("node", "server node refuses"), None, back=False)
    Measurer(place, said.append).measure(campaign, campaign.cells()[0])
    (line,) = said
    assert "server node refuses; waiting for its nodes, 10 min at the most" in line


def test_what_is_not_supported_is_not_tried_twice(campaign):
    place = Told(Failure("not_supported", "no such thing"))
    assert Measurer(place).measure(campaign, campaign.cells()[0]).kind == "not_supported"
    assert place.tries == 1


def test_lost_nodes_are_waited_for_once_and_looked_at_again_with_every_cell(campaign):
    first, second = campaign.cells()
    place = Told(Failure("node", "client node: gone"), Failure("cell", "other"), Failure("cell", "other"), back=False)
    measurer = Measurer(place)
    assert measurer.measure(campaign, first) == Failure("node", "client node: gone")
    assert place.asked == [measuring.PATIENCE_S]
    told = measurer.measure(campaign, second)
    assert told == Failure("node", "not tried: client node: gone") and place.tries == 1
    assert place.asked[-1] == measuring.GLANCE_S
    place.back = True
    assert measurer.measure(campaign, second) == Failure("cell", "other")
    assert place.tries == 3


@pytest.fixture
def notebooks(tmp_path, monkeypatch):
    """A folder of notebooks of this test's own; `make(source)` -> its file name."""
    monkeypatch.setattr(paths, "NOTEBOOKS", tmp_path)

    def make(source):
        parameters = nbformat.v4.new_code_cell("x = 1", metadata={"tags": ["parameters"]})
        made = nbformat.v4.new_notebook(cells=[parameters, nbformat.v4.new_code_cell(source)])
        made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(made, tmp_path / "one.ipynb")
        return "one.ipynb"

    return make


@pytest.mark.timeout(120)
def test_a_notebook_that_hangs_is_ended_and_says_after_how_long(notebooks, tmp_path):
    failure = execute(notebooks("import time; time.sleep(300)"), tmp_path, {"x": 2}, timeout_s=3)
    assert failure is not None and failure.kind == "cell" and "not done within 3 s" in failure.message
    assert (tmp_path / "executed.ipynb").exists()


HANGS = """
import time
from pathlib import Path
from longlook.experiment.hung import stacks_kept

def answered():
    time.sleep(300)

with stacks_kept(Path({folder!r}), after_s={after}):
    answered()
"""


def test_where_a_notebook_hangs_is_kept(notebooks, tmp_path):
    failure = execute(notebooks(HANGS.format(folder=str(tmp_path), after=1)), tmp_path, {"x": 2}, timeout_s=5)
    assert failure is not None and str(tmp_path / "hung.txt") in failure.message
    assert "in answered" in (tmp_path / "hung.txt").read_text()


def test_what_ends_leaves_nothing(tmp_path):
    with stacks_kept(tmp_path, 0.01):
        time.sleep(0.1)
    with pytest.raises(ZeroDivisionError), stacks_kept(tmp_path, 300):
        1 / 0  # noqa: B018
    assert not list(tmp_path.iterdir())


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("source", "kind", "words"),
    [
        ("from longlook.errors import NotSupported; raise NotSupported('no vegas')", "not_supported", "no vegas"),
        ("from longlook.node.session import NodeError; raise NodeError('gone')", "node", "gone"),
        ("from longlook.errors import LonglookError; raise LonglookError('mend it')", "cell", "mend it"),
        ("1 / 0", "cell", "ZeroDivisionError"),
    ],
)
def test_errors_of_a_notebook_keep_their_kind(notebooks, tmp_path, source, kind, words):
    failure = execute(notebooks(source), tmp_path, {}, timeout_s=60)
    assert failure is not None and failure.kind == kind and words in failure.message


def test_the_kinds_that_notebooks_tell_are_classes_and_not_words():
    assert all(executing.TOLD[name].__name__ == name for name in executing.TOLD)


def test_a_disk_that_is_full_when_the_notebook_is_written_is_said(tmp_path, notebooks):
    (tmp_path / "executed.ipynb").symlink_to("/dev/full")
    failure = execute(notebooks("x = 1"), tmp_path, {}, timeout_s=60)
    assert failure.kind == "cell" and "the disk that holds" in str(failure) and "is full" in str(failure)


def test_a_disk_that_is_full_when_the_log_is_written_is_said(tmp_path):
    (tmp_path / "log.jsonl").symlink_to("/dev/full")
    with pytest.raises(LonglookError, match=r"could not write log\.jsonl: the disk that holds .* is full"):
        Progress(SimpleNamespace(path=tmp_path), None, None).ended(SimpleNamespace(id="c"), "bed", 1.0, None)
