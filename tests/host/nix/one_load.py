"""`python one_load.py STACK`, in a Nix shell: one warm page load of each protocol, as JSON on the last line.

A load without 0-RTT, or beside a stall, is repeated, as an experiment does: a browser that hears late of its new
network waits once for the end of the handshake.
"""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))

from arms import arm_on, plt_ms

from longlook.server import SERVERS
from longlook.stack import open_stack

ATTEMPTS = 3
stack = sys.argv[1]
rows = {}
for protocol in ("quic", "tcp"):
    with tempfile.TemporaryDirectory() as folder:
        inner = Path(folder) / "a" / "b" / "c"
        inner.mkdir(parents=True)
        with arm_on("nix", inner, SERVERS[open_stack(stack).server(protocol)], stack) as on:
            on.side.load(0)
            for index in range(1, 1 + ATTEMPTS):
                on.side.client.drop_connections()
                record = on.side.load(index)
                if record["reject_reason"] not in ("zero_rtt_rejected", "disturbed"):
                    break
            kept = {key: record[key] for key in ("accepted", "reject_reason", "reject_detail")}
            rows[protocol] = kept | {"plt_ms": plt_ms(record)} | {"browser": str(open_stack(stack).binary("chromium"))}
print(json.dumps(rows))
