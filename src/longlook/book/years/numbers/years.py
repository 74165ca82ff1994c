"""Numbers of the chapter years.md, each as it stands in its text."""

from __future__ import annotations

from longlook.book.hypotheses import stated
from longlook.book.value import Measured, NotMeasured, StatedNumber
from longlook.book.value_role import Numbers
from longlook.book.years.evidence import SERIES, STUDY
from longlook.experiment.metrics import PLT


def _loads(m: Measured) -> StatedNumber:
    """Analysed loads of each arm."""
    arms = m.data.rows("arms", STUDY, SERIES, m.key)
    counts = sorted(set(arms.loc[arms["metric"] == PLT.name, "n"]))
    if not counts:
        raise NotMeasured(f"no campaign of {SERIES}")
    text = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return StatedNumber(text, f"accepted loads of every arm; from {_files(arms)}")


def _files(arms) -> str:
    return ", ".join(f"data/raw/{name}" for name in dict.fromkeys(arms["campaign"]))


NUMBERS: Numbers = {
    "loads": _loads,
    "stated-years": stated("years"),
    "stated-versions": stated("years-versions"),
}
