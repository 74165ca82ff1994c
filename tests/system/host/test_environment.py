"""Programs have the environment that is stated, and nothing of their starter's."""

import contextlib
import os
import subprocess

import psutil
import pytest
from arms import arm_on, verdicts

from longlook.host import facts, process
from longlook.plan.workload import Download
from longlook.probe.capture import capture, fields
from longlook.server import SERVERS

GROUPS = """
openssl_conf = begin
[begin]
ssl_conf = ssl
[ssl]
system_default = all
[all]
Groups = P-384
"""
"""A user's, or a system's, file for OpenSSL. Clients send their key shares for other groups first: a server that knows
this one alone asks for another ClientHello."""
STRANGE = {
    "SSLKEYLOGFILE": "keys",
    "http_proxy": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "ALL_PROXY": "http://127.0.0.1:9",
    "LD_BIND_NOW": "1",
    "GODEBUG": "gctrace=1",
    "GOGC": "1",
    "NODE_OPTIONS": "--trace-warnings",
    "BUN_OPTIONS": "--smol",
    "PYTHONMALLOC": "debug",
    "MALLOC_ARENA_MAX": "1",
    "GLIBC_TUNABLES": "glibc.malloc.perturb=7",
    "GNUTLS_FORCE_FIPS_MODE": "1",
    "QLOGDIR": "qlogs",
    "LC_ALL": "C",
    "LANGUAGE": "de",
    "CURL_HOME": "home",
    "XDG_CONFIG_HOME": "home",
}


@pytest.fixture
def strange(monkeypatch, tmp_path):
    """The environment of a user who has set much."""
    conf = tmp_path / "openssl.cnf"
    conf.write_text(GROUPS)
    for name, value in (STRANGE | {"OPENSSL_CONF": str(conf)}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".curlrc").write_text('proxy = "http://127.0.0.1:9"\n')


def test_a_program_has_what_is_stated_and_what_it_is_given(strange):
    child = process.start(["env"], env={"QLOGDIR": "own", "HOME": "own"}, stdout=subprocess.PIPE, text=True)
    told = dict(line.partition("=")[::2] for line in child.communicate()[0].splitlines())
    assert told == process.STATED | {"QLOGDIR": "own", "HOME": "own"} | {
        name: os.environ[name] for name in process.INHERITED if name in os.environ
    }
    assert not set(process.STATED) & set(process.INHERITED)


def test_the_record_tells_which_environment_programs_have(monkeypatch):
    monkeypatch.setenv("PATH", f"/home/somebody/bin{os.pathsep}{os.environ['PATH']}")
    told = facts.machine()["environment"]
    assert told["stated"] == process.STATED and "PATH" in told["inherited"]
    assert "somebody" not in str(told)


def environment_of(pid):
    """Names of a process's variables; none of one that has ended, which its parent has yet to hear of."""
    with contextlib.suppress(ProcessLookupError), open(f"/proc/{pid}/environ", "rb") as told:
        return {one.partition(b"=")[0].decode(errors="replace") for one in told.read().split(b"\0")}
    return set()


def retries(pcap):
    """Whether each ServerHello is a HelloRetryRequest, by its random (RFC 8446, 4.1.3)."""
    told = fields(pcap, ("tls.handshake.type", "tls.handshake.random"))
    return [randoms.replace(":", "").startswith("cf21ad74e59a6111") for kinds, randoms in told if kinds[:1] == "2"]


ARMS = {
    "apache-chromium": ("quicv1", {}),
    "apache-curl": ("shreedhar2022", {"client": "curl", "handshake": "1rtt"}),
    "nginx-curl": ("yu2021nginx", {"client": "curl", "handshake": "1rtt"}),
    "apache-systemcurl": ("shreedhar2022openssl", {"client": "systemcurl", "handshake": "1rtt"}),
}


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.browser
@pytest.mark.timeout(120)
@pytest.mark.parametrize("which", ARMS)
def test_nothing_of_a_users_reaches_what_is_measured(strange, testbed_name, tmp_path, which):
    stack, how = ARMS[which]
    own = {"workload": Download(size_bytes=50_000)} if how else {}
    with (
        arm_on(testbed_name, tmp_path, SERVERS[which.partition("-")[0]], stack, **own, **how) as on,
        capture(on.bed, "server", tmp_path / "seen.pcap", "port 443"),
    ):
        assert verdicts(on) == [(True, None)] * 2
        roots = (*on.side.server.pids, *on.side.client.pids, *on.side.around.link.pids)
        of_cell = [pid for root in roots for pid in [root, *(c.pid for c in psutil.Process(root).children(True))]]
        names = set().union(*map(environment_of, of_cell))
    found = retries(tmp_path / "seen.pcap")
    assert len(found) >= 2 and not any(found)
    assert not names & STRANGE.keys()
