"""Cells of which loads over TCP count no more that counted when the tables were frozen: they used a connection that
stood before they began (`experiment/opened.py`)."""

LEFT_OUT = {
    "4.14b_quicv1_quic-tcp_bbr_1000kb-x1_50mbps_36ms_1pct": 2,
    "4.14b_quicv1_quic-tcp_bbr_100kb-x1_10mbps_36ms_1pct": 1,
    "4.14b_quicv1_quic-tcp_bbr_10kb-x1_100mbps_36ms_1pct": 1,
    "4.14b_quicv1_quic-tcp_bbr_500kb-x1_50mbps_36ms_1pct": 1,
    "4.14e_quicv1_quic-tcp_bbr_1000kb-x1_100mbps_36ms_1pct": 1,
    "4.14e_quicv1_quic-tcp_bbr_10kb-x100_50mbps_36ms_1pct": 1,
    "4.14e_quicv1_quic-tcp_bbr_5kb-x200_50mbps_36ms_1pct": 1,
    "4.5b_gquic37_quic-tcp_cubic_200kb-x1_100mbps_36ms_1pct": 1,
    "4.5e_gquic37_quic-tcp_cubic_200kb-x5_100mbps_36ms_1pct": 1,
    "4.9b_quicv1_quic-tcp_cubic_500kb-x1_10mbps_36ms_1pct": 1,
    "4.9b_quicv1_quic-tcp_cubic_5kb-x1_10mbps_36ms_1pct": 1,
    "4.9d_quicv1_quic-tcp_cubic_500kb-x2_100mbps_36ms_1pct": 2,
    "loss-each-way-gquic37_gquic37_quic-tcp_cubic_500kb-x1_50mbps_36ms_2pct": 1,
}
"""Cell -> how many of its loads over TCP."""
