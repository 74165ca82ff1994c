"""Mistakes planted one by one into a copy of the code: the tests of their room, all of them in `make test`, must fail.

    python tests/support/mutations.py [ROOM]

Prints a line for each of mutations.csv, and ends with the number of those that no test noticed.
"""

import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def copied(folder: Path) -> Path:
    """The repository with a `src` of its own; everything else is a link."""
    for path in ROOT.iterdir():
        if path.name not in ("src", ".pytest_cache"):
            (folder / path.name).symlink_to(path)
    subprocess.run(["cp", "-r", ROOT / "src", folder], check=True)
    return folder


def notices(root: Path, tests: str) -> bool:
    """Whether a test fails: pytest ends with status 1 then, and with another one where it could not run."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-p", "no:cacheprovider", f"tests/{tests}"]
    told = os.environ | {"PYTHONPATH": str(root / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=root, env=told, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stdout + done.stderr)
    return done.returncode == 1


def main(rooms: list[str]) -> int:
    missed = 0
    with (Path(__file__).parent / "mutations.csv").open(newline="") as stream, tempfile.TemporaryDirectory() as made:
        root = copied(Path(made))
        for one in csv.DictReader(stream):
            if rooms and one["room"] not in rooms:
                continue
            file = root / "src" / "longlook" / one["file"]
            text = file.read_text()
            if one["was"] not in text:
                raise SystemExit(f"{one['file']} has no {one['was']!r}")
            file.write_text(text.replace(one["was"], one["becomes"], 1))
            caught = notices(root, one["tests"])
            file.write_text(text)
            missed += not caught
            print("caught" if caught else "MISSED", one["room"], one["was"], "->", one["becomes"], flush=True)
    return missed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
