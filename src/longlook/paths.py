"""Where things are: folders of this repository and of the per-user cache."""

import os
from pathlib import Path

ROOT = Path(os.environ.get("LONGLOOK_ROOT", Path(__file__).resolve().parents[2]))
SWEEPS = ROOT / "sweeps"
NOTEBOOKS = ROOT / "notebooks"
ENVS = ROOT / "envs"
TOOLS = ROOT / "tools"
DATA = ROOT / "data"
RAW = DATA / "raw"
PROCESSED = DATA / "processed"
PUBLISHED = DATA / "published"
BOOK = ROOT / "book"
STATE = ROOT / ".longlook"
CACHE = Path(os.environ.get("LONGLOOK_CACHE", Path.home() / ".cache" / "longlook"))
