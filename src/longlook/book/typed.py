"""Numbers with a unit that are typed into the prose of a chapter, and which of them may be.

Re-measured numbers stand in sentences by the role `value` alone. Typed ones are settings (what the study's sweeps set)
or listed, with their source, in `typed/<chapter>.toml` beside the chapter:

    "41 to 47 %" = "thesis, section 4.3.1"

The key is a piece of the chapter's text; every number within it is allowed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from longlook import paths
from longlook.plan.workload import kb_of_bytes
from longlook.stack.arms import open_sweep, sweep_files

UNITS = (
    "ms", "s", "%", "per cent", "KB", "MB", "Mbit/s", "packets", "times", "RTT", "round trips", "losses", "bytes",
    "percentage points",
)  # fmt: skip
NUMBER = r"[+\N{MINUS SIGN}-]?(?:\d{1,3}(?:[ ,]\d{3})+|\d+)(?:\.\d+)?"
JOINT = r"(?: ?%?(?:,| and| or| to|\N{EN DASH}| instead of| against| above| down to| goes from) )"
RUN = re.compile(
    rf"(?<![\w.`/])(?<!\N{{MULTIPLICATION SIGN}} )(?<!= )(?<!figure )(?P<numbers>{NUMBER}(?:{JOINT}{NUMBER})*)"
    rf"[ \N{{NO-BREAK SPACE}}](?P<unit>{'|'.join(UNITS)})(?![\w/])"
)
CELL_OPTIONS = "---"
"""Before and after what a cell says of itself, its caption among it."""
_HIDDEN = re.compile(r"\{[\w:-]+\}`[^`]*`|`[^`]*`|\$[^$]*\$|\]\([^)]*\)")
"""Roles, code, mathematics and addresses within a line."""


@dataclass(frozen=True)
class Typed:
    """One number with its unit, where it stands, and the words around it."""

    path: Path
    line: int
    number: str
    unit: str
    start: int
    end: int
    text: str

    @property
    def context(self) -> str:
        return self.text[max(0, self.start - 50) : self.end + 30].strip()


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """(line number, text) of a chapter without front matter, code, mathematics, tables and headings; roles are
    blank. What stands in an admonition is prose, and so are the captions of cells and tables."""
    lines = path.read_text(encoding="utf-8").splitlines()
    begin = lines.index("---", 1) + 1 if lines and lines[0] == "---" else 0
    fence, is_prose = "", True
    for number, line in enumerate(lines[begin:], begin + 1):
        if line.startswith("::::"):  # what is folded is prose
            continue
        mark = re.match(r"\s*(`{3,}|:{3,}|\$\$)", line)
        if mark and (not fence or line.strip().startswith(fence)):
            fence, is_prose = ("", True) if fence else (mark[1], "{admonition}" in line)
            line = line.partition("{table}")[2]
        elif fence and line == CELL_OPTIONS:
            is_prose = not is_prose
            continue
        elif not is_prose or line.startswith(("|", "#")):
            continue
        yield number, _HIDDEN.sub(lambda found: " " * len(found[0]), line)


def typed_numbers(path: Path) -> Iterator[Typed]:
    """Every number with a unit in the prose of a chapter; of `10, 50 and 100 ms` each."""
    for line, text in prose(path):
        for run in RUN.finditer(text):
            for found in re.finditer(NUMBER, run["numbers"]):
                number = found[0].lstrip("+")
                yield Typed(path, line, number, run["unit"], run.start() + found.start(), run.end(), text)


def settings(study: str) -> set[tuple[str, str]]:
    """(number, unit) of all that the sweeps of a study set: bandwidths, RTTs, losses, jitter, sizes, CPU, durations."""
    found: set[tuple[str, str]] = set()
    for name, path in sweep_files().items():
        if path.parent.name != study:
            continue
        for cell in open_sweep(name).cells():
            link = cell.link
            known: dict[str, list[float | None]] = {
                "Mbit/s": [link.bandwidth_mbps],
                "%": [link.loss_pct],
                "s": [cell.duration_s],
            }
            known["ms"] = [link.rtt_ms, link.jitter_ms, link.jitter_interval_ms]
            known["%"] += [limit for arm in cell.arms for limit in (arm.client_cpu_pct, arm.server_cpu_pct)]
            size = kb_of_bytes(cell.workload.object_bytes or 0) or 0
            known["KB" if size < 1000 else "MB"] = [size if size < 1000 else size / 1000]
            found |= {(f"{value:g}", unit) for unit, values in known.items() for value in values if value is not None}
    return found


def allowed(path: Path) -> dict[str, str]:
    """Piece of text -> where its numbers come from; {} where a chapter has no list."""
    listed = path.parent / "typed" / f"{path.stem}.toml"
    return tomllib.loads(listed.read_text(encoding="utf-8")) if listed.exists() else {}


def problems(path: Path, known: set[tuple[str, str]]) -> list[str]:
    """One line per typed number that has no source, and per piece of text in the list that the chapter no longer
    has."""
    listed = allowed(path)
    found = []
    for one in typed_numbers(path):
        if (one.number, one.unit) not in known and not any(_within(one, piece) for piece in listed):
            found.append(
                f"{one.path.relative_to(paths.ROOT)}:{one.line}: {one.number} {one.unit} is typed: ...{one.context}... "
                "A re-measured number is a {value} (define it in numbers/ of the study's room); a published one, or a "
                f"setting, goes with its table or section into typed/{path.stem}.toml beside the chapter"
            )
    whole = " ".join(text for _, text in prose(path))
    return found + [
        f"{path}: typed/{path.stem}.toml lists {piece!r}, which is not there" for piece in listed if piece not in whole
    ]


def _within(one: Typed, piece: str) -> bool:
    """Whether the number lies in an occurrence of this piece of text."""
    places = [found.start() for found in re.finditer(re.escape(piece), one.text)]
    return any(start <= one.start and one.start + len(one.number) <= start + len(piece) for start in places)
