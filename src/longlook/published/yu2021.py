"""Yu and Benson 2021: 45 printed differences of November 2020, what the text says in numbers, objects and pages.

The paper's own heatmaps (figures 4, 8 and 12) show medians whose numbers nobody published. What is printed are images
in the history of its repository: differences of means, with those that Welch's test did not find significant set to 0.
None of them is a mean of one arm, so they are no `PublishedCell`s.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from longlook.errors import LonglookError
from longlook.plan.conditions import ARM, PLACE, Row
from longlook.published.files import rows

STUDY = "yu2021"
SIZES = {100: 102_400, 1000: 1_048_576, 5000: 5_242_880}
"""Bytes of what it calls 100 KB, 1 MB and 5 MB, as its authors' own server has them; the providers' are near."""
SERIES = dict(zip(SIZES.values(), ("yu-100kb", "yu-1mb", "yu-5mb"), strict=True))
PROVIDERS = ("google", "facebook", "cloudflare")
BY_BBR = PROVIDERS[:2]
"""Those whose servers have BBR, as their clients over HTTP/2 have."""
BASE_RTT_MS = 15.0
"""The middle of its 10 to 20 ms."""
BANDWIDTH_MBPS = 10.0


@dataclass(frozen=True)
class Difference:
    """One square: the best HTTP/3 client's mean time to the last byte against the best HTTP/2 client's, %."""

    provider: str
    size_bytes: int
    added_rtt_ms: float
    added_loss_pct: float
    """Its direction is not stated."""
    pct: float
    """Negative: HTTP/3 is quicker."""
    is_significant: bool
    """Where it is not, 0 is printed, and whatever the difference was is unknown."""
    n: int
    source: str

    @property
    def rtt_ms(self) -> float:
        """Of an emulated link."""
        return BASE_RTT_MS + self.added_rtt_ms


def differences(folder: Path | None = None) -> list[Difference]:
    """All 45, in their order: by provider, loss without added delay, then delay without loss."""
    return [_difference(where, row) for where, row in rows(STUDY, "differences.csv", folder)]


def means(folder: Path | None = None) -> list[Row]:
    """The differences as rows of `arms`, in times of HTTP/2; 1 where none is significant. Arms are named by protocol
    and provider; `google and facebook`, who both have BBR, is the slower of the two."""
    found = differences(folder)
    worst: dict[tuple[int, float, float], Difference] = {}
    for one in sorted((one for one in found if one.provider in BY_BBR), key=lambda one: one.pct):
        worst[one.size_bytes, one.rtt_ms, one.added_loss_pct] = one
    own = [*((one.provider, one) for one in found), *((" and ".join(BY_BBR), one) for one in worst.values())]
    return [row for name, one in own for row in _rows(name, one)]


def _rows(name: str, one: Difference) -> Iterator[Row]:
    same = dict.fromkeys((*PLACE, *ARM)) | {"metric": "ttlb_ms", "unit": "times", "sd": None, "n": one.n}
    same |= {"series": SERIES[one.size_bytes], "object_bytes": one.size_bytes, "bandwidth_mbps": BANDWIDTH_MBPS}
    same |= {"rtt_ms": one.rtt_ms, "loss_pct": one.added_loss_pct}
    for protocol, mean in (("quic", 1 + one.pct / 100), ("tcp", 1.0)):
        yield same | {"arm": f"{protocol} {name}", "protocol": protocol, "mean": mean}


def _difference(where: str, row: dict[str, str]) -> Difference:
    try:
        return Difference(
            provider=row["provider"],
            size_bytes=SIZES[int(row["size_kb"])],
            added_rtt_ms=float(row["added_rtt_ms"]),
            added_loss_pct=float(row["added_loss_pct"]),
            pct=float(row["value"]),
            is_significant=not row["zero_means"],
            n=int(row["n"]),
            source=row["source"],
        )
    except (KeyError, ValueError) as error:
        raise LonglookError(f"{where}: {error}") from None


def endpoints(folder: Path | None = None) -> list[dict[str, str]]:
    """Its objects and pages, as its repository lists them."""
    return [row for _, row in rows(STUDY, "endpoints.csv", folder)]


@dataclass(frozen=True)
class ListedPage:
    """One of its nine pages."""

    provider: str
    size: str
    """`small`, `medium` or `large`."""
    size_bytes: int
    """Of its MiB, which are printed to two digits."""
    resources: int

    @property
    def title(self) -> str:
        """`Google, small`."""
        return f"{self.provider.capitalize()}, {self.size}"


def pages(folder: Path | None = None) -> list[ListedPage]:
    """All nine, in the order listed."""
    return [_page(where, row) for where, row in rows(STUDY, "endpoints.csv", folder) if row["workload"] == "web page"]


def _page(where: str, row: dict[str, str]) -> ListedPage:
    try:
        size_bytes = round(float(row["size_mib"]) * 2**20)
        return ListedPage(row["provider"], row["size_label"], size_bytes, int(row["resources_count"]))
    except (KeyError, ValueError) as error:
        raise LonglookError(f"{where}: {error}") from None
