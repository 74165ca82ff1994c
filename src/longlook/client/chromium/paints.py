"""What a page looked like while it loaded, as js/paints.js tells it: its metrics, held against the curve. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

TIMES = ("speed_index_ms", "fcp_ms", "lcp_ms", "complete_ms")
WHOLE = 100.0
APART_MS = 0.5
"""By which a Speed Index may differ from the area over its own curve: times are kept to the microsecond."""


def metrics(told: Mapping[str, Any], connect_ms: float) -> dict[str, float]:
    """Times from the start of the navigation, ms, and how long the connection took; `ValueError` of a trace that
    contradicts itself."""
    found = {name: round(float(told[name]), 3) for name in TIMES}
    area = speed_index_ms(told["progress"])
    if abs(area - found["speed_index_ms"]) > APART_MS:
        raise ValueError(f"its Speed Index is {found['speed_index_ms']} ms, its curve says {area:.3f} ms")
    return found | ({"connect_ms": round(connect_ms, 3)} if connect_ms >= 0 else {})


def speed_index_ms(progress: Sequence[Sequence[float]]) -> float:
    """The area over a curve of visual progress: pairs of time, ms, and %, which hold until the next one.

    Source: the definition by WebPageTest that speedline follows; what is complete adds nothing.
    """
    if not progress or progress[-1][1] != WHOLE:
        raise ValueError("its visual progress does not end at 100 %")
    steps = pairwise(progress)
    return sum((later[0] - sooner[0]) * (1 - sooner[1] / WHOLE) for sooner, later in steps)
