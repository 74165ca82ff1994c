"""Which version of QUIC a Chromium offers, and how much it sends at first: to a port where nobody answers.

What a switch asks for that a browser does not have is ignored, without a word: only the wire tells.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from longlook.client.chromium.chromium import COMMON_FLAGS
from longlook.host import process
from longlook.host.hosts import Hosts
from longlook.plan.arm import Protocol
from longlook.probe import first_datagram, first_flight
from longlook.probe.quic_version import version_of

LISTENER, FLIGHT_LISTENER = Path(first_datagram.__file__), Path(first_flight.__file__)
WAIT_S = 6.0
"""For a browser's first packet; one that has none to send sends none."""
ORIGIN = "longlook.test"
GOOGLE = tuple(f"Q{number:03d}" for number in (35, 37, 39, 41, 43, 44, 46, 47, 48, 49, 50))
HTTP3 = ("T050", "T051", "h3-25", "h3-27", "h3-28", "h3-29", "v1", "v2")
VERSIONS = (*GOOGLE, *HTTP3)
"""What Chromium has spoken since 2017, in the order of age."""
SPELT = {"T050": ("h3-T050",), "T051": ("h3-T051",), "v1": ("h3", "RFCv1"), "v2": ("RFCv2", "h3-v2")}


def spellings(version: str) -> tuple[str, ...]:
    """How `--quic-version` has called a version, in one milestone or another."""
    if match := re.fullmatch(r"Q0(\d\d)", version):
        return (f"QUIC_VERSION_{match.group(1)}", version)
    return SPELT.get(version, (version,))


def offered(hosts: Hosts, browser: Path, flags: Sequence[str] = ()) -> str | None:
    """Version in the first packet of a browser that is made to use QUIC; None where it sends none."""
    line = _heard(hosts, browser, (str(LISTENER),), "quic", flags)
    return version_of(bytes.fromhex(line)) if line else None


def flight(hosts: Hosts, browser: Path, protocol: Protocol, flags: Sequence[str] = ()) -> list[int]:
    """Bytes of each datagram that a browser sends before anybody answers, of a first connection; over TCP those of its
    ClientHello. Empty where nothing comes."""
    kind = "udp" if protocol == "quic" else "tcp"
    line = _heard(hosts, browser, (str(FLIGHT_LISTENER), kind), protocol, flags)
    return [int(size) for size in (line or "").split()]


def _heard(
    hosts: Hosts, browser: Path, listener_of: Sequence[str], protocol: Protocol, flags: Sequence[str]
) -> str | None:
    """The line of a listener to which a browser is sent; None where none comes in time."""
    with tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as home:
        (Path(home) / "profile").mkdir()
        listener = hosts.popen(
            "client",
            [sys.executable, "-S", *listener_of],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            port = int(process.hear(listener, WAIT_S) or 0)
            child = hosts.popen(
                "client",
                [str(browser), *_switches(Path(home), port, protocol), *flags, f"https://{ORIGIN}:{port}/"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={"HOME": home},
            )
            try:
                return process.hear(listener, WAIT_S)
            finally:
                process.stop(child, grace_s=0)
        finally:
            process.stop(listener, grace_s=0)


def _switches(home: Path, port: int, protocol: Protocol) -> list[str]:
    chosen = [f"--origin-to-force-quic-on={ORIGIN}:{port}", "--enable-quic"]
    return [
        *COMMON_FLAGS,
        f"--user-data-dir={home / 'profile'}",
        f"--host-resolver-rules=MAP {ORIGIN} 127.0.0.1",
        *(chosen if protocol == "quic" else ["--disable-quic"]),
    ]


def spoken(hosts: Hosts, browser: Path, flags: Sequence[str] = (), wanted: Sequence[str] = VERSIONS) -> dict[str, str]:
    """Version -> switch that makes a browser offer it, of each of `wanted` that it can be made to offer."""
    found = {}
    for version in wanted:
        for name in spellings(version):
            switch = f"--quic-version={name}"
            if offered(hosts, browser, (*flags, switch)) == version:
                found[version] = switch
                break
    return found
