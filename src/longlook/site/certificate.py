"""A self-signed certificate for the testbed's origin, made anew for every testbed and trusted by its key's hash."""

from __future__ import annotations

import base64
import datetime
import functools
import hashlib
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

ORIGIN = "longlook.test"
"""Host name of every page; .test never resolves outside (RFC 6761)."""


@dataclass(frozen=True)
class Certificate:
    """Files for a server, and the base64 SHA-256 of the public key for Chromium's exception list."""

    certificate: Path
    key: Path
    spki: str


def make_certificate(folder: Path) -> Certificate:
    """ECDSA P-256, valid for ten days, for `longlook.test`."""
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = _self_signed(key, ORIGIN, x509.SubjectAlternativeName([x509.DNSName(ORIGIN)]), critical=False)
    folder.mkdir(parents=True, exist_ok=True)
    certificate_path, key_path = folder / "certificate.pem", folder / "key.pem"
    certificate_path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    key_path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    spki = key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return Certificate(certificate_path, key_path, base64.b64encode(hashlib.sha256(spki).digest()).decode())


@functools.lru_cache(maxsize=1)
def authorities(count: int) -> bytes:
    """So many self-signed certificates of authorities, PEM: RSA with 2048 bits, of one key and each with its own name.
    They signed nothing."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    rights = x509.BasicConstraints(ca=True, path_length=None)
    made = (_self_signed(key, f"Authority {number}", rights, critical=True) for number in range(count))
    return b"".join(one.public_bytes(serialization.Encoding.PEM) for one in made)


def _self_signed(
    key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey, called: str, extension: x509.ExtensionType, critical: bool
) -> x509.Certificate:
    """Valid from yesterday, for ten days from now."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, called)])
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=10))
        .add_extension(extension, critical=critical)
        .sign(key, hashes.SHA256())
    )
