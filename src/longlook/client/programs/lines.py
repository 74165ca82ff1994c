"""Requests and answers of these programs, one line of JSON each (longlook/client/scripted.py)."""

import json
import sys


class FetchFailed(Exception):
    """Why a fetch has nothing to show."""


def answer_all(version, fetch, afterwards=None):
    """Say that it is ready, and answer requests until there are no more; `fetch(path, timeout_s, fresh, *further)`
    gives an answer's fields or raises `FetchFailed`. `fresh`: no session of an earlier fetch is to be resumed.
    `further` paths only a program is given that fetches several files. `afterwards` is called behind each answer: what
    the server is to be asked about stands until then."""
    print(json.dumps({"event": "ready", "version": version}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            asked = request["path"], request["timeout_ms"] / 1000, request["fresh"], *request.get("further", ())
            found = {"ok": True} | fetch(*asked)
        except FetchFailed as failure:
            found = {"ok": False, "error": str(failure)}
        except Exception as error:  # one fetch's, and no reason to end before the next
            found = {"ok": False, "error": repr(error)}
        print(json.dumps({"id": request["id"]} | found), flush=True)
        if afterwards is not None:
            afterwards()
