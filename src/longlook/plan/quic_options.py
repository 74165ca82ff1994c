"""Connection options that Google's QUICHE heeds as a server, and what of an arm each of them sets.

A client asks for them in its hello (transport parameter 0x3128, `google_connection_options`), and QUICHE does what they
say whatever the server was started with: `QuicSentPacketManager::SetFromConfig` and `TcpCubicSenderBytes`. Options
that no one has looked up are refused: one of them may make an arm something else than it is called.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

SETS: Mapping[str, Mapping[str, object]] = {
    "TBBR": {"cca": "bbr"},
    "B2ON": {"cca": "bbr2"},
    "RENO": {"cca": "reno"},
    "QBIC": {"cca": "cubic"},
    "BYTE": {"cca": "cubic"},
    "1CON": {"emulated_connections": 1},
    "NCON": {"emulated_connections": 2},
    "IW03": {"initial_window": 3},
    "IW10": {"initial_window": 10},
    "IW20": {"initial_window": 20},
    "IW50": {"initial_window": 50},
    "BWS5": {"initial_window": 10},
    "QNZ2": {"handshake": "1rtt"},
    "ILD0": {"reordering_threshold": 3, "time_threshold": "1/8 RTT"},
    "ILD1": {"reordering_threshold": 3, "time_threshold": "1/4 RTT"},
    "ILD2": {"reordering_threshold": "adaptive", "time_threshold": "1/8 RTT"},
    "ILD3": {"reordering_threshold": "adaptive", "time_threshold": "1/4 RTT"},
    "ILD4": {"reordering_threshold": "adaptive", "time_threshold": "adaptive"},
    "MIN4": {},
    "NRTT": {},
}
"""Option -> fields of an arm, or what else excludes another option -> value. MIN4 lets the window shrink to one packet,
NRTT ignores the round trip that a client remembers: nothing that an arm states."""
OF_OLD = frozenset({"1CON", "NCON", "QNZ2"})
"""Today's QUICHE heeds them no more."""
HEEDED = frozenset(SETS) - OF_OLD
DEFAULTS: Mapping[str, str] = {
    "quic_default_to_bbr_v2": "cca",
    "quic_default_to_bbr": "cca",
    "quic_disable_version_draft_29": "quic.version",
}
"""Flags of QUICHE that set what arms and stacks state elsewhere."""


def initial_windows(options: Collection[str]) -> list[int]:
    """Packets that options ask for."""
    return [int(str(SETS[one]["initial_window"])) for one in options if "initial_window" in SETS.get(one, {})]


def contradictions(options: Collection[str], stated: Mapping[str, object]) -> Iterator[str]:
    """Options that set something else than `stated` (field -> value; None: nothing), or than each other."""
    set_by: dict[str, tuple[str, object]] = {}
    for option in options:
        for field, value in SETS.get(option, {}).items():
            wanted = stated.get(field)
            if wanted is not None and wanted != value:
                yield f"the option {option} sets {field} = {value}, and the arm states {wanted}: leave one of them out"
            other, theirs = set_by.setdefault(field, (option, value))
            if theirs != value:
                yield f"the options {other} and {option} set {field} to {theirs} and to {value}: leave one of them out"


def controller(default: str, options: Collection[str]) -> str:
    """That of a connection whose client asked for `options`, by a server whose connections begin with `default`; in the
    order in which QUICHE looks at them."""
    if "RENO" in options:
        return "reno"
    if "BYTE" in options or ("QBIC" in options and default == "bbr"):
        return "cubic"
    if "B2ON" in options:
        return "bbr2"
    return "bbr" if "TBBR" in options else default


def differing(asked: Collection[str], stated: Collection[str], cca: str) -> Iterator[str]:
    """What a client asked for beside what its arm states, or did not ask for; of the options that are known: browsers
    add some of their own (RVCM). One that only asks for the arm's controller is the stack's way to have it."""
    for option in asked:
        if option in HEEDED and option not in stated and SETS[option] != {"cca": cca}:
            yield f"the client asked for {option}, the arm states no such option"
    for option in stated:
        if option not in asked:
            yield f"the client did not ask for {option}, as the arm states"
