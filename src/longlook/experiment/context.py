"""Where a cell is measured: testbed, link, site and stacks, opened once, and the record that every cell leaves."""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from longlook.client import CLIENTS
from longlook.client.base import Client, ClientSettings
from longlook.experiment import ecn, slowstart
from longlook.experiment.hung import stacks_kept
from longlook.experiment.refusals import require_possible
from longlook.host.clock import Clock
from longlook.link.base import LinkDriver
from longlook.link.calibrate import calibrate
from longlook.plan.arm import Arm
from longlook.plan.cell import Cell
from longlook.plan.offer import LOOKED_AT
from longlook.plan.value import derived_seed
from longlook.record.campaign import CELL_SCHEMA
from longlook.server import SERVERS
from longlook.server.base import RunningServer, ServerSettings
from longlook.site.certificate import Certificate, make_certificate
from longlook.site.tree import Site
from longlook.site.write import write_site
from longlook.stack import Installed, open_stack
from longlook.stack.adapters import components_of
from longlook.testbed.base import Testbed
from longlook.testbed.opening import open_link

NEARLY = 0.9
"""Of a cell's most time: then it is asked where it stands."""
PORTS = [port for port in range(443, 512) if port != 465]
"""Of servers, in the order of their start; browsers refuse the one left out."""


@dataclass(frozen=True)
class Context:
    """What a cell is and what it is measured on."""

    cell: Cell
    folder: Path
    """Gets the records."""
    campaign: str
    bed: Testbed
    link: LinkDriver
    stacks: Mapping[str, Installed]
    """By name: of every arm."""
    site: Site
    certificate: Certificate
    calibration: Mapping[str, Any]
    effective: Mapping[str, Any]
    """The link's configuration in force."""
    clock: Clock = field(default_factory=Clock)
    """Of the cell's record."""

    def server(self, arm: Arm, port: int, trace: bool = False) -> contextlib.AbstractContextManager[RunningServer]:
        """The arm's server on a port; ready inside."""
        own = self.certificate
        settings = ServerSettings(arm, self.site, own.certificate, own.key, port, trace)
        return self.bed.server(SERVERS[arm.server], self.stacks[arm.stack], settings)

    def server_side(self, arm: Arm) -> str:
        """Equal for arms whose servers are the same software: stacks may differ in their clients alone."""
        return self.stacks[arm.stack].stack.server_side(arm.protocol)

    def client(self, arm: Arm, port: int, key_log: Path | None = None) -> Client:
        """The arm's client, of the server on that port; a context manager."""
        own = self.certificate
        address = self.bed.hosts["server"].address
        work = self.cell.workload
        seen, film_s = work.kind in LOOKED_AT, work.duration_s if work.kind == "video" else None
        settings = ClientSettings(arm, address, port, own.certificate, own.spki, key_log, paints=seen, film_s=film_s)
        settings = replace(settings, left_open=SERVERS[arm.server].offer.left_open and not arm.is_cold)
        return CLIENTS[arm.client](self.bed, self.stacks[arm.stack], settings)

    def protocol_name(self, arm: Arm) -> str:
        """What the arm's client calls its protocol."""
        return self.stacks[arm.stack].har_protocol(arm.protocol, arm.client)

    def write_cell(
        self,
        wall_s: float,
        schedule: list,
        complete: bool,
        content: Mapping,
        costs: Mapping[str, Mapping[str, Any]],
        windows: Mapping[str, int] | None = None,
    ) -> None:
        """`cell.json`: the last file of a cell that came to its end. `content`: as of content.check_content;
        `costs`: of requestcost.spent; `windows`: initial ones, bytes, of the arms whose servers tell."""
        record = {
            "schema": CELL_SCHEMA,
            "campaign": self.campaign,
            "cell_id": self.cell.id,
            "cell": self.cell.model_dump(mode="json"),
            "schedule": schedule,
            "started_at": self.clock.began,
            "ended_at": self.clock.text(),
            "wall_s": round(wall_s, 3),
            "complete": complete,
            "clock": self.clock.record(),
            "objects_hashed": dict(content),
            "repeated_together": self.cell.repeated_together,
            **costs,
            **({"initial_window_bytes": dict(windows)} if windows else {}),
        }
        (self.folder / "cell.json").write_text(json.dumps(record, indent=1) + "\n")


@contextlib.contextmanager
def opened(
    cell: Cell, folder: Path, campaign: str, testbed: str | dict = "default", link: str | None = None
) -> Iterator[Context]:
    """Everything that a cell needs but its servers and clients; the link is calibrated. `testbed`: the name of one on
    this machine, or a description (testbed/description.py); `link`: a driver other than the testbed's own."""
    from longlook.experiment.execute import limit_s  # it knows the experiments, which are made of this

    require_possible(cell)
    clock = Clock()
    stacks = {name: open_stack(name, needed=needed) for name, needed in components_of([cell]).items()}
    with contextlib.ExitStack() as owned:
        bed, driver = open_link(owned, testbed, link)
        owned.enter_context(stacks_kept(folder, NEARLY * limit_s(cell)))
        driver.configure(cell.link, cell.seed)
        if cell.link.ecn:
            owned.enter_context(ecn.negotiated(bed))
        if (start := slowstart.common(cell)) is not None:
            slowstart.set_slow_start(bed, start)
        calibration = calibrate(bed, driver, cell.link)
        effective = driver.configure(cell.link, cell.seed)  # anew: calibration draws jitter from seeds of its own
        scratch = owned.enter_context(scratch_folder("longlook-cell-"))
        site = write_site(scratch / "www", cell.workload, derived_seed(cell.seed, "content"))
        certificate = make_certificate(scratch / "tls")
        yield Context(cell, folder, campaign, bed, driver, stacks, site, certificate, calibration, effective, clock)


@contextlib.contextmanager
def scratch_folder(prefix: str) -> Iterator[Path]:
    """A new folder that servers may read, removed at the end."""
    made = Path(tempfile.mkdtemp(prefix=prefix))
    try:
        made.chmod(0o755)
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
