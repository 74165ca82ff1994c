"""The base of every table that states a stack or a part, and how a whole file of them is read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from longlook.errors import LonglookError
from longlook.host import toml
from longlook.plan.value import mistake, unknown_keys, worded

Sha256 = Annotated[str, worded(r"^[0-9a-f]{64}$", "64 hexadecimal digits, of a SHA-256")]


class StackError(LonglookError, ValueError):
    """A statement of a stack, a part.toml or lock file that cannot be used; the message says what to change."""


class Table(BaseModel):
    """Frozen; an unknown key is an error that lists the known ones."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _only_known_keys(cls, data: Any) -> Any:
        if isinstance(data, dict) and (wrong := unknown_keys(cls, data)):
            raise ValueError(wrong)
        return data


AnyTable = TypeVar("AnyTable", bound=Table)


def read_toml(path: Path) -> dict[str, Any] | None:
    """The values of a file; None where there is no such file."""
    try:
        return toml.read_toml(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except LonglookError as error:
        raise StackError(str(error)) from None


def validated(model: type[AnyTable], data: dict[str, Any], where: Path | str) -> AnyTable:
    """The values of a file, or of a table of it, as tables of ours; every mistake names the file and the key."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        mistakes = "; ".join(
            f"{'.'.join(str(part) for part in item['loc']) or 'top level'}: {mistake(item)}" for item in error.errors()
        )
        raise StackError(f"{where}: {mistakes}") from None
