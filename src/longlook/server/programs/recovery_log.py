"""aioquic's qlog without its packets, written as it comes: what its loss recovery tells of a connection."""

import json
import os

from aioquic.quic.logger import QLOG_VERSION, QuicLogger, QuicLoggerTrace


def recovery_log():
    """For a configuration; None unless the variable QLOGDIR names a folder for it."""
    folder = os.environ.get("QLOGDIR")
    return RecoveryLog(folder) if folder else None


class RecoveryLog(QuicLogger):
    """A file for each connection, JSON text sequences. Packets, several events each, would be most of what a program
    in Python has time for."""

    def __init__(self, folder):
        super().__init__()
        self.folder = folder

    def start_trace(self, is_client, odcid):
        return RecoveryTrace(os.path.join(self.folder, f"{odcid.hex()}.sqlog"), is_client=is_client, odcid=odcid)

    def end_trace(self, trace):
        trace.stream.close()


class RecoveryTrace(QuicLoggerTrace):
    """Times are Unix time, ms."""

    def __init__(self, path, **given):
        super().__init__(**given)
        self.stream = open(path, "w", encoding="ascii", buffering=1)  # noqa: SIM115 - as long as the connection
        trace = {"vantage_point": self._vantage_point, "common_fields": {"time_format": "absolute"}}
        self._write({"qlog_format": "JSON-SEQ", "qlog_version": QLOG_VERSION, "trace": trace})

    def log_event(self, *, category, event, data):
        if category == "recovery" and not self.stream.closed:
            super().log_event(category=category, event=event, data=data)
            self._write(self._events.pop())

    def _write(self, record):
        self.stream.write(f"\x1e{json.dumps(record)}\n")
