from longlook.client.chromium import Chromium

CLIENTS = {Chromium.name: Chromium}
"""Client adapters by name; a new one is one file or folder here and one entry here."""
