"""Pages that end with a script, by the real browsers. On a quiet machine DOMContentLoaded is told after the load
event."""

import pytest
from arms import WORKLOAD, arm_on, is_right

from longlook.server.apache import Apache
from longlook.server.envoy import Envoy
from longlook.server.gquicd import Gquicd
from longlook.site.page import PAGE
from longlook.site.tree import Site, described
from longlook.site.write import write_site

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.browser, pytest.mark.timeout(180)]

SCRIPT = "/last.js"
LOADS = 10
"""At most, until DOMContentLoaded comes after the load event in one."""


def ends_with_a_script(root):
    """The usual page, and a script behind its images that is larger than they are."""
    made = write_site(root, WORKLOAD, seed=1)
    page = (root / PAGE[1:]).read_bytes().replace(b"</body>", f'<script src="{SCRIPT}"></script></body>'.encode())
    bodies = {PAGE: (page, "text/html"), SCRIPT: (b"/*" + b" " * 200_000 + b"*/", "text/javascript")}
    for path, (body, _) in bodies.items():
        (root / path[1:]).write_bytes(body)
        (root / path[1:]).chmod(0o644)
    return Site(root, {**made.files, **{path: described(*one) for path, one in bodies.items()}}, made.start)


BY = {
    "Chromium 111, QUIC": (Envoy, "quicv1"),
    "Chromium 111, TCP": (Apache, "quicv1"),
    "Chromium 64, QUIC": (Gquicd, "gquic37"),
    "Chromium 64, TCP": (Apache, "gquic37"),
}


@pytest.mark.parametrize("by", BY)
def test_a_page_that_ends_with_a_script_is_accepted(testbed_name, tmp_path, by):
    server, stack = BY[by]
    with arm_on(testbed_name, tmp_path, server, stack, site=ends_with_a_script) as on:
        late_ms = []
        while len(late_ms) < 2 or (max(late_ms) < 0 and len(late_ms) < LOADS):
            record = on.side.load(len(late_ms))
            assert is_right(record), record
            times = record["metrics"]
            assert times["on_load_ms"] > 0 and times["on_content_load_ms"] > 0
            late_ms.append(times["on_content_load_ms"] - times["on_load_ms"])
            on.side.client.drop_connections()
    assert max(late_ms) >= 0 and min(late_ms) < 50
