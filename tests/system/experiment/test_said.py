"""The table of what the browser says of its order: as it is kept, what contradicts itself, the real browser asked."""

import pytest

from longlook import paths
from longlook.client.observation import SeenObject
from longlook.errors import LonglookError
from longlook.experiment.arrivals import arrival
from longlook.experiment.said import PAGE, SWEEP, Said, ask, read, summarised, write
from longlook.probe.priorities import PRIORITY_UPDATE, UNSAID, Http2Request
from longlook.site.webpage import resources
from longlook.stack.arms import open_sweep
from longlook.stack.install import install
from longlook.testbed.netns import NetnsTestbed


def frames(*said, kind=PRIORITY_UPDATE):
    return [(4, b""), *((kind, bytes([4 * place]) + text.encode()) for place, text in enumerate(said))]


REQUESTS = [
    Http2Request("/index.html", "u=0, i", 256),
    Http2Request("/style-000.css", "u=0", 256),
    Http2Request("/font-000.ttf", "u=0", 256),
    Http2Request("/img/000.png", "u=2, i", 183, [220]),
    Http2Request("/script-000.js", "", 147, [147]),
    Http2Request("/img/009.png", "i", 147),
]
SAID = ("u=0, i", "u=0", "u=2, i", "i", "u=0")
FOUND = [
    Said("u=0", "style,font", 2, 256, 0, 2, 2),
    Said("u=0, i", "document", 1, 256, 0, 1, 1),
    Said("u=2, i", "above", 1, 183, 1, 1, 1),
    Said("", "script", 1, 147, 0, 0, 0),
    Said("i", "image", 1, 147, 0, 1, 1),
]


def test_a_row_is_what_is_said_alike_the_most_urgent_first():
    assert summarised(REQUESTS, frames(*SAID), frames(*SAID, kind=UNSAID)) == FOUND


def test_a_request_that_is_moved_counts_by_what_it_said_first():
    """On a slow machine an image is on its way when the page is laid out, and becomes more urgent."""
    later = frames("u=1, i", "u=1, i")
    assert summarised(REQUESTS, [*frames(*SAID), *later], frames(*SAID, kind=UNSAID)) == FOUND


def test_a_mute_browser_that_speaks_is_an_error():
    with pytest.raises(LonglookError, match="to say no priorities said 5"):
        summarised(REQUESTS, frames(*SAID), frames(*SAID))


def test_requests_that_say_the_same_with_other_weights_are_an_error():
    with pytest.raises(LonglookError, match="several weights"):
        summarised([*REQUESTS, Http2Request("/img/010.png", "i", 200)], frames(*SAID), [])


def test_the_table_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "priorities.csv"
    assert read(path) == []
    write(path, FOUND)
    assert read(path) == FOUND
    path.write_text("said,colour\nu=0,red\n")
    with pytest.raises(LonglookError, match="longlook priorities"):
        read(path)


def test_the_order_of_arrival_counts_whole_objects_before_the_last_style_sheet():
    of = resources(PAGE)
    ended = {one.path: 100.0 for one in of} | {"/script-000.js": 40.0, "/img/002.png": 50.0, "/index.html": 1.0}
    ended |= {"/style-000.css": 50.5, "/img/000.png": 300.0}
    seen = [SeenObject(one.path, 200, "h3", one.size_bytes, 0.0, ended[one.path], "0") for one in of]
    found = arrival("quic", 1, seen, of)
    sizes = {one.path: one.size_bytes for one in of if one.kind in ("script", "image")}
    early = sizes["/script-000.js"] + sizes["/img/002.png"]
    assert (found.styles_ms, found.main_ms) == (50.5, 300.0)
    assert found.before_pct == pytest.approx(100 * early / sum(sizes.values()))
    with pytest.raises(KeyError):
        arrival("quic", 1, seen[:-1], of)


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.timeout(300)
def test_the_browser_says_its_order_over_both_and_its_copy_nothing(testbed_name):
    """By packets: PRIORITY_UPDATE frames are on the wire, and of the copy as many of a type that nobody knows."""
    for stack in open_sweep(SWEEP).cells()[0].stacks:
        install(stack)
    kept = [(one.said, one.kinds, one.requests, one.frames) for one in read(paths.PRIORITIES)]
    with NetnsTestbed(testbed_name) as bed:
        for _ in range(10):
            found = ask(bed)
            unlike = [one for one in found if not one.frames == one.unsaid == (one.requests if one.said else 0)]
            as_kept = [(one.said, one.kinds, one.requests, one.frames) for one in found] == kept or not kept
            if as_kept and not unlike:
                break  # of one load in five or so one image's frame is on no wire, or it says another urgency
    assert unlike == [] and as_kept, (found, kept)
    assert sum(one.requests for one in found) == PAGE.resources
    by_kind = {kind: one for one in found for kind in one.kinds.split(",")}
    assert by_kind["document"].said == "u=0, i" and by_kind["style"].said == "u=0"
    assert by_kind["above"].said == "u=2, i" and by_kind["above"].requests == by_kind["above"].frames == 5
    assert by_kind["script"] == Said("", "script", by_kind["script"].requests, 147, by_kind["script"].moved, 0, 0)
    assert by_kind["document"].weight > by_kind["above"].weight > by_kind["image"].weight
