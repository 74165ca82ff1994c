"""The set-up scripts of Emulab's nodes, run here with stand-ins for every command that would change this machine."""

import re
import shutil
import subprocess

import pytest
from genilib import PROFILE

SCRIPTS = PROFILE.parent
# The commands that the scripts take from the system; any other that they call has a stand-in or is an error.
REAL = [
    "bash",
    "sh",
    "cat",
    "cp",
    "date",
    "dirname",
    "grep",
    "head",
    "install",
    "mkdir",
    "mktemp",
    "mv",
    "printf",
    "rm",
    "sed",
    "sort",
    "tee",
    "uname",
]
CALL = 'printf "%s\\n" "${0##*/} $*" >>"$STATE/calls"\n'
SYSCTL = """#!/bin/bash
# -n KEY reads; KEY=VALUE and -q -p FILE write. Keys in $STATE/stubborn stay as they are, those in refused are an error.
put() {
  listed=$(cat "$STATE/stubborn" 2>/dev/null); [[ " $listed " == *" $1 "* ]] && return
  listed=$(cat "$STATE/refused" 2>/dev/null); [[ " $listed " == *" $1 "* ]] && exit 1
  printf '%s\\n' "$2" >"$STATE/sysctl/$1"
}
case $1 in
  -n) cat "$STATE/sysctl/$2" 2>/dev/null || { echo "sysctl: unknown oid '$2'" >&2; exit 1; } ;;
  -q) while IFS= read -r line; do put "${line%% = *}" "${line#* = }"; done <"$3" ;;
  *) printf 'sysctl %s\\n' "$*" >>"$STATE/calls"; put "${1%%=*}" "${1#*=}" ;;
esac
"""
STUBS = {
    "sysctl": SYSCTL,
    "id": "#!/bin/bash\ncat $STATE/uid\n",
    "hostname": "#!/bin/bash\necho node.example\n",
    "getconf": "#!/bin/bash\ncat $STATE/glibc\n",
    "setpriv": "#!/bin/bash\n[[ -e $STATE/setpriv ]]\n",
    "systemctl": f"#!/bin/bash\n{CALL}"
    'case $1 in is-active) [[ -e "$STATE/units/$3" ]] ;; is-enabled) [[ -e "$STATE/units/$2" ]] && echo enabled ;;'
    ' disable) rm "$STATE/units/$3" ;; esac\n',
    "loginctl": f'#!/bin/bash\n{CALL}rm "$LONGLOOK_PREFIX/var/lib/systemd/linger/$2"\n',
    "modprobe": f"#!/bin/bash\n{CALL}",
    "git": "#!/bin/bash\necho 0123abc\n",
    "python3": "#!/bin/bash\nexit 1\n",  # as 3.10 answers the question whether it is 3.11
    "apt-get": f"#!/bin/bash\n{CALL}"
    '[[ "$*" == *python3.11* ]] && cp "$STATE/python3.11" "$STATE/bin/python3.11"; exit 0\n',
    "ipfw": "#!/bin/bash\necho 60111: unlimited\n",
    "ifconfig": "#!/bin/bash\necho bridge1\n",
}
BOOTSTRAP = (
    f'#!/bin/bash\n{CALL}printf "%s %s %s\\n" "$PYTHON" "$PYTHONSAFEPATH" "$LONGLOOK_CACHE" >>"$STATE/bootstrap"\n'
    "[[ ! -e $STATE/broken ]]\n"
)
LINUX = {"net.core.rmem_max": "212992", "net.core.wmem_max": "212992"}
FREEBSD = {
    "net.inet.ip.dummynet.pipe_byte_limit": "1048576",
    "net.inet.ip.dummynet.pipe_slot_limit": "100",
    "net.inet.ip.dummynet.hash_size": "64",
    "net.inet.ip.dummynet.io_fast": "0",
    "net.inet.ip.dummynet.expire": "1",
    "kern.ipc.nmbclusters": "1000000",
    "kern.clockrate": "{ hz = 10000, tick = 100, profhz = 8128, stathz = 127 }",
}


