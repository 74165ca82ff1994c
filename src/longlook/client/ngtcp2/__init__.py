"""Client `ngtcp2`: Debian's `gtlsclient`, for files without a page."""

from longlook.client.ngtcp2.ngtcp2 import Ngtcp2Client

__all__ = ["Ngtcp2Client"]
