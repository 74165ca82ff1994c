from longlook.client.base import Client
from longlook.client.chromium import Chromium
from longlook.client.curl import Curl

CLIENTS: dict[str, type[Client]] = {client.name: client for client in (Chromium, Curl)}
"""Client adapters by name; a new one is one file or folder here and one entry here."""
