"""Testbed drivers by name, and opening the one that a description asks for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from longlook.testbed.base import Testbed
from longlook.testbed.description import Description, NetnsDescription, parse_description
from longlook.testbed.emulab import EmulabTestbed
from longlook.testbed.netns import NetnsTestbed

TESTBEDS: dict[str, Callable[[Any], Testbed]] = {
    "netns": lambda description: NetnsTestbed(description.name),
    "emulab": EmulabTestbed,
}
"""By driver: the testbed (a context manager, not yet entered) of one of its descriptions.

A new driver is one file in this folder, one entry here and one in description.py.
"""
LINK_OF = {"netns": "linkpipe", "emulab": "dummynet"}
"""The link driver that belongs to each."""


def describe(given: str | dict) -> Description:
    """What a notebook is given as its testbed: the name of one on this machine, or a description as plain data."""
    return NetnsDescription.parse({"name": given}) if isinstance(given, str) else parse_description(given)
