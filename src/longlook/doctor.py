"""Is this machine fit to measure on? Each check says ok, or how to mend what is not."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import gettempdir

from longlook import paths
from longlook.errors import LonglookError
from longlook.host import facts, kernel, userns
from longlook.host.machine import cpu_times
from longlook.host.rights import Rights, rights
from longlook.plan.cell import Cell
from longlook.stack.adapters import components_of
from longlook.stack.gobuild import find_go, given_tool, tool_path
from longlook.stack.install import Progress, install
from longlook.stack.installed import SYSTEM_FOLDERS, locate, open_stack
from longlook.stack.layers import offered_stacks
from longlook.stack.spec import load_stack

LEAST_DISK_BYTES = 2 * 10**9
LEAST_TEMPORARY_BYTES = 10**8
"""Of browsers' profiles, captures and sites: where there is no room, a browser opens no port and says nothing."""
BUSY_SHARE = 0.25
"""A machine this busy before it starts measures its other work too."""
BUSY_SAMPLE_S = 0.3
TRIAL_TIMEOUT_S = 15.0
GOOD_CLOCKS = ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page", "xen")


@dataclass(frozen=True)
class Check:
    """One line of the doctor. `required`: without it nothing can be measured."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    required: bool = True


@dataclass(frozen=True)
class Tool:
    """A program that must be on PATH, the Debian package that has it, and what for."""

    command: str
    package: str
    purpose: str
    required: bool = True
    component: str = ""
    """Of a stack, which alone needs it."""

    def among(self, used: Collection[str]) -> Tool:
        """The same, required only where its component is among these."""
        return replace(self, required=self.required and (not self.component or self.component in used))


TOOLS = (
    Tool("apache2", "apache2-bin", "the TCP server", component="apache2"),
    Tool("ip", "iproute2", "network namespaces"),
    Tool("ss", "iproute2", "reading socket states"),
    Tool("ethtool", "ethtool", "switching offloads off"),
    Tool("ping", "iputils-ping", "calibrating the link"),
    Tool("setpriv", "util-linux", "ending programs with their owner"),
    Tool("node", "nodejs", "driving the browser", component="chromium"),
    Tool("npm", "npm", "installing the stack", required=False),
    Tool("go", "golang-go", "building linkpipe and gquicd", required=False),
    Tool("patch", "patch", "building gquicd", required=False),
    Tool("brotli", "brotli", "unpacking the browser without Python's module", required=False),
    Tool("iperf3", "iperf3", "benchmarks and fairness", required=False),
    Tool("tcpdump", "tcpdump", "captures, for fairness and window timelines", required=False),
    Tool("tshark", "tshark", "decrypting captures of QUIC", required=False),
    Tool("gtlsserver", "ngtcp2-server", "the server ngtcp2, of halme2021, quicv1more and over it", required=False),
    Tool("gtlsclient", "ngtcp2-client", "the client ngtcp2, of halme2021, quicv1more and over it", required=False),
    Tool("curl", "curl", "the client systemcurl, of shreedhar2022openssl and over it", required=False),
    Tool("nginx", "nginx", "the server nginx, of baxter2018, matrixnginx and yu2021nginx", required=False),
    Tool("ffmpeg", "ffmpeg", "the film of shreedhar2022video", required=False),
    Tool(
        "flask",
        "python3-flask libapache2-mod-wsgi-py3",
        "Flask behind Apache, of the stacks quicv1wsgi and gquic37wsgi",
        required=False,
    ),
)


def checks(stacks: Mapping[str, Collection[str]] | None = None) -> list[Check]:
    """Every check, the most basic first; takes about a second and changes nothing on the machine.

    `stacks`: those that are about to be used, each with the components that are (`stack.adapters.components_of`); None:
    all that are offered here, of which none need be there yet.
    """
    load = _cpu_load()  # first: the checks below are work too
    granted = rights()
    found = [_root()]
    used = None if stacks is None else {component for own in stacks.values() for component in own}
    found += [_tool(tool if used is None else tool.among(used)) for tool in TOOLS]
    found += [_namespaces(), _veth(), _controllers(), _tcp_probe(granted), _netem(), _udp_buffers(granted)]
    found += [_real_time(granted), _cpu_limits(granted)]
    found += [_stack(name) for name in offered_stacks()] if stacks is None else []
    found += [_stack(name, needed) for name, needed in (stacks or {}).items()]
    found += [_linkpipe(), _disk(), _clock(), _cpus(), load, _leftovers()]
    return found


def format_checks(found: Iterable[Check]) -> str:
    """One line per check: `ok`, `note` (nothing is lost but comfort or some experiments) or `FAIL`, and the remedy."""
    lines = []
    for check in found:
        state = "ok" if check.ok else "FAIL" if check.required else "note"
        remedy = "" if check.ok or not check.remedy else f" -> {check.remedy}"
        lines.append(f"{state:4}  {check.name:20} {check.detail}{remedy}")
    return "\n".join(lines)


def require(found: Iterable[Check]) -> None:
    """Raise `LonglookError` if a required check failed; its first line says what is missing and how to get it."""
    failed = [check for check in found if check.required and not check.ok]
    if not failed:
        return
    first = "; ".join(f"{check.name}: {check.detail} -> {check.remedy}" for check in failed)
    raise LonglookError(f"this machine cannot measure yet. {first} (longlook doctor shows every check)")


def make_ready(cells: Iterable[Cell], progress: Progress | None = None) -> None:
    """Install what cells use of their stacks, then `require` all that measuring them needs."""
    needed = components_of(cells)
    for name, own in needed.items():
        install(name, progress=progress, needed=own)
    require(checks(needed))


def _which(command: str) -> str | None:
    return shutil.which(command, path=os.pathsep.join((os.environ.get("PATH", os.defpath), SYSTEM_FOLDERS)))


def _root() -> Check:
    name = "root"
    if os.geteuid() == 0:
        return Check(name, True, "running as root")
    if userns.has_rights():
        return Check(name, True, "not needed: this user may make namespaces")
    return Check(
        name,
        False,
        "not running as root, and this user may make no namespaces",
        userns.remedy(),
    )


def _real_time(granted: Rights) -> Check:
    remedy = (
        "not needed; as root, or with a line `USER - rtprio 10` in /etc/security/limits.conf, fewer loads are repeated"
    )
    what = "granted" if granted.real_time else "not granted: emulator and watches have short slices instead"
    return Check("real-time priority", granted.real_time, what, remedy, required=False)


def _cpu_limits(granted: Rights) -> Check:
    remedy = "run again with sudo, for cells that hold a program to a share of a processor; others need none"
    what = "control groups can be made" if granted.cpu_limits else "control groups are root's"
    return Check("CPU limits", granted.cpu_limits, what, remedy, required=False)


def _tool(tool: Tool) -> Check:
    path = _which(tool.command)
    if tool.command == "apache2":
        path = path or _which("httpd")
    if path is None and tool.command == "go":
        path = _any_go()
    if path:
        return Check(tool.command, True, path, required=tool.required)
    return Check(tool.command, False, f"missing ({tool.purpose})", f"apt-get install {tool.package}", tool.required)


def _any_go() -> str | None:
    try:
        return str(find_go(paths.TOOLS / "linkpipe"))
    except (LonglookError, OSError):
        return None


def _trial(name: str, command: list[str], what: str, remedy: str, required: bool = True) -> Check:
    """Try something in a new network namespace that vanishes with the command."""
    if not userns.has_rights():
        return Check(name, False, "not tried: needs root", "run longlook doctor as root", required=False)
    unshare = _which("unshare")
    if unshare is None:
        return Check(name, False, "not tried: unshare is missing", "apt-get install util-linux", required)
    try:
        done = subprocess.run(
            [unshare, "--net", *command],
            capture_output=True,
            text=True,
            timeout=TRIAL_TIMEOUT_S,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return Check(
            name, False, f"waited {TRIAL_TIMEOUT_S:g} s for {' '.join(command)}; it did not end", remedy, required
        )
    if done.returncode == 0:
        return Check(name, True, what, required=required)
    wrote = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
    return Check(name, False, f"refused: {wrote}", remedy, required)


def _namespaces() -> Check:
    remedy = "use a machine or VM of your own, or a privileged container: the kernel must allow network namespaces"
    return _trial("network namespaces", ["true"], "can be made", remedy)


def _veth() -> Check:
    command = ["ip", "link", "add", "name", "llcheck0", "type", "veth", "peer", "name", "llcheck1"]
    return _trial("veth pairs", command, "can be made", "modprobe veth, or use a kernel that has CONFIG_VETH")


def _netem() -> Check:
    command = ["tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms"]
    return _trial(
        "netem",
        command,
        "available for comparison",
        "not needed: linkpipe emulates the link; modprobe sch_netem to compare",
        False,
    )


def _controllers() -> Check:
    name = "TCP controllers"
    try:
        available = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
    except OSError as error:
        return Check(name, False, f"cannot be read: {error.strerror}", "use a Linux kernel with IPv4")
    detail = f"available: {' '.join(available)}"
    if "cubic" not in available:
        return Check(name, False, detail, "modprobe tcp_cubic")
    if "bbr" not in available:
        return Check(name, False, detail, "modprobe tcp_bbr, for sweeps with BBR", required=False)
    return Check(name, True, detail)


def _tcp_probe(granted: Rights) -> Check:
    name = "tcp_probe"
    if not granted.kernel_trace:
        remedy = "run again with sudo (only congestion window timelines of TCP need it)"
        return Check(name, False, "the kernel's trace is root's", remedy, required=False)
    for folder in ("/sys/kernel/tracing", "/sys/kernel/debug/tracing"):
        if (Path(folder) / "events/tcp/tcp_probe").is_dir():
            return Check(name, True, f"tracepoint in {folder}", required=False)
    remedy = "mount -t tracefs nodev /sys/kernel/tracing (only congestion window timelines of TCP need it)"
    return Check(name, False, "no tracefs with the tcp:tcp_probe event is mounted", remedy, required=False)


def _udp_buffers(granted: Rights) -> Check:
    """Socket buffers smaller than asked for are the commonest silent error of QUIC measurements."""
    name = "UDP buffer limits"
    most, wanted = granted.socket_buffer_bytes, kernel.SOCKET_BUFFER_BYTES
    if most >= wanted:
        return Check(name, True, f"{most} bytes" + (" (raised when measuring)" if granted.root else ""))
    if granted.root:
        return Check(
            name,
            False,
            "net.core.rmem_max or wmem_max cannot be set",
            "use a machine or VM of your own, not a container",
        )
    settings = " ".join(f"{key}={value}" for key, value in kernel.GLOBAL_SYSCTLS.items())
    remedy = f"sudo sysctl -w {settings}; cells whose bandwidth needs more are refused by name"
    return Check(name, False, f"{most} bytes, {wanted} wanted", remedy, required=False)


def _stack(name: str, needed: Collection[str] | None = None) -> Check:
    title = f"stack {name}"
    remedy = f"longlook stack install {name}, or make with STACKS={name}; a sweep that needs it installs it"
    try:
        if needed is None and locate(load_stack(name)) is None:
            return Check(title, False, "not installed", remedy, required=False)
        installed = open_stack(name, needed=needed)
        versions = ", ".join(
            f"{part} {facts['version']} ({facts['provider']})" for part, facts in installed.components().items()
        )
    except LonglookError as error:
        return Check(title, False, str(error).splitlines()[0], f"longlook stack install --force {name}")
    return Check(title, True, f"{installed.digest[:12]} from {installed.provider}, verified: {versions}")


def _linkpipe() -> Check:
    name = "linkpipe"
    try:
        program = tool_path("linkpipe")
        if program.exists():
            provider = "nix" if given_tool("linkpipe") else "portable"
            return Check(name, True, f"{program} ({provider})")
        go = find_go(paths.TOOLS / "linkpipe")
    except LonglookError as error:
        return Check(name, False, str(error), "tools/bootstrap")
    return Check(name, True, f"not built yet; {go} builds it on first use")


def _disk() -> Check:
    # The cache need not exist yet: the nearest folder above it that does is on the same disk.
    cache = next(folder for folder in (paths.CACHE, *paths.CACHE.parents) if folder.exists())
    wanted = {paths.ROOT: LEAST_DISK_BYTES, cache: LEAST_DISK_BYTES, Path(gettempdir()): LEAST_TEMPORARY_BYTES}
    free = {folder: shutil.disk_usage(folder).free for folder in wanted}
    least = min(wanted, key=lambda folder: free[folder] / wanted[folder])
    detail = f"{free[least] / 1e9:.1f} GB free in {least}"
    variable = "TMPDIR" if wanted[least] == LEAST_TEMPORARY_BYTES else "LONGLOOK_CACHE"
    remedy = f"free {wanted[least] / 1e9:g} GB there, or set {variable} to a folder on another disk"
    return Check("free disk", free[least] >= wanted[least], detail, remedy)


def _clock() -> Check:
    found = facts.clocksource() or "unknown"
    remedy = "a slow clock adds jitter: boot with clocksource=tsc if the processor's TSC is stable"
    return Check("clock source", found in GOOD_CLOCKS, found, remedy, required=False)


def _cpus() -> Check:
    count = len(os.sched_getaffinity(0))
    return Check(
        "processors",
        count >= 2,
        f"{count} usable",
        "use at least 2: browser, server and link run at once",
        required=False,
    )


def _cpu_load() -> Check:
    before = cpu_times()
    time.sleep(BUSY_SAMPLE_S)  # a measurement over an interval, not a wait for something
    busy = cpu_times().busy_since(before)
    remedy = "end other work first: busy machines disturb loads, which are then repeated"
    return Check("CPU load", busy <= BUSY_SHARE, f"{busy:.0%} busy just now", remedy, required=False)


def _leftovers(spaces: Path = Path("/run/netns"), locks: Path = Path("/run")) -> Check:
    """Namespaces of a testbed whose lock nobody holds are what a killed run left."""
    name = "leftover testbeds"
    names = sorted(path.name for path in spaces.iterdir()) if spaces.is_dir() else []
    beds = sorted(
        {
            found.group(1)
            for space in names
            if (found := re.fullmatch(r"ll-([a-z0-9]+)-(?:server|bridge|client)", space))
        }
    )
    left = [bed for bed in beds if not _is_held(locks / f"ll-{bed}.lock")]
    used = [bed for bed in beds if bed not in left]
    in_use = f"; in use now: {', '.join(used)}" if used else ""
    if not left:
        return Check(name, True, f"none{in_use}", required=False)
    mine = " ".join(space for space in names if any(space.startswith(f"ll-{bed}-") for bed in left))
    remedy = f"the next run on such a testbed clears it; by hand: ip netns delete NAME for each of {mine}"
    return Check(name, False, f"left by a killed run: {', '.join(left)}{in_use}", remedy, required=False)


def _is_held(lock: Path, table: Path = Path("/proc/locks")) -> bool:
    """Whether any process holds a lock on the file: read from the kernel, since trying it could make an owner fail."""
    try:
        status = lock.stat()
        held = table.read_text()
    except OSError:
        return False
    identity = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    return any(identity in line.split() for line in held.splitlines())
