"""Certificates of one run, by which its scheduler, workers and client know each other: all connections between them are
TLS, and one without a certificate of this run is turned away. They live in memory: the key that signed them is dropped
as soon as it has signed, and none outlives its run."""

from __future__ import annotations

import datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from distributed.security import Security

VALID = datetime.timedelta(days=60)
"""Longer than any run; whoever holds the key of a run that has ended finds nobody to show it to."""
ROLES = ("scheduler", "worker", "client")


class _Authority:
    """Signs certificates for a run, and is then dropped."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name("longlook run")
        basic = x509.BasicConstraints(ca=True, path_length=0)
        own = _unsigned(self._name, self._name, self._key).add_extension(basic, critical=True)
        self.certificate = _text(own.sign(self._key, hashes.SHA256()))

    def issue(self, name: str) -> tuple[str, str]:
        """A new certificate and its key, PEM."""
        key = ec.generate_private_key(ec.SECP256R1())
        basic = x509.BasicConstraints(ca=False, path_length=None)
        unsigned = _unsigned(_name(name), self._name, key).add_extension(basic, critical=True)
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        return _text(unsigned.sign(self._key, hashes.SHA256())), private.decode()


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _unsigned(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return x509.CertificateBuilder(
        issuer, subject, key.public_key(), x509.random_serial_number(), now - datetime.timedelta(days=1), now + VALID
    )


def _text(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


def make_credentials() -> dict[str, str]:
    """Keywords of `distributed.Security` for a new run, PEM texts. Dask knows no lesser rights: whoever holds one of
    the keys may have the run's workers do anything."""
    authority = _Authority()
    found = {"tls_ca_file": authority.certificate}
    for role in ROLES:
        found[f"tls_{role}_cert"], found[f"tls_{role}_key"] = authority.issue(f"longlook {role}")
    return found


def workers_own(credentials: dict[str, str]) -> dict[str, str]:
    """What a worker needs of them."""
    return {name: text for name, text in credentials.items() if name.startswith(("tls_ca", "tls_worker"))}


def security(credentials: dict[str, str]) -> Security:
    """Nothing but TLS, with these. (Dask writes PEM texts to a 0700 folder for as long as OpenSSL reads them.)"""
    return Security(require_encryption=True, **credentials)
