"""Prints the first datagram that comes to a UDP port, and never answers it.

first_datagram.py       listens on a port of 127.0.0.1, prints its number, then the datagram in hexadecimal, and ends

Standard library only; run on a host.
"""

import socket


def main() -> None:
    """Until there is one; whoever started it bounds the wait."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("127.0.0.1", 0))
        print(sock.getsockname()[1], flush=True)
        print(sock.recv(65536).hex(), flush=True)


if __name__ == "__main__":
    main()
