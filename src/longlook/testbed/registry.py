"""Testbed drivers by name, and opening the one that a description asks for."""

from __future__ import annotations

from longlook.testbed.base import Testbed
from longlook.testbed.description import Description, EmulabDescription, NetnsDescription, parse_description
from longlook.testbed.emulab import EmulabTestbed
from longlook.testbed.netns import NetnsTestbed

TESTBEDS = {"netns": NetnsTestbed, "emulab": EmulabTestbed}
"""Testbed drivers by name; a new one is one file in this folder, one entry here and one in description.py."""
LINK_OF = {"netns": "linkpipe", "emulab": "dummynet"}
"""The link driver that belongs to each."""


def describe(given: str | dict | Description) -> Description:
    """What a notebook is given as its testbed: the name of one on this machine, or a description."""
    if isinstance(given, (NetnsDescription, EmulabDescription)):
        return given
    return NetnsDescription.parse({"name": given}) if isinstance(given, str) else parse_description(given)


def open_testbed(description: Description) -> Testbed:
    """The testbed (a context manager, not yet entered) of a description."""
    return NetnsTestbed(description.name) if isinstance(description, NetnsDescription) else EmulabTestbed(description)
