"""The base of all value objects: frozen, no unknown key, one readable message for every mistake."""

from __future__ import annotations

import hashlib
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from longlook.errors import LonglookError


class PlanError(LonglookError, ValueError):
    """A cell, link, workload, arm or sweep that cannot be measured; the message says what to change."""


class Value(BaseModel):
    """Frozen; NaN, infinity and unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @classmethod
    def parse(cls, data: Any) -> Self:
        """Validate plain data (from TOML, YAML or JSON); raise `PlanError` listing every mistake."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            known = ", ".join(cls.model_fields)
            lines = []
            for item in error.errors():
                where = ".".join(str(part) for part in item["loc"]) or cls.__name__
                hint = f" (known keys of {cls.__name__}: {known})" if item["type"] == "extra_forbidden" else ""
                lines.append(f"{where}: {item['msg']}{hint}")
            raise PlanError(f"{cls.__name__} is not valid: " + "; ".join(lines)) from None


def derived_seed(*parts: object) -> int:
    """A 63-bit seed that depends on nothing but `parts` (BLAKE2b of their text)."""
    text = "\x1f".join(str(part) for part in parts).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") >> 1
