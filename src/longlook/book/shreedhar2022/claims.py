"""The claims of Shreedhar et al. 2022: those that downloads decide, printed and re-measured, and why not the others.

What is printed are means without standard deviations: it is held to the same bounds by these alone. Sessions of a film
decide four more (`sessions_claims`). Claim 08, of downloads of three minutes, is held to the file of 2 GB, a part of
claim 04 too.
"""

from __future__ import annotations

from itertools import pairwise, product

from IPython.display import HTML

from longlook.book import claimed
from longlook.book import data as book_data
from longlook.book.claimed import Claim, ClaimPart, evaluated
from longlook.book.data import BookData
from longlook.book.predicted import all_of
from longlook.book.shreedhar2022.clients import FAR_LINK, MUNICH_LINK, WAITS_OLD
from longlook.book.shreedhar2022.evidence import (
    ENVOY,
    ENVOY_LSQUIC,
    FILES,
    LARGEST,
    LONG,
    LONGEST,
    NEW,
    NGTCP2,
    OLD,
    PLACES,
    SLOW,
    STAGES,
    Measured,
    size_title,
)
from longlook.book.shreedhar2022.leads import Evidence, gained, left, more, share
from longlook.book.shreedhar2022.printed import printed
from longlook.book.shreedhar2022.sessions_claims import CLAIMS as OF_SESSIONS
from longlook.book.shreedhar2022.sessions_claims import MORE_THAN_0
from longlook.book.shreedhar2022.versions import slightly_faster
from longlook.book.times import ms_text, part_of, times, times_text
from longlook.experiment.metrics import CLIENT_CPU
from longlook.figure.squares import PUBLISHED
from longlook.figure.table import html_table
from longlook.published.shreedhar2022 import INDIA, MUNICH, VM

TRIPS = {NEW: ("TLS 1.3", 1), OLD: ("TLS 1.2", 2)}
"""What a handshake over TCP takes longer than QUIC's, in round trips."""
OFF = 0.2
SERVERS = {ENVOY: "Envoy", NGTCP2: "ngtcp2"}
TITLES = {MUNICH: "Munich", INDIA: "Bhubaneswar"}
HALF_A_TRIP = 0.5
LINKS = {
    PLACES[VM]: "virtual machine, 9 ms",
    PLACES[MUNICH]: "Munich, 10 ms",
    PLACES[INDIA]: "Bhubaneswar, 55 ms",
    LONG: "150 ms",
    LONGEST: "200 ms",
}
UP_TO, FROM = 20_000_000, 100_000_000
CPU = (1.5, 2.5)
CLIENTS = {ENVOY: "curl", ENVOY_LSQUIC: "LSQUIC"}


def _handshakes(evidence: Evidence) -> list[ClaimPart]:
    found = []
    asked = [(where, arm, *said) for where, (arm, said) in product((PLACES[MUNICH], LONGEST), TRIPS.items())]
    asked += [(where, WAITS_OLD, "TLS 1.2 by a client that waits", 2) for where in (MUNICH_LINK, FAR_LINK)]
    for where, arm, name, trips in asked:
        longer = more(evidence, where, arm, ENVOY)
        if longer is not None:
            wanted = trips * where.rtt_ms
            holds = longer.within((1 - OFF) * wanted, (1 + OFF) * wanted)
            found.append(ClaimPart(f"{name}, {where.rtt_ms:g} ms", ms_text(longer), holds))
    return found


def _shrinks(evidence: Evidence) -> list[ClaimPart]:
    found = []
    for (place, title), (arm, server) in product(TITLES.items(), SERVERS.items()):
        where = PLACES[place]
        shares = [share(evidence, where, arm, stage) for stage in STAGES]
        steps = [left(evidence, where, arm, *both) for both in pairwise(STAGES)]
        change = gained(evidence, where, arm, STAGES[0], STAGES[-1])
        if change is None or any(one is None for one in (*shares, *steps)):
            continue
        falls = all_of(*(one.within(at_least=1) for one in steps if one is not None))
        text = ", ".join(f"{one:.0f}" for one in shares if one is not None)
        found.append(ClaimPart(f"share, {title}, {server}", f"{text} %", falls))
        reach = HALF_A_TRIP * where.rtt_ms
        found.append(ClaimPart(f"ms, {title}, {server}", f"{ms_text(change)} more", change.within(-reach, reach)))
    return found


def _throughput(evidence: Evidence) -> list[ClaimPart]:
    found = []
    for size in (one for one in FILES if one <= UP_TO or one >= FROM):
        tcp, quic = (evidence.rate(size, SLOW + arm) for arm in (OLD, ENVOY))
        if tcp is not None and quic is not None:
            bounds = {"at_least": 1.0} if size <= UP_TO else {"at_most": 1.0}
            found.append(part_of(size_title(size), times(tcp, quic), **bounds))
    return found


