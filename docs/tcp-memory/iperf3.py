"""What does the server's kernel remember of an iperf3 in reverse? One JSON object per try, on standard output.

    python docs/tcp-memory/iperf3.py IPERF3 [IPERF3 ...] > tries.jsonl
    python docs/tcp-memory/iperf3.py --kept IPERF3 > kept.jsonl

With --kept nothing is forgotten between the tries, of which the last are without loss. As root, in network namespaces
of its own, about 16 s a try. Each IPERF3 is a program of that name: Ubuntu 18.04 has version 3.1.3
(github.com/esnet/iperf, tag 3.1.3: ./configure --disable-shared && make).
"""

import contextlib
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from longlook.experiment.slowstart import remembered
from longlook.plan.link import Link
from longlook.testbed.opening import open_link

TRIES, SECONDS = 8, 10
LOSSY, CLEAN = 30, 6
BUFFERS = {
    "the scripts'": dict.fromkeys(("wmem", "rmem"), "10000000 30000000 50000000"),
    "Linux 4.15's": {"wmem": "4096 16384 4194304", "rmem": "4096 87380 6291456"},
}
BANDWIDTHS = (10, 50, 100)
ENDS = "tcp[tcpflags] & (tcp-syn|tcp-fin|tcp-rst) != 0"
CONTROL, DATA = "0", "1"
"""iperf3 opens its connections in this order."""


def tries(programs, bed, driver, folder):
    seed = 1000
    for _ in range(TRIES):
        for name, buffers in BUFFERS.items():
            for role in ("server", "client"):
                bed.run(role, ["sysctl", "-qw", *(f"net.ipv4.tcp_{key}={value}" for key, value in buffers.items())], 5)
            for bandwidth in BANDWIDTHS:
                for program in programs:
                    seed += 1
                    bed.run("server", ["ip", "tcp_metrics", "flush", "all"], 5)
                    driver.configure(Link(bandwidth_mbps=bandwidth, rtt_ms=36, loss_pct=1), seed=seed)
                    reset = one_try(program, bed, folder / "ends.pcap")
                    known = {key: value for key, value in remembered(bed).items() if key in ("ssthresh", "cwnd")}
                    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
                    yield {
                        "iperf3": said.split()[1], "buffers": name, "bandwidth_mbps": bandwidth, "rtt_ms": 36,
                        "loss_pct": 1, "seconds": SECONDS, "seed": seed, "data_connection_reset": reset,
                        "remembered": known,
                    }  # fmt: skip


def kept(program, bed, driver, folder):
    for role in ("server", "client"):
        settings = BUFFERS["the scripts'"].items()
        bed.run(role, ["sysctl", "-qw", *(f"net.ipv4.tcp_{key}={value}" for key, value in settings)], 5)
    for number in range(LOSSY + CLEAN):
        loss = 1 if number < LOSSY else 0
        driver.configure(Link(bandwidth_mbps=100, rtt_ms=36, loss_pct=loss), seed=2000 + number)
        one_try(program, bed, folder / "ends.pcap", seconds=2)
        known = {key: value for key, value in remembered(bed).items() if key in ("ssthresh", "cwnd")}
        yield {"try": number, "loss_pct": loss, "remembered": known}


def one_try(program, bed, capture, seconds=SECONDS):
    """Whether the data connection ended by a reset."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    sniffer = bed.popen(
        "server", ["tcpdump", "-i", bed.hosts["server"].interfaces[0], "-w", str(capture), "-U", ENDS], **quiet
    )
    server = bed.popen("server", [program, "-s", "-1"], **quiet)
    time.sleep(0.6)
    bed.run("client", [program, "-i", "1", "-V", "-c", bed.hosts["server"].address, "-R", "-t", str(seconds)], 60)
    with contextlib.suppress(subprocess.TimeoutExpired):
        server.wait(20)
    time.sleep(2)  # until what was in the queues has arrived
    sniffer.terminate()
    sniffer.wait(5)
    argv = ["tshark", "-r", str(capture), "-T", "fields", "-e", "tcp.stream", "-e", "tcp.flags.reset"]
    rows = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()
    return any(row.split("\t") == [DATA, "1"] for row in rows)


def main():
    with contextlib.ExitStack() as owned:
        folder = Path(owned.enter_context(tempfile.TemporaryDirectory()))
        bed, driver = open_link(owned, "tcpmemory")
        bed.set_cca("server", "cubic")
        bed.run("server", ["sysctl", "-qw", "net.ipv4.tcp_no_ssthresh_metrics_save=0"], 5)
        asked = sys.argv[1:]
        made = kept(asked[1], bed, driver, folder) if asked[0] == "--kept" else tries(asked, bed, driver, folder)
        for found in made:
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
