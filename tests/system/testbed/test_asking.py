"""A server's settings on their way to another node, and a server there that is used as if it were here."""

import contextlib
import json
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from freezing import freezable, version_here

from longlook.client.base import ClientSettings, Request
from longlook.client.chromium import Chromium
from longlook.errors import LonglookError
from longlook.host import process
from longlook.plan.arm import Arm
from longlook.plan.workload import Download, Page
from longlook.server.base import ServerSettings
from longlook.server.envoy import Envoy
from longlook.site.certificate import make_certificate
from longlook.site.write import write_site
from longlook.stack import open_stack
from longlook.testbed import agent
from longlook.testbed.asking import AgentConnection, RemoteServer, plain
from longlook.testbed.netns import NetnsTestbed

ARM = Arm.parse(
    {
        "name": "quic",
        "stack": "quicv1",
        "protocol": "quic",
        "server": "envoy",
        "client": "chromium",
        "emulated_connections": 1,
        "quic_options": ["ILD0"],
        "server_cpu_pct": 80,
    }
)


def settings_of(tmp_path, workload, **more):
    tls = make_certificate(tmp_path / "tls")
    site = write_site(tmp_path / "www", workload, seed=1)
    return ServerSettings(ARM, site, tls.certificate, tls.key, **more), tls


@pytest.mark.parametrize("workload", [Page.parse({"size_kb": 5, "count": 3}), Download(size_bytes=7000, count=2)])
def test_settings_survive_the_way_and_only_their_places_change(tmp_path, workload):
    own, _ = settings_of(tmp_path, workload, port=444, trace=True, faults={"early_data": "false"})
    here = {"site": str(own.site.root), "certificate": str(own.certificate), "key": str(own.key)}
    assert agent.server_settings(json.loads(json.dumps(plain(own, here)))) == own
    there = {"site": "/there/www", "certificate": "/there/c.pem", "key": "/there/k.pem"}
    moved = agent.server_settings(json.loads(json.dumps(plain(own, there))))
    assert str(moved.site.root) == "/there/www" and moved.site.files == own.site.files
    assert (moved.arm, moved.port, moved.trace, moved.faults) == (own.arm, 444, True, {"early_data": "false"})
    assert (str(moved.certificate), str(moved.key)) == ("/there/c.pem", "/there/k.pem")


ECHO = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"result": json.loads(line)["arguments"]["number"]}), flush=True)
"""


def test_threads_that_ask_one_agent_have_their_own_answers():
    """Of a long load the controller is asked for by another thread (experiment/meanwhile.py)."""
    session = SimpleNamespace(what="node server", host="there")
    asked = AgentConnection(session, "python3", "server", "10.0.0.1", "10.0.0.2")
    asked._process = process.start(
        [sys.executable, "-S", "-u", "-c", ECHO], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        with ThreadPoolExecutor(4) as pool:
            numbers = list(pool.map(lambda number: asked.ask("echo", number=number), range(400)))
    finally:
        process.stop(asked._process)
    assert numbers == list(range(400))


class Near:
    """The asking end of an agent that runs in this process: requests and answers pass through JSON, as over SSH."""

    clock_ahead_s = 0.0

    def __init__(self, bed, owned):
        self._agent = agent.Agent(bed, owned)

    def ask(self, op, **arguments):
        request = json.dumps({"id": 1, "op": op, "arguments": arguments})
        said = json.loads(json.dumps(agent.answer(self._agent, request)))
        if "error" in said:
            raise LonglookError(said["message"])
        return said["result"]

    def bring(self, sources):
        folder = self._agent.folder()
        for source in sources.values():
            copy = shutil.copytree if source.is_dir() else shutil.copy
            copy(source, f"{folder}/{source.name}")  # hard links become files of their own, as over SFTP
        return {name: f"{folder}/{source.name}" for name, source in sources.items()}


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.browser
@pytest.mark.granted("cpu_limits")
def test_a_server_of_another_node_answers_a_browser_and_our_questions(tmp_path, testbed_name):
    tmp_path.chmod(0o755)
    own, tls = settings_of(tmp_path, Page.parse({"size_kb": 5, "count": 3}), trace=True)
    with contextlib.ExitStack() as owned:
        bed = owned.enter_context(NetnsTestbed(testbed_name))
        _forward(bed)
        near = Near(bed, owned)
        stack = open_stack("quicv1")
        with RemoteServer(near, Envoy, "quicv1", own) as server:
            assert (server.name, server.offer, server.settings) == ("envoy", Envoy.offer, own)
            assert server.cca_in_force() == "cubic" and server.version() == "1.40.0"
            client = ClientSettings(ARM, bed.hosts["server"].address, 443, tls.certificate, tls.spki)
            with Chromium(bed, stack, client) as chromium:
                seen = chromium.fetch(Request(own.site.start, 20))
            assert {one.path: one.size_bytes for one in seen.objects} == own.site.sizes
            assert seen.protocols == ("h3",) and list(server.early_data_by_connection().values()) == [False]
            assert server.cpu_seconds() > 0 and server.version_refused() is None
            assert list(server.congestion().columns)[:2] == ["time_s", "cwnd_bytes"]
            server.require_alive()
            assert server.stopped(60) == {}
            (pid,) = near._agent._opened[1][1].pids
            with freezable(version_here(), pid) as freeze:
                freeze(0.06)
            time.sleep(0.05)
            (who,) = server.stopped(60)
            assert who.startswith(f"{pid} ") and server.stopped(0.01) == {}
        with pytest.raises(LonglookError, match="does not answer 'popen'"):
            near.ask("ask_server", handle=1, method="popen")


def _forward(bed):
    """The bridge, without a link driver, as a plain one."""
    for argv in (
        ["ip", "link", "add", "br0", "type", "bridge"],
        *(["ip", "link", "set", name, "master", "br0"] for name in bed.hosts["bridge"].interfaces),
        *(["ip", "link", "set", name, "up"] for name in ("br0", *bed.hosts["bridge"].interfaces)),
    ):
        bed.run("bridge", argv, timeout_s=5)
