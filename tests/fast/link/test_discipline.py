"""Queue disciplines as they are measured: streams whose packets are dropped or marked at known times."""

import pytest

from longlook.link.discipline import UdpFlow, control_law, discipline_problems, outside, phase, seen
from longlook.plan.link import Link

CODEL = Link(bandwidth_mbps=10, rtt_ms=36, queue_discipline="codel")
MARKS = Link(bandwidth_mbps=10, rtt_ms=36, queue_discipline="fq_codel", ecn=True)
PIE = Link(bandwidth_mbps=10, rtt_ms=36, queue_discipline="pie", ecn=True)
DUAL = Link(bandwidth_mbps=10, rtt_ms=36, queue_discipline="dualpi2", ecn=True)
OWN_MS, SMALL_MS = 1.2112, 0.08


def streams(marks=False, interval_ms=100.0, after_ms=5.0, fair=False, signals=True, until_ms=2000.0):
    """An overload and a sparse flow over a line of 10 Mbit/s that drops or marks by CoDel's law."""
    sent = [0.0] * 230 + [number * OWN_MS for number in range(int(until_ms / OWN_MS))]
    arrived, marked, now, above, law, count = {}, set(), 0.0, None, None, 0
    for number, at in enumerate(sent):
        now = max(now, at)
        if above is None and now - at >= after_ms:
            above, law = now, now + interval_ms
        if signals and law is not None and now >= law:
            count += 1
            law = (now if count == 1 else law) + interval_ms / count**0.5
            if not marks:
                continue
            marked.add(number)
        now += OWN_MS
        arrived[number] = now + 18
    probes = [300 + 20.0 * number for number in range(80)]
    wait = OWN_MS / 2 if fair else 150.0
    sparse = UdpFlow(100, probes, {number: at + wait + SMALL_MS + 18 for number, at in enumerate(probes)}, set())
    return UdpFlow(1514, sent, arrived, marked), sparse


def problems(link, **wrong):
    own = seen(link, *streams(**({"marks": True, "fair": True} if link.ecn else {}) | wrong))
    return discipline_problems(link, {"server_to_client": own, "client_to_server": own})


def test_what_follows_the_control_law_is_no_problem():
    assert problems(CODEL) == [] and problems(MARKS) == []
    overload, sparse = streams()
    own = seen(CODEL, overload, sparse)
    assert own["above_ms"] == pytest.approx(5, abs=OWN_MS) and own["signals_ms"][0] == pytest.approx(
        105, abs=2 * OWN_MS
    )
    assert own["dropped"] >= len(own["signals_ms"]) > 80 and own["marked"] == 0
    assert own["power"]["interval twice as long"] > 0.9


@pytest.mark.parametrize(
    ("link", "wrong", "words"),
    [
        (CODEL, {"signals": False}, "server_to_client: codel: of an overload no packet was dropped"),
        (CODEL, {"marks": True}, "codel: 1"),
        (CODEL, {"interval_ms": 110.0}, "the first packet was dropped after 11"),
        (CODEL, {"after_ms": 20.0}, "the first packet was dropped after 12"),
        (CODEL, {"fair": True}, "a sparse flow waits for 0.6 ms beside an overload, 5 at the least expected"),
        (MARKS, {"fair": False}, "a sparse flow waits for 150.0 ms beside an overload, 4.4 at the most expected"),
        (MARKS, {"marks": False}, "packets of senders that understand marks were dropped"),
        (MARKS, {"interval_ms": 50.0}, "packets marked in"),
    ],
)
def test_what_does_not_is_named_for_each_direction(link, wrong, words):
    found = problems(link, **wrong)
    assert any(words in line for line in found) and len({line.partition(":")[0] for line in found}) == 2, found


def test_signals_that_are_as_many_and_at_other_times_are_named():
    own = seen(CODEL, *streams())
    own["signals_ms"] = [at + 6 * (number % 3 == 1) for number, at in enumerate(own["signals_ms"])]
    found = discipline_problems(CODEL, {"server_to_client": own, "client_to_server": own})
    assert len(found) == 2 and all("packets were not dropped when the control law has it" in line for line in found)


def test_the_law_is_that_of_the_rfc():
    assert control_law(100, 371) == pytest.approx([100, 200, 270.71, 328.45], abs=0.01)
    law = control_law(100, 2000)
    late = [at + 1.5 for at in law[1:]]
    assert outside(CODEL, law) == [] and outside(CODEL, [law[0], *late]) == []
    assert len(outside(CODEL, [law[0], *(at + 4 for at in law[1:])])) == len(law) - 1


def test_an_overload_never_fills_the_whole_limit():
    for mbps in (0.5, 5, 100, 1000):
        link = Link(bandwidth_mbps=mbps, rtt_ms=36, queue_discipline="codel")
        packets = phase(link)["backlog_bytes"] / 1514
        assert min(800, 200 + 15 / (1514 * 8e-3 / mbps)) == pytest.approx(packets, abs=1)


def held(link, held_ms=15.0, marked=20, overload_marked=0, sparse_marked=0.61, sparse_ms=None, peak_ms=60.0):
    """An overload at 1.1 times the rate of which a controller drops a part, with so long a wait, and a sparse flow."""
    sent = [number * OWN_MS / 1.1 for number in range(5100)]
    arrived = {number: at + held_ms + OWN_MS + 18 for number, at in enumerate(sent) if number % 11}
    arrived[200] += peak_ms - held_ms
    probes = [4000 + 20.0 * number for number in range(80)]
    wait = (OWN_MS if link is DUAL else held_ms) if sparse_ms is None else sparse_ms
    of_sparse = set(range(round(80 * sparse_marked))) if link is DUAL else set()
    sparse = UdpFlow(100, probes, {number: at + wait + SMALL_MS + 18 for number, at in enumerate(probes)}, of_sparse)
    overload = UdpFlow(1514, sent, arrived, set(range(1, 1 + (overload_marked if link is DUAL else marked))))
    own = seen(link, overload, sparse)
    return discipline_problems(link, {"server_to_client": own, "client_to_server": own})


@pytest.mark.parametrize(
    ("link", "wrong", "words"),
    [
        (PIE, {}, None),
        (DUAL, {}, None),
        (PIE, {"held_ms": 30.0}, "pie: an overload waits for 30.0 ms, 15 ms is the target (tolerance 7.4 ms)"),
        (DUAL, {"held_ms": 5.0}, "dualpi2: an overload waits for 5.0 ms, 15 ms is the target"),
        (PIE, {"peak_ms": 25.0}, "it never waited for more than 25.0 ms"),
        (PIE, {"marked": 0}, "no packet of senders that understand marks was marked"),
        (PIE.model_copy(update={"ecn": None}), {}, "pie: 20 packets of an overload were marked, which were to be"),
        (PIE, {"sparse_ms": 1.0}, "a sparse flow waits for 1.0 ms beside an overload, 5 at the least"),
        (DUAL, {"sparse_ms": 15.0}, "a sparse flow waits for 15.0 ms beside an overload, 4.4 at the most"),
        (DUAL, {"overload_marked": 1}, "1 packets of an overload were marked, which were to be dropped"),
        (DUAL, {"sparse_marked": 0.31}, "31% of a sparse flow of the L queue were marked, 61% expected"),
    ],
)
def test_what_a_controller_holds_is_judged(link, wrong, words):
    found = held(link, **wrong)
    assert found == [] if words is None else any(words in line for line in found), found
