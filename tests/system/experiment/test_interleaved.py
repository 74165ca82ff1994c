"""Interleaved cells of any number of arms: who shares a server, in what order, what is written; small real ones."""

import contextlib
import functools
import json
from types import SimpleNamespace

import pytest
from arms import FOR_THE_MACHINE, is_right
from held import again_and_again, stop

from longlook.errors import LonglookError, NotSupported
from longlook.experiment import controllers, interleaved, slowstart
from longlook.experiment.interleaved import run_interleaved
from longlook.experiment.recheck import recheck_interleaved
from longlook.experiment.schedule import schedule
from longlook.experiment.slowstart import SlowStart
from longlook.host.clock import Clock
from longlook.plan.cell import Cell
from longlook.record.samples import SAMPLES_NAME, SamplesWriter, read_records, read_samples, sample_of
from longlook.stack.arms import complete_arm

QUIC, TCP = {"protocol": "quic"}, {"protocol": "tcp"}
HELD_S = 5


def cell(*arms, stack="quicv1", **changes):
    base = {
        "study": "s",
        "series": "s",
        "experiment": "plt",
        "arms": [complete_arm(arm, stack) for arm in arms],
        "workload": {"size_kb": 5, "count": 2},
        "link": {"bandwidth_mbps": 50, "rtt_ms": 20},
        "loads": 2,
        "seed": 5,
    }
    return Cell.parse(base | changes)


class Servers:
    """Stands in for a context: makes servers that only say where they are."""

    def __init__(self, cell):
        self.cell, self.made = cell, []

    def server_side(self, arm):
        return "gquicd" if arm.stack == "gquic37" else "envoy"

    def server(self, arm, port):
        self.made.append((arm.protocol, port, arm.name))
        return contextlib.nullcontext(SimpleNamespace(settings=SimpleNamespace(port=port)))


def test_arms_that_need_the_same_server_share_it_and_each_further_one_has_the_next_port():
    arms = [
        QUIC,
        TCP,
        QUIC | {"handshake": "1rtt"},
        QUIC | {"quic_options": ["IW10"]},
        QUIC | {"client_cpu_pct": 50},
        QUIC | {"emulated_connections": 1},
        TCP | {"initial_window": 32},
        TCP | {"cca": "bbr"},
        TCP | {"paced": True},
        QUIC | {"server_cpu_pct": 20},
        QUIC | {"cca": "bbr"},
        QUIC | {"request_cost_us": 0},
        QUIC | {"initial_rtt_ms": 1000},
        QUIC | {"stack": "quicv1c126"},
        QUIC | {"stack": "gquic37"},
        QUIC | {"reordering_threshold": 9},
        TCP | {"handshake": "warm"},
        TCP | {"client_groups": ["secp256r1", "x25519"], "verify": False},
        TCP | {"server_groups": ["x25519"]},
    ]
    named = [arm | {"name": f"arm{number}"} for number, arm in enumerate(arms)]
    servers = Servers(cell(*named))
    found = interleaved._servers(contextlib.ExitStack(), servers)
    assert servers.made == [
        ("quic", 443, "arm0"),
        ("tcp", 443, "arm1"),
        ("quic", 444, "arm5"),
        ("tcp", 444, "arm7"),
        ("tcp", 445, "arm8"),
        ("quic", 445, "arm9"),
        ("quic", 446, "arm10"),
        ("quic", 447, "arm11"),
        ("quic", 448, "arm12"),
        ("quic", 449, "arm14"),
        ("quic", 450, "arm15"),
        ("tcp", 446, "arm18"),
    ]
    assert [found[f"arm{number}"].settings.port for number in (2, 3, 4, 6, 13, 16, 17)] == [443] * 7


def test_windows_are_set_once_where_they_are_equal_and_before_each_load_where_not():
    wide = TCP | {"initial_window": 32}
    assert (slowstart.common(cell(QUIC, TCP)), slowstart.own(cell(QUIC, TCP))) == (None, {})
    assert (slowstart.common(cell(QUIC, wide)), slowstart.own(cell(QUIC, wide))) == (SlowStart(32, None), {})
    several = cell(TCP, wide, QUIC)
    assert slowstart.common(several) is None
    assert slowstart.own(several) == dict(
        zip(several.arm_names, (SlowStart(None, None), SlowStart(32, None)), strict=False)
    )


