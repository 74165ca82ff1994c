"""Switches of a stack's clients: what may ask a QUIC server for connection options, and what may not be there at all.

Arms state their options (`quic_options`) and are named by them. What a stack has its client ask for beside that would
be known to nobody who reads an arm's name, so that its switches may ask for nothing but the controller under which they
stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from longlook.plan.arm import Cca, Protocol
from longlook.plan.quic_options import DEFAULTS, SETS

PROXIES = ("--proxy-server", "--proxy-pac-url", "--proxy-auto-detect")
OURS = ("--user-data-dir", "--host-resolver-rules", "--ssl-key-log-file", "--remote-debugging-port", *PROXIES)
"""Switches that an adapter sets, or that lead its client elsewhere."""
VERSION = "--quic-version"
"""What a side's `version` is for."""
AGAINST: Mapping[Protocol, tuple[str, ...]] = {
    "quic": ("--disable-quic", "--disable-http2"),
    "tcp": ("--enable-quic", "--origin-to-force-quic-on", "--disable-http2", VERSION, "--quic-connection-options"),
}
"""Switches with which a client would not speak what its side is."""
SWITCH = "--quic-connection-options="
CARRIES = re.compile(r"connection[-_]options", re.IGNORECASE)
"""Field trials have them too: `--force-fieldtrial-params=QUIC.Enabled:connection_options/TBBR`."""


def options_of(switches: Sequence[str]) -> list[str]:
    """Connection options that they ask for."""
    texts = [one.removeprefix(SWITCH) for one in switches if one.startswith(SWITCH)]
    return [option for text in texts for option in text.split(",") if option]


def joined(switches: Sequence[str], asked: Sequence[str]) -> tuple[str, ...]:
    """Switches, and one for all connection options: of several a browser heeds the last one alone."""
    options = dict.fromkeys((*options_of(switches), *asked))
    rest = tuple(one for one in switches if not one.startswith(SWITCH))
    return (*rest, f"{SWITCH}{','.join(options)}") if options else rest


def refusals(
    protocol: Protocol,
    client_flags: Sequence[str],
    spoken: Sequence[str],
    controllers: Mapping[Cca, Sequence[str]],
    server: Mapping[str, bool],
) -> Iterator[str]:
    """What of a stack's side would make its arms something else than they are called: of its own switches
    (`client_flags`), of those by which its clients speak any version (`spoken`), of those of each controller, and of
    its server's flags."""
    for switch in dict.fromkeys((*client_flags, *spoken, *(one for asked in controllers.values() for one in asked))):
        name = switch.partition("=")[0]
        if name in AGAINST[protocol]:
            yield f"with {name} its client would not speak what {protocol} is here: take it out"
        if name in OURS:
            yield f"{name} is set by its adapter, or leads its client elsewhere: take it out"
    for flag in client_flags:
        if flag.partition("=")[0] == VERSION:
            yield f"client_flags has {VERSION}, which `version` is for"
    for flag in dict.fromkeys((*client_flags, *spoken)):
        if CARRIES.search(flag):
            yield f"{flag}: connection options are an arm's (quic_options), which is named by them"
    for cca, switches in controllers.items():
        yield from _of_controller(cca, switches)
    for flag in DEFAULTS.keys() & server.keys():
        yield f"server_flags.{flag}: what it sets is stated elsewhere ({DEFAULTS[flag]}), and the server is told so"


def _of_controller(cca: str, switches: Sequence[str]) -> Iterator[str]:
    for switch in switches:
        if CARRIES.search(switch) and not switch.startswith(SWITCH):
            yield f"controllers.{cca}: {switch}: connection options are asked for by {SWITCH}"
    for option in options_of(switches):
        sets = SETS.get(option)
        if sets != {"cca": cca}:
            what = "nobody has looked up what it sets" if sets is None else f"it sets {_text(sets)}"
            known = ", ".join(name for name, one in SETS.items() if one == {"cca": cca}) or "none"
            yield f"controllers.{cca}: the option {option} does not ask for {cca}: {what} (options that do: {known})"


def _text(sets: Mapping[str, object]) -> str:
    return ", ".join(f"{field} = {value}" for field, value in sets.items()) or "nothing that an arm states"
