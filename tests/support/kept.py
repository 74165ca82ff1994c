"""Reference campaigns cut down to one cell, for tests that change a copy: as sealed ones that lack the others."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from longlook import paths
from longlook.record.manifest import write_manifest

SMALLEST = {
    "page loads": "reference-loss-each-way-10mb-alone-n1-20261125T230840",
    "old page loads": "reference-jitter-interval-20261122T055212",
    "downloads": "reference-halme-rest-200-1-20261123T182340",
    "downloads without loss": "reference-yu-verify-20261125T102823",
    "pages with visual metrics": "reference-yu-pages-order-20261125T013821",
    "films": "reference-shreedhar-video-short-20261125T142327",
    "shares": "reference-halme-parallel-20261123T173741",
    "old shares": "reference-table-4.1-gquic37-20261122T075226",
    "windows": "reference-yu-over-time-20261125T102930",
    "traces": "reference-matrix-windows-20261125T025202",
}
"""Of each experiment the smallest campaign, and of those of before there were arms."""


def kept(kind: str, root: Path) -> Path:
    """A copy of one cell of such a campaign under `root`, sealed."""
    source = paths.ROOT / "data" / "raw" / SMALLEST[kind]
    target = root / source.name
    target.mkdir(parents=True)
    info = json.loads((source / "campaign.json").read_text())
    cell, *_ = sorted(info["cells"], key=lambda name: sum(one.stat().st_size for one in (source / name).iterdir()))
    shutil.copytree(source / cell, target / cell)
    info["missing_cells"] = [name for name in info["cells"] if name != cell]
    (target / "campaign.json").write_text(json.dumps(info))
    write_manifest(target)
    return target
