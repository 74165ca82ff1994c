"""Early data that a server refuses (425, RFC 8470), with the real browser: it asks again, on the same connection."""

import json

import arms
import pytest

from longlook.server.envoy_425 import Envoy425

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.browser, pytest.mark.timeout(120)]


def test_a_browser_whose_early_data_are_refused_asks_again(testbed_name, tmp_path):
    with arms.arm_on(testbed_name, tmp_path, Envoy425, "quicv1", handshake="0rtt") as on:
        for index in range(3):
            record = on.side.load(index)
            on.side.client.drop_connections()
            assert arms.is_right(record), record["reject_detail"]
            assert (record["zero_rtt"], record["opened_over_link"]["opened"]) == (index > 0, 1)
        lines = (on.side.server.state / "access.log").read_text(encoding="utf-8").splitlines()
    asked = [(one["path"], int(one["status"]), one["early_data"]) for one in map(json.loads, lines)]
    again = [("/index.html", 425, "1"), ("/index.html", 200, None)]
    assert [one for one in asked if one[0] == "/index.html"] == [again[1], *again, *again]


def test_a_load_whose_early_data_were_answered_is_rejected(testbed_name, tmp_path):
    faults = {"refuses": False}
    with arms.arm_on(testbed_name, tmp_path, Envoy425, "quicv1", handshake="0rtt", faults=faults) as on:
        assert arms.verdicts(on) == [(True, None), (False, "zero_rtt_rejected")]
