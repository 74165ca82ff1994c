from longlook.server.apache import Apache
from longlook.server.envoy import Envoy
from longlook.server.gquicd import Gquicd

SERVERS = {server.name: server for server in (Apache, Envoy, Gquicd)}
"""Server adapters by name; a new one is one file in this folder and one entry here."""
