"""What `campaign.json` must hold, whichever version wrote it; paths and columns are made of it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from longlook.errors import LonglookError
from longlook.plan.value import CampaignId, CellId, Name, Text, mistake, worded


def _is_a_time(text: str) -> str:
    datetime.fromisoformat(text)  # what has no 31 February
    return text


Moment = Annotated[
    str,
    worded(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$", "a time as 2026-01-31T12:00:00Z"),
    AfterValidator(_is_a_time),
]
Stacks = Annotated[
    str,
    worded(
        r"^[A-Za-z0-9][A-Za-z0-9._-]*(, [A-Za-z0-9][A-Za-z0-9._-]*)*$", "names with ', ' between", max_length=20_000
    ),
]
Digests = Annotated[
    str, worded(r"^[0-9a-f]{2,64}(, [0-9a-f]{2,64})*$", "hexadecimal digits, with ', ' between", max_length=20_000)
]


class _Lenient(BaseModel):
    """Strict in what it knows; what else there is, it passes over."""

    model_config = ConfigDict(extra="allow", strict=True, allow_inf_nan=False)


class _Machine(_Lenient):
    hostname_hash: Text | None = None
    cpu_model: Text | None = None
    cpus: int | None = Field(default=None, ge=1, le=10**6)
    memory_bytes: int | None = Field(default=None, ge=1, le=10**18)
    kernel: Text | None = None


class _Reading(_Lenient):
    """As of host.clock.Clock.record."""

    boot: Text
    ahead_s: float = Field(ge=-1e11, le=1e11)


class _Clock(_Lenient):
    created: _Reading | None = None
    sealed: _Reading | None = None


class _Definition(_Lenient):
    """Of the sweep; what its cells are is read where it is needed."""

    title: Text
    study: Name = "-"
    experiment: Name = "-"


class _Info(_Lenient):
    campaign: CampaignId
    sweep: Name
    role: Literal["reference", "local"]
    created: Moment
    sealed: Moment | None
    stack: Stacks
    stack_digest: Digests
    git_commit: Text | None
    machine: _Machine | None
    sweep_definition: _Definition
    cells: list[CellId] = Field(min_length=1, max_length=10_000)
    missing_cells: list[CellId] = []
    wall_s: float | None = Field(ge=0, le=1e9)
    clock: _Clock | None = None
    """Campaigns of before the monotonic clock was kept have none."""


def check_info(info: dict[str, Any], where: str) -> None:
    """Raise `LonglookError` unless a `campaign.json` is what it should be; `where` says which one, for the message."""
    try:
        _Info.model_validate(info)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        more = f" (and {error.error_count() - 1} more mistakes)" if error.error_count() > 1 else ""
        raise LonglookError(f"{where}: {key}: {mistake(first)}{more}") from None
    if len(info["stack"].split(", ")) != len(info["stack_digest"].split(", ")):
        raise LonglookError(f"{where}: it names {info['stack']} and has the digests {info['stack_digest'][:80]}")
    if len(set(info["cells"])) < len(info["cells"]):
        raise LonglookError(f"{where}: a cell is listed twice")