class Node:
    """A folder that takes the place of a node's root, with stand-ins for its commands."""

    def __init__(self, folder, sysctls):
        self.root, self.state, self.repository = folder / "root", folder / "state", folder / "repository"
        for made in (
            "root/proj/QUIC",
            "state/bin",
            "state/sysctl",
            "state/units",
            "repository/emulab",
            "repository/tools",
            "repository/envs/quicv1",
        ):
            (folder / made).mkdir(parents=True)
        for name in REAL:
            (self.state / "bin" / name).symlink_to(shutil.which(name))
        for name, text in STUBS.items():
            self._program(self.state / "bin" / name, text)
        self._program(self.repository / "tools/bootstrap", BOOTSTRAP)
        (self.repository / "envs/quicv1/stack.toml").touch()
        (self.repository / "envs/variants.toml").write_text('[quicv1c126]\nbase = "quicv1"\n[quicv1c126.quic]\n')
        for script in SCRIPTS.glob("setup-*.sh"):
            shutil.copy(script, self.repository / "emulab")
        self.put(uid="0", glibc="glibc 2.35", setpriv="", **{"python3.11": "#!/bin/bash\nexit 0\n"})
        (self.state / "python3.11").chmod(0o755)
        for key, value in sysctls.items():
            (self.state / "sysctl" / key).write_text(value + "\n")

    @staticmethod
    def _program(path, text):
        path.write_text(text)
        path.chmod(0o755)

    def put(self, **files):
        for name, text in files.items():
            (self.state / name).write_text(text)

    def run(self, shell, script, *arguments):
        (self.state / "calls").write_text("")
        environment = {"PATH": str(self.state / "bin"), "STATE": str(self.state), "LONGLOOK_PREFIX": str(self.root)}
        command = [shutil.which(shell), str(self.repository / "emulab" / script), *arguments]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=30, check=False, cwd="/"
        )

    @property
    def calls(self):
        """What changes a node; questions are left out."""
        lines = (self.state / "calls").read_text().splitlines()
        return [line for line in lines if not line.startswith(("systemctl is-", "systemctl cat"))]

    def sysctl(self, key):
        return (self.state / "sysctl" / key).read_text().strip()

    @property
    def ready(self):
        path = self.root / "var/tmp/longlook/ready"
        return path.read_text().strip() if path.exists() else None


@pytest.fixture
def host(tmp_path):
    return Node(tmp_path, LINUX)


@pytest.fixture
def bridge(tmp_path):
    return Node(tmp_path, FREEBSD)


@pytest.mark.parametrize(("script", "shells"), [("setup-node.sh", ["bash"]), ("setup-bridge.sh", ["sh", "bash"])])
def test_the_scripts_parse(script, shells):
    for shell in shells:
        done = subprocess.run(
            [shell, "-n", str(SCRIPTS / script)], capture_output=True, text=True, timeout=30, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")


def test_a_fresh_node_becomes_ready(host):
    (host.state / "units/apt-daily.timer").touch()
    (host.root / "var/lib/systemd/linger").mkdir(parents=True)
    (host.root / "var/lib/systemd/linger/alice").touch()
    done = host.run("bash", "setup-node.sh", "quicv1", "QUIC")
    assert done.returncode == 0, done.stdout + done.stderr
    assert host.ready == "quicv1 0123abc"
    assert (host.root / "var/tmp/longlook").stat().st_mode & 0o7777 == 0o1777
    assert host.sysctl("net.core.rmem_max") == host.sysctl("net.core.wmem_max") == str(32 * 1024 * 1024)
    assert host.sysctl("net.ipv4.tcp_rmem") == "4096 131072 33554432"
    assert "systemctl disable --now apt-daily.timer" in host.calls and "loginctl disable-linger alice" in host.calls
    assert "modprobe tcp_bbr" in host.calls and "bootstrap --root quicv1" in host.calls
    assert any(re.search(r"apt-get .*install .*python3.11 python3.11-venv$", call) for call in host.calls)
    assert (host.state / "bootstrap").read_text().split() == [
        str(host.state / "bin/python3.11"),
        "1",
        str(host.root / "var/tmp/longlook/cache"),
    ]
    log = (host.root / "var/log/longlook-setup.log").read_text()
    assert "ready:" in log and log in done.stdout
    assert (host.root / "proj/QUIC/longlook/setup-node.example.log").read_text() == log


def test_a_second_run_changes_nothing_on_a_node(host):
    assert host.run("bash", "setup-node.sh", "quicv1").returncode == 0
    first = {path: path.read_text() for path in (host.root / "etc").rglob("*.conf")}
    again = host.run("bash", "setup-node.sh", "quicv1")
    assert again.returncode == 0 and host.ready == "quicv1 0123abc"
    assert host.calls == ["bootstrap --root quicv1"]
    assert {path: path.read_text() for path in (host.root / "etc").rglob("*.conf")} == first and len(first) == 2


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"glibc": "glibc 2.27"}, "glibc 2.27.*2.28 or newer.*UBUNTU22-64-STD"),
        ({"setpriv": None}, "setpriv knows no --pdeathsig.*UBUNTU22-64-STD"),
        ({"stubborn": "net.core.wmem_max"}, "net.core.wmem_max is 212992 after it was set to 33554432"),
        ({"broken": ""}, "tools/bootstrap for quicv1"),
        ({"python3.11": None}, "still no Python 3.11"),
    ],
)
def test_a_node_that_cannot_be_made_ready_says_why(host, files, words):
    (host.root / "var/tmp/longlook").mkdir(parents=True)
    (host.root / "var/tmp/longlook/ready").write_text("from before")
    for name, text in files.items():
        (host.state / name).unlink() if text is None else host.put(**{name: text})
    done = host.run("bash", "setup-node.sh", "quicv1", "QUIC")
    assert done.returncode == 1
    assert re.search(words, done.stdout, re.DOTALL) and "ended with status 1" in done.stdout
    assert host.ready is None
    assert (host.root / "proj/QUIC/longlook/setup-node.example.log").exists()