def test_so_are_remembered_thresholds():
    taught = TCP | {"remembered_ssthresh": 9}
    assert slowstart.common(cell(QUIC, taught)) == SlowStart(None, 9)
    assert slowstart.common(cell(TCP, taught)) is None
    assert list(slowstart.own(cell(TCP, taught)).values()) == [SlowStart(None, None), SlowStart(None, 9)]


class Stand:
    """Stands in for a side; `results` are what its loads come to."""

    def __init__(self, name, results, log):
        self.name, self.results, self.log = name, results, log
        self.client = SimpleNamespace(drop_connections=lambda: log.append((name, "drop")))
        self.server = SimpleNamespace(require_alive=lambda: log.append((name, "alive?")))

    def load(self, index):
        self.log.append((self.name, index))
        reason = self.results(self.name, index)
        failed = {"accepted": False, "reject_reason": reason, "reject_detail": "why", "metrics": {}}
        good = {"accepted": True, "reject_reason": None, "reject_detail": None, "metrics": {"plt_ms": 100.0 + index}}
        return {"arm": self.name, "index": index, "set_aside": index == 0} | (failed if reason else good)


def records_of(one, results):
    """What `_records` yields for a cell with stand-ins, and all that was done in between."""
    log = []
    bed = SimpleNamespace(
        set_slow_start=lambda role, window, threshold: log.append((role, window)),
        set_cca=lambda role, name: log.append((role, name)),
    )
    link = SimpleNamespace(reseed=lambda seed: log.append(("link", "seed")))
    context = SimpleNamespace(cell=one, campaign="trial", bed=bed, link=link, clock=Clock())
    sides = {name: Stand(name, results, log) for name in one.arm_names}
    return interleaved._records(context, sides, progress=None), log


def test_a_warm_arms_connection_is_kept_and_the_others_are_dropped():
    one = cell(TCP | {"name": "new"}, TCP | {"name": "warm", "handshake": "warm"}, loads=2)
    records, log = records_of(one, lambda _name, _index: None)
    assert len(list(records)) == 6
    assert [name for name, done in log if done == "drop"] == ["new"] * 3


def test_a_rejected_load_is_measured_again_at_the_end_and_a_cold_one_is_not():
    wrong = {0: "status", 1: "status"}
    records, _ = records_of(cell(TCP, loads=2), lambda _name, index: wrong.pop(index, None))
    found = [(record["index"], record["attempt"], record["order"], record["accepted"]) for record in records]
    assert found == [(0, 0, 0, False), (1, 0, 1, False), (2, 0, 2, True), (1, 1, 3, True)]


@pytest.mark.parametrize("arm", ["quic", "tcp"])
def test_both_loads_of_a_pair_meet_the_same_losses_again_and_those_of_the_first_time_are_kept(arm):
    one = cell(QUIC, TCP, loads=2)
    wrong = {(arm, 1): "status"}
    records, _ = records_of(one, lambda name, index: wrong.pop((name, index), None))
    found = {(record["arm"], record["index"], record["attempt"]): record for record in records}
    other = "tcp" if arm == "quic" else "quic"
    reasons = {load: record["reject_reason"] for load, record in found.items() if not record["accepted"]}
    assert reasons == {(arm, 1, 0): "status", (other, 1, 0): "pair_repeated"}
    assert found[other, 1, 0]["metrics"] == {"plt_ms": 101.0}
    assert [record["draw"] for record in found.values()] == [0] * 8
    assert [record["order"] for record in found.values()] == list(range(8))


def test_the_window_of_each_load_is_set_before_the_link_starts_anew():
    one = cell(TCP, TCP | {"initial_window": 32}, QUIC, loads=3)
    records, log = records_of(one, lambda _name, _index: None)
    order = [(record["arm"], record["index"]) for record in records]
    assert order == schedule(one)
    windows = dict(zip(one.arm_names, (None, 32, None), strict=True))
    expected = []
    for name, index in order:
        expected += [("server", windows[name])] if name in slowstart.own(one) else []
        expected += [("link", "seed"), (name, index), (name, "drop")]
    assert log == expected


