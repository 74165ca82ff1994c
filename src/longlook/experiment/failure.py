"""Why a try at a cell came to nothing, and what that means for the next one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from longlook.errors import LonglookError, NotSupported
from longlook.node.session import NodeError

Kind = Literal["cell", "node", "not_supported"]
"""`node`: a node of the testbed was lost, others may be there; `not_supported`: no further try can help.

`cell`: anything else, the cell's own.
"""


@dataclass(frozen=True)
class Failure:
    """What went wrong, as one message."""

    kind: Kind
    message: str

    @classmethod
    def of(cls, error: type[LonglookError], message: str) -> Failure:
        """From the type of an error and its message."""
        if issubclass(error, NodeError):
            return cls("node", message)
        return cls("not_supported" if issubclass(error, NotSupported) else "cell", message)

    def at(self, where: str) -> Failure:
        """The same, with where it happened behind it."""
        return Failure(self.kind, f"{self.message} [{where}]")

    def __str__(self) -> str:
        return self.message
