"""Versions as numbers."""

from __future__ import annotations

import re


def as_numbers(version: str) -> tuple[int, ...]:
    """`3.0.19` -> (3, 0, 19), for comparison; letters count as separators."""
    return tuple(int(part) for part in re.findall(r"\d+", version))
