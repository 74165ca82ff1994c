"""The process that redraws delays on the client node.

Its `tc` and its `ip` only write down what they are asked: there is no netem here.
"""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from longlook.errors import LonglookError
from longlook.link import redraw
from longlook.link.clientdelay import ClientDelay

pytestmark = pytest.mark.timeout(300)
SCRIPT = '#!/bin/sh\nprintf "%s %s\\n" "$(date +%s.%N)" "$(basename "$0") $*" >> "$ASKED"\n'


@pytest.fixture
def asked(tmp_path, monkeypatch):
    for name in ("tc", "ip", "modprobe"):
        (tmp_path / name).write_text(SCRIPT)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("ASKED", str(tmp_path / "asked"))
    (tmp_path / "asked").touch()
    return tmp_path / "asked"


def start(*values):
    child = subprocess.Popen(
        [sys.executable, "-S", redraw.__file__, "eth1", "ifb0", *values], stdout=subprocess.PIPE, text=True
    )
    return child, child.stdout.readline().strip()


def delays(text, device):
    return [
        float(found) for found in re.findall(rf"tc qdisc (?:add|change) dev {device} root netem delay ([\d.]+)ms", text)
    ]


def test_both_directions_are_redrawn_and_taken_away_at_the_end(asked):
    child, said = start("38", "50", "100", "7")
    assert said == "ready"
    time.sleep(2)
    child.send_signal(signal.SIGTERM)
    assert child.wait(5) == 0
    text = asked.read_text()
    out, back = delays(text, "eth1"), delays(text, "ifb0")
    assert out[0] == back[0] == 38 and out != back
    for drawn in (out, back):
        assert len(drawn) >= 8 and all(13 <= delay <= 63 for delay in drawn) and max(drawn) - min(drawn) > 15
    assert "mirred egress redirect dev ifb0" in text
    assert re.findall(r"tc qdisc del dev (\S+) (\S+)", text)[-3:] == [
        ("eth1", "root"),
        ("eth1", "ingress"),
        ("ifb0", "root"),
    ]


def test_a_falling_delay_comes_in_two_half_steps_and_a_rising_one_at_once():
    assert redraw.steps(60, 20) == [40, 20]
    assert redraw.steps(20, 60) == [60]


def test_equal_seeds_draw_equal_delays(asked):
    seen = []
    for _ in range(2):
        asked.write_text("")
        child, _ = start("38", "50", "100", "7")
        time.sleep(1)
        child.send_signal(signal.SIGTERM)
        child.wait(5)
        seen.append(delays(asked.read_text(), "eth1")[:4])
    assert seen[0] == seen[1] and len(seen[0]) == 4


def test_a_kernel_without_netem_is_said(asked):
    (asked.parent / "tc").write_text("#!/bin/sh\necho 'Error: Specified qdisc kind is unknown.' >&2\nexit 2\n")
    child, said = start("38", "50", "100", "7")
    assert child.wait(5) == 1
    assert "qdisc kind is unknown" in said


def test_jitter_that_the_rest_of_the_rtt_cannot_hold_is_refused():
    bed = type("Bed", (), {"hosts": {"client": type("Host", (), {"interfaces": ("eth1",)})}})
    with pytest.raises(LonglookError, match="a delay would be negative"):
        ClientDelay(bed, base_ms=20, range_ms=50, interval_ms=100, seed=1)


def test_the_script_needs_the_standard_library_only():
    assert not re.search(r"^(import|from) (longlook|numpy|pandas)", Path(redraw.__file__).read_text(), re.MULTILINE)
