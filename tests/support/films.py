"""Sessions of a film as a browser tells of them (js/video.js), without a browser."""

from longlook.plan.workload import SEGMENT_S, Video
from longlook.site.film import MANIFEST, film_sizes, init_path, listed, segment_path

FILM = Video(duration_s=20)
PATHS = (
    MANIFEST,
    init_path(365),
    segment_path(365, 0),
    init_path(1100),
    *(segment_path(1100, one) for one in range(1, 8)),
)


def request(path, at_ms, **changes):
    """A download of a tenth of a second."""
    told = {
        "path": path,
        "ended": "whole",
        "sent_ms": at_ms,
        "ended_ms": at_ms + 100.0,
        "status": 200,
        "protocol": "h3",
        "socket": 0,
        "answered_ms": at_ms + 20.0,
        "encoding": None,
        "cached": False,
        "size": film_sizes(FILM)[path],
        "sha256": "" if path == MANIFEST else listed(FILM)[path][1],
    }
    return {key: value for key, value in (told | changes).items() if value is not None or key == "encoding"}


def session(stall_ms=3000.0, changes=None, **facts):
    """A session of 18 s: it begins after 1 s, stands still from the 5th second on, and shows 365 kbit/s and then 1100.

    `changes`: path -> what is otherwise of its request.
    """
    requests = [request(path, 100.0 * number, **(changes or {}).get(path, {})) for number, path in enumerate(PATHS)]
    requests[0]["connect_ms"] = 10.5
    resumed, length = 5000.0 + stall_ms, 18_000.0
    events = [[1000.0, "playing"], [5000.0, "waiting"], [resumed, "playing"]]

    def position(at):
        return (min(max(at - 1000.0, 0), 4000.0) + max(at - resumed, 0)) / 1e3

    timeline = [[at, position(at), 2.0 * SEGMENT_S] for at in (500.0 * step for step in range(37))]
    return {
        "kind": "video",
        "session_ms": length,
        "media_s": position(length),
        "frames": 330,
        "frames_dropped": 2,
        "events": events,
        "timeline": timeline,
        "errors": [],
        "requests": requests,
    } | facts
