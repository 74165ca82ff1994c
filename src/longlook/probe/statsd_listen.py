"""Writes what comes to a UDP port, one line `unix_seconds text` per datagram line.

statsd_listen.py PORT FILE      listens on 127.0.0.1 and prints `ready`; ends with SIGTERM

Standard library only; run on a host.
"""

import socket
import sys
import time

BUFFER_BYTES = 8 * 1024 * 1024


def main(port: int, path: str) -> None:
    """Until it is killed; each datagram is on the disk when the next is waited for."""
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock,
        open(path, "w", buffering=1, encoding="utf-8") as out,
    ):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
        sock.bind(("127.0.0.1", port))
        print("ready", flush=True)
        while True:
            text = sock.recv(65536).decode(errors="replace")
            now = time.time()
            out.write("".join(f"{now:.6f} {line}\n" for line in text.splitlines()))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
