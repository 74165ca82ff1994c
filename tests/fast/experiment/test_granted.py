"""What an ordinary user cannot measure is named before anything is measured; everything else is measured."""

import re

import pytest
from plans import QUIC, TCP, cell, sweep

from longlook.experiment import granted
from longlook.experiment import run as running
from longlook.experiment.granted import lacking, refused
from longlook.host.rights import Rights, rights
from longlook.stack.arms import open_sweep
from longlook.testbed.description import NetnsDescription

USER = Rights(
    root=False,
    real_time=False,
    socket_buffer_bytes=212_992,
    kernel_trace=False,
    cpu_limits=False,
    controllers=("cubic", "reno"),
)
"""As on a machine where nobody granted anything."""
ROOT = Rights(True, True, 32 * 1024 * 1024, True, True, ("bbr", "cubic", "reno"))
HERE = (NetnsDescription(name="default"),)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (((QUIC | {"server_cpu_pct": 20}), TCP), "arm quic is held to a share of a processor"),
        ((QUIC, TCP | {"client_cpu_pct": 20}), "arm tcp is held to a share of a processor"),
        ((QUIC | {"cca": "bbr", "emulated_connections": None}, TCP | {"cca": "bbr"}),
         'arm tcp: TCP bbr is not allowed .*allowed_congestion_control="bbr cubic reno"'),
    ],
)  # fmt: skip
def test_what_only_root_has_is_named(given, words):
    (why,) = lacking(cell(*given), USER)
    assert re.search(words, why)
    assert lacking(cell(*given), ROOT) == []


def test_the_kernels_trace_is_for_tcp_that_is_watched():
    transfer = {
        "experiment": "fairness",
        "mode": "together",
        "duration_s": 5.0,
        "workload": {"kind": "download", "size_kb": 9},
    }
    (why,) = lacking(cell(**transfer), USER)
    assert "the kernel's trace" in why and "sudo" in why
    assert lacking(cell(QUIC, QUIC | {"name": "other"}, **transfer), USER) == []


def test_a_fast_link_needs_larger_buffers_of_quic():
    slow, fast = ({"link": {"bandwidth_mbps": rate, "rtt_ms": 36}} for rate in (100, 1000))
    assert lacking(cell(**slow), USER) == []
    (why,) = lacking(cell(**fast), USER)
    assert "1,250,000 bytes" in why and "212,992" in why and "sysctl -w net.core.rmem_max=" in why
    assert lacking(cell(TCP, TCP | {"name": "other"}, control=True, **fast), USER) == [], (
        "TCP's are the namespace's own"
    )


def test_figure_4_6_is_everybodys():
    for name in ("quick", "aa", *(f"figure-4.6{panel}" for panel in "abcdef")):
        assert refused(list(open_sweep(name).cells()), USER, HERE) == {}, name


def test_other_machines_ask_for_nothing_here():
    cells = [cell(QUIC | {"server_cpu_pct": 20}, TCP)]
    assert list(refused(cells, USER, HERE)) == [cells[0].id]
    assert refused(cells, USER, ()) == {}


def test_a_run_measures_the_others_and_says_which_it_left(monkeypatch, tmp_path, capsys):
    tried = []
    monkeypatch.setattr(running.paths, "RAW", tmp_path)
    monkeypatch.setattr(running, "rights", lambda: USER)
    monkeypatch.setattr(running, "open_stack", lambda name, full_check, needed: type("S", (), {"digest": "ab" * 32}))
    monkeypatch.setattr(running, "_one_by_one", lambda found, missing, *_: tried.extend(missing))
    plan = sweep({}, {"arms": [QUIC | {"server_cpu_pct": 20}, TCP]})
    found = running.run_sweep(plan, resume=None)
    free, held = plan.cells()
    assert [one.id for one in tried] == [free.id]
    assert list(found.failed) == [held.id] and "share of a processor" in found.failed[held.id]
    assert held.id in capsys.readouterr().err
    assert not found.campaign.is_sealed, "it can be gone on with by root"


def test_what_this_process_may_is_found_by_trying():
    found = rights()
    assert found.record()["socket_buffer_bytes"] == found.socket_buffer_bytes > 0
    assert "cubic" in found.controllers
    if found.root:
        assert found.cpu_limits and found.kernel_trace
    assert granted.PAUSE_S == 0.01
