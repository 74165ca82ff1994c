"""One arm for the tests: a real browser that loads a small page from a real server over the emulated link."""

import contextlib
from types import SimpleNamespace

from longlook.client.base import ClientSettings
from longlook.client.chromium import Chromium
from longlook.experiment.arm import Arm, Surroundings
from longlook.link.linkpipe import LinkPipe
from longlook.probe.stallwatch import StallWatch
from longlook.scenario import Link, Workload
from longlook.server.base import ServerSettings
from longlook.site.certificate import ORIGIN, make_certificate
from longlook.site.www import write_site
from longlook.stack import open_stack
from longlook.testbed.netns import NetnsTestbed

LINK = Link(bandwidth_mbps=50, rtt_ms=10)
WORKLOAD = Workload(size_kb=5, count=2)


@contextlib.contextmanager
def arm_on(
    testbed_name,
    tmp_path,
    server,
    stack,
    browser=None,
    link=LINK,
    workload=WORKLOAD,
    spoil=None,
    switches=(),
    server_cca="cubic",
    cold=False,
    **settings,
):
    """A testbed with one server of a stack and the browser of the same or another one.

    `spoil` may damage the site on disk before the server starts; `settings` are the server's beyond its files. The
    arm asks for CUBIC; `server_cca` is what the server gets. `cold`: every load in a browser context of its own.
    """
    browser_stack, stack = open_stack(browser or stack), open_stack(stack)
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(0o755)
    site = write_site(tmp_path / "www", workload, seed=1)
    if spoil:
        spoil(site.root)
    tls = make_certificate(tmp_path / "tls")
    tls.key.chmod(0o644)
    protocol = server.protocol
    with contextlib.ExitStack() as owned:
        bed = owned.enter_context(NetnsTestbed(testbed_name))
        driver = owned.enter_context(LinkPipe(bed))
        driver.configure(link, seed=1)
        wanted = ServerSettings(site.root, tls.certificate, tls.key, site.requests, cca=server_cca, **settings)
        running = owned.enter_context(server(bed, stack, wanted))
        options = (*stack.client_options(protocol, "cubic"), *switches)
        client = ClientSettings(protocol, ORIGIN, bed.hosts["server"].address, 443, tls.spki, options)
        chromium = owned.enter_context(Chromium(bed, browser_stack, client))
        around = Surroundings(driver, site, owned.enter_context(StallWatch()), timeout_s=20, rtt_ms=link.rtt_ms)
        yield SimpleNamespace(
            arm=Arm(protocol, chromium, running, stack.har_protocol(protocol), "cubic", around, cold), bed=bed
        )


def verdicts(on, loads=2, fresh=True):
    """(accepted or disturbed, reason) of each load; a stalled machine does not make a right load wrong here.

    `fresh`: TCP connections are dropped after each load, as in a campaign.
    """
    seen = []
    for index in range(loads):
        row = on.arm.load(index)
        if fresh:
            on.arm.client.drop_connections()
        right = row["accepted"] or row["reject_reason"] == "disturbed"
        seen.append((right, None if right else row["reject_reason"]))
    return seen


def shorten_image(root):
    """Spoils a site: its image lacks the last hundred bytes."""
    image = root / "image.jpg"
    image.write_bytes(image.read_bytes()[:-100])
