"""Numbers of the chapter fairness.md, each as it stands in its text."""

from __future__ import annotations

from longlook.book.contested import of_contest, times_tcp
from longlook.book.value import SPACE, Measured, Quantity, StatedNumber, number, origin
from longlook.book.value_role import Numbers
from longlook.figure import style

FRAME_BYTES = {"quicv1": 1292, "gquic37": 1392, "tcp": 1514}
"""A full frame on the wire: QUICHE's packets of 1250 bytes and gQUIC's of 1350 with their headers, Ethernet's
largest."""
LASTS_S = 60
ALONE, PACED = "QUIC (N=1) vs TCP", "QUIC (N=1) vs paced TCP"


def _rate(m: Measured, series: str, label: str, arm: str) -> Quantity:
    return m.arm(series, arm, "mean_mbps", label=label)


def _lost_pct(m: Measured, series: str, label: str, arm: str, sender: str) -> Quantity:
    """Mean share of its packets that a flow declares lost, %: what it sent follows from its rate and full frames."""
    packets = _rate(m, series, label, arm) * (1e6 * LASTS_S / 8 / FRAME_BYTES[sender])
    return m.arm(series, arm, "lost", label=label) / packets * 100


def _both_lost_pct(m: Measured, series: str, label: str, sender: str) -> Quantity:
    quic = _lost_pct(m, series, label, "quic1", sender)
    return quic.joined(_lost_pct(m, series, label, "tcp1", "tcp"))


def _bbr_losses(m: Measured) -> Quantity:
    """Of each run and flow of QUIC BBR beside TCP BBR."""
    return m.samples("table-4.2", "lost", label="QUIC BBR vs TCP BBR")


@number
def _off(m: Measured, arms: tuple[str, ...], label: str) -> StatedNumber:
    """Re-measured rates of flows of table 4.1 less the published ones, in per cent of these."""
    pairs = [(_rate(m, "table-4.1", label, arm), _rate(m.published, "table-4.1", label, arm)) for arm in arms]
    found = [(own.numbers.iloc[0] / printed.numbers.iloc[0] - 1) * 100 for own, printed in pairs]
    texts = list(dict.fromkeys(style.signed_pct(one) for one in (min(found), max(found))))
    where = origin([one for own, _ in pairs for one in own.files])
    return StatedNumber(f"{' to '.join(texts)}{SPACE}%", f"rates of {label} over those of table 4.1; {where}")


NUMBERS: Numbers = {
    "n2-times": times_tcp("table-4.1", "QUIC vs TCP"),
    "n1-times": times_tcp("table-4.1", ALONE),
    "n1-runs": of_contest("table-4.1", ALONE, lambda contest: contest.runs_text),
    "n1-verdict": of_contest("table-4.1", ALONE, lambda contest: contest.verdict_text),
    "n1-two": times_tcp("table-4.1", "QUIC (N=1) vs TCPx2"),
    "same-quic": times_tcp("table-4.1", "QUIC vs QUIC"),
    "same-tcp": times_tcp("table-4.1", "TCP vs TCP"),
    "four-tcp": lambda m: _rate(m, "table-4.1", "QUIC vs TCPx4", "quic1").one("Mbit/s", 2),
    "off-one": _off(("quic1", "tcp1"), "QUIC vs TCP"),
    "off-two-quic": _off(("quic1",), "QUIC vs TCPx2"),
    "off-two-tcp": _off(("tcp1", "tcp2"), "QUIC vs TCPx2"),
    "off-four-quic": _off(("quic1",), "QUIC vs TCPx4"),
    "off-four-tcp": _off(("tcp1", "tcp2", "tcp3", "tcp4"), "QUIC vs TCPx4"),
    "gquic-n2": times_tcp("table-4.1-gquic37", "QUIC vs TCP"),
    "gquic-n1": times_tcp("table-4.1-gquic37", ALONE),
    "gquic-n1-verdict": of_contest("table-4.1-gquic37", ALONE, lambda contest: contest.verdict_text),
    "gquic-lost": lambda m: _lost_pct(m, "table-4.1-gquic37", ALONE, "quic1", "gquic37").one("%", 1),
    "gquic-tcp-lost": lambda m: _lost_pct(m, "table-4.1-gquic37", ALONE, "tcp1", "tcp").one("%", 1),
    "quicv1-lost": lambda m: _both_lost_pct(m, "table-4.1", ALONE, "quicv1").span("%", 1),
    "paced-lost": lambda m: _both_lost_pct(m, "fairness-paced-gquic37", PACED, "gquic37").span("%", 1),
    "unpaced-times": times_tcp("fairness-paced-gquic37", ALONE),
    "paced-times": times_tcp("fairness-paced-gquic37", PACED),
    "quicv1-unpaced": times_tcp("fairness-paced", ALONE),
    "quicv1-paced": times_tcp("fairness-paced", PACED),
    "bbr-both": times_tcp("table-4.2", "QUIC BBR vs TCP BBR"),
    "bbr-cubic": times_tcp("table-4.2", "QUIC CUBIC vs TCP BBR"),
    "bbr-losses": lambda m: _bbr_losses(m).span(),
    "cubic-losses": lambda m: m.samples("table-4.1", "lost", label="TCP vs TCP").span(),
}
