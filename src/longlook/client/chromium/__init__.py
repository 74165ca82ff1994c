"""Client `chromium`: the process (chromium.py), and what its HARs say (har.py)."""

from longlook.client.chromium.chromium import Chromium

__all__ = ["Chromium"]
