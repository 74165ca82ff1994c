"""Adding a site: its files, loaded by the pinned browser over both protocols inside a testbed, of which those are kept
that its page asks for."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from longlook.ask.question import ARMS, STACK
from longlook.client.base import LoadFailed, Request
from longlook.client.observation import Observation
from longlook.errors import LonglookError
from longlook.experiment.asking import asking
from longlook.experiment.context import PORTS, Context
from longlook.plan.arm import Arm
from longlook.plan.cell import Cell
from longlook.plan.link import Link
from longlook.plan.recorded import RecordedSite
from longlook.site import recorded
from longlook.site.har import of_har
from longlook.stack.arms import complete_arm
from longlook.testbed.base import Testbed

FAST = Link(bandwidth_mbps=100, rtt_ms=2)
TIMEOUT_S = 30.0
MOST_NAMED = 3


def candidate(source: Path, name: str, words: str) -> tuple[RecordedSite, recorded.Bodies]:
    """All files of a folder, or of a HAR, as a site that is not saved yet."""
    if source.is_dir():
        found = recorded.of_folder(source)
        return recorded.described(name, found, "/index.html", words), found
    found, start, queries = of_har(source)
    return recorded.described(name, found, start, words, queries), found


def add(bed: Testbed, site: RecordedSite, found: recorded.Bodies) -> RecordedSite:
    """Save a site as its page asks for it; nothing is saved where the protocols do not load the same of it."""
    recorded.save(site, found)
    try:
        return recorded.keep(site, _asked(bed, site))
    except BaseException:
        recorded.remove(site)
        raise


def _asked(bed: Testbed, site: RecordedSite) -> set[str]:
    arms = [complete_arm(dict(arm), STACK) for arm in ARMS]
    cell = Cell.parse(
        {"study": "ask", "series": "add", "experiment": "site", "arms": arms, "workload": site, "link": FAST}
    )
    with asking(bed, cell) as context:
        first, second = (_loaded(context, arm) for arm in context.cell.arms)
    if differing := sorted(first ^ second):
        raise LonglookError(
            f"site {site.name} asks for {', '.join(differing[:MOST_NAMED])} in one load and not in another"
        )
    return first


def _loaded(context: Context, arm: Arm) -> set[str]:
    port = PORTS[0]
    with context.server(arm, port), context.client(arm, port) as client:
        try:
            seen = client.fetch(Request(context.site.start, TIMEOUT_S, fresh=True))
        except LoadFailed as error:
            raise LonglookError(f"its page could not be loaded over {arm.name}: {error}") from None
    _require_whole(seen, arm.name)
    return {one.path for one in seen.objects}


def _require_whole(seen: Observation, arm: str) -> None:
    """Everything that the page asks for is there, of its own origin, and asked for once."""
    if lost := [f"{one.path} ({one.ended})" for one in seen.unfinished]:
        raise LonglookError(
            f"its page asks over {arm} for what got no answer: {', '.join(lost[:MOST_NAMED])}; of another origin, or "
            "without an end: take it out of the page"
        )
    if lacking := [one.path for one in seen.objects if one.status != 200]:
        names = ", ".join(lacking[:MOST_NAMED])
        raise LonglookError(f"its page asks for {names}, which is not there: add it, or take it out of the page")
    if twice := [path for path, times in Counter(one.path for one in seen.objects).items() if times > 1]:
        raise LonglookError(f"its page asks for {', '.join(twice[:MOST_NAMED])} more than once in a load")
