from longlook.server.aiohttp import Aiohttp
from longlook.server.aioquic import Aioquic
from longlook.server.apache import Apache
from longlook.server.apache_wsgi import ApacheWsgi
from longlook.server.base import Server
from longlook.server.by_file import ByFile, ByFileTcp
from longlook.server.envoy import Envoy
from longlook.server.envoy_425 import Envoy425
from longlook.server.envoy_tcp import EnvoyTcp
from longlook.server.gquicd import Gquicd
from longlook.server.lsquic import Lsquic
from longlook.server.nginx import Nginx
from longlook.server.ngtcp2 import Ngtcp2
from longlook.server.quicgo import Quicgo

SERVERS: dict[str, type[Server]] = {
    server.name: server
    for server in (
        Aiohttp,
        Aioquic,
        Apache,
        ApacheWsgi,
        ByFile,
        ByFileTcp,
        Envoy,
        Envoy425,
        EnvoyTcp,
        Gquicd,
        Lsquic,
        Nginx,
        Ngtcp2,
        Quicgo,
    )
}
"""Server adapters by name; a new one is one file in this folder and one entry here."""
