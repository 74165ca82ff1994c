"""Inputs that are nearly right: trees of values, and bytes, changed in a few random places.

LONGLOOK_FUZZ says how many inputs all properties get together; without it they are few, and the same every time.
docs/fuzz.md has the command for many.
"""

import contextlib
import copy
import json
import os
import signal

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from longlook.errors import LonglookError

INPUTS = int(os.environ.get("LONGLOOK_FUZZ") or 0)
FEW = 400
MOST_CPU_S = 10.0
"""Of one input: beyond it hangs."""
MOST_MESSAGE = 8000

HUGE = 10**400
WORDS = st.sampled_from(
    (
        *(
            "",
            ".",
            "..",
            "../../x",
            "/etc/passwd",
            "a\0b",
            "a\nb",
            "\x1b[2J",
            "\u202e",
            "x" * 300,
            "nan",
            "1",
            "true",
            "-",
        ),
        *("<script>", "quic", "tcp", "0rtt", "bbr", "quicv1", "gquic37", "page", "download", "together", "é"),
    )
)
NUMBERS = st.sampled_from(
    (
        *(0, -1, 1, 2, 3, 24, 99, 100, 1000, 65536, 2**31, 2**63 - 1, 2**63, 10**12, HUGE, 0.0, -0.0, 0.5, 1e-300),
        *(1e308, float("nan"), float("inf"), float("-inf")),
    )
)
SCALARS = st.one_of(NUMBERS, WORDS, st.booleans(), st.integers(-5, 5), st.floats(-10, 200), st.text(max_size=8))
ODD = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=3)),
    max_leaves=6,
)


def few_or_many(share):
    """How many inputs a property gets: its share of all."""
    many = {"derandomize": False, "database": None, "print_blob": True} if INPUTS else {"derandomize": True}
    return settings(
        max_examples=max(1, round((INPUTS or FEW) * share)),
        deadline=None,  # a busy machine is slow; `within` counts the processor's time
        suppress_health_check=list(HealthCheck),
        **many,
    )


@contextlib.contextmanager
def within(seconds=MOST_CPU_S):
    """Ends what takes more of the processor's time than that."""

    late = []

    def over(*_):
        late.append(True)
        raise TimeoutError(f"it took more than {seconds:g} s of the processor's time")

    before = signal.signal(signal.SIGVTALRM, over)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    assert not late, "it hung, and caught what was to end it"


def accepted(read):
    """What reading gives; None where it refuses in a message of a sensible length. Any other exception is a defect."""
    with within():
        try:
            return read()
        except LonglookError as error:
            assert 0 < len(str(error)) < MOST_MESSAGE, str(error)[:200]
            return None


@st.composite
def changed(draw, trees, none=False, most=3):
    """One of the trees, with up to `most` values replaced, removed, added or put somewhere else. `none`: null is a
    value, as in JSON."""
    tree = copy.deepcopy(draw(trees))
    odd = st.one_of(ODD, st.none()) if none else ODD
    for _ in range(draw(st.integers(0, most))):
        places = list(_places(tree))
        if not places:
            break
        holder, key = draw(st.sampled_from(places))
        what = draw(st.sampled_from(["replace", "replace", "remove", "add", "copy", "swap"]))
        if what == "replace":
            holder[key] = draw(odd)
        elif what == "remove":
            del holder[key]
        elif what == "add" and isinstance(holder, dict):
            holder[draw(WORDS)] = draw(odd)
        elif what in ("add", "copy") and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        else:
            other, place = draw(st.sampled_from(places))
            with contextlib.suppress(LookupError):
                holder[key] = copy.deepcopy(other[place])
    return tree


def _places(tree):
    """(holder, key) of every value."""
    keys = range(len(tree)) if isinstance(tree, list) else list(tree) if isinstance(tree, dict) else ()
    for key in keys:
        yield tree, key
        yield from _places(tree[key])


@st.composite
def torn(draw, texts, most=3):
    """One of the texts (bytes), with pieces cut out, put in, doubled or turned over."""
    data = bytearray(draw(texts))
    for _ in range(draw(st.integers(1, most))):
        at = draw(st.integers(0, len(data)))
        to = min(len(data), at + draw(st.integers(0, 40)))
        what = draw(st.sampled_from(["cut", "put", "double", "flip", "end"]))
        if what == "cut":
            del data[at:to]
        elif what == "put":
            data[at:at] = draw(
                st.one_of(st.binary(max_size=8), st.sampled_from([b"\0", b"\xff", b"[", b"{", b'"', b"="]))
            )
        elif what == "double":
            data[at:at] = data[at:to]
        elif what == "flip":
            data[at:to] = bytes(255 - one for one in data[at:to])
        else:
            del data[at:]
    return bytes(data)


def toml(tree):
    """A tree as TOML."""
    return "".join(f"{_text(key)} = {_toml(value)}\n" for key, value in tree.items())


def _text(value):
    return json.dumps(str(value), ensure_ascii=False)


def _toml(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(key)} = {_toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int) else repr(value) if isinstance(value, float) else _text(value)


def rows_of(table):
    """Rows of a made table, whether it is held as rows or as Arrow."""
    return table if isinstance(table, list) else table.to_pylist()
