"""The claims of Yu and Benson 2021 about pages, yu-12 to yu-15, held to the same kind of criteria as those about files.

The paper prints no numbers of its pages: its column says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from IPython.display import HTML

from longlook.book import claimed
from longlook.book import data as book_data
from longlook.book.claimed import Claim, ClaimPart
from longlook.book.data import BookData
from longlook.book.times import part_of
from longlook.book.yu2021.pages import DELAYED, LARGER, LOSSY_ONES, SMALL, Looked, Seen
from longlook.experiment.metrics import PLT, SPEED_INDEX
from longlook.figure.squares import PUBLISHED
from longlook.figure.table import html_table

LEAST, MOST = 0.95, 1.05
"""5 % below and above."""
LOSSY_SMALL = tuple(one for one in LOSSY_ONES if one.page in SMALL)
LOSSY_LARGER = tuple(one for one in LOSSY_ONES if one.page in LARGER)
SMALL_EVERYWHERE = (*(Seen(page) for page in SMALL), *LOSSY_SMALL, DELAYED)


def _parts(
    own: Looked | None, places: Iterable[Seen], metric: str, low: float = -math.inf, high: float = math.inf
) -> list[ClaimPart]:
    """A part for each page and link that there are numbers of."""
    if own is None:
        return []
    return [
        part_of(where.label, found, low, high) for where in places if (found := own.ratio(where, metric)) is not None
    ]


def _no_gain_under_loss(own: Looked | None) -> list[ClaimPart]:
    return _parts(own, LOSSY_LARGER, SPEED_INDEX.name, low=LEAST)


def _small_pages(own: Looked | None) -> list[ClaimPart]:
    return _parts(own, SMALL_EVERYWHERE, SPEED_INDEX.name, high=1.0)


def _load_times(own: Looked | None) -> list[ClaimPart]:
    return [
        *_parts(own, (Seen(page) for page in SMALL), PLT.name, high=1.0),
        *_parts(own, (Seen(page) for page in LARGER), PLT.name, LEAST, MOST),
    ]


CLAIMS = (
    Claim(
        "yu-12",
        "That QUIC has no head-of-line blocking does not improve the Speed Index under random loss",
        "BBR on both sides, 0.1 and 1 % loss: the median Speed Index of the medium and the large page at most 5 % "
        "lower by HTTP/3",
        _no_gain_under_loss,
        len(LOSSY_LARGER),
    ),
    Claim(
        "yu-13",
        "Small pages have a better Speed Index by HTTP/3 under every condition",
        "median Speed Index lower by HTTP/3 without loss (three pages), with each loss and with added delay (one page)",
        _small_pages,
        len(SMALL_EVERYWHERE),
    ),
    Claim(
        "yu-15",
        "HTTP/3 has a slight advantage in page load time for small pages, and none for larger ones",
        "without loss: median page load time of the small pages lower, of the others within 5 %",
        _load_times,
        len(SMALL) + len(LARGER),
    ),
)
NOT_JUDGED = {
    "yu-14": (
        "The main image of the large page is painted earlier over HTTP/3: HTTP/2 ignores the priorities of images",
        "needs one server that sends files in turns and one after the other: the chapter on priorities has one",
    ),
}
"""What no number of this chapter decides, and why."""


def _evidence(data: BookData, key: str) -> Looked | None:
    return None if key == PUBLISHED.key else Looked(data, key)


def claims(data: BookData | None = None) -> HTML:
    """The claims: re-measured, and whether they hold."""
    found = data or book_data.load()
    columns = claimed.evaluated(CLAIMS, lambda key: _evidence(found, key))
    return HTML(claimed.claims_table(CLAIMS, columns, lambda claim: f'<b id="{claim.name}">{claim.text}</b>'))


def not_judged() -> HTML:
    """The one that no number here decides."""
    rows = [[name, text, why] for name, (text, why) in NOT_JUDGED.items()]
    return HTML(html_table(["claim", "what it says", "why it is not judged here"], rows, numeric=set()))
