"""Bodies from a HAR with contents, as browsers save them: one page, one origin."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from longlook.errors import LonglookError
from longlook.host.files import read_regular

MOST_HAR_BYTES = 300_000_000


def of_har(file: Path) -> tuple[dict[str, tuple[str, bytes]], str, dict[str, str]]:
    """Path -> media type and bytes of each answer, the path of its first page, and path -> query of the others that are
    asked for with one. What is in the page itself (`data:`) is no request."""
    try:
        entries = json.loads(read_regular(file, MOST_HAR_BYTES))["log"]["entries"]
        asked = [one for one in entries if one["request"]["method"] == "GET" and _is_request(one["request"]["url"])]
        answers = [_answer(file, one) for one in asked]
        queries = {
            path: urlsplit(one["request"]["url"]).query for one, (_, path, *_) in zip(asked, answers, strict=True)
        }
    except OSError as error:
        raise LonglookError(f"{file} cannot be read: {error.strerror}; save one load of one page") from None
    except (LookupError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise LonglookError(f"{file} is no whole HAR ({type(error).__name__}): save it again, with contents") from None
    if not answers:
        raise LonglookError(f"{file} has no start page: it has no answer to a GET; save it again, with contents")
    _require_one_origin(file, [origin for origin, *_ in answers])
    found: dict[str, tuple[str, bytes]] = {}
    for _, path, kind, body in answers:
        if found.setdefault(path, (kind, body)) != (kind, body):
            raise LonglookError(f"{file}: {path} was answered in two ways, by query or by time: no site of files can")
    start = answers[0][1]
    return found, start, {path: query for path, query in queries.items() if query and path != start}


def _is_request(url: str) -> bool:
    return not url.startswith(("data:", "blob:", "about:"))


def _require_one_origin(file: Path, origins: list[str]) -> None:
    others = sorted({*origins} - {origins[0]})
    if others:
        raise LonglookError(
            f"{file}: its page is of {origins[0]} and asks {', '.join(others[:3])} too: sites of one origin "
            "alone can be added"
        )


def _answer(file: Path, entry: Mapping[str, Any]) -> tuple[str, str, str, bytes]:
    """Origin, path, media type and body."""
    url, answer = urlsplit(entry["request"]["url"]), entry["response"]
    path = unquote(url.path) or "/"
    path += "index.html" if path.endswith("/") else ""
    content = answer["content"]
    where = f"{file}: {path}"
    if answer["status"] != 200:
        raise LonglookError(f"{where} was answered with status {answer['status']}: only answers of 200 can be repeated")
    if "text" not in content:
        if content.get("size", 0) > 0:
            raise LonglookError(f"{where} has no body: save the HAR with contents")
        content = {**content, "text": ""}
    try:
        text = content["text"]
        body = base64.b64decode(text, validate=True) if content.get("encoding") == "base64" else text.encode()
    except (binascii.Error, UnicodeError):
        raise LonglookError(f"{where} has a damaged body: save the HAR again, with contents") from None
    if 0 <= content.get("size", -1) != len(body):
        raise LonglookError(f"{where} has {len(body)} bytes of {content['size']}: its body is truncated")
    return f"{url.scheme}://{url.netloc}", path, str(content.get("mimeType") or "application/octet-stream"), body
