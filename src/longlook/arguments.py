"""What the command line takes: numbers with bounds and the reason for them, names, files. Imports nothing that is slow,
so that what can never be done is refused at once."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path
from typing import Any

import click

from longlook.testbed import names


def shown(value: Any) -> str:
    """A value as a message quotes it."""
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


class Number(click.ParamType):
    """A number from `low` to `high`, both included; `why` says why not beyond."""

    name = "number"

    def __init__(self, low: float, high: float, why: str, unit: str = ""):
        self.low, self.high, self.why, self.unit = low, high, why, unit

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            found = self._read(value)
        except (ValueError, OverflowError):
            found = math.nan
        if not self.low <= found <= self.high:
            unit = f" {self.unit}" if self.unit else ""
            bounds = f"{self.low:,} to {self.high:,}{unit}"
            self.fail(f"{shown(value)} is no {self.name} from {bounds} ({self.why})", param, ctx)
        return found

    def _read(self, value: Any) -> float:
        return float(value)


class Whole(Number):
    """A whole number."""

    name = "whole number"

    def _read(self, value: Any) -> int:
        return int(value)


class TestbedName(click.ParamType):
    """Of a testbed on this machine; it becomes part of the names of namespaces and locks."""

    name = "name"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not isinstance(value, str) or not re.fullmatch(names.PATTERN, value):
            self.fail(f"{shown(value)} cannot name a testbed: {names.WORDS}", param, ctx)
        return value


class InputFile(click.ParamType):
    """A file to read, which is there and no folder."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = _path(value)
        if path is None or not _is(os.path.exists, path):
            self.fail(f"there is no file {shown(value)}", param, ctx)
        if path.is_dir():
            self.fail(f"{shown(value)} is a folder, not a file", param, ctx)
        return path


class OutputFile(click.ParamType):
    """A file to write, in a folder that is there or can be made, and no link, which would not be followed."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = _path(value)
        if path is None or _is(os.path.isdir, path):
            self.fail(f"{shown(value)} is no name of a file", param, ctx)
        if _is(os.path.islink, path):
            self.fail(f"{shown(value)} is a symbolic link: none is followed", param, ctx)
        if not is_writable(path):
            self.fail(f"{shown(value)} cannot be written", param, ctx)
        return path


def _path(value: Any) -> Path | None:
    return Path(value) if str(value) and "\0" not in str(value) else None


def _is(what: Any, path: Path) -> bool:
    try:
        return bool(what(path))
    except (OSError, ValueError):
        return False


def is_writable(path: Path) -> bool:
    """Whether a file or folder can be written, or made where there is none yet."""
    for place in (path, *path.absolute().parents):
        try:
            place.lstat()
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            return False
        return os.access(place, os.W_OK) and (place == path or (place.is_dir() and os.access(place, os.X_OK)))
    return False
