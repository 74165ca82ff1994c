"""Negative controls: deliberately wrong servers, with the real browser; each must be rejected for its own reason."""

import contextlib
import functools
import os
from dataclasses import replace

import arms
import psutil
import pytest
from arms import change_a_byte, is_right, shorten_image, verdicts
from freezing import freezable
from held import again_and_again, stop

from longlook.errors import LonglookError
from longlook.experiment.content import require_content
from longlook.host.cpulimit import CpuLimit
from longlook.plan.workload import Page
from longlook.server.apache import Apache
from longlook.server.envoy import Envoy
from longlook.server.gquicd import Gquicd
from longlook.server.nginx import Nginx

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.browser, pytest.mark.timeout(120)]

DEFLATE = {
    "extra_modules": "LoadModule filter_module MODULES/mod_filter.so\nLoadModule deflate_module MODULES/mod_deflate.so",
    "extra": "SetOutputFilter DEFLATE",
}


def arm_on(testbed_name, tmp_path, server, **how):
    return arms.arm_on(testbed_name, tmp_path, server, "quicv1", **how)


def remove_image(root):
    (root / "img" / "000.jpg").unlink()


WRONG = {
    "answers 404": (Apache, {"spoil": remove_image}, "status"),
    "truncates an object (TCP)": (Apache, {"spoil": shorten_image}, "object_size"),
    "compresses": (Apache, {"faults": DEFLATE}, "compressed"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_server_is_rejected_for_its_own_reason(testbed_name, tmp_path, fault):
    server, how, reason = WRONG[fault]
    with arm_on(testbed_name, tmp_path, server, **how) as on:
        assert verdicts(on) == [(False, reason)] * 2


def test_a_quic_server_that_keeps_the_connection_open_is_rejected(testbed_name, tmp_path):
    with arm_on(testbed_name, tmp_path, Envoy, faults={"requests_per_connection": 1000}) as on:
        assert verdicts(on) == [(True, None), (False, "connection_reused")]


def test_a_tcp_connection_that_stays_open_is_rejected(testbed_name, tmp_path):
    with arm_on(testbed_name, tmp_path, Apache) as on:
        assert verdicts(on, fresh=False) == [(True, None), (False, "connection_reused")]


def test_a_server_that_forgets_tls_sessions_is_rejected(testbed_name, tmp_path):
    forgets = {"extra": "ssl_session_tickets off; ssl_session_cache off;"}
    with arms.arm_on(testbed_name, tmp_path, Nginx, "todaynginx", faults=forgets) as on:
        assert verdicts(on) == [(True, None), (False, "tls_session")]


def test_a_server_that_dies_is_a_failed_load_and_says_so(testbed_name, tmp_path):
    with arm_on(testbed_name, tmp_path, Envoy) as on:
        on.side.server.process.kill()
        on.side.server.process.wait()
        assert verdicts(on, loads=1) == [(False, "load_failed")]
        with pytest.raises(Exception, match="envoy died"):
            on.side.server.require_alive()


def test_a_browser_that_dies_is_a_failed_load(testbed_name, tmp_path):
    with arm_on(testbed_name, tmp_path, Apache) as on:
        on.side.client._browser.kill()
        on.side.client._browser.wait()
        record = on.side.load(0)
        assert record["reject_reason"] == "load_failed" and not record["accepted"] and record["reject_detail"]
        assert "plt_ms" not in record["metrics"] and record["artefact"] is None


TWO_SIZES = Page.parse({"objects": [{"size_kb": 5, "count": 3}, {"size_kb": 100, "count": 2}]})


@pytest.mark.parametrize("server", [Envoy, Apache])
def test_a_page_of_two_object_sizes_is_whole(testbed_name, tmp_path, server):
    with arm_on(testbed_name, tmp_path, server, workload=TWO_SIZES) as on:
        records = [on.side.load(0)]
        on.side.client.drop_connections()
        records.append(on.side.load(1))
    assert all(map(is_right, records))
    sizes = {entry["url"].rpartition("/")[2]: entry["size"] for entry in records[1]["artefact"]["log"]["entries"]}
    images = {name: size for name, size in sizes.items() if name.endswith(".jpg")}
    assert images == {f"{n:03d}.jpg": 5120 if n < 3 else 102400 for n in range(5)} and len(sizes) == 6


def test_an_object_of_the_other_size_is_rejected(testbed_name, tmp_path):
    def swap(root):
        small, large = root / "img" / "000.jpg", root / "img" / "004.jpg"
        small.unlink()
        small.write_bytes(large.read_bytes())
        small.chmod(0o644)

    with arm_on(testbed_name, tmp_path, Envoy, workload=TWO_SIZES, spoil=swap) as on:
        assert verdicts(on) == [(False, "object_size")] * 2


PAGE_OF_SEVEN = Page.parse({"size_kb": 5, "count": 7})


@pytest.mark.timeout(300)
def test_a_server_that_closes_after_each_request_is_always_rejected(testbed_name, tmp_path):
    """Its log may lag behind: the link's count does not."""
    faults = {"requests_per_connection": 1}
    with arm_on(testbed_name, tmp_path, Envoy, workload=PAGE_OF_SEVEN, faults=faults, handshake="1rtt") as on:
        seen = [on.side.load(index) for index in range(40)]
    assert {record["reject_reason"] for record in seen} <= {"several_connections", "unanswered", "load_failed"}
    assert min(record["opened_over_link"]["opened"] for record in seen) > 1


def test_another_controller_by_the_route_is_rejected(testbed_name, tmp_path):
    """The listener has the right one, its connections do not."""
    with arm_on(testbed_name, tmp_path, Apache) as on:
        assert verdicts(on, loads=1) == [(True, None)]
        route = ["10.77.0.0/24", "dev", "eth0", "src", "10.77.0.1", "congctl", "reno"]
        on.bed.run("server", ["ip", "route", "replace", *route], timeout_s=5)
        assert on.side.server.cca_in_force() == "cubic"
        record = on.side.load(1)
        assert (record["reject_reason"], record["reject_detail"]) == ("cca", "reno in force, cubic asked for")


def test_a_link_that_changes_under_way_is_rejected_and_then_an_error(testbed_name, tmp_path):
    """Ten instead of fifty Mbit/s from the middle of a load on, also if all is as it was at its end."""
    with arm_on(testbed_name, tmp_path, Apache) as on:
        driver, fetch = on.side.around.link, on.side.client.fetch
        own = {way: driver._ask(op="config")[way] for way in ("server_to_client", "client_to_server")}
        slower = {way: one | {"bandwidth_mbps": 10} for way, one in own.items()}

        def disturbed(*changes):
            def fetch_meanwhile(request):
                seen = fetch(request)
                for change in changes:
                    driver._ask(op="configure", **change)
                return seen

            on.side.client.fetch = fetch_meanwhile
            record = on.side.load(0)
            on.side.client.drop_connections()
            return record["reject_reason"], record["reject_detail"]

        assert disturbed() == (None, None) or disturbed()[0] == "disturbed"
        assert disturbed(slower, own) == ("link_changed", "configured 2 times by somebody else")
        driver.reseed(7)
        reason, detail = disturbed(slower)
        assert reason == "link_changed" and "bandwidth_mbps = 50.0 set, 10 in force" in detail
        with pytest.raises(LonglookError, match="the link is not as it was set"):
            driver.reseed(8)


@pytest.mark.parametrize(("server", "stack"), [(Envoy, "quicv1"), (Apache, "quicv1"), (Gquicd, "gquic37")])
def test_right_sized_wrong_bytes_are_rejected(testbed_name, tmp_path, server, stack):
    for name, spoil in (("right", None), ("wrong", change_a_byte)):
        (tmp_path / name).mkdir()
        with arms.arm_on(testbed_name, tmp_path / name, server, stack, workload=PAGE_OF_SEVEN, spoil=spoil) as on:
            if spoil is None:
                assert require_content(on.side.client, on.site, "quic") == 8
                continue
            assert verdicts(on, loads=1) == [(True, None)]  # its sizes are right
            with pytest.raises(LonglookError, match=r"quic: /img/001.jpg is not the workload's"):
                require_content(on.side.client, on.site, "quic")


STOPPED_OR_FROZEN = {
    "server": ["signal", 1, 2],
    "browser": ["signal", 2],
    "network process": ["signal", 2],
    "emulator": ["signal", 2],
}
"""Program -> by a signal, or by which version's freezer."""


@pytest.mark.parametrize(("who", "how"), [(who, how) for who, hows in STOPPED_OR_FROZEN.items() for how in hows])
def test_a_program_that_is_held_for_50_ms_disturbs_the_load(testbed_name, tmp_path, who, how):
    """Frozen ones are in the states in which idle ones are, and have neither processor time nor run delay."""
    large = Page.parse({"size_kb": 5000, "count": 1})
    with arm_on(testbed_name, tmp_path, Apache, workload=large) as on, contextlib.ExitStack() as owned:
        assert on.side.load(0)["stopped_s"] == {}
        on.side.client.drop_connections()
        side = on.side
        pid = {"server": side.server.pids[0], "emulator": side.around.link.pids[0]}.get(who, side.client.pids[0])
        if who == "network process":
            pid = next(
                one.pid for one in psutil.Process(pid).children(recursive=True) if "network" in " ".join(one.cmdline())
            )
        hold = functools.partial(stop, pid) if how == "signal" else owned.enter_context(freezable(how, pid))
        with again_and_again(hold):
            record = side.load(1)
    assert record["reject_reason"] == "disturbed" and record["reject_detail"].startswith("stopped: ")
    assert {who.split()[0] for who in record["stopped_s"]} == {str(pid)}


@pytest.mark.granted("cpu_limits")
def test_a_quota_that_somebody_else_gave_a_browser_disturbs_the_load(testbed_name, tmp_path):
    """That of a cell's own arms does not (tests/system/testbed)."""
    large = Page.parse({"size_kb": 1000, "count": 1})
    limited = CpuLimit(f"foreign-{os.getpid()}", 5, 50_000)
    with limited as limit, arm_on(testbed_name, tmp_path, Apache, workload=large) as on:
        browser = psutil.Process(on.side.client.pids[0])
        for one in (browser, *browser.children(recursive=True)):
            limit.add(one.pid)
        record = on.side.load(0)
    assert record["reject_reason"] == "disturbed" and record["reject_detail"].startswith("stopped: ")
    assert record["stopped_s"] and all(who.endswith("(throttled)") for who in record["stopped_s"])


def test_an_emulator_that_nobody_saw_being_held_tells_it_itself(testbed_name, tmp_path):
    """A few packets of a load are late by it: far less than one in a hundred."""
    large = Page.parse({"size_kb": 5000, "count": 1})
    with arm_on(testbed_name, tmp_path, Apache, workload=large) as on:
        side, pid = on.side, on.side.around.link.pids[0]
        side.around = replace(side.around, stops=None)
        quiet = side.load(0)["link"]
        side.client.drop_connections()
        with again_and_again(functools.partial(stop, pid)):
            record = side.load(1)
    assert "behind_us" in quiet["server_to_client"] and 2 * record["link"]["server_to_client"]["behind_us"] > 50_000
    assert record["reject_reason"] == "disturbed"
