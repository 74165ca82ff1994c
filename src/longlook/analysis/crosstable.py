"""Published verdicts against re-measured ones, counted, beside what agrees with them and says nothing. Pure.

Where nearly every published verdict is the same, whoever always says that one agrees with nearly all of them. Cohen's
kappa is the agreement beyond chance: 0 where the verdicts agree as often as two draws from their own shares would, 1
where all agree (J. Cohen, Educ. Psychol. Meas. 20, 1960, 37-46). Its interval is the large-sample one (J. L. Fleiss,
J. Cohen, B. S. Everitt, Psychol. Bull. 72, 1969, 323-327), which is too narrow for a few squares.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from scipy.special import ndtri

from longlook.analysis.compared import ComparedCell, ComparedVerdict
from longlook.analysis.contrast import Verdict
from longlook.analysis.welch import ALPHA, significant

VERDICTS: tuple[Verdict, ...] = ("left", "none", "right")
Both = tuple[Verdict, Verdict]


@dataclass(frozen=True)
class CrossTable:
    """Squares by (published, re-measured) verdict; only those that were tested in both."""

    counts: Mapping[Both, int]

    @property
    def tested(self) -> int:
        return sum(self.counts.values())

    @property
    def equal(self) -> int:
        return sum(self.counts.get((one, one), 0) for one in VERDICTS)

    @property
    def opposite(self) -> int:
        """Both significant, in opposite directions."""
        return self.counts.get(("left", "right"), 0) + self.counts.get(("right", "left"), 0)

    def published(self, verdict: Verdict) -> int:
        return sum(self.counts.get((verdict, one), 0) for one in VERDICTS)

    def measured(self, verdict: Verdict) -> int:
        return sum(self.counts.get((one, verdict), 0) for one in VERDICTS)

    def kept(self, verdict: Verdict) -> int:
        """How many of the squares with this published verdict have it again."""
        return self.counts.get((verdict, verdict), 0)

    @property
    def constant(self) -> int:
        """What the most frequent published verdict, said of every square, would agree in."""
        return max(self.published(one) for one in VERDICTS)

    @property
    def marginals(self) -> float:
        """What verdicts drawn at random by the published shares would agree in on average."""
        return sum(self.published(one) ** 2 for one in VERDICTS) / self.tested if self.tested else math.nan

    @property
    def _chance(self) -> float:
        return sum(self.published(one) * self.measured(one) for one in VERDICTS) / self.tested**2

    @property
    def kappa(self) -> float:
        """NaN where published and re-measured verdicts are all the same one: nothing is beyond chance."""
        if not self.tested or self._chance == 1:
            return math.nan
        return (self.equal / self.tested - self._chance) / (1 - self._chance)

    @property
    def kappa_interval(self) -> tuple[float, float]:
        """Of 99 %; NaN where there is no kappa."""
        kappa, n = self.kappa, self.tested
        if math.isnan(kappa):
            return math.nan, math.nan
        variance = -((kappa - self._chance * (1 - kappa)) ** 2)
        for (published, measured), count in self.counts.items():
            if published == measured:
                both = (self.published(published) + self.measured(published)) / n
                variance += count / n * (1 - both * (1 - kappa)) ** 2
            else:
                crossed = (self.measured(published) + self.published(measured)) / n
                variance += count / n * (1 - kappa) ** 2 * crossed**2
        reach = float(ndtri(1 - ALPHA / 2)) * math.sqrt(max(variance, 0.0) / n) / (1 - self._chance)
        return max(kappa - reach, -1.0), min(kappa + reach, 1.0)


def cross_table(verdicts: Iterable[ComparedVerdict]) -> CrossTable:
    """Of the verdicts that rest on a test in both."""
    return crossed((one.published, one.measured) for one in verdicts if one.agree is not None)


def crossed(pairs: Iterable[tuple[Verdict | None, Verdict | None]]) -> CrossTable:
    """Of (published, re-measured) verdicts; a pair without a test in both is left out."""
    return CrossTable(Counter((one, other) for one, other in pairs if one is not None and other is not None))


def by_holm(tests: Iterable[tuple[Verdict | None, float]]) -> Counter[Verdict]:
    """Of (verdict, p) of one family: how many squares stay significant by Holm's correction, by verdict."""
    tested = [(said, p_value) for said, p_value in tests if said is not None]
    stays = significant([p_value for _, p_value in tested])
    return Counter(said for (said, _), one in zip(tested, stays, strict=True) if one)


def of_cells(cells: Iterable[ComparedCell]) -> CrossTable:
    """Of all verdicts of these cells."""
    return cross_table(one for cell in cells for one in cell.verdicts)
