"""What the browser's driver says of a file, as an observation."""

import pytest

from longlook.client.artefact import observed
from longlook.client.chromium.file import observation
from longlook.experiment.connected import client_port

TOLD = {
    "status": 200, "protocol": "h3", "socket": 0, "encoding": None, "connect_ms": 16.12345, "ttfb_ms": 32.5,
    "ttlb_ms": 120.00049, "size": 102_400, "sha256": "ab",
}  # fmt: skip


def test_times_are_rounded_and_the_file_is_what_the_page_had():
    seen = observation("/file-000.bin", TOLD)
    assert seen.metrics == {"connect_ms": 16.123, "ttfb_ms": 32.5, "ttlb_ms": 120.0}
    (one,) = seen.objects
    assert (one.path, one.status, one.protocol, one.size_bytes, one.sha256) == (
        "/file-000.bin", 200, "h3", 102_400, "ab"
    )  # fmt: skip
    assert one.encoding is None and seen.connect_ms == 16.123


def test_its_record_says_the_same_and_names_no_port():
    seen = observation("/file-000.bin", TOLD | {"socket": 57, "encoding": "br"})
    assert observed(seen.artefact) == seen
    assert seen.objects[0].encoding == "br" and seen.connections == ("socket 57",)
    assert client_port({"artefact": seen.artefact}) is None


def test_what_the_driver_leaves_out_is_an_error():
    with pytest.raises(KeyError, match="ttlb_ms"):
        observation("/file-000.bin", {name: value for name, value in TOLD.items() if name != "ttlb_ms"})
