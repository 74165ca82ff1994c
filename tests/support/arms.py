"""One arm for the tests: a real client that loads a small page, or a file, from a real server over a link."""

import contextlib
import tempfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

from longlook.client import CLIENTS
from longlook.client.base import ClientSettings
from longlook.client.chromium import Chromium
from longlook.experiment.ecn import negotiated
from longlook.experiment.floor import floor_of
from longlook.experiment.reasons import PAIR_REPEATED
from longlook.experiment.side import Side, Surroundings
from longlook.link.linkpipe import LinkPipe
from longlook.plan.arm import Arm
from longlook.plan.link import Link
from longlook.plan.workload import Page
from longlook.probe.stallwatch import StallWatch
from longlook.probe.stopwatch import StopWatch
from longlook.server.base import ServerSettings
from longlook.site.certificate import make_certificate
from longlook.site.write import write_site
from longlook.stack.install import install
from longlook.testbed.netns import NetnsTestbed

LINK = Link(bandwidth_mbps=50, rtt_ms=10)
WORKLOAD = Page.parse({"size_kb": 5, "count": 2})


def arm_of(server, stack, **changes):
    """An arm of a server's class on a stack: loaded by Chromium, CUBIC with N = 2 where the server emulates."""
    protocol = server.offer.protocols[0]
    emulated = {"emulated_connections": 2} if server.offer.emulated_connections else {}
    return Arm.parse(
        {"name": protocol, "stack": stack, "protocol": protocol, "server": server.name, "client": "chromium"}
        | emulated
        | changes
    )


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
    server_cca=None,
    faults=None,
    site=None,
    **arm,
):
    """A testbed with one server of a stack and the browser of the same or another one, or the client that `arm` names.

    `spoil` may damage the site on disk before the server starts; `site` makes another one than the workload's; `arm`
    are its fields beyond those of `arm_of`. `server_cca`: a controller that the server gets in place of the arm's.
    Stacks that are installed on demand are installed, as a campaign does. The site has a folder outside pytest's, which
    each pytest that begins closes to others (0700): Apache, which serves as nobody, then answers 403 amidst a test.
    """
    wanted = arm_of(server, stack, **arm)
    browser_stack, stack = install(browser or stack), install(stack)
    with contextlib.ExitStack() as owned:
        folder = Path(owned.enter_context(tempfile.TemporaryDirectory(prefix="longlook-tests-")))
        folder.chmod(0o755)
        made = site(folder / "www") if site else write_site(folder / "www", workload, seed=1)
        if spoil:
            spoil(made.root)
        tls = make_certificate(folder / "tls")
        tls.key.chmod(0o644)
        bed = owned.enter_context(NetnsTestbed(testbed_name))
        driver = owned.enter_context(LinkPipe(bed))
        driver.configure(link, seed=1)
        if link.ecn:
            owned.enter_context(negotiated(bed))
        given = wanted.model_copy(update={"cca": server_cca or wanted.cca})
        settings = ServerSettings(given, made, tls.certificate, tls.key, faults=faults or {})
        running = owned.enter_context(server(bed, stack, settings))
        seen, film_s = workload.kind == "webpage", workload.duration_s if workload.kind == "video" else None
        address = bed.hosts["server"].address
        own = ClientSettings(wanted, address, 443, tls.certificate, tls.spki, paints=seen, film_s=film_s)
        own = replace(own, left_open=server.offer.left_open and not wanted.is_cold)
        other = None if wanted.client == "chromium" else wanted.client
        kind = CLIENTS[other] if other else _with_switches(switches)
        client = owned.enter_context(kind(bed, browser_stack, own))
        around = Surroundings(driver, made, owned.enter_context(StallWatch()), timeout_s=20, rtt_ms=link.rtt_ms)
        floors = {wanted.name: floor_of(link, workload, wanted)}
        around = replace(around, stops=owned.enter_context(StopWatch()), floors=floors, slowest_ms=link.slowest_ms)
        around = replace(around, ecn=bool(link.ecn))
        side = Side(wanted, client, running, stack.har_protocol(wanted.protocol, other), around)
        yield SimpleNamespace(side=side, bed=bed, site=made, driver=driver)


def _with_switches(switches):
    """Chromium, started with more switches than an arm can ask for."""
    return type("Switched", (Chromium,), {"flags": lambda self: [*Chromium.flags(self), *switches]})


FOR_THE_MACHINE = ("disturbed", PAIR_REPEATED)
"""Reasons that are judged last, and make no right load wrong."""


def is_right(record):
    """Accepted, or rejected for the machine alone."""
    return record["reject_reason"] in (None, *FOR_THE_MACHINE)


def verdicts(on, loads=2, fresh=True):
    """(right, reason) of each load.

    `fresh`: TCP connections are dropped after each load, as in a campaign.
    """
    seen = []
    for index in range(loads):
        record = on.side.load(index)
        if fresh:
            on.side.client.drop_connections()
        right = is_right(record)
        seen.append((right, None if right else record["reject_reason"]))
    return seen


def plt_ms(record):
    """Page load time of a record."""
    return record["metrics"]["plt_ms"]


def shorten_image(root):
    """Spoils a site: its images lack the last hundred bytes."""
    image = root / "img" / "000.jpg"
    image.write_bytes(image.read_bytes()[:-100])


def change_a_byte(root):
    """Spoils a site: one of its images has its size, and another byte."""
    image = root / "img" / "001.jpg"
    body = bytearray(image.read_bytes())
    body[len(body) // 2] ^= 1
    image.unlink()  # the images are one file with several names
    image.write_bytes(body)
    image.chmod(0o644)
