from longlook.client.aiohttp import Aiohttp
from longlook.client.aioquic import Aioquic
from longlook.client.base import Client
from longlook.client.chromium import Chromium
from longlook.client.curl import Curl, SystemCurl
from longlook.client.lsquic import Lsquic
from longlook.client.ngtcp2 import Ngtcp2
from longlook.client.quicgo import Quicgo

CLIENTS: dict[str, type[Client]] = {
    client.name: client for client in (Aiohttp, Aioquic, Chromium, Curl, Lsquic, Ngtcp2, Quicgo, SystemCurl)
}
"""Client adapters by name; a new one is one file or folder here and one entry here."""
