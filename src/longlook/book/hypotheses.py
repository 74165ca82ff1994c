"""Which hypotheses were written down before their data: the commits of both, from git, in a table that is kept.

    python -m longlook.book.hypotheses

writes book/hypotheses.csv anew; a test holds it against git, and the book needs no git to show it. A
hypothesis is the one that stands in the sweep (or the chapter) today: the first commit that has all of its words
counts, wherever the file was then. Its data are the first reference campaign of the sweep that any commit brought. It
came first where its commit lies before that of the data, and where the campaign records a commit that has it already.
A campaign may name a commit that is in no history (a branch that was lost, or squashed): then the campaign's own time
has to lie after that of the hypothesis's commit. Where that cannot be shown either, a later campaign of the same sweep
may have been measured with a commit that has the words: the hypothesis came before that one, which the table says.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from itertools import chain
from pathlib import Path

from longlook import paths
from longlook.analysis.newest import STUDY
from longlook.errors import LonglookError
from longlook.host import git
from longlook.stack.arms import sweep_files

FILE = "hypotheses.csv"
"""In the folder of the book."""
OPENING = "Hypothesis"
IN_CHAPTERS = {
    "beyond-threshold": ("beyond", "**Hypothesis.** If the threshold is the cause"),
    "beyond-window": ("beyond", "**Hypothesis.** With equal windows"),
    "figure-4.8": ("slow-start", "1. **the queue at the bottleneck**"),
}
"""Sweep -> chapter and first words of its hypothesis, where it does not stand in the sweep itself."""
SHORT = 7
HEAD = ("sweep", "hypothesis in", "its commit", "measured with", "commit of the data", "written down")
Brought = tuple[str, str]
"""The commit that brought a campaign's record, and the record's path."""
ADDED = ("--no-renames", "--diff-filter=A", "--format=%H", "--name-only")
"""Of `git log`: commits, each with the files that it brought."""


@dataclass(frozen=True)
class Foretold:
    """One sweep: the file that has its hypothesis today, and the commits."""

    sweep: str
    stated_in: str
    stated: str
    """The first that has the hypothesis as it stands today."""
    campaign: str
    measured_with: str
    """What the campaign says it was measured with."""
    data: str
    """The one that brought the campaign."""
    before: bool
    again: str = ""
    """Where it is not shown to have come before its first data: the first campaign that it did come before."""

    @property
    def when(self) -> str:
        """In words, as far as it can be shown."""
        again = f"before {self.again}, which measured it again" if self.again else "cannot be shown"
        return "before the data" if self.before else again

    @property
    def row(self) -> list[str]:
        """Of a table that has every commit (`HEAD`)."""
        commits = (self.stated, self.measured_with, self.data)
        return [self.sweep, self.stated_in, *(commit[:SHORT] for commit in commits), self.when]


def statement(sweep: str) -> tuple[Path, str] | None:
    """The file with the hypothesis of a sweep, and its words; None of a sweep that has none."""
    if sweep in IN_CHAPTERS:
        chapter, opening = IN_CHAPTERS[sweep]
        file = paths.BOOK / STUDY / f"{chapter}.md"
        text = file.read_text(encoding="utf-8")
        if opening not in text:
            raise LonglookError(f"{file}: the hypothesis of {sweep} is not there any more: {opening!r}")
        return file, flat((opening + text.partition(opening)[2]).partition("\n\n")[0])
    file = sweep_files()[sweep]
    comment = "\n".join(line for line in file.read_text(encoding="utf-8").splitlines() if line.startswith("#"))
    return (file, flat(OPENING + comment.partition(OPENING)[2])) if OPENING in comment else None


def flat(text: str) -> str:
    """Words alone: neither line breaks nor signs of a comment."""
    return " ".join(re.sub(r"^#", " ", text, flags=re.M).split())


def foretold(sweep: str, root: Path = paths.ROOT, records: Sequence[Brought] | None = None) -> Foretold | None:
    """What git says of a sweep; None where it has no hypothesis, or no committed reference campaign. `records`: has
    those of all sweeps (default: git is asked)."""
    said, brought = statement(sweep), _campaigns(root, sweep, _records(root) if records is None else records)
    if said is None or not brought:
        return None
    file, words = said
    path = file.relative_to(root).as_posix()
    data, first = brought[0]
    commits = _commits_with(root, path, words)
    oldest = next(commits, None)
    if oldest is None:
        raise LonglookError(f"{path}: no commit has its hypothesis as it stands; commit it first")
    # A branch that was merged later may have the same words in an older commit.
    witness = next((one for one in chain([oldest], commits) if _is_before(root, one, data, first)), None)
    stated, before = witness or oldest, witness is not None
    shown = () if before else (info["campaign"] for data, info in brought[1:] if _is_before(root, stated, data, info))
    return Foretold(sweep, path, stated, first["campaign"], first["git_commit"], data, before, next(iter(shown), ""))


def _records(root: Path) -> list[Brought]:
    """Of every reference campaign, in the order in which commits brought them."""
    pattern = "data/raw/reference-*/campaign.json"
    found, commit = [], ""
    for line in _lines(root, "log", "--reverse", *ADDED, "--", pattern):
        if line.startswith("data/"):
            found.append((commit, line))
        else:
            commit = line
    return found


def _campaigns(root: Path, sweep: str, records: Sequence[Brought]) -> list[tuple[str, dict[str, str]]]:
    """The reference campaigns of a sweep in the order in which commits brought them: commit, and the record's head."""
    own = re.compile(rf"data/raw/reference-{re.escape(sweep)}-2[^/]*/campaign\.json")
    return [
        (commit, json.loads(git.output(root, "show", f"{commit}:{record}")))
        for commit, record in records
        if own.fullmatch(record)
    ]


