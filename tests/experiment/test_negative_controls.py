"""Negative controls: deliberately wrong servers, with the real browser; each must be rejected for its own reason."""

import pytest

import arms
from arms import shorten_image, verdicts
from longlook.plan.workload import Page
from longlook.server.apache import Apache
from longlook.server.envoy import Envoy

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.browser, pytest.mark.timeout(120)]

DEFLATE = {
    "extra_modules": "LoadModule filter_module MODULES/mod_filter.so\nLoadModule deflate_module MODULES/mod_deflate.so",
    "extra": "SetOutputFilter DEFLATE",
}


def arm_on(testbed_name, tmp_path, server, **how):
    return arms.arm_on(testbed_name, tmp_path, server, "quicv1", **how)


@pytest.mark.parametrize("server", [Envoy, Apache])
def test_the_right_servers_are_accepted(testbed_name, tmp_path, server):
    with arm_on(testbed_name, tmp_path, server) as on:
        assert verdicts(on, loads=4) == [(True, None)] * 4


def remove_image(root):
    (root / "img" / "000.jpg").unlink()


WRONG = {
    "answers 404": (Apache, {"spoil": remove_image}, "status"),
    "truncates an object (TCP)": (Apache, {"spoil": shorten_image}, "object_size"),
    "truncates an object (QUIC)": (Envoy, {"spoil": shorten_image}, "object_size"),
    "serves HTTP/1.1": (Apache, {"faults": {"protocols": "http/1.1"}}, "protocol"),
    "compresses": (Apache, {"faults": DEFLATE}, "compressed"),
    "has another controller": (Apache, {"server_cca": "reno"}, "cca"),
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


def test_a_server_that_rejects_0rtt_is_rejected(testbed_name, tmp_path):
    with arm_on(testbed_name, tmp_path, Envoy, faults={"early_data": "false"}) as on:
        assert verdicts(on) == [(True, None), (False, "zero_rtt_rejected")]


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
    assert {record["reject_reason"] for record in records} <= {None, "disturbed"}
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
