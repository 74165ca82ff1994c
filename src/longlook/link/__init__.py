"""Link drivers: what makes a testbed's bridge behave like a `Link`."""

from longlook.link.base import LinkDriver
from longlook.link.dummynet import Dummynet
from longlook.link.linkpipe import LinkPipe

LINKS: dict[str, type[LinkDriver]] = {LinkPipe.name: LinkPipe, Dummynet.name: Dummynet}
"""Link drivers by name; a new one is one file in this folder and one entry here."""