def test_the_controller_of_each_load_is_set_where_tcp_has_several():
    """The kernel gives a connection the namespace's and not its listener's."""
    one = cell(TCP, TCP | {"cca": "bbr"}, QUIC, QUIC | {"cca": "bbr"}, loads=3)
    records, log = records_of(one, lambda _name, _index: None)
    ccas = dict(zip(one.arm_names, ("cubic", "bbr"), strict=False))
    assert controllers.own(one) == ccas
    expected = []
    for record in records:
        name = record["arm"]
        expected += [("server", ccas[name])] if name in ccas else []
        expected += [("link", "seed"), (name, record["index"]), (name, "drop")]
    assert log == expected
    assert controllers.own(cell(TCP | {"cca": "bbr"}, QUIC)) == {}


def test_an_arm_that_fails_again_and_again_ends_the_cell():
    records, log = records_of(cell(TCP, loads=20), lambda _name, index: "load_failed" if index > 2 else None)
    seen = []
    with pytest.raises(LonglookError, match=r"s_quicv1_tcp.*: 4 loads in a row did not finish; last: why"):
        for record in records:
            seen.append(record)
    assert [record["accepted"] for record in seen] == [True] * 3 + [False] * 4
    assert log[-1][1] == "alive?"


def test_a_summary_counts_neither_cold_nor_rejected_loads(tmp_path):
    one = cell(QUIC, TCP, loads=2)
    records, _ = records_of(one, lambda _name, _index: None)
    samples = [sample_of(record) for record in records]
    summary = interleaved.summarise(one, samples, 1.0)
    assert summary.accepted == {"quic": 2, "tcp": 2} and summary.mean_ms == {"quic": 101.5, "tcp": 101.5}
    assert summary.complete and summary.rejected == {}
    fewer = interleaved.summarise(one, samples[:-1], 1.0)
    assert not fewer.complete


def test_a_cell_that_nobody_can_measure_leaves_nothing(tmp_path):
    with pytest.raises(NotSupported, match=r"cell s_.*arm tcp .*server apache does 1rtt, resumed, not 0rtt"):
        run_interleaved(cell(QUIC, TCP | {"handshake": "0rtt"}, series="s"), tmp_path, "trial", "never")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.browser
@pytest.mark.timeout(180)
def test_six_arms_of_two_stacks_are_measured_in_one_cell(tmp_path, testbed_name):
    """Cold and resumed, N of 1 and 2, two windows that show, Google QUIC: every sample is judged by its own arm."""
    arms = [
        QUIC | {"name": "resumed"},
        QUIC | {"name": "cold", "handshake": "1rtt"},
        QUIC | {"name": "n1", "emulated_connections": 1},
        TCP | {"name": "narrow", "initial_window": 2},
        TCP | {"name": "wide", "initial_window": 80},
        QUIC | {"name": "google", "stack": "gquic37"},
    ]
    one = cell(*arms, workload={"size_kb": 100}, link={"bandwidth_mbps": 50, "rtt_ms": 120})
    steps = []
    summary = run_interleaved(one, tmp_path, "trial", testbed_name, progress=lambda *step: steps.append(step))
    samples = read_samples(tmp_path)
    wrong = [s for s in samples if not s.accepted and s.reject_reason not in FOR_THE_MACHINE]
    assert wrong == [] and len(steps) == len(samples) >= 18
    right = {
        name: sorted(s.metrics["plt_ms"] for s in samples if s.arm == name and s.index > 0) for name in one.arm_names
    }
    assert right["cold"][0] > right["resumed"][0] + 60  # half a round trip, at the least
    assert right["narrow"][0] > right["wide"][0] + 240  # two round trips, at the least
    zero_rtt = {name: {s.zero_rtt for s in samples if s.arm == name and s.index > 0} for name in one.arm_names}
    assert zero_rtt == {
        "resumed": {True}, "n1": {True}, "google": {True}, "cold": {False}, "narrow": {None}, "wide": {None},
    }  # fmt: skip
    _check_records(one, summary, tmp_path)


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.browser
@pytest.mark.timeout(240)
def test_a_browser_that_learns_of_http3_takes_turns_with_one_that_is_told_and_one_over_http2(tmp_path, testbed_name):
    arms = [
        QUIC | {"name": "alt-svc", "discovery": "alt-svc"},
        QUIC | {"name": "forced"},
        TCP | {"name": "h2", "server": "envoy-tcp"},
    ]
    one, folder = cell(*arms), tmp_path / "campaign" / "cell"
    one = one.model_copy(update={"id": folder.name})
    folder.mkdir(parents=True)
    run_interleaved(one, folder, folder.parent.name, testbed_name)
    records = list(read_records(folder))
    assert recheck_interleaved(one, folder).problems == []
    assert [record["discovery"] for record in records if "discovery" in record] == [[["h2"], ["h3"]]]
    learnt = [record for record in records if record["arm"] == "alt-svc"]
    assert len(learnt) >= 3 and all(map(is_right, learnt))
    assert {(*record["protocols_seen"], record["zero_rtt"]) for record in learnt} == {("h3", True)}
    assert all("raced" in record["opened_over_link"] for record in learnt)
    assert not any("raced" in record["opened_over_link"] for record in records if record["arm"] != "alt-svc")
    (first,) = (record for record in records if "discovery" in record)
    told = [record | {"discovery": [["h3"]]} if record is first else record for record in records]
    (folder / SAMPLES_NAME).unlink()
    with contextlib.closing(SamplesWriter(folder / SAMPLES_NAME)) as writer:
        for record in told:
            writer.append(record)
    assert any("it was told of HTTP/3 before" in line for line in recheck_interleaved(one, folder).problems)


