"""What is checked of a campaign before it enters tables: hashes, names, plan, environments, and every sample again.

Nobody who can write a whole campaign anew is stopped by this: what a reference campaign is, data/raw/INDEX.sha256 says.
"""

from __future__ import annotations

from longlook.dataset.checks.check import Checked, check_campaign

__all__ = ["Checked", "check_campaign"]
