"""What a network interface, and the network layer above it, have counted in the namespace of a process."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

ETHERNET_BYTES = 14
"""Of a frame's header: an interface counts them, the network layer and the loopback interface do not."""
Counted = Mapping[str, int]


def counted(pid: int, interface: str) -> Counted | None:
    """Since the namespace began: packets (`in_packets`, `out_packets`) and bytes without their Ethernet headers
    (`in_bytes`, `out_bytes`) of an interface, and bytes of IPv4 (`ip_in_bytes`, `ip_out_bytes`) but those to itself.
    None of a process that is gone."""
    try:
        device = Path(f"/proc/{pid}/net/dev").read_text()
        network = Path(f"/proc/{pid}/net/netstat").read_text()
    except OSError:
        return None
    return parsed(device, network, interface)


def parsed(device: str, network: str, interface: str) -> Counted | None:
    """`/proc/net/dev` and `/proc/net/netstat`; None where they lack the interface."""
    rows = dict(line.split(":", 1) for line in device.splitlines() if ":" in line)
    found = {name.strip(): [int(word) for word in row.split()] for name, row in rows.items()}
    titles, values = (line.split() for line in network.splitlines() if line.startswith("IpExt:"))
    ip = dict(zip(titles, values, strict=True))
    if interface not in found:
        return None
    own, local = found[interface], found.get("lo", [0] * 16)
    return {
        "in_packets": own[1],
        "in_bytes": own[0] - ETHERNET_BYTES * own[1],
        "out_packets": own[9],
        "out_bytes": own[8] - ETHERNET_BYTES * own[9],
        "ip_in_bytes": int(ip["InOctets"]) - local[0],
        "ip_out_bytes": int(ip["OutOctets"]) - local[8],
    }
