"""Experiments: each entry is whole, and a cell that fits none is told by name before anything is measured."""

import ast
import subprocess
import sys

import nbformat
import pytest
from plans import QUIC, TCP, cell, sweep

from longlook import paths
from longlook.errors import NotSupported
from longlook.experiment.measurable import require_measurable
from longlook.experiment.registry import EXPERIMENTS, experiment_of
from longlook.plan.cell import Cell
from longlook.plan.value import PlanError


def parameters(notebook):
    """The default parameters of a notebook, from its tagged cell."""
    source = next(one.source for one in notebook.cells if "parameters" in one.metadata.get("tags", []))
    found = {}
    for node in ast.parse(source).body:
        found[node.targets[0].id] = ast.literal_eval(node.value)
    return found


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_its_notebook_has_a_default_cell_that_it_can_measure(name):
    experiment = EXPERIMENTS[name]
    given = parameters(nbformat.read(paths.NOTEBOOKS / experiment.notebook, as_version=4))
    assert set(given) == {"cell", "folder", "campaign", "testbed"}
    one = Cell.parse(given["cell"])
    assert EXPERIMENTS[one.experiment].notebook == experiment.notebook  # site's is that of pages
    EXPERIMENTS[one.experiment].require(one)
    assert experiment.estimate_s(one) > 5


def test_notebooks_are_those_of_the_registry():
    assert {path.name for path in paths.NOTEBOOKS.glob("*.ipynb")} == {one.notebook for one in EXPERIMENTS.values()}


def test_a_metric_means_one_thing():
    seen = {}
    for experiment in EXPERIMENTS.values():
        assert experiment.primary.better is not None
        for metric in experiment.metrics:
            assert seen.setdefault(metric.name, metric) == metric


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"experiment": "nothing"},
            r"no experiment 'nothing' \(known: plt, download, pages, site, video, fairness, cwnd, traces\)",
        ),
        ({"mode": "together"}, "mode = 'together'.*interleaved"),
        ({"workload": {"kind": "download", "size_kb": 5}}, "workload.kind = 'download'.*page"),
        ({"duration_s": 5}, "duration_s"),
        ({"experiment": "cwnd"}, "mode = 'interleaved'"),
    ],
)
def test_a_cell_that_fits_no_experiment_is_told_with_the_key(given, words):
    one = cell(**given)
    with pytest.raises(PlanError, match=words):
        experiment_of(one).require(one)


@pytest.mark.parametrize(
    ("arms", "words"),
    [
        ([QUIC | {"cca": "reno"}, TCP], r"arm quic.*envoy offers the controllers cubic, bbr, not reno"),
        ([QUIC | {"quic_options": ["ZZZZ"]}, TCP], r"envoy knows no connection option ZZZZ \(known: .*ILD0"),
        ([QUIC, TCP | {"handshake": "0rtt"}], r"apache does 1rtt, resumed, not 0rtt"),
        (
            [QUIC | {"server": "litespeed"}, TCP],
            r"no server 'litespeed' "
            r"\(known: aiohttp, aioquic, apache, apache-wsgi, by-file, by-file-tcp, envoy, envoy-425, envoy-tcp, "
            r"gquicd, lsquic, nginx, ngtcp2, quicgo\)",
        ),
        (
            [QUIC | {"client": "netscape"}, TCP],
            r"no client 'netscape' \(known: aiohttp, aiohttp-connections, aioquic, chromium, curl, lsquic, ngtcp2, "
            r"quicgo, quicgo-one-stream, systemcurl\)",
        ),
        ([QUIC, TCP | {"server": "envoy"}], r"envoy speaks quic, not tcp"),
        (
            [QUIC | {"server": "ngtcp2", "stack": "quicv1more"}, TCP],
            r"neither server ngtcp2 nor client chromium ends a connection",
        ),
    ],
)
def test_what_nobody_can_do_is_refused_before_anything_is_measured(arms, words):
    with pytest.raises(NotSupported, match=words):
        require_measurable(sweep({"arms": arms}))


@pytest.mark.parametrize("module", ["run", "interleaved", "on_node"])
def test_what_measures_pages_starts_without_pandas(module):
    """Hundreds of processes import it, and pandas took a third of their start."""
    script = f"import sys, longlook.experiment.{module}; sys.exit('pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0