def held_at_first(context):
    """The link emulator is stopped again and again for the first seconds of a cell."""
    return again_and_again(functools.partial(stop, context.link.pids[0]), HELD_S)


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.browser
@pytest.mark.timeout(180)
def test_pairs_of_which_a_load_was_spoilt_are_measured_again_whole(tmp_path, testbed_name):
    link = {"bandwidth_mbps": 50, "rtt_ms": 20, "loss_pct": 1}
    one = cell(QUIC, TCP, loads=4, workload={"size_kb": 100, "count": 1}, link=link)
    folder = tmp_path / "trial" / one.id
    folder.mkdir(parents=True)
    summary = run_interleaved(one, folder, "trial", testbed_name, beside=held_at_first)
    assert recheck_interleaved(one, folder).problems == []
    assert json.loads((folder / "cell.json").read_text())["repeated_together"] == 2
    found = {(load.arm, load.index, load.attempt): load for load in read_samples(folder) if load.index}
    spoilt = [load for load in found.values() if load.reject_reason == "disturbed"]
    assert spoilt and summary.complete
    for load in found.values():
        other = found["tcp" if load.arm == "quic" else "quic", load.index, load.attempt]
        assert (load.accepted, load.draw) == (other.accepted, other.draw)
        if load.reject_reason == "pair_repeated":
            assert other.reject_reason not in (None, "pair_repeated") and load.metrics["plt_ms"]
    counting = sorted((load.arm, load.index) for load in found.values() if load.counts)
    assert counting == [(arm, index) for arm in ("quic", "tcp") for index in range(1, 5)]


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.timeout(240)
def test_downloads_by_five_pairs_of_programs_take_turns_and_tell_their_windows(tmp_path, testbed_name):
    arms = [
        QUIC | {"name": "aioquic", "handshake": "1rtt", "cca": "reno"},
        QUIC | {"name": "lsquic", "handshake": "1rtt", "server": "lsquic", "client": "lsquic", "cca": "bbr"},
        QUIC | {"name": "ngtcp2", "handshake": "1rtt", "server": "ngtcp2", "client": "ngtcp2"},
        TCP | {"name": "tcp"},
        TCP | {"name": "tcp bbr", "cca": "bbr"},
    ]
    how = {"experiment": "download", "workload": {"kind": "download", "size_bytes": 100_000}, "loads": 1}
    link = {"bandwidth_mbps": 20, "rtt_ms": 20, "queue_packets": 100}
    one = cell(*arms, stack="halme2021", link=link, **how)
    folder = tmp_path / "trial" / one.id  # as it lies in a campaign of that name
    folder.mkdir(parents=True)
    run_interleaved(one, folder, "trial", testbed_name)
    assert recheck_interleaved(one, folder).problems == []
    samples = read_samples(folder)
    assert [s.reject_reason for s in samples if not s.accepted and s.reject_reason not in FOR_THE_MACHINE] == []
    assert {s.arm for s in samples if s.metrics["ttlb_ms"] > 40} == set(one.arm_names)
    record = json.loads((folder / "cell.json").read_text())
    assert record["objects_hashed"] == dict.fromkeys(one.arm_names, "in every load")
    assert record["initial_window_bytes"] == {"aioquic": 12_000, "lsquic": 46_720, "ngtcp2": 14_520}
    environment = json.loads((folder / "environment.json").read_text())
    assert environment["cca"] == {
        "aioquic": "reno",
        "lsquic": "bbr",
        "ngtcp2": "cubic",
        "tcp": "cubic",
        "tcp bbr": "bbr",
    }
    assert set(environment["server_versions"]) == {"aioquic", "lsquic", "ngtcp2", "aiohttp"}


