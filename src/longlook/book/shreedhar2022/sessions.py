"""What the campaigns of a film that is played found, by loss and arm, and one session of each arm over its time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import pandas as pd

from longlook import paths
from longlook.analysis.paired import Place
from longlook.analysis.welch import Summary, Welch, summarise, welch_from_summaries
from longlook.book.data import COLUMNS, BookData
from longlook.book.loads import Row, by_place, rejected
from longlook.errors import LonglookError
from longlook.experiment.metrics import STALLED, STALLS
from longlook.experiment.sessions import WHICH, sessions
from longlook.published.shreedhar2022 import STUDY
from longlook.record.samples import read_records

SHORT, LONG = "shreedhar-video-short", "shreedhar-video"
"""Series, each of a sweep of its name."""
LOSSES = (0.0, 1.0, 5.0, 10.0)
"""Each way, %."""
QUIC, TCP = "quic", "tcp"
NAMES = {TCP: "HTTP/2", QUIC: "HTTP/3"}
"""Arms, from above."""
Values = Mapping[tuple[float, str, str], Mapping[Place, float]]
"""By loss each way, arm and metric; of each session by its number and attempt."""


@dataclass(frozen=True)
class Played:
    """The newest campaigns of one column."""

    data: BookData
    key: str
    """`reference` or `yours`."""

    def has(self, series: str) -> bool:
        """Whether any session of a series counts."""
        return bool(_values(self.data, series, self.key))

    def values(self, series: str, loss_pct: float, arm: str, metric: str) -> list[float]:
        """Of every session that counts."""
        return list(self._by_session(series, loss_pct, arm, metric).values())

    def stall_ms(self, series: str, loss_pct: float, arm: str) -> list[float]:
        """How long one of its stalls took on the mean, of every session that counts and stood still."""
        stalls, stood = (self._by_session(series, loss_pct, arm, one) for one in (STALLS.name, STALLED.name))
        return [stood[index] / count for index, count in stalls.items() if count and index in stood]

    def _by_session(self, series: str, loss_pct: float, arm: str, metric: str) -> Mapping[Place, float]:
        return _values(self.data, series, self.key).get((loss_pct, arm, metric), {})

    def summary(self, series: str, loss_pct: float, arm: str, metric: str) -> Summary | None:
        """None where no session counts."""
        values = self.values(series, loss_pct, arm, metric)
        return summarise(values) if len(values) else None

    def rejected(self, series: str, loss_pct: float, arm: str) -> Counter[str]:
        """Sessions that were played and do not count, by their reasons."""
        return _rejected(self.data, series, self.key).get((loss_pct, arm), Counter())

    def tested(self, series: str, loss_pct: float, metric: str) -> Welch | None:
        """QUIC against TCP; None where either is not measured."""
        quic, tcp = (self.summary(series, loss_pct, arm, metric) for arm in (QUIC, TCP))
        return None if quic is None or tcp is None else welch_from_summaries(quic, tcp)

    def over_time(self, series: str, loss_pct: float) -> pd.DataFrame:
        """The first session of each arm that counts, as of experiment.sessions.COLUMNS, from the campaign's records;
        without a row where those are not here."""
        rows = self.data.rows("cells", STUDY, series, self.key)
        for row in rows[rows["loss_pct"] == 2 * loss_pct].to_dict("records"):
            folder = paths.RAW / row["campaign"] / row["cell_id"]
            try:
                if folder.is_dir():
                    first: dict[str, tuple] = {}
                    for one in read_records(folder):
                        if one["accepted"] and not one["set_aside"]:
                            first.setdefault(one["arm"], tuple(one[name] for name in WHICH))
                    table = sessions(folder)
                    own = pd.MultiIndex.from_frame(table[list(WHICH)])
                    return table[own.isin(list(first.values()))]
            except LonglookError:
                break
        return pd.DataFrame(columns=["arm"])


@lru_cache(maxsize=32)
def _values(data: BookData, series: str, key: str) -> Values:
    return by_place(data, STUDY, series, key, _loss_pct)


@lru_cache(maxsize=32)
def _rejected(data: BookData, series: str, key: str) -> Mapping[tuple[float, str], Counter[str]]:
    return rejected(data, STUDY, series, key, _loss_pct)


def _loss_pct(row: Row) -> float:
    """Each way, of a row of `cells`."""
    return float(row["loss_pct"]) / 2


def newest(data: BookData, series: str) -> Played | None:
    """The reader's own column where it has the series, else the reference one; None where neither has."""
    found = [own for key, _, _ in COLUMNS if (own := Played(data, key)).has(series)]
    return found[-1] if found else None
