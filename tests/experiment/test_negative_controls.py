"""Negative controls: deliberately wrong servers, with the real browser; each must be rejected for its own reason."""

import contextlib
from types import SimpleNamespace

import pytest

from longlook.client.base import ClientSettings
from longlook.client.chromium import Chromium
from longlook.experiment.arm import Arm, Surroundings
from longlook.link.linkpipe import LinkPipe
from longlook.probe.stallwatch import StallWatch
from longlook.scenario import Link, Workload
from longlook.server.apache import Apache
from longlook.server.base import ServerSettings
from longlook.server.certificate import ORIGIN, make_certificate
from longlook.server.envoy import Envoy
from longlook.server.www import write_site
from longlook.stack import open_stack
from longlook.testbed.netns import NetnsTestbed

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.browser, pytest.mark.timeout(120)]

DEFLATE = {
    "extra_modules": "LoadModule filter_module MODULES/mod_filter.so\nLoadModule deflate_module MODULES/mod_deflate.so",
    "extra": "SetOutputFilter DEFLATE",
}


@contextlib.contextmanager
def arm_on(testbed_name, tmp_path, server, options=None, spoil=None, cca="cubic", server_cca="cubic"):
    """A testbed with one server and one browser; `spoil` may damage the site on disk before the server starts."""
    stack = open_stack("quicv1")
    tmp_path.chmod(0o755)
    for parent in tmp_path.parents[:3]:
        parent.chmod(0o755)
    site = write_site(tmp_path / "www", Workload(size_kb=5, count=2), seed=1)
    if spoil:
        spoil(site.root)
    tls = make_certificate(tmp_path / "tls")
    tls.key.chmod(0o644)
    with contextlib.ExitStack() as owned:
        bed = owned.enter_context(NetnsTestbed(testbed_name))
        link = owned.enter_context(LinkPipe(bed))
        link.configure(Link(bandwidth_mbps=50, rtt_ms=10), seed=1)
        settings = ServerSettings(site.root, tls.certificate, tls.key, site.requests, cca=server_cca, options=options or {})
        running = owned.enter_context(server(bed, stack, settings))
        protocol = server.protocol
        wanted = ClientSettings(protocol, ORIGIN, bed.hosts["server"].address, 443, tls.spki, stack.client_options(protocol, cca))
        browser = owned.enter_context(Chromium(bed, stack, wanted))
        around = Surroundings(link, site, owned.enter_context(StallWatch()), timeout_s=20, rtt_ms=10)
        yield SimpleNamespace(arm=Arm(protocol, browser, running, stack.har_protocol(protocol), cca, around), bed=bed)


def verdicts(on, loads=2, fresh_tcp=True):
    """(accepted or disturbed, reason) of each load; a stalled machine does not make a right load wrong here."""
    seen = []
    for index in range(loads):
        row = on.arm.load(index)
        if fresh_tcp:
            on.bed.touch_network("client")
        right = row["accepted"] or row["reject_reason"] == "disturbed"
        seen.append((right, None if right else row["reject_reason"]))
    return seen


@pytest.mark.parametrize("server", [Envoy, Apache])
def test_the_right_servers_are_accepted(testbed_name, tmp_path, server):
    with arm_on(testbed_name, tmp_path, server) as on:
        assert verdicts(on, loads=4) == [(True, None)] * 4


def remove_image(root):
    (root / "image.jpg").unlink()


def shorten_image(root):
    image = root / "image.jpg"
    image.write_bytes(image.read_bytes()[:-100])


WRONG = {
    "answers 404": (Apache, {"spoil": remove_image}, "status"),
    "truncates an object (TCP)": (Apache, {"spoil": shorten_image}, "object_size"),
    "truncates an object (QUIC)": (Envoy, {"spoil": shorten_image}, "object_size"),
    "serves HTTP/1.1": (Apache, {"options": {"protocols": "http/1.1"}}, "protocol"),
    "compresses": (Apache, {"options": DEFLATE}, "compressed"),
    "has another controller": (Apache, {"server_cca": "reno"}, "cca"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_server_is_rejected_for_its_own_reason(testbed_name, tmp_path, fault):
    server, how, reason = WRONG[fault]
    with arm_on(testbed_name, tmp_path, server, **how) as on:
        assert verdicts(on) == [(False, reason)] * 2


def test_a_quic_server_that_keeps_the_connection_open_is_rejected(testbed_name, tmp_path):
    with arm_on(testbed_name, tmp_path, Envoy, options={"requests_per_connection": 1000}) as on:
        assert verdicts(on) == [(True, None), (False, "connection_reused")]


def test_a_tcp_connection_that_stays_open_is_rejected(testbed_name, tmp_path):
    with arm_on(testbed_name, tmp_path, Apache) as on:
        assert verdicts(on, fresh_tcp=False) == [(True, None), (False, "connection_reused")]


def test_a_server_that_rejects_0rtt_is_rejected(testbed_name, tmp_path):
    with arm_on(testbed_name, tmp_path, Envoy, options={"early_data": "false"}) as on:
        assert verdicts(on) == [(True, None), (False, "zero_rtt_rejected")]


def test_a_server_that_dies_is_a_failed_load_and_says_so(testbed_name, tmp_path):
    with arm_on(testbed_name, tmp_path, Envoy) as on:
        on.arm.server.process.kill()
        on.arm.server.process.wait()
        assert verdicts(on, loads=1) == [(False, "load_failed")]
        with pytest.raises(Exception, match="envoy died"):
            on.arm.server.require_alive()


def test_a_browser_that_dies_is_a_failed_load(testbed_name, tmp_path):
    with arm_on(testbed_name, tmp_path, Apache) as on:
        on.arm.client._browser.kill()
        on.arm.client._browser.wait()
        row = on.arm.load(0)
        assert row["reject_reason"] == "load_failed"
