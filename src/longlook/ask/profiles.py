"""Links by the names that people know: links/*.toml, each with its source and date."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from longlook import paths
from longlook.errors import LonglookError
from longlook.host.toml import read_toml
from longlook.plan.link import Link
from longlook.plan.trace import with_traces
from longlook.plan.value import PlanError, Text, Value, nearest


class Profile(Value):
    """A link and who says so."""

    called = "a link profile"

    title: Text
    source: Text
    date: Text = Field(description="of the source")
    link: Link


def profiles() -> dict[str, Profile]:
    """By name."""
    return {path.stem: _profile(path) for path in sorted(paths.LINKS.glob("*.toml"))}


def _profile(path: Path) -> Profile:
    """Of a file, with the traces that it names."""
    data = read_toml(path)
    link = data.get("link")
    try:
        return Profile.parse(data | {"link": with_traces(link)} if isinstance(link, dict) else data)
    except LonglookError as error:
        raise PlanError(f"{path.name}: {error}") from None


def chosen(names: Sequence[str]) -> dict[str, Profile]:
    """Those of these names, in their order; an unknown one is an error that has the nearest."""
    known = profiles()
    for name in names:
        if name not in known:
            raise LonglookError(f"there is no link {name!r}{nearest(name, known)} (known: {', '.join(known)})")
    return {name: known[name] for name in names}
