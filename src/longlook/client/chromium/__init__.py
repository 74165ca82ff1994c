"""Client `chromium`: the process (chromium.py), and what its HARs (har.py) and its fetches of files (file.py) say."""

from longlook.client.chromium.chromium import Chromium

__all__ = ["Chromium"]
