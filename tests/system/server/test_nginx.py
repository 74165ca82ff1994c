"""nginx with a real Chromium over the emulated link: right loads, new and warm, and deliberately wrong ones."""

import time

import arms
import pytest
from arms import is_right, plt_ms, shorten_image, verdicts

from longlook.errors import NotSupported
from longlook.plan.link import Link
from longlook.server.nginx import Nginx

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.browser, pytest.mark.timeout(180)]


def arm_on(testbed_name, tmp_path, **how):
    return arms.arm_on(testbed_name, tmp_path, Nginx, "baxter2018", **how)


def test_the_right_server_is_accepted(testbed_name, tmp_path):
    with arm_on(testbed_name, tmp_path) as on:
        assert verdicts(on, loads=4) == [(True, None)] * 4
        assert on.side.server.version().startswith("1.") and on.side.server.cca_in_force() == "cubic"


@pytest.mark.quiet
def test_a_warm_arm_uses_its_connection_again_and_saves_its_handshakes(testbed_name, tmp_path):
    rtt_ms = 100
    with arm_on(testbed_name, tmp_path, handshake="warm", link=Link(bandwidth_mbps=50, rtt_ms=rtt_ms)) as on:
        rows = [on.side.load(index) for index in range(4)]
    assert all(map(is_right, rows))
    assert [row["opened_over_link"]["opened"] for row in rows] == [1, 0, 0, 0]
    assert len({tuple(row["connections"]) for row in rows}) == 1
    assert plt_ms(rows[0]) - min(map(plt_ms, rows[1:])) > 1.5 * rtt_ms


def test_a_warm_arm_whose_connection_was_dropped_is_rejected(testbed_name, tmp_path):
    with arm_on(testbed_name, tmp_path, handshake="warm") as on:
        assert verdicts(on, fresh=True) == [(True, None), (False, "connection_not_reused")]


def test_a_server_that_ends_the_connection_leaves_no_warm_arm(testbed_name, tmp_path):
    with arm_on(testbed_name, tmp_path, handshake="warm", faults={"extra": "keepalive_timeout 1s;"}) as on:
        assert verdicts(on, loads=1, fresh=False) == [(True, None)]
        time.sleep(2.5)  # nginx ends what is idle for a second
        assert on.side.load(1)["reject_reason"] == "connection_not_reused"


def early_on(testbed_name, tmp_path, **how):
    return arms.arm_on(testbed_name, tmp_path, Nginx, "todaynginx", handshake="0rtt", **how)


@pytest.mark.quiet
def test_early_data_save_tcp_a_round_trip(testbed_name, tmp_path):
    rtt_ms = 120
    link = Link(bandwidth_mbps=50, rtt_ms=rtt_ms)
    with early_on(testbed_name, tmp_path, link=link) as on:
        early = [on.side.load(0)]
        for index in range(1, 4):
            on.side.client.drop_connections()
            early.append(on.side.load(index))
    assert all(map(is_right, early))
    assert [row["zero_rtt"] for row in early] == [False, True, True, True]
    assert len({tuple(row["connections"]) for row in early}) == 4
    (tmp_path / "late").mkdir()
    with arms.arm_on(testbed_name, tmp_path / "late", Nginx, "todaynginx", link=link) as on:
        late = [on.side.load(0)]
        for index in range(1, 4):
            on.side.client.drop_connections()
            late.append(on.side.load(index))
    assert [row["zero_rtt"] for row in late] == [None] * 4
    saved = min(map(plt_ms, late[1:])) - min(map(plt_ms, early[1:]))
    assert 0.5 * rtt_ms < saved < 1.5 * rtt_ms


def test_an_nginx_that_takes_no_early_data_is_rejected(testbed_name, tmp_path):
    with early_on(testbed_name, tmp_path, faults={"early_data": "off"}) as on:
        assert verdicts(on) == [(True, None), (False, "zero_rtt_rejected")]


def test_an_nginx_that_could_not_tell_of_early_data_does_not_start(testbed_name, tmp_path):
    early = arm_on(testbed_name, tmp_path, handshake="0rtt")
    with pytest.raises(NotSupported, match=r"takes no early data with .*nginx\.conf"), early:
        pytest.fail("it started")


WRONG = {
    "keeps the connection of an arm that is to be new": ({}, [(True, None), (False, "connection_reused")]),
    "serves HTTP/1.1": ({"faults": {"protocols": "ssl"}}, [(False, "protocol")] * 2),
    "truncates an object": ({"spoil": shorten_image}, [(False, "object_size")] * 2),
    "has another controller": ({"server_cca": "reno"}, [(False, "cca")] * 2),
    "compresses": (
        {"faults": {"extra": "gzip on; gzip_min_length 1; gzip_types image/jpeg;"}},
        [(False, "compressed")] * 2,
    ),
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_server_is_rejected_for_its_own_reason(testbed_name, tmp_path, fault):
    how, found = WRONG[fault]
    with arm_on(testbed_name, tmp_path, **how) as on:
        assert verdicts(on, fresh=False) == found
