"""Clients `curl` and `systemcurl`: libcurl and the system's curl, for files without a page."""

from longlook.client.curl.curl import Curl
from longlook.client.curl.systemcurl import SystemCurl

__all__ = ["Curl", "SystemCurl"]
