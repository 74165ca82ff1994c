"""What vl-convert makes of a chart, in any process.

It keeps a thread. A process that is forked off from one that has used it has none, and its first picture would wait for
ever: there each is made by a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import vl_convert

MAKE = (
    "import json, sys, vl_convert; name, given = json.load(sys.stdin); made = getattr(vl_convert, name)(**given); "
    "sys.stdout.buffer.write(made if isinstance(made, bytes) else made.encode())"
)
_owner: list[int] = []
"""The process that has used it first."""


def converted(name: str, **given: Any) -> bytes:
    """What its function of that name returns; of a text its UTF-8."""
    if not _owner:
        _owner.append(os.getpid())
    if _owner[0] == os.getpid():
        made = getattr(vl_convert, name)(**given)
        return made if isinstance(made, bytes) else made.encode()
    alone = [sys.executable, "-c", MAKE]
    return subprocess.run(alone, input=json.dumps((name, given)).encode(), stdout=subprocess.PIPE, check=True).stdout
