"""The controller of a load's connection: of real ones, whatever their server begins with."""

import arms
import pytest

from longlook.client.chromium import Chromium
from longlook.experiment.in_force import EVIDENCE, InForce, in_force
from longlook.experiment.opened import OpenedConnections
from longlook.experiment.together import run_together
from longlook.plan.arm import Arm
from longlook.plan.cell import Cell
from longlook.record.samples import read_records
from longlook.server import SERVERS
from longlook.server.apache import Apache
from longlook.server.envoy import Envoy
from longlook.stack.arms import complete_arm

ON_TESTBEDS = [pytest.mark.root, pytest.mark.netns, pytest.mark.browser, pytest.mark.timeout(300)]
QUIC = {"stack": "quicv1", "protocol": "quic", "server": "envoy", "client": "chromium"}
TBBR = "--quic-connection-options=TBBR"


TOGETHER = Cell.parse(
    {"study": "t", "series": "t", "label": "t", "experiment": "cwnd", "mode": "together"}
    | {
        "arms": [complete_arm({"protocol": "quic", "name": "quic1"}, "quicv1")],
        "workload": {"size_kb": 20000},
        "loads": 1,
    }
    | {"link": {"bandwidth_mbps": 5, "rtt_ms": 36, "queue_bytes": 30720}, "duration_s": 3}
)


def opened(*asked):
    return OpenedConnections(1, 0, {}, asked=asked)


@pytest.mark.parametrize("name", sorted(SERVERS))
def test_every_server_says_where_it_knows_its_controller_from(name):
    assert SERVERS[name].cca_source in EVIDENCE
    heeds = bool(SERVERS[name].offer.quic_options)
    assert heeds == (SERVERS[name].cca_source == "hello"), "whoever heeds what clients ask for says only a default"


@pytest.mark.parametrize(
    ("told", "source", "seen", "arm", "found"),
    [
        ("cubic", "connection", opened(("TBBR",)), {}, InForce("cubic", "connection")),
        ("reno", "program", None, {}, InForce("reno", "program")),
        ("cubic", "hello", opened(("RVCM",)), {}, InForce("cubic", "hello", ("RVCM",))),
        ("cubic", "hello", opened(("TBBR", "RVCM")), {}, InForce("bbr", "hello", ("TBBR", "RVCM"))),
        ("bbr", "hello", opened(("QBIC",)), {"cca": "bbr"}, InForce("cubic", "hello", ("QBIC",))),
        ("cubic", "hello", opened((), ("B2ON",)), {}, InForce("bbr2, cubic", "hello", ("B2ON",))),
        ("cubic", "hello", None, {}, InForce("cubic", "switches")),
        (
            "cubic",
            "hello",
            OpenedConnections(1, 0, {}),
            {"cca": "bbr", "quic_options": ["TBBR"]},
            InForce("bbr", "switches"),
        ),
    ],
)
def test_what_is_derived_says_so(told, source, seen, arm, found):
    assert in_force(told, source, seen, Arm.parse(QUIC | arm)) == found


CASES = {
    # server's default, switches of the browser beside the arm's, arm -> controller, why it is rejected
    "CUBIC": (None, (), {}, "cubic", None),
    "BBR": (None, (), {"cca": "bbr", "emulated_connections": None}, "bbr", None),
    "a client asks for BBR": (None, (TBBR,), {}, "bbr", "cca"),
    "a client asks for BBR's second version": (None, ("--quic-connection-options=B2ON",), {}, "bbr2", "cca"),
    "a client asks for Reno": (None, ("--quic-connection-options=RENO",), {}, "reno", "cca"),
    "a server begins with BBR": ("bbr", (), {}, "bbr", "cca"),
    "a server begins with CUBIC, a client asks for BBR": (
        "cubic",
        (TBBR,),
        {"cca": "bbr", "emulated_connections": None},
        "bbr",
        None,
    ),
    "a server begins with BBR, a client asks for CUBIC": (
        "bbr",
        ("--quic-connection-options=QBIC",),
        {},
        "cubic",
        None,
    ),
    "an option that the arm states": (None, (), {"quic_options": ["ILD0"]}, "cubic", None),
    "an option that the arm does not state": (
        None,
        ("--quic-connection-options=IW10",),
        {},
        "cubic",
        "connection_options",
    ),
    "an option that a later switch takes away": (
        None,
        ("--quic-connection-options=MIN4",),
        {"quic_options": ["ILD0", "MIN4"]},
        "cubic",
        "connection_options",
    ),
}


class TestOfRealConnections:
    pytestmark = ON_TESTBEDS

    @pytest.mark.parametrize("case", CASES)
    def test_envoys_connection_has_what_its_client_asked_for(self, testbed_name, tmp_path, case):
        default, switches, arm, controller, reason = CASES[case]
        with arms.arm_on(testbed_name, tmp_path, Envoy, "quicv1", switches=switches, server_cca=default, **arm) as on:
            record = on.side.load(0)
        assert record["controller"] == {"cca": controller, "evidence": "hello"}
        found = record["reject_reason"] if record["reject_reason"] in ("cca", "connection_options") else None
        assert found == reason, record["reject_detail"]
        (asked,) = record["opened_over_link"]["asked"]
        assert set(asked) >= {one for text in switches for one in text.partition("=")[2].split(",")}

    @pytest.mark.parametrize(
        ("switches", "reason"), [((), None), ((TBBR,), "cca: quic1: bbr in force, cubic asked for")]
    )
    def test_of_flows_that_run_together_too(self, testbed_name, tmp_path, monkeypatch, switches, reason):
        flags = Chromium.flags
        monkeypatch.setattr(Chromium, "flags", lambda self: [*flags(self), *switches])
        run_together(TOGETHER, tmp_path, "trial", testbed_name)
        last = list(read_records(tmp_path))[-1]
        assert last["controller"] == {"cca": "bbr" if switches else "cubic", "evidence": "hello"}
        found = None if (last["reject_detail"] or "").startswith("disturbed") else last["reject_detail"]
        assert found == reason

    def test_a_kernel_tells_that_of_its_connection(self, testbed_name, tmp_path):
        with arms.arm_on(testbed_name, tmp_path, Apache, "quicv1", cca="bbr") as on:
            assert on.side.load(0)["controller"] == {"cca": "bbr", "evidence": "connection"}
