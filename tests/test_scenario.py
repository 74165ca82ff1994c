"""Scenarios: units, defaults from the thesis, and mistakes that are told."""

import pytest
from pydantic import ValidationError

from longlook.paths import SWEEPS
from longlook.scenario import Cell, Link, ScenarioError, Workload, derived_seed
from longlook.sweep import Sweep, load_sweep
from longlook.transfers import Flow


def test_queue_is_twice_the_bandwidth_delay_product():
    assert Link(bandwidth_mbps=100, rtt_ms=112).effective_queue_bytes == 2_800_000  # thesis, section 3.2.5
    assert Link(bandwidth_mbps=5, rtt_ms=36, queue_bytes=30_000).effective_queue_bytes == 30_000


def test_object_sizes_follow_the_public_workloads():
    assert Workload(size_kb=5).object_bytes == 5120
    assert Workload(size_kb=500).object_bytes == 512_000
    assert Workload(size_kb=1000).object_bytes == 1_000_000
    assert Workload(size_kb=10000).object_bytes == 10_000_000


def test_an_unknown_key_is_an_error_that_lists_the_known_ones():
    with pytest.raises(ScenarioError, match=r"bandwith_mbps.*known keys of Link: bandwidth_mbps, rtt_ms"):
        Link.parse({"bandwith_mbps": 10, "rtt_ms": 36})


@pytest.mark.parametrize("wrong", [{"bandwidth_mbps": 0}, {"loss_pct": 100}, {"rtt_ms": -1}, {"queue_bytes": 0}])
def test_impossible_links_are_refused(wrong):
    with pytest.raises(ScenarioError):
        Link.parse({"bandwidth_mbps": 10, "rtt_ms": 36} | wrong)


def test_values_are_frozen_and_cell_ids_tell_cells_apart():
    cell = Cell(figure="4.6a", stack="quicv1", workload=Workload(size_kb=5), link=Link(bandwidth_mbps=10, rtt_ms=36))
    with pytest.raises(Exception, match="frozen"):
        cell.seed = 3
    other = cell.model_copy(update={"replicate": 1})
    assert cell.cell_id != other.cell_id
    assert cell.cell_id == "4.6a_quicv1_quic-tcp_cubic_5kb-x1_10mbps_36ms_0pct"
    held = cell.model_copy(update={"client_cpu_pct": 50, "quic_server_cpu_pct": 20})
    assert held.cell_id == cell.cell_id + "_50pctcpu_20pctquicserver"


def test_derived_seeds_are_stable_between_machines_and_versions():
    assert derived_seed(1, "a") == derived_seed(1, "a") != derived_seed(1, "b")
    assert derived_seed(2024, "order") == 7451438995418305984


def test_every_sweep_in_the_repository_is_valid_and_has_distinct_cells():
    for path in SWEEPS.glob("*.toml"):
        cells = load_sweep(path).cells()
        assert len({cell.cell_id for cell in cells}) == len(cells), path


def test_the_published_figures_are_covered_square_by_square():
    import csv

    from longlook.paths import PUBLISHED

    with (PUBLISHED / "muthuraj2024_appendix_b.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["figure"].startswith(("4.5", "4.6"))]
    published = {
        (
            r["figure"],
            int(r["object_size_kb"]),
            int(r["object_count"]),
            float(r["bandwidth_mbps"]),
            float(r["rtt_ms"]),
            float(r["loss_pct"]),
        )
        for r in rows
    }
    ours = set()
    for path in [*SWEEPS.glob("figure-4.5?.toml"), *SWEEPS.glob("figure-4.6?.toml")]:
        for cell in load_sweep(path).cells():
            link, work = cell.link, cell.workload
            ours.add((cell.figure, work.size_kb, work.count, link.bandwidth_mbps, link.rtt_ms, link.loss_pct))
            assert cell.loads == 20
    assert ours == published


def test_a_missing_sweep_names_the_known_ones(tmp_path):
    (tmp_path / "quick.toml").write_text("")
    with pytest.raises(ScenarioError, match="known: quick"):
        load_sweep(tmp_path / "slow.toml")


def test_a_sweep_with_the_same_cell_twice_is_refused():
    block = {"figure": "x", "bandwidth_mbps": [10], "rtt_ms": [36], "workloads": [{"size_kb": 5}]}
    sweep = Sweep.parse({"name": "twice", "title": "t", "stack": "quicv1", "grid": [block, block]})
    with pytest.raises(ScenarioError, match="lists cells twice"):
        sweep.cells()


@pytest.mark.parametrize(
    ("protocols", "handshakes", "arms"),
    [
        (("quic", "tcp"), ("0rtt", "0rtt"), ("quic", "tcp")),
        (("quic", "tcp"), ("1rtt", "1rtt"), ("quic", "tcp")),
        (("quic", "quic"), ("0rtt", "1rtt"), ("0rtt", "1rtt")),
        (("quic", "quic"), ("0rtt", "0rtt"), ("a", "b")),
    ],
)
def test_arms_are_named_after_what_they_differ_in(protocols, handshakes, arms):
    cell = Cell(
        figure="x",
        stack="quicv1",
        protocols=protocols,
        handshakes=handshakes,
        workload=Workload(size_kb=5),
        link=Link(bandwidth_mbps=10, rtt_ms=36),
    )
    assert cell.arms == arms


def test_what_a_cell_asks_of_its_senders_is_in_its_name():
    same = {
        "figure": "x",
        "stack": "quicv1",
        "workload": Workload(size_kb=5),
        "link": Link(bandwidth_mbps=10, rtt_ms=36),
    }
    names = {
        Cell(**same, **more).cell_id
        for more in ({}, {"quic_options": ("IW10",)}, {"tcp_initial_window": 32}, {"handshakes": ("1rtt", "1rtt")})
    }
    assert len(names) == 4


def test_jitter_cannot_make_a_delay_negative():
    with pytest.raises(ValidationError, match="a delay would be negative"):
        Link(bandwidth_mbps=10, rtt_ms=36, jitter_ms=50)


def test_another_interval_between_delays_is_another_cell():
    usual, slower = (
        Link(bandwidth_mbps=10, rtt_ms=112, jitter_ms=50, **more) for more in ({}, {"jitter_interval_ms": 200})
    )
    names = [
        Cell(figure="x", stack="quicv1", workload=Workload(size_kb=5), link=link).cell_id for link in (usual, slower)
    ]
    assert [name.rsplit("_", 1)[1] for name in names] == ["50msjitter", "50msjitter-per200ms"]


def test_only_tcp_is_paced_by_the_kernel():
    assert Flow(protocol="tcp", paced=True).label == "TCP CUBIC, paced"
    with pytest.raises(ValidationError, match="for flows of TCP"):
        Flow(protocol="quic", paced=True)