def test_a_stack_that_is_a_table_of_variants_is_one(host):
    assert host.run("bash", "setup-node.sh", "quicv1c126", "QUIC").returncode == 0
    assert host.ready == "quicv1c126 0123abc" and "bootstrap --root quicv1c126" in host.calls


def test_a_node_without_root_or_with_another_stack_is_refused(host):
    for name in ("quicv9", "quicv1c12.", "base", ""):
        assert f"no stack {name}" in host.run("bash", "setup-node.sh", name).stdout
    assert host.calls == []
    assert host.run("bash", "setup-node.sh").returncode == 2
    host.put(uid="1000")
    done = host.run("bash", "setup-node.sh", "quicv1")
    assert done.returncode == 1 and "needs root: sudo" in done.stderr and host.calls == []


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_fresh_bridge_becomes_ready_and_stays_so(bridge, shell):
    delay_map = bridge.root / "var/emulab/boot/delay_mapping"
    delay_map.parent.mkdir(parents=True)
    delay_map.write_text("link-1 duplex server-1 client-1 em1 em2 60111 60121\n")
    done = bridge.run(shell, "setup-bridge.sh", "quicv1", "QUIC")
    assert done.returncode == 0, done.stdout + done.stderr
    assert bridge.ready == "bridge"
    largest_queue_bytes = 2 * 100e6 * 0.112 / 8
    assert int(bridge.sysctl("net.inet.ip.dummynet.pipe_byte_limit")) > 2 * largest_queue_bytes
    assert bridge.sysctl("net.inet.ip.dummynet.expire") == "0"
    assert bridge.sysctl("kern.ipc.nmbclusters") == "1000000"  # more than asked for is left alone
    assert "60111 60121" in done.stdout and "kern.hz is 10000" in done.stdout
    log = (bridge.root / "proj/QUIC/longlook/setup-node.example.log").read_text()
    assert "bridge1" in log and "pipe_byte_limit: 1048576 -> 16777216" in log
    again = bridge.run(shell, "setup-bridge.sh", "quicv1")
    assert again.returncode == 0 and bridge.calls == [] and bridge.ready == "bridge"


def clockrate(node, text):
    (node.state / "sysctl/kern.clockrate").write_text(text)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda node: (node.state / "sysctl/net.inet.ip.dummynet.pipe_byte_limit").unlink(), "dummynet is not loaded"),
        (lambda node: clockrate(node, "{ hz = 100, tick = 10000 }"), "kern.hz is 100"),
        (lambda node: clockrate(node, "?"), "cannot read hz"),
        (lambda node: node.put(stubborn="net.inet.ip.dummynet.expire"), "expire is 1 after it was set to 0"),
        (lambda node: node.put(refused="net.inet.ip.dummynet.hash_size"), "hash_size=1024 was refused; it is 64"),
        (lambda node: node.put(uid="1000"), "needs root"),
    ],
)  # fmt: skip
def test_a_bridge_that_cannot_be_made_ready_says_why(bridge, change, words):
    change(bridge)
    done = bridge.run("sh", "setup-bridge.sh", "quicv1", "QUIC")
    assert done.returncode == 1
    assert words in done.stdout + done.stderr
    assert bridge.ready is None
