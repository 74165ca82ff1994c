"""The file of certificates that a client trusts."""

from __future__ import annotations

from pathlib import Path

from longlook.client.base import ClientSettings
from longlook.site.certificate import authorities


def trusted(settings: ClientSettings, folder: Path) -> Path:
    """The server's certificate, or with authorities beside it a file in `folder` that has the server's as its last."""
    count = settings.arm.authorities
    if count is None:
        return settings.certificate
    found = folder / "trusted.pem"
    found.write_bytes(authorities(count) + settings.certificate.read_bytes())
    return found
