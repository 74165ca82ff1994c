"""Cells on three nodes over SSH: the record that comes back is like any other, and nothing stays behind."""

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest
from arms import is_right
from plans import QUIC, TCP
from plans import sweep as small
from strangers import is_loopback, listeners, network, take_work

from longlook.errors import LonglookError
from longlook.experiment.nodes import Nodes
from longlook.experiment.run import run_sweep
from longlook.node.session import Session
from longlook.record.campaigns import verify
from longlook.record.samples import read_records, read_samples
from longlook.testbed import netns
from longlook.testbed.description import parse_description

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(900)]


def sweep(stack="quicv1", sizes=(100,), loads=3):
    """Of short loads, as in experiment/driven.py."""
    workloads = [{"size_kb": size} for size in sizes]
    return small({"bandwidth_mbps": [50], "rtt_ms": [10], "workloads": workloads}, stack=stack, loads=loads)


@pytest.mark.parametrize("stack", ["quicv1", "gquic37"])
def test_a_cell_is_measured_on_the_nodes_and_sealed_here(standin, bench, stack):
    outcome = run_sweep(sweep(stack), testbeds=(standin.description(),), quiet=True, accept_short=True)
    assert outcome.failed == {}
    campaign = outcome.campaign
    assert campaign.is_sealed and verify(campaign.path) == []
    (cell,) = campaign.finished_cells()
    rows = [row for row in read_records(cell) if is_right(row)]
    assert {(row["arm"], row["index"]) for row in rows} >= {
        (arm, index) for arm in ("quic", "tcp") for index in range(4)
    }
    assert all(row["zero_rtt"] for row in rows if row["arm"] == "quic" and row["index"] > 0)
    assert all(row["link"]["server_to_client"]["bytes_in"] > 100_000 for row in rows)
    record = json.loads((cell / "environment.json").read_text())
    assert record["testbed"] == {"name": standin.name, "driver": "emulab"}
    assert record["machines"]["server"]["kernel"] == record["kernel"]  # the stand-in's nodes share it
    assert record["link_driver"] == "dummynet" and "FreeBSD" in record["link_driver_version"]
    assert (
        record["calibration"]["within_tolerance"]
        and record["sysctls"]["server"]["net.ipv4.tcp_congestion_control"] == "cubic"
    )
    for role, programs in (
        ("server", ("envoy", "gquicd", "apache2", "longlook.node")),
        ("client", ("chromium", "ipykernel", "longlook.node")),
    ):
        for program in programs:
            assert standin.left(role, program) == [], (role, program)


def test_downloads_by_programs_of_ours_are_measured_on_the_nodes(standin, bench):
    quic = QUIC | {"handshake": "1rtt"}
    arms = [
        quic | {"name": "aioquic", "cca": "reno"},
        quic | {"name": "lsquic", "server": "lsquic", "client": "lsquic", "cca": "bbr"},
        quic | {"name": "ngtcp2", "server": "ngtcp2", "client": "ngtcp2"},
        TCP | {"name": "tcp"},
    ]
    block = {"arms": arms, "bandwidth_mbps": [50], "workloads": [{"kind": "download", "size_kb": 100}]}
    wanted = small(block, stack="halme2021", loads=1, experiment="download")
    outcome = run_sweep(wanted, testbeds=(standin.description(),), quiet=True, accept_short=True)
    assert outcome.failed == {}
    (cell,) = outcome.campaign.finished_cells()
    rows = [row for row in read_records(cell) if is_right(row)]
    assert {row["arm"] for row in rows} == {"aioquic", "lsquic", "ngtcp2", "tcp"}
    record = json.loads((cell / "cell.json").read_text())
    assert record["initial_window_bytes"] == {"aioquic": 12_000, "lsquic": 46_720, "ngtcp2": 14_520}
    for role, programs in (("server", ("_serve.", "gtlsserver")), ("client", ("_fetch.", "gtlsclient"))):
        for program in programs:
            assert standin.left(role, program) == [], (role, program)


@pytest.mark.quiet
def test_a_transfer_is_watched_from_inside_on_the_server_node(standin, bench):
    """Captures at both ends, Envoy's samples and the kernel's trace, all in the client node's time."""
    block = {
        "arms": [QUIC, TCP],
        "workloads": [{"size_kb": 20000}],
        "bandwidth_mbps": [5],
        "queue_bytes": 30720,
        "duration_s": 5,
    }
    wanted = small(block, experiment="fairness", mode="together")
    outcome = run_sweep(wanted, testbeds=(standin.description(),), quiet=True, accept_short=True)
    assert outcome.failed == {}
    (cell,) = outcome.campaign.finished_cells()
    timeline = pd.read_parquet(cell / "timeline.parquet")
    assert {"acks", "capture", "envoy", "flow_control", "rtt_parts", "tcp_probe"} == set(timeline["source"])
    parts = timeline[timeline["source"] == "rtt_parts"]
    # Way down and way back are told apart by two clocks, which SSH has compared: each has about half of the RTT.
    assert parts["down_ms"].min() > 12 and parts["up_ms"].min() > 12
    rates = [one.metrics["mean_mbps"] for one in read_samples(cell) if one.accepted]
    assert len(rates) == 2
    assert 4.0 < sum(rates) < 5.05 and min(rates) > 0.2


