"""A campaign against what it says of itself: its id, its sweep's definition, the cells that this plans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from longlook.plan.cell import Cell
from longlook.record.campaign import Campaign, stamp
from longlook.record.moments import sealed_after

PREFIX = {"reference": "reference-", "local": ""}


def plan_problems(campaign: Campaign, planned: Mapping[str, Cell]) -> Iterator[str]:
    """`planned`: what the definition of its sweep asks for, by id."""
    info = campaign.info
    name = info["sweep_definition"].get("name")
    if name != campaign.sweep:
        yield f"it executed sweep {campaign.sweep}; the definition that it keeps is of {str(name)[:80]}"
    made = f"{PREFIX[campaign.role]}{campaign.sweep}-{stamp(datetime.fromisoformat(info['created']))}"
    if made != campaign.id:
        yield f"by its role, sweep and time it is {made}: copied, or renamed"
    if campaign.role == "local" and campaign.id.startswith(PREFIX["reference"]):
        yield f"its name begins with {PREFIX['reference']!r}, and its role is {campaign.role}"
    if not sealed_after(info):
        yield f"it was sealed ({info['sealed']}) before it began ({info['created']})"
    if (stacks := {arm.stack for cell in planned.values() for arm in cell.arms}) != set(campaign.stack_digests):
        yield f"its cells need the stacks {', '.join(sorted(stacks))}; it was measured with {info['stack']}"
    yield from _cells(campaign, list(planned))


def _cells(campaign: Campaign, planned: list[str]) -> Iterator[str]:
    info = campaign.info
    if info["cells"] != planned:
        lacking, strange = _difference(planned, info["cells"]), _difference(info["cells"], planned)
        yield (
            f"its sweep has {len(planned)} cells, it lists {len(info['cells'])}{lacking and f'; without {lacking}'}"
            + (f"; with {strange}" if strange else "")
        )
        return
    finished = {folder.name for folder in campaign.finished_cells()}
    missing = [name for name in info["cells"] if name not in finished]
    if campaign.is_sealed and missing != info.get("missing_cells", []):
        lacked = info.get("missing_cells", [])
        yield f"cells {_shown(missing)} are not there; when it was sealed it lacked {_shown(lacked)}"


def _difference(one: list[str], other: list[str]) -> str:
    return _shown([name for name in one if name not in set(other)]) if set(one) - set(other) else ""


def _shown(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "") or "none"
