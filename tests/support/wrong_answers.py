"""Servers that leave one file of a site without a whole answer, in one of four ways (`answer`); right otherwise.

As a program it is the one over TCP: HTTP/2 without anything that a page of few small objects does not need. It reads no
header: requests come in the order of the paths, so that the number of a stream tells which it is.

  wrong_answers.py ROOT ADDRESS PORT CERTIFICATE KEY FAULT WRONG PATH...
"""

import socket
import ssl
import struct
import sys
import threading
from pathlib import Path

DATA, HEADERS, RST_STREAM, SETTINGS, PING = 0, 1, 3, 4, 6
END_STREAM, END_HEADERS, ACK = 1, 4, 1
INTERNAL_ERROR = (2).to_bytes(4, "big")
STATUS_200 = b"\x88"


def main(root, address, port, certificate, key, fault, wrong, *paths):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.set_alpn_protocols(["h2"])
    context.load_cert_chain(certificate, key)
    files = [((Path(root) / path[1:]).read_bytes(), fault if path == wrong else None) for path in paths]
    with socket.create_server((address, int(port))) as listener:
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(context, connection, files), daemon=True).start()


def serve(context, connection, files):
    try:
        with context.wrap_socket(connection, server_side=True) as secure, secure.makefile("rb") as stream:
            stream.read(24)  # the client's preface
            secure.sendall(frame(SETTINGS, 0, 0))
            while len(head := stream.read(9)) == 9:
                size, kind, flags, number = head[:3], head[3], head[4], struct.unpack(">I", head[5:])[0]
                body = stream.read(int.from_bytes(size, "big"))
                if kind in (SETTINGS, PING) and not flags & ACK:
                    secure.sendall(frame(kind, ACK, 0, body if kind == PING else b""))
                elif kind == HEADERS:
                    secure.sendall(answer(number, *files[number // 2]))
    except OSError:
        pass  # the browser has left


def answer(number, body, fault):
    head = STATUS_200 + literal(b"content-length", str(len(body)).encode())
    head += literal(b"content-type", b"text/html" if number == 1 else b"image/jpeg")
    headers, reset = frame(HEADERS, END_HEADERS, number, head), frame(RST_STREAM, 0, number, INTERNAL_ERROR)
    wrong = {
        "silent": b"",
        "reset": reset,
        "cut short": headers + frame(DATA, 0, number, body[: len(body) // 2]) + reset,
        "reset at its end": headers + frame(DATA, 0, number, body) + reset,
    }
    return wrong.get(fault, headers + frame(DATA, END_STREAM, number, body))


def frame(kind, flags, number, body=b""):
    return len(body).to_bytes(3, "big") + bytes((kind, flags)) + struct.pack(">I", number) + body


def literal(name, value):
    return b"\x00" + bytes((len(name),)) + name + bytes((len(value),)) + value


if __name__ == "__main__":
    main(*sys.argv[1:])