def _is_before(root: Path, stated: str, data: str, campaign: dict[str, str]) -> bool:
    """Whether the commit of a hypothesis lies before a campaign's, and before its measurement."""
    if stated == data or not _is_in(root, stated, data):
        return False
    if _knows(root, campaign["git_commit"]):
        return _is_in(root, stated, campaign["git_commit"])
    committed = datetime.fromisoformat(git.output(root, "show", "-s", "--format=%cI", stated).strip())
    return "created" in campaign and committed < datetime.fromisoformat(campaign["created"])


def _knows(root: Path, commit: str) -> bool:
    return git.succeeds(root, "cat-file", "-e", f"{commit}^{{commit}}")


def _commits_with(root: Path, path: str, words: str) -> Iterator[str]:
    """The commits in which a file, under whatever name, has these words, the first of them first; a merge, where they
    came with one. Each is read when it is asked for."""
    return (commit for commit, name in _versions(root, path) if words in _text(root, commit, name))


def _text(root: Path, commit: str, name: str) -> str:
    """Words of a file in a commit; none where a merge did not keep it."""
    there = f"{commit}:{name}"
    return flat(git.output(root, "show", there)) if git.succeeds(root, "cat-file", "-e", there) else ""


def _versions(root: Path, path: str) -> Iterator[tuple[str, str]]:
    """Commits that changed a file and its name there, the oldest first; then merges, which `--follow` passes over."""
    lines = _lines(root, "log", "--follow", "--format=%H", "--name-only", "--", path)
    yield from reversed(list(zip(lines[::2], lines[1::2], strict=True)))
    for commit in reversed(_lines(root, "log", "-m", "--merges", "--format=%H", "--", path)):
        yield commit, path


def _is_in(root: Path, commit: str, later: str) -> bool:
    """Whether a commit is the later one, or before it; no where git does not know one of them."""
    return git.succeeds(root, "merge-base", "--is-ancestor", commit, later)


def _lines(root: Path, *arguments: str) -> list[str]:
    return [line for line in git.output(root, *arguments).splitlines() if line]


def from_git(root: Path = paths.ROOT) -> list[Foretold]:
    """Every sweep of a study that states a hypothesis and has data; by study and name."""
    own = [(file.parent.name, name) for name, file in sweep_files().items() if file.parent != paths.SWEEPS]
    records = _records(root)
    return [found for _, name in sorted(own) if (found := foretold(name, root, records)) is not None]


def kept(book: Path | None = None) -> list[Foretold]:
    """The table as it is kept."""
    with ((book or paths.BOOK) / FILE).open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    return [Foretold(**{**row, "before": row["before"] == "True"}) for row in rows]  # type: ignore[arg-type]


def keep(rows: list[Foretold], book: Path | None = None) -> None:
    """Writes the table."""
    with ((book or paths.BOOK) / FILE).open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, [field.name for field in fields(Foretold)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


if __name__ == "__main__":
    keep(from_git())
    print(f"{paths.BOOK / FILE}: {len(kept())} hypotheses")
