"""docs/controllers.md: the controllers of all sealed arms, as their records tell them."""

from collections import Counter

from longlook import paths
from longlook.audit.controllers import FILE, count, restated, row, table
from longlook.plan.arm import Arm
from longlook.server import SERVERS

QUIC = {"stack": "quicv1", "protocol": "quic", "server": "envoy", "client": "chromium"}


def test_the_page_has_what_the_records_have_and_none_contradicts_its_label():
    found, text = count(paths.RAW), FILE.read_text(encoding="utf-8")
    assert restated(text, found) == text, "python -m longlook.audit.controllers writes it anew"
    contradicted = {(server, recorded) for _, server, stated, recorded, _, had in found if had != stated}
    assert contradicted == {(name, cca) for name, one in SERVERS.items() for cca in one.offer.cca_had}


def test_what_a_client_asked_for_counts():
    arm = Arm.parse(QUIC | {"quic_options": ["ILD0"]})
    assert row(arm, "cubic")[-2:] == ("ILD0", "cubic")
    contradicting = arm.model_copy(update={"quic_options": ("TBBR",)})
    assert row(contradicting, "cubic")[-1] == "bbr"
    assert table(Counter([row(contradicting, "cubic")])).endswith(
        "| quic | envoy | cubic | cubic | TBBR | **bbr** | 1 |"
    )
