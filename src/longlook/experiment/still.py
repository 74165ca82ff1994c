"""A still of the film that the sessions play: what the browser shows of it, once, inside a testbed, without loss.

A second DevTools client takes it from the browser that plays (js/still.js): nothing is added to how sessions are
measured.
"""

from __future__ import annotations

import base64
import binascii
import time
from concurrent.futures import ThreadPoolExecutor

from longlook import paths
from longlook.client.base import Client, Request
from longlook.client.chromium import Chromium
from longlook.client.chromium.chromium import DRIVER
from longlook.errors import LonglookError
from longlook.experiment.asking import asking, must_load
from longlook.experiment.context import PORTS
from longlook.plan.cell import Cell
from longlook.plan.workload import Video
from longlook.stack.arms import open_sweep
from longlook.testbed.base import Testbed
from longlook.testbed.netns import NetnsTestbed

SWEEP, ARM = "shreedhar-video-short", "quic"
SCRIPT = DRIVER.with_name("still.js")
FILM = Video(duration_s=20)
AFTER_S = 15.0
"""From when the browser is told to play: by then the player shows its highest bitrate."""
TIMEOUT_S, PICTURE_TIMEOUT_S = 60.0, 20.0
MOST_BYTES = 100_000


def cell() -> Cell:
    """The sweep's cell without loss, one arm, and a shorter film."""
    quiet = min(open_sweep(SWEEP).cells(), key=lambda one: one.link.loss_pct)
    return quiet.model_copy(update={"arms": (quiet.arm(ARM),), "workload": FILM})


def still(bed: Testbed, after_s: float = AFTER_S) -> bytes:
    """A WebP of what is seen after so many seconds. Where the film does not play then, or the picture is none, a
    `LonglookError`."""
    of = cell()
    (arm,), port = of.arms, PORTS[0]
    with (
        asking(bed, of) as context,
        must_load(arm),
        context.server(arm, port),
        context.client(arm, port) as client,
        ThreadPoolExecutor(max_workers=1) as beside,
    ):
        seen = beside.submit(_picture, bed, client, after_s)
        client.fetch(Request(context.site.start, TIMEOUT_S, fresh=True))
        return seen.result()


def _picture(bed: Testbed, client: Client, after_s: float) -> bytes:
    if not isinstance(client, Chromium):
        raise LonglookError(f"{client.name} shows nothing")
    time.sleep(after_s)
    asked = ["node", str(SCRIPT), str(client.devtools_port), str(client.stack.node_modules)]
    try:
        found = base64.b64decode(bed.run("client", asked, PICTURE_TIMEOUT_S), validate=True)
    except binascii.Error as error:
        raise LonglookError(f"{SCRIPT.name} told no picture: {error}") from None
    if not (found.startswith(b"RIFF") and found[8:12] == b"WEBP" and len(found) <= MOST_BYTES):
        raise LonglookError(f"{SCRIPT.name} told {len(found)} bytes that are no WebP of at most {MOST_BYTES}")
    return found


if __name__ == "__main__":  # python -m longlook.experiment.still: takes it anew
    with NetnsTestbed("still") as own:
        paths.STILL.write_bytes(still(own))
    print(f"{paths.STILL}: {paths.STILL.stat().st_size} bytes")
