"""Numbers of the chapter fairness.md, each as it stands in its text."""

from __future__ import annotations

from longlook.book.value import Measured, Quantity
from longlook.book.value_role import Numbers

FRAME_BYTES = {"quicv1": 1292, "gquic37": 1392, "tcp": 1514}
"""A full frame on the wire: QUICHE's packets of 1250 bytes and gQUIC's of 1350 with their headers, Ethernet's
largest."""
LASTS_S = 60
ALONE, PACED = "QUIC (N=1) vs TCP", "QUIC (N=1) vs paced TCP"


def _rate(m: Measured, series: str, label: str, arm: str) -> Quantity:
    return m.arm(series, arm, "mean_mbps", label=label)


def _times_tcp(series: str, label: str):
    """QUIC's mean rate over TCP's."""
    return lambda m: (_rate(m, series, label, "quic1") / _rate(m, series, label, "tcp1")).one("times", 1)


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


NUMBERS: Numbers = {
    "n2-times": _times_tcp("table-4.1", "QUIC vs TCP"),
    "n1-times": lambda m: (
        (_rate(m, "table-4.1", ALONE, "quic1") / _rate(m, "table-4.1", ALONE, "tcp1") - 1) * 100
    ).one("%"),
    "four-tcp": lambda m: _rate(m, "table-4.1", "QUIC vs TCPx4", "quic1").one("Mbit/s", 2),
    "gquic-n2": _times_tcp("table-4.1-gquic37", "QUIC vs TCP"),
    "gquic-n1": _times_tcp("table-4.1-gquic37", ALONE),
    "gquic-lost": lambda m: _lost_pct(m, "table-4.1-gquic37", ALONE, "quic1", "gquic37").one("%", 1),
    "gquic-tcp-lost": lambda m: _lost_pct(m, "table-4.1-gquic37", ALONE, "tcp1", "tcp").one("%", 1),
    "quicv1-lost": lambda m: _both_lost_pct(m, "table-4.1", ALONE, "quicv1").span("%", 1),
    "paced-lost": lambda m: _both_lost_pct(m, "fairness-paced-gquic37", PACED, "gquic37").span("%", 1),
    "unpaced-times": _times_tcp("fairness-paced-gquic37", ALONE),
    "paced-times": _times_tcp("fairness-paced-gquic37", PACED),
    "quicv1-unpaced": lambda m: (
        _rate(m, "fairness-paced", ALONE, "quic1") / _rate(m, "fairness-paced", ALONE, "tcp1")
    ).one("times", 2),
    "quicv1-paced": lambda m: (
        _rate(m, "fairness-paced", PACED, "quic1") / _rate(m, "fairness-paced", PACED, "tcp1")
    ).one("times", 2),
    "bbr-losses": lambda m: _bbr_losses(m).span(),
    "cubic-losses": lambda m: m.samples("table-4.1", "lost", label="TCP vs TCP").span(),
}
