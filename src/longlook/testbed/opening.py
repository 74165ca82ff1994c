"""Opening a testbed together with the link driver that belongs to it."""

from __future__ import annotations

import contextlib

from longlook.link import LINKS
from longlook.link.base import LinkDriver
from longlook.testbed.base import Testbed
from longlook.testbed.registry import LINK_OF, TESTBEDS, describe


def open_link(owned: contextlib.ExitStack, given: str | dict, driver: str | None = None) -> tuple[Testbed, LinkDriver]:
    """A testbed and its link driver, both ended with `owned`; `given`: a name on this machine, or a description."""
    description = describe(given)
    bed = owned.enter_context(TESTBEDS[description.driver](description))
    return bed, owned.enter_context(LINKS[driver or LINK_OF[description.driver]](bed))
