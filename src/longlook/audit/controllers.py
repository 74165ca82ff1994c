"""The congestion controllers of all sealed reference arms by their records: the table of docs/controllers.md.

`python -m longlook.audit.controllers` writes it anew. A record's environment has what each arm's server said at the
start of its cell; what a client of QUICHE asked for beside that is in the arm (`quic_options`).
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from longlook import paths
from longlook.plan.arm import Arm
from longlook.plan.quic_options import controller
from longlook.record.campaign import ENVIRONMENT_NAME
from longlook.record.campaigns import read_campaigns
from longlook.record.durable import read_json
from longlook.server import SERVERS

FILE = paths.ROOT / "docs" / "controllers.md"
MARK = "<!-- table -->"
HEAD = (
    "| protocol | server | stated | recorded at the start | options | what its connections had | arms |\n"
    + "| --- " * 7
)

Row = tuple[str, str, str, str, str, str]


def row(arm: Arm, recorded: str) -> Row:
    """`recorded`: what the environment of its cell has for it."""
    heeds = SERVERS[arm.server].cca_source == "hello"
    had = SERVERS[arm.server].offer.cca_had.get(recorded, recorded)
    had = controller(had, arm.quic_options) if heeds else had
    return arm.protocol, arm.server, arm.cca, recorded, ", ".join(arm.quic_options), had


def count(raw: Path) -> Counter[Row]:
    """Of every sealed reference campaign, the arms of all cells."""
    found: Counter[Row] = Counter()
    for campaign in read_campaigns(raw):
        if campaign.is_sealed and campaign.role == "reference":
            for cell in campaign.cells():
                folder = campaign.path / cell.id
                if folder.is_dir():
                    said = read_json(folder / ENVIRONMENT_NAME)["cca"]
                    found.update(row(arm, said.get(arm.name) or said[arm.protocol]) for arm in cell.arms)
    return found


def table(found: Counter[Row]) -> str:
    """In Markdown; what a record calls otherwise than it was is marked."""
    rows = []
    for one, arms in sorted(found.items()):
        *told, had = one
        rows.append(f"| {' | '.join(told)} | {had if had == told[2] else f'**{had}**'} | {arms} |")
    return "\n".join([f"{HEAD}|", *rows])


def restated(text: str, found: Counter[Row]) -> str:
    """The page with its table as the records have it."""
    before, _, rest = text.partition(MARK)
    _, _, after = rest.partition(MARK)
    return f"{before}{MARK}\n{table(found)}\n{MARK}{after}"


if __name__ == "__main__":
    FILE.write_text(restated(FILE.read_text(encoding="utf-8"), count(paths.RAW)), encoding="utf-8")
