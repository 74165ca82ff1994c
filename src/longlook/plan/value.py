"""The base of all value objects: frozen, no unknown key, one readable message for every mistake."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Annotated, Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from longlook.errors import LonglookError


class PlanError(LonglookError, ValueError):
    """A cell, link, workload, arm or sweep that cannot be measured; the message says what to change."""


Item = TypeVar("Item")
Many = Annotated[tuple[Item, ...], Field(strict=False)]
"""Of these; TOML and JSON have lists for them."""
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=120)]
"""Of studies, sweeps, series, stacks and adapters; they become parts of paths."""
LONGEST_ID = 200
CellId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$", max_length=LONGEST_ID)]
"""A folder's name; an interrupted cell's is longer by a time."""
CampaignId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=200)]
Text = Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]*$", max_length=300)]
"""For readers, on one line: without characters that steer a terminal or turn the direction of writing."""


class Value(BaseModel):
    """Frozen; NaN, infinity and unknown keys are errors. Numbers are numbers and booleans booleans: neither `true` nor
    "50" is a bandwidth."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, strict=True)

    @classmethod
    def parse(cls, data: Any) -> Self:
        """Validate plain data (from TOML, YAML or JSON); raise `PlanError` listing every mistake."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise PlanError(f"{cls.__name__} is not valid: {'; '.join(_mistakes(cls, error))}") from None
        except RecursionError:
            raise PlanError(f"{cls.__name__} is not valid: it is nested too deeply") from None


def _mistakes(model: type[BaseModel], error: ValidationError) -> list[str]:
    """A line for each; of many the first ones."""
    known, lines = ", ".join(model.model_fields), []
    for item in error.errors(include_url=False):
        where = ".".join(str(part) for part in item["loc"])[:200] or model.__name__
        hint = f" (known keys of {model.__name__}: {known})" if item["type"] == "extra_forbidden" else ""
        lines.append(f"{where}: {item['msg']}{hint}")
    rest = len(lines) - MOST_MISTAKES
    return [*lines[:MOST_MISTAKES], f"and {rest} more"] if rest > 0 else lines


MOST_MISTAKES = 10
_NAMES: Mapping[str, TypeAdapter] = {
    "thing": TypeAdapter(Name),
    "campaign": TypeAdapter(CampaignId),
    "cell": TypeAdapter(CellId),
}
"""Of everything else a `Name`."""


def checked_name(text: Any, what: str = "thing") -> str:
    """`text`, if it may become part of a path; `what`: campaign, cell, stack, ..."""
    try:
        return _NAMES.get(what, _NAMES["thing"]).validate_python(text, strict=True)
    except ValidationError:
        raise PlanError(
            f"{ascii(text)[:80]} cannot name a {what}: letters, digits, '.', '_' and '-', a letter or digit first"
        ) from None


def unstated(value: object) -> bool:
    """`exclude_if` of fields that came after there were campaigns: what does not state them is, to the byte, what it
    was, and so are the keys of cells."""
    return value is None


def derived_seed(*parts: object) -> int:
    """A 63-bit seed that depends on nothing but `parts` (BLAKE2b of their text)."""
    text = "\x1f".join(str(part) for part in parts).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") >> 1