def _check_records(one, summary, folder):
    record = json.loads((folder / "cell.json").read_text())
    assert set(record) == {
        "schema", "campaign", "cell_id", "cell", "schedule", "started_at", "ended_at", "wall_s", "complete",
        "objects_hashed", "repeated_together",
        "clock",
    }  # fmt: skip
    assert record["objects_hashed"] == dict.fromkeys(one.arm_names, 2)
    assert (record["schema"], record["campaign"], record["cell_id"]) == ("longlook.cell/2", "trial", one.id)
    assert Cell.parse(record["cell"]) == one and record["complete"] is summary.complete
    assert [tuple(step) for step in record["schedule"]] == schedule(one)
    environment = json.loads((folder / "environment.json").read_text())
    assert environment["cca"] == dict.fromkeys(one.arm_names, "cubic")
    assert environment["stack"] == "quicv1" and set(environment["stacks"]) == {"quicv1", "gquic37"}
    assert set(environment["server_versions"]) == {"envoy", "apache", "gquicd"}
    assert set(environment["client_versions"]) == {f"chromium ({name})" for name in one.arm_names}
    assert environment["calibration"]["within_tolerance"]
    for record in read_records(folder):
        assert record["set_aside"] is (record["index"] == 0)
        assert {"plt_ms", "client_cpu_s", "server_cpu_s"} <= set(record["metrics"])
        assert record["artefact"]["kind"] == "har" and len(record["artefact"]["log"]["entries"]) == 2
    assert (folder / SAMPLES_NAME).exists()


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.quiet
@pytest.mark.timeout(240)
def test_every_download_finds_a_full_bucket_and_passes_it_unshaped(tmp_path, testbed_name):
    """Six of 5 MB one after the other: at 10 Mbit/s each takes 4.2 s, and the bucket holds two of them."""
    arms = [
        QUIC | {"name": "quic", "client": "quicgo", "handshake": "1rtt", "cca": "bbr"},
        TCP | {"name": "tcp", "client": "curl", "cca": "bbr"},
    ]
    how = {"experiment": "download", "workload": {"kind": "download", "size_bytes": 5_242_880}, "loads": 2}
    link = {"bandwidth_mbps": 10, "rtt_ms": 15, "queue_packets": 50, "burst_bytes": 12_800_000}
    one = cell(*arms, stack="yu2021", link=link, **how)
    folder = tmp_path / "trial" / one.id  # as it lies in a campaign of that name
    folder.mkdir(parents=True)
    run_interleaved(one, folder, "trial", testbed_name)
    assert recheck_interleaved(one, folder).problems == []
    times = {
        (s.arm, s.index): s.metrics["ttlb_ms"]
        for s in read_samples(folder)
        if s.accepted or s.reject_reason in FOR_THE_MACHINE
    }
    assert len(times) == 6 and max(times.values()) < 4000
    environment = json.loads((folder / "environment.json").read_text())
    assert environment["link_configuration"]["server_to_client"]["burst_bytes"] == 12_800_000
    assert environment["calibration"]["measured"]["burst"]["server_to_client"]["first_mbps"] > 20
