"""Connection options of QUICHE: what an arm may ask for without being called something that it is not."""

import pytest

from longlook.plan.arm import Arm
from longlook.plan.quic_options import HEEDED, SETS, contradictions, controller, differing
from longlook.plan.value import PlanError

QUIC = {"stack": "quicv1", "protocol": "quic", "server": "envoy", "client": "chromium"}
N2 = {"emulated_connections": 2}


@pytest.mark.parametrize(
    ("arm", "words"),
    [
        (N2 | {"quic_options": ["TBBR"]}, "TBBR sets cca = bbr, and the arm states cubic"),
        ({"quic_options": ["B2ON"]}, "B2ON sets cca = bbr2, and the arm states cubic"),
        ({"quic_options": ["RENO"]}, "RENO sets cca = reno, and the arm states cubic"),
        ({"cca": "bbr", "quic_options": ["QBIC"]}, "QBIC sets cca = cubic, and the arm states bbr"),
        ({"cca": "bbr", "quic_options": ["BYTE"]}, "BYTE sets cca = cubic, and the arm states bbr"),
        ({"cca": "bbr", "quic_options": ["RENO"]}, "RENO sets cca = reno, and the arm states bbr"),
        ({"cca": "bbr", "quic_options": ["B2ON"]}, "B2ON sets cca = bbr2, and the arm states bbr"),
        ({"cca": "reno", "quic_options": ["TBBR"]}, "TBBR sets cca = bbr, and the arm states reno"),
        (N2 | {"quic_options": ["1CON"]}, "1CON sets emulated_connections = 1, and the arm states 2"),
        (
            {"emulated_connections": 1, "quic_options": ["NCON"]},
            "NCON sets emulated_connections = 2, and the arm states 1",
        ),
        ({"initial_window": 32, "quic_options": ["IW10"]}, "initial_window is TCP's; ask a QUIC server by quic_opt"),
        (
            {"reordering_threshold": 9, "quic_options": ["ILD0"]},
            "ILD0 sets reordering_threshold = 3, and the arm states 9",
        ),
        (
            {"reordering_threshold": 3, "quic_options": ["ILD2"]},
            "ILD2 sets reordering_threshold = adaptive, and the arm states 3",
        ),
        ({"quic_options": ["QNZ2"]}, "QNZ2 sets handshake = 1rtt, and the arm states 0rtt"),
        ({"quic_options": ["IW10", "IW50"]}, "the options IW10 and IW50 set initial_window to 10 and to 50"),
        ({"quic_options": ["ILD0", "MIN4", "ILD1"]}, "the options ILD0 and ILD1 set time_threshold"),
    ],
)
def test_an_option_that_makes_an_arm_something_else_is_refused(arm, words):
    with pytest.raises(PlanError, match=words):
        Arm.parse(QUIC | arm)


@pytest.mark.parametrize(
    "arm",
    [
        {"cca": "bbr", "quic_options": ["TBBR"]},
        N2 | {"quic_options": ["QBIC", "NCON"]},
        {"reordering_threshold": 3, "quic_options": ["ILD0", "IW10", "BWS5", "MIN4", "NRTT"]},
        {"handshake": "1rtt", "quic_options": ["QNZ2"]},
        {"quic_options": ["ZZZZ"]},  # its server does not know it (tests/fast/experiment/test_refusals.py)
    ],
)
def test_an_option_that_says_what_the_arm_says_is_none(arm):
    assert Arm.parse(QUIC | arm).quic_options == tuple(arm["quic_options"])


@pytest.mark.parametrize("option", sorted(SETS))
def test_every_option_is_refused_where_the_arm_states_another_value(option):
    for field, value in SETS[option].items():
        assert list(contradictions([option], {field: value})) == []
        (found,) = contradictions([option], {field: "another"})
        assert option in found and field in found


@pytest.mark.parametrize(
    ("default", "options", "found"),
    [
        ("cubic", (), "cubic"),
        ("bbr", (), "bbr"),
        ("cubic", ("RVCM", "ILD0"), "cubic"),
        ("cubic", ("TBBR",), "bbr"),
        ("cubic", ("TBBR", "B2ON"), "bbr2"),
        ("cubic", ("B2ON", "TBBR", "RENO", "BYTE"), "reno"),
        ("bbr", ("QBIC",), "cubic"),
        ("bbr2", ("QBIC",), "bbr2"),
        ("cubic", ("QBIC", "TBBR"), "bbr"),
        ("cubic", ("TBBR", "BYTE"), "cubic"),
    ],
)
def test_the_controller_of_a_connection_follows_quiches_order(default, options, found):
    assert controller(default, options) == found


def test_what_was_asked_for_is_what_the_arm_states():
    assert list(differing(("RVCM", "ILD0"), ("ILD0",), "cubic")) == []
    assert list(differing(("TBBR", "RVCM"), (), "bbr")) == [], "a stack's way to ask for the arm's controller"
    (found,) = differing(("RVCM", "IW50"), (), "cubic")
    assert found == "the client asked for IW50, the arm states no such option"
    (found,) = differing(("RVCM",), ("IW50",), "cubic")
    assert found == "the client did not ask for IW50, as the arm states"
    assert {"TBBR", "IW50", "ILD0"} <= HEEDED