def _processor(evidence: Evidence) -> list[ClaimPart]:
    found = []
    for arm, client in CLIENTS.items():
        tcp, quic = (evidence.cpu(LARGEST, one, CLIENT_CPU.name) for one in (OLD, arm))
        if tcp is not None and quic is not None:
            ratio = times(tcp, quic)
            found.append(ClaimPart(client, times_text(ratio), ratio.within(*CPU)))
    return found


def _overall(evidence: Evidence) -> list[ClaimPart]:
    found = evidence.overall()
    return [] if found is None else [part_of("QUIC over TLS 1.2", found, at_most=1.0)]


def _video_handshakes(evidence: Evidence) -> list[ClaimPart]:
    found = {title: evidence.earlier(where) for where, title in LINKS.items()}
    return [
        ClaimPart(title, f"by {ms_text(one)}", one.within(at_least=MORE_THAN_0))
        for title, one in found.items()
        if one is not None
    ]


CLAIMS = (
    Claim(
        "shreedhar2022-01",
        "QUIC connects faster than TLS 1.2 and TLS 1.3 over TCP, most of all over long paths",
        "with round trips of 10 and 200 ms and equal checks of the certificate, TLS 1.3's handshake takes one round "
        "trip longer than QUIC's and TLS 1.2's two, to within 20 %; of TLS 1.2 by a client that does not wait for its "
        "end, and by one that does, as theirs",
        _handshakes,
        6,
    ),
    Claim(
        "shreedhar2022-02",
        "QUIC of the IETF connects slightly faster than Google's",
        "in one browser that speaks both, version 1 connects no later than Google's version 43 over 10 and over 55 ms; "
        "the servers are two, since none speaks both",
        slightly_faster,
        2,
    ),
    Claim(
        "shreedhar2022-03",
        "The gain of the handshake shrinks for the time to the first byte and for the whole download",
        "as a share of TLS 1.2's time QUIC's lead falls from the handshake to the first byte and on to the last of "
        "40 KB; in ms it changes by less than half a round trip",
        _shrinks,
        8,
    ),
    Claim(
        "shreedhar2022-04",
        "QUIC has the higher throughput up to 20 MB, TCP above",
        "with a slow client QUIC's is above TLS 1.2's from 500 KB to 20 MB, and below it from 100 MB to 2 GB",
        _throughput,
        11,
    ),
    Claim(
        "shreedhar2022-05",
        "QUIC needs about twice the CPU of TCP for the same throughput",
        "over 200 MB, without the kernel's help (UDP GRO), its client takes 1.5 to 2.5 times the CPU of TLS 1.2's",
        _processor,
        2,
    ),
    Claim(
        "shreedhar2022-07",
        "YouTube's handshakes are faster over QUIC, by 534 ms (India) and 406 ms (Germany)",
        "the sign alone: QUIC's handshake is earlier than TLS 1.2's over each link of these, which are not those to "
        "YouTube's servers",
        _video_handshakes,
        5,
    ),
    Claim(
        "shreedhar2022-08",
        "The overall rate of a video's download is higher over TLS than over QUIC",
        "of the file of 2 GB, which takes a slow client nearly three minutes at 100 Mbit/s, QUIC's throughput is below "
        "TLS 1.2's; printed of videos, from Bhubaneswar",
        _overall,
        1,
    ),
)
UNDECIDED = (
    (
        "06",
        "QUIC's CPU goes into recvmsg and sendmsg",
        "system calls are counted and timed in the chapter on files at 1 Gbit/s, once for each pair of client and "
        "server: a table, which has no interval",
    ),
    ("13", "Google serves 68 % of the sites, and its times decide the distribution", "not about a link"),
)
"""Number, claim, and why it is not decided here."""
BY_SESSIONS = "not by downloads: by sessions of a film that is played, in a chapter of its own"


def evaluate(data: BookData) -> dict[str, list[list[ClaimPart]]]:
    """Heading of a column -> the parts of each of CLAIMS; the published column, and those that have numbers."""
    return evaluated(CLAIMS, lambda key: printed() if key == PUBLISHED.key else Measured(data, key))


def claims(data: BookData | None = None) -> HTML:
    """The claims that downloads decide: printed, re-measured, and whether they hold."""
    found = evaluate(data or book_data.load())
    return HTML(claimed.claims_table(CLAIMS, found, lambda claim: f'<b id="{claim.name}">{claim.text}</b>'))


def elsewhere() -> list[tuple[str, str]]:
    """The others, in their order, and why downloads do not decide them."""
    others = {number: (text, why) for number, text, why in UNDECIDED}
    others |= {claim.name[-2:]: (claim.text, BY_SESSIONS) for claim in OF_SESSIONS}
    return [others[number] for number in sorted(others)]


def undecided() -> HTML:
    """The others, each with the reason."""
    return HTML(html_table(["claim", "why it is not decided here"], elsewhere()))
