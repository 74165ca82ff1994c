"""Requests and answers of these programs, one line of JSON each (longlook/client/scripted.py)."""

import contextlib
import json
import sys


class FetchFailed(Exception):
    """Why a fetch has nothing to show."""


def answer_all(version, fetch):
    """Say that it is ready, and answer requests until there are no more; `fetch(path, timeout_s, fresh)` is a context
    that gives an answer's fields or raises `FetchFailed`: what it has to clear away it does when it is left, behind the
    answer, since a connection is asked about as soon as that is there. `fresh`: no session of an earlier fetch is to be
    resumed."""
    print(json.dumps({"event": "ready", "version": version}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)

        def answer(found, number=request["id"]):
            print(json.dumps({"id": number} | found), flush=True)

        answered = False
        try:
            with fetch(request["path"], request["timeout_ms"] / 1000, request["fresh"]) as found:
                answer({"ok": True} | found)
                answered = True
        except FetchFailed as failure:
            answer({"ok": False, "error": str(failure)})
        except Exception as error:  # one fetch's, and no reason to end before the next
            if answered:
                print(repr(error), file=sys.stderr, flush=True)
            else:
                answer({"ok": False, "error": repr(error)})


def at_once(fetch):
    """A fetch with nothing to clear away behind its answer, for `answer_all`."""

    @contextlib.contextmanager
    def one(*asked):
        yield fetch(*asked)

    return one
