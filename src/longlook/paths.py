"""Where things are: folders of this repository and of the per-user cache."""

import os
from pathlib import Path

ROOT = Path(os.environ.get("LONGLOOK_ROOT", Path(__file__).resolve().parents[2]))
SWEEPS = ROOT / "sweeps"
NOTEBOOKS = ROOT / "notebooks"
ENVS = ROOT / "envs"
TOOLS = ROOT / "tools"
DATA = Path(os.environ.get("LONGLOOK_DATA", ROOT / "data"))
"""Where campaigns and tables go; the published numbers always come from the repository."""
RAW = DATA / "raw"
PROCESSED = DATA / "processed"
PUBLISHED = ROOT / "data" / "published"
BOOK = ROOT / "book"
STATE = ROOT / ".longlook"
CACHE = Path(os.environ.get("LONGLOOK_CACHE", Path.home() / ".cache" / "longlook"))
