"""The digest of all code that a chapter runs: this package, the lock of its environment and what is installed there.

Any change of it executes every chapter. It is to be taken before the code is imported that it is of: what is edited
meanwhile then counts as changed, at the latest at the next build. So this needs nothing but Python's own library.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
import sysconfig
from pathlib import Path

from longlook import paths

FOLDER = Path(__file__).resolve().parents[1]
LOCK = "requirements.txt"
OWN = "LONGLOOK_"
"""What the variables of the environment begin with that this project reads."""


def digest() -> str:
    """SHA-256, hexadecimal; also of where the repository and its data are, which pages may show."""
    files = sorted(path for path in FOLDER.rglob("*") if "__pycache__" not in path.parts and path.is_file())
    lock = paths.ROOT / LOCK
    parts = [f"{path.relative_to(FOLDER)} {_of(path)}" for path in files] + [_of(lock) if lock.is_file() else ""]
    parts += sorted(one.name for one in Path(sysconfig.get_path("purelib")).glob("*.dist-info"))
    parts += sorted(f"{name}={value}" for name, value in os.environ.items() if name.startswith(OWN))
    parts += [platform.python_version(), sys.prefix, str(paths.ROOT), str(paths.DATA)]
    return hashlib.sha256("\n".join(parts).encode(errors="surrogateescape")).hexdigest()


def _of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
