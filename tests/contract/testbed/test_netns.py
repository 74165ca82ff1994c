"""The three namespaces for real: wiring, settings, side by side, and nothing left behind."""

import os
import signal
import subprocess
import sys
import time

import pytest

from longlook.errors import LonglookError
from longlook.host.kernel import SOCKET_BUFFER_BYTES
from longlook.testbed import netns
from longlook.testbed.netns import NetnsTestbed

pytestmark = [pytest.mark.root, pytest.mark.netns]


def test_hosts_settings_and_teardown(testbed_name):
    with NetnsTestbed(testbed_name) as bed:
        assert testbed_name in netns.leftover()
        addresses = bed.run("client", ["ip", "-4", "-o", "addr", "show", "eth0"], timeout_s=5)
        assert bed.hosts["client"].address in addresses
        for role, host in bed.hosts.items():
            for interface in host.interfaces:
                shown = bed.run(role, ["ethtool", "-k", interface], timeout_s=5)
                for feature in (
                    "tcp-segmentation-offload",
                    "generic-segmentation-offload",
                    "generic-receive-offload",
                    "tx-checksumming",
                ):
                    assert f"{feature}: off" in shown, (role, interface, feature)
        settings = bed.sysctls()
        if os.geteuid() == 0:
            assert int(settings["client"]["net.core.rmem_max"]) >= SOCKET_BUFFER_BYTES
        assert settings["server"]["net.ipv4.tcp_wmem"].endswith(str(SOCKET_BUFFER_BYTES))
        assert bed.set_cca("server", "reno") == "reno"
        assert bed.sysctls()["client"]["net.ipv4.tcp_congestion_control"] != "reno"
    assert testbed_name not in netns.leftover()


def test_an_offload_that_this_kernel_has_not_leaves_no_other_on(testbed_name, monkeypatch):
    monkeypatch.setattr(netns, "OFFLOADS", ("nonsense", *netns.OFFLOADS))
    with NetnsTestbed(testbed_name) as bed:
        shown = bed.run("bridge", ["ethtool", "-k", "brg_s"], timeout_s=5)
        assert "tcp-segmentation-offload: off" in shown and "rx-checksumming: off" in shown


def test_there_is_no_way_out(testbed_name):
    """Of the machine's networks a testbed knows none: its one route is to its own two ends."""
    ask = "import socket; socket.create_connection(('192.0.2.1', 9), 3)"  # RFC 5737: nobody's
    with NetnsTestbed(testbed_name) as bed:
        for role in bed.hosts:
            shown = bed.run(role, ["ip", "route", "show", "table", "all", "type", "unicast"], timeout_s=5).split()
            assert {word for word in shown if "/" in word or word == "default"} <= {"10.77.0.0/24", "fe80::/64"}, shown
            with pytest.raises(LonglookError, match="unreachable"):
                bed.run(role, [sys.executable, "-c", ask], timeout_s=10)


def test_the_initial_window_is_the_routes(testbed_name):
    with NetnsTestbed(testbed_name) as bed:
        bed.set_slow_start("server", 32, None)
        assert "initcwnd 32" in bed.run("server", ["ip", "route", "show"], timeout_s=5)
        assert "initcwnd" not in bed.run("client", ["ip", "route", "show"], timeout_s=5)
        bed.set_slow_start("server", None, 9)
        assert "ssthresh lock 9" in (shown := bed.run("server", ["ip", "route", "show"], timeout_s=5))
        assert "initcwnd" not in shown
        assert bed.sysctls()["server"]["net.ipv4.tcp_no_ssthresh_metrics_save"] == "0"
        assert bed.sysctls()["client"]["net.ipv4.tcp_no_ssthresh_metrics_save"] == "1"


def test_an_unknown_controller_is_refused_with_the_known_ones(testbed_name):
    with NetnsTestbed(testbed_name) as bed, pytest.raises(LonglookError, match=r"no TCP vegemite.*it has: .*reno"):
        bed.set_cca("server", "vegemite")


def test_two_testbeds_side_by_side_and_one_owner_each(testbed_name):
    with NetnsTestbed(testbed_name) as one, NetnsTestbed(testbed_name + "b") as two:
        assert one.run("server", ["true"], 5) == two.run("server", ["true"], 5)
        with pytest.raises(LonglookError, match="in use by process"), NetnsTestbed(testbed_name):
            pass
        assert testbed_name in netns.leftover()
    netns.remove(testbed_name + "b")


def test_a_bad_name_is_refused():
    with pytest.raises(LonglookError, match="a-z and 0-9"):
        NetnsTestbed("no spaces")


OWNER = """
import sys, time
from longlook.testbed.netns import NetnsTestbed
with NetnsTestbed(sys.argv[1]) as bed:
    child = bed.popen("server", ["sh", "-c", "echo up; exec sleep 600"], stdout=-1)
    child.stdout.readline()
    print(child.pid, flush=True)
    time.sleep(600)
"""


def test_after_kill_9_of_the_owner_its_programs_die_and_the_next_run_starts_clean(testbed_name):
    owner = subprocess.Popen([sys.executable, "-c", OWNER, testbed_name], stdout=subprocess.PIPE, text=True)
    pid = int(owner.stdout.readline())
    os.kill(owner.pid, signal.SIGKILL)
    owner.wait()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and _alive(pid):
        time.sleep(0.02)
    assert not _alive(pid)
    with NetnsTestbed(testbed_name) as bed:
        assert bed.run("client", ["ip", "-o", "link", "show", "eth0"], 5)
    assert testbed_name not in netns.leftover()


def _alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_hanging_program_is_named_when_its_time_is_up(testbed_name):
    with (
        NetnsTestbed(testbed_name) as bed,
        pytest.raises(LonglookError, match=r"sleep on client did not finish in 0\.2 s"),
    ):
        bed.run("client", ["sleep", "60"], timeout_s=0.2)


def test_an_answer_that_never_comes_is_not_waited_for():
    with pytest.raises(netns.NoAnswer, match=r"did not answer.*try again"):
        netns._apart(lambda: time.sleep(5), patience_s=0.05)


def test_a_testbed_whose_first_wiring_has_no_answer_is_made_once_more(testbed_name, monkeypatch):
    made, make = [], NetnsTestbed._make

    def lost_once(bed):
        made.append(bed)
        make(bed)
        if len(made) == 1:
            raise netns.NoAnswer("as if the last answer had been lost")

    monkeypatch.setattr(NetnsTestbed, "_make", lost_once)
    with NetnsTestbed(testbed_name) as bed:
        assert bed.hosts["client"].address in bed.run("client", ["ip", "-4", "-o", "addr"], timeout_s=5)
    assert len(made) == 2
    assert testbed_name not in netns.leftover()