def test_what_is_placed_once_is_not_placed_again(standin):
    put = []
    original = Session.put
    with Nodes(standin.description(), ["quicv1"]):
        pass
    try:
        Session.put = lambda self, source, target: (put.append(target), original(self, source, target))
        with Nodes(standin.description(), ["quicv1"]):
            pass
    finally:
        Session.put = original
    assert put == []


@pytest.mark.quiet
def test_the_bridge_does_what_it_is_told_and_is_read_back(standin):
    """From the client node's side: calibration of a lossless link, a lossy one, and one with a queue in packets."""
    with Nodes(standin.description(), ["quicv1"]) as ready:
        script = (
            "import json, sys; from longlook.testbed.opening import open_link; import contextlib\n"
            "from longlook.link.calibrate import calibrate; from longlook.plan.link import Link\n"
            "bed = json.loads(sys.argv[1])\n"
            "with contextlib.ExitStack() as owned:\n"
            "    bed, driver = open_link(owned, bed)\n"
            "    for link in (Link(bandwidth_mbps=10, rtt_ms=36), Link(bandwidth_mbps=50, rtt_ms=112, loss_pct=1),\n"
            "                 Link(bandwidth_mbps=10, rtt_ms=36, queue_packets=120)):\n"
            "        driver.configure(link, 1)\n"
            "        print(json.dumps(calibrate(bed, driver, link)['measured']))\n"
        )
        bed = ready.bed.model_copy(update={"key": ready._key, "known_hosts": ready._known_hosts})
        said = ready._client.run(
            [
                ready._ready[ready._client].python,
                "-c",
                script,
                json.dumps(bed.model_dump(mode="json", exclude_none=True)),
            ],
            timeout_s=240,
        )
    slow, fast, slots = (json.loads(line) for line in said.splitlines()[-3:])
    assert abs(slow["rtt_ms_median"] - 36) < 1 and abs(fast["rtt_ms_median"] - 112) < 1
    assert abs(slow["server_to_client_mbps"] - 10) < 0.3 and abs(fast["client_to_server_mbps"] - 50) < 1.5
    assert abs(slots["server_to_client"]["queue_packets"] - 120) < 13  # more than the kernel's own limit of 100


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"key": "/nonexistent"}, "key"),
        ({"known_hosts": "/dev/null"}, "host key is not known.*run `ssh"),
        ({"server": {"host": "10.79.99.99", "address": "10.77.0.1"}}, "server node .*10.79.99.99.*is the node up"),
        ({"server": {"host": "SERVER", "port": 2, "address": "10.77.0.1"}}, "port 2.*is the node up"),
        ({"folder": "/proc/longlook"}, "/proc/longlook"),
    ],
    ids=["no key", "unknown host", "no such host", "wrong port", "bad folder"],
)  # fmt: skip
def test_what_is_wrong_is_said_with_the_node_and_the_remedy(standin, changes, words, monkeypatch):
    monkeypatch.setattr("longlook.node.session.CONNECT_TIMEOUT_S", 10.0)
    if changes.get("server", {}).get("host") == "SERVER":
        changes = {"server": changes["server"] | {"host": standin.address("server")}}
    with pytest.raises(LonglookError, match=words), Nodes(standin.description(**changes), ["quicv1"]):
        pass


def test_a_refused_login_names_the_remedy(standin, tmp_path):
    import subprocess

    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / "other")], check=True)
    with (
        pytest.raises(LonglookError, match="refuses the login: put your public key"),
        Nodes(standin.description(key=str(tmp_path / "other")), ["quicv1"]),
    ):
        pass


def worker_listens_on(standin):
    """What the worker that the client node runs listens on, once it does."""
    there = network(standin.running("client", "sshd")[0])
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline:
        found = listeners(standin.running("client", "longlook.experiment.away"), within=there)
        if len(found) >= 2:  # a worker and its nanny
            return found
        time.sleep(0.1)
    raise AssertionError("no worker on the client node after 240 s")


def look_for_ways_in(standin):
    """While the client node's worker is up: what listens here and there, and what of it takes a stranger's work."""
    there = worker_listens_on(standin)
    here = listeners([os.getpid()], within=network())
    return here, there, take_work(here | there)


def test_a_worker_on_another_control_host_sends_its_records(standin, bench, testbed_name):
    """One testbed of namespaces here, one that the stand-in's client node controls, reached over SSH by Dask. Neither
    takes work from one without a certificate of this run, and the worker listens only where it was reached."""
    own = standin.description()
    control = {"host": own.client.host, "python": own.python, "key": own.key, "known_hosts": own.known_hosts}
    beds = (
        parse_description({"name": f"{testbed_name}a"}),
        parse_description({"name": f"{testbed_name}b", "control": control}),
    )
    wanted = small({"bandwidth_mbps": [50, 100]})
    try:
        with ThreadPoolExecutor(1) as beside:
            looked = beside.submit(look_for_ways_in, standin)
            outcome = run_sweep(wanted, testbeds=beds, quiet=True, accept_short=True)
            here, there, taken = looked.result()
    finally:
        for bed in beds:
            netns.remove(bed.name)
    assert outcome.failed == {} and outcome.campaign.is_sealed
    records = [json.loads((cell / "environment.json").read_text()) for cell in outcome.campaign.finished_cells()]
    assert {record["testbed"]["name"] for record in records} == {bed.name for bed in beds}
    assert taken == [], (here, there)
    assert {ip for ip, _ in there} == {own.client.host}
    assert {ip for ip, _ in here if not is_loopback(ip)} == {f"10.79.{standin.number}.254"}, here
    assert standin.left("client", "longlook.experiment.away") == []
