"""The synthetic campaigns of tests/dataset serve the audit's tests too."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "dataset"))
