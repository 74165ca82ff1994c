"""Client `curl`: libcurl, for files without a page."""

from longlook.client.curl.curl import Curl

__all__ = ["Curl"]
