from longlook.client.aiohttp import AiohttpClient, AiohttpConnections
from longlook.client.aioquic import AioquicClient
from longlook.client.base import Client
from longlook.client.chromium import Chromium
from longlook.client.curl import Curl, SystemCurl
from longlook.client.lsquic import LsquicClient
from longlook.client.ngtcp2 import Ngtcp2Client
from longlook.client.quicgo import QuicgoClient, QuicgoOneStream

CLIENTS: dict[str, type[Client]] = {
    client.name: client
    for client in (
        AiohttpClient,
        AiohttpConnections,
        AioquicClient,
        Chromium,
        Curl,
        LsquicClient,
        Ngtcp2Client,
        QuicgoClient,
        QuicgoOneStream,
        SystemCurl,
    )
}
"""Client adapters by name; a new one is one file or folder here and one entry here."""
