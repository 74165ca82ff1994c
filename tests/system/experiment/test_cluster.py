"""Who may speak to a run's scheduler and workers, and how a worker on another control host begins and ends."""

import json
import os
import subprocess
import sys

import pytest
from distributed import Client, Scheduler, SpecCluster

from longlook.experiment.away import READY
from longlook.experiment.cluster import cluster
from longlook.experiment.credentials import make_credentials, security, workers_own
from longlook.testbed.base import LOCKS
from longlook.testbed.description import parse_description
from longlook.testbed.ownership import owned

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture
def credentials():
    return make_credentials()


@pytest.fixture
def scheduler(credentials):
    """One that waits for workers."""
    own = security(credentials)
    options = {"host": "127.0.0.1", "port": 0, "dashboard_address": "127.0.0.1:0", "security": own}
    with SpecCluster({}, {"cls": Scheduler, "options": options}, security=own, name="test") as made:
        yield made


@pytest.fixture
def away(scheduler, credentials, testbed_name):
    """Starts what a control host is told to start; here, and by hand."""
    started = []

    def start(name=testbed_name):
        options = {"nthreads": 1, "name": name, "resources": {f"testbed-{name}": 1}, "dashboard": False}
        said = {
            "bed": {"name": name},
            "what": "campaign x",
            "scheduler": scheduler.scheduler_address,
            "host": "127.0.0.1",
            "options": options,
            "credentials": workers_own(credentials),
        }
        argv = [sys.executable, "-m", "longlook.experiment.away"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        started.append(subprocess.Popen(argv, text=True, **pipes))
        started[-1].stdin.write(json.dumps(said) + "\n")
        started[-1].stdin.flush()
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()


def test_certificates_of_another_run_are_worth_nothing(scheduler, credentials):
    with Client(scheduler.scheduler_address, security=security(credentials), timeout=20) as own:
        assert own.scheduler_info()
    for other in (security(make_credentials()), None):
        with pytest.raises((OSError, TimeoutError, RuntimeError, TypeError)):
            Client(scheduler.scheduler_address, security=other, timeout=3, set_as_default=False)


def test_a_worker_gets_no_key_but_its_own(credentials):
    assert sorted(workers_own(credentials)) == ["tls_ca_file", "tls_worker_cert", "tls_worker_key"]
    keys = [text for name, text in credentials.items() if name.endswith("_key")]
    assert len(set(keys)) == 3 and not any(
        "PRIVATE" in credentials[name] for name in ("tls_ca_file", "tls_worker_cert")
    )


@pytest.mark.root
@pytest.mark.netns
def test_a_worker_ends_with_its_connection_and_owns_its_testbed_until_then(scheduler, away, testbed_name):
    worker = away()
    assert worker.stdout.readline().strip() == READY, worker.communicate()
    refused = away()
    _, said = refused.communicate(timeout=60)
    assert refused.returncode == 1
    assert f"testbed '{testbed_name}' is in use by process {worker.pid} (campaign x, since" in said
    with Client(scheduler) as client:
        client.wait_for_workers(1, timeout=30)
        assert client.submit(os.getppid, resources={f"testbed-{testbed_name}": 1}).result(30) == worker.pid
    worker.stdin.close()
    assert worker.wait(30) == 0
    with owned(testbed_name, LOCKS, "x"):
        pass


def test_all_of_a_cluster_is_on_loopback_and_wants_a_certificate(testbed_name):
    with cluster([parse_description({"name": testbed_name})], "campaign x") as opened:
        assert opened.dashboard.startswith("http://127.0.0.1:")
        info = opened.client.scheduler_info()
        (worker,) = info["workers"].values()
        said = [info["address"], *info["workers"], worker["nanny"]]
        assert all(address.startswith("tls://127.0.0.1:") for address in said)
        assert worker["services"] == {}
