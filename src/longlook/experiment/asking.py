"""Clients and servers asked one thing inside a testbed, over a link that is not calibrated: no time is told."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from longlook.client.base import LoadFailed, Request
from longlook.errors import LonglookError
from longlook.experiment.context import PORTS, Context, scratch_folder
from longlook.link.linkpipe import LinkPipe
from longlook.plan.arm import Arm
from longlook.plan.cell import Cell
from longlook.probe.capture import capture
from longlook.site.certificate import make_certificate
from longlook.site.write import write_site
from longlook.stack import Installed
from longlook.stack.install import install
from longlook.testbed.base import Testbed


@contextlib.contextmanager
def asking(bed: Testbed, cell: Cell, stack: Callable[[str], Installed] = install) -> Iterator[Context]:
    """A cell's link, site and stacks, as of context.opened. `stack`: gives an installed one by its name; the usual one
    installs what is not there."""
    with scratch_folder("longlook-asked-") as folder, LinkPipe(bed) as driver:
        driver.configure(cell.link, cell.seed)
        stacks = {name: stack(name) for name in cell.stacks}
        site = write_site(folder / "www", cell.workload, cell.seed)
        yield Context(cell, folder, "", bed, driver, stacks, site, make_certificate(folder / "tls"), {}, {})


def captured(context: Context, arm: Arm, timeout_s: float) -> tuple[Path, Path, str]:
    """One load, captured beside the server: the capture, its keys, and the client's version. The server is at the first
    of PORTS. Raises `LoadFailed`."""
    port, name = PORTS[0], arm.name.replace(" ", "-")
    pcap, keys = (context.folder / f"{name}.{kind}" for kind in ("pcap", "keys"))
    expression = f"{'udp' if arm.protocol == 'quic' else 'tcp'} port {port}"
    with (
        context.server(arm, port),
        context.client(arm, port, key_log=keys) as client,
        capture(context.bed, "server", pcap, expression),
    ):
        version = client.version()
        client.fetch(Request(context.site.start, timeout_s, fresh=True))
    return pcap, keys, version


@contextlib.contextmanager
def must_load(arm: Arm) -> Iterator[None]:
    """A load inside that fails is a `LonglookError`."""
    try:
        yield
    except LoadFailed as error:
        raise LonglookError(f"{arm.name} could not fetch the file that it is asked about: {error}") from None
