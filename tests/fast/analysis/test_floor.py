"""The floor model: hand calculations, a brute-force sender that must never beat it, the published tables."""

import statistics

import pytest
from results import COLD, QUIC, TCP, make_cell

from longlook.experiment.floor import BOUNDED, CREDIT_BYTES, MTU_BYTES, floor, transport_of
from longlook.plan.trace import with_traces
from longlook.published.muthuraj2024 import page_load_times


def floor_of(cell, protocol):
    """The floor of the arm of that name."""
    return floor(cell, cell.arm(protocol))


def test_a_small_object_over_quic_takes_two_round_trips():
    """5 KB, 10 Mbit/s, 36 ms: page 36, image 36; 5120 bytes in packets of 1456 in 1500: 5274.7 bytes = 4.22 ms."""
    found = floor_of(make_cell(), "quic")
    assert (found.handshake_ms, found.requests_ms, found.slow_start_ms) == (0, 72, 0)
    assert found.serialisation_ms == pytest.approx(5120 * 1500 / 1456 * 8 / 10e3)
    assert found.total_ms == pytest.approx(76.22, abs=0.01)


def test_a_small_object_over_tcp_takes_four_round_trips():
    """As above, with TCP's and TLS's round trips and packets of 1460 in 1500: 4.21 ms."""
    found = floor_of(make_cell(), "tcp")
    assert (found.handshake_ms, found.requests_ms, found.slow_start_ms) == (72, 72, 0)
    assert found.total_ms == pytest.approx(148.21, abs=0.01)


def test_a_cold_quic_load_takes_one_round_trip_more():
    """112 ms and not 76."""
    cell = make_cell(arms=[QUIC, COLD])
    resumed, cold = (floor(cell, arm).total_ms for arm in cell.arms)
    assert cold - resumed == pytest.approx(36) and cold == pytest.approx(112.22, abs=0.01)
    beside = make_cell(arms=[COLD, TCP])
    assert floor_of(beside, "tcp") == floor_of(make_cell(), "tcp")


def test_early_data_of_tls_spares_tcp_a_round_trip():
    cell = make_cell(arms=[TCP, TCP | {"handshake": "0rtt"}])
    usual, early = (floor(cell, arm).total_ms for arm in cell.arms)
    assert usual - early == pytest.approx(36)


def test_slow_start_of_tcp_by_hand():
    """1 MB at 1 Gbit/s, 100 ms. Window at the images: 10 + 8 control + 2 page packets = 20 segments of 1460.

    29 200, then 58 400, 116 800, 233 600, 467 200: 905 200 bytes in five windows, the rest with the sixth,
    five round trips after the first: 500 ms and 94 800 bytes * 1500 / 1460 at 125 000 bytes/ms = 0.779 ms.
    """
    found = floor_of(make_cell(1000, bandwidth_mbps=1000, rtt_ms=100), "tcp")
    assert found.slow_start_ms + found.serialisation_ms == pytest.approx(500 + 94_800 * 1500 / 1460 / 125_000)
    assert found.serialisation_ms == pytest.approx(1_000_000 * 1500 / 1460 / 125_000)
    assert found.total_ms == pytest.approx(400 + 500.779, abs=0.001)


def test_a_long_transfer_is_bound_by_the_link():
    """10 MB at 10 Mbit/s: 10 000 000 * 1500 / 1460 * 8 / 10 000 = 8219.2 ms; slow start idles the link 12 ms.

    The first window of 29 200 bytes takes 24 ms to serialise, then the link waits to 36 ms.
    """
    found = floor_of(make_cell(10_000), "tcp")
    assert found.serialisation_ms == pytest.approx(8219.18, abs=0.01)
    assert found.slow_start_ms == pytest.approx(12.0)
    assert floor_of(make_cell(10_000), "quic").slow_start_ms == 0  # 32 packets outlast the round trip


def test_a_smaller_initial_window_costs_round_trips():
    def total(*options):
        cell = make_cell(200, bandwidth_mbps=100, arms=[QUIC | {"quic_options": options}, TCP])
        return floor_of(cell, "quic").total_ms

    assert total("IW03") > total("IW10") > total("IW20") > total() >= total("IW50")
    assert total("ILD0") == total()


@pytest.mark.parametrize(("options", "packets"), [((), 32), (("IW03",), 3), (("ILD0", "IW10"), 10), (("IW50",), 50)])
def test_the_windows_that_connection_options_ask_for(options, packets):
    arm = make_cell(arms=[QUIC | {"quic_options": options}, TCP]).arm("quic")
    assert transport_of(arm).initial_window_packets == packets


def test_the_window_of_a_server_by_file_is_not_told_over_quic():
    """A hundred KB may leave at once; over TCP the kernel's window is known, whoever serves."""
    own = {"server_file": "0" * 64, "handshake": "1rtt"}
    quic = QUIC | own | {"server": "by-file", "cca": "not told", "emulated_connections": None}
    cell = make_cell(100, rtt_ms=170, arms=[quic, TCP | own | {"server": "by-file-tcp"}])
    found = floor_of(cell, "quic")
    assert found.slow_start_ms == 0 and found.total_ms == pytest.approx(3 * 170 + found.serialisation_ms)
    assert floor_of(cell, "tcp") == floor_of(make_cell(100, rtt_ms=170), "tcp")


def test_loss_does_not_lower_the_floor_and_jitter_does():
    """Jitter of 50 ms may shorten a round trip of 112 ms to 62 ms."""
    assert floor_of(make_cell(loss_pct=1), "tcp") == floor_of(make_cell(), "tcp")
    found = floor_of(make_cell(rtt_ms=112, jitter_ms=50), "tcp")
    assert (found.handshake_ms, found.requests_ms) == (124, 124)
    assert floor_of(make_cell(rtt_ms=50, jitter_ms=50), "tcp").requests_ms == 0


def test_a_larger_initial_window_of_tcp_lowers_its_floor_and_nobody_elses():
    cell = make_cell(100, bandwidth_mbps=100)
    larger = make_cell(100, bandwidth_mbps=100, arms=[QUIC, TCP | {"initial_window": 32}])
    assert floor_of(larger, "tcp").total_ms < floor_of(cell, "tcp").total_ms - 36 / 2
    assert floor_of(larger, "quic") == floor_of(cell, "quic")


def test_cpu_limits_and_controllers_are_no_part_of_it():
    slow = QUIC | {"client_cpu_pct": 10, "server_cpu_pct": 10, "cca": "bbr", "emulated_connections": None}
    assert floor_of(make_cell(arms=[slow, TCP]), "quic") == floor_of(make_cell(), "quic")


def test_a_download_has_no_page():
    """One round trip less than a page load of the same bytes, and no page's packets to let the window grow."""
    page, download = make_cell(), make_cell(workload={"kind": "download", "size_kb": 5}, experiment="download")
    for protocol, handshake in (("quic", 0), ("tcp", 72)):
        found = floor_of(download, protocol)
        assert (found.handshake_ms, found.requests_ms, found.slow_start_ms) == (handshake, 36, 0)
        assert found.serialisation_ms == floor_of(page, protocol).serialisation_ms
    fast = {"bandwidth_mbps": 1000, "rtt_ms": 100}
    large = make_cell(workload={"kind": "download", "size_kb": 1000}, experiment="download", **fast)
    # window 18 segments: 26 280 doubled five times is 814 680 bytes in five windows, and the rest with the sixth
    assert floor_of(large, "tcp").total_ms == pytest.approx(300 + 500 + 185_320 * 1500 / 1460 / 125_000)
    assert {"plt_ms", "ttlb_ms"} == BOUNDED


def test_connections_of_their_own_begin_with_a_window_each():
    """Ten files of 26 280 bytes, 18 segments, leave at once over ten connections, and one after two round trips."""
    files = {"kind": "download", "size_bytes": 26_280, "count": 10}
    arms = [TCP | {"name": name, "client": name} for name in ("aiohttp", "aiohttp-connections")]
    cell = make_cell(workload=files, experiment="download", arms=arms, bandwidth_mbps=1000, rtt_ms=100)
    one, ten = floor_of(cell, "aiohttp"), floor_of(cell, "aiohttp-connections")
    assert ten.total_ms == pytest.approx(300 + 262_800 * 1500 / 1460 / 125_000)
    assert one.slow_start_ms > 300 - 10 and ten.slow_start_ms == 0


def test_objects_of_several_sizes_count_by_all_their_bytes():
    """Never above what as many bytes of any one kind would take, and equal to it where the sizes are equal."""
    fast = {"bandwidth_mbps": 1000, "rtt_ms": 100}
    mixed = make_cell(workload={"objects": [{"size_bytes": 1300, "count": 100}, {"size_kb": 1000}]}, **fast)
    assert mixed.workload.total_bytes == 1_130_000
    small = make_cell(workload={"objects": [{"size_bytes": 11_300, "count": 100}]}, **fast)
    for protocol in ("quic", "tcp"):
        found = floor_of(mixed, protocol)
        assert found.serialisation_ms == pytest.approx(floor_of(small, protocol).serialisation_ms)
        assert found.total_ms <= floor_of(small, protocol).total_ms
    parts = make_cell(workload={"objects": [{"size_kb": 100, "count": 4}, {"size_kb": 100, "count": 6}]})
    assert floor_of(parts, "quic") == floor_of(make_cell(100, 10), "quic")


def send(objects, window, packet_bytes, growth_bytes, rtt_ms, packets_per_ms, header_bytes):
    """A sender packet by packet: window, line rate, one acknowledgement per packet after a round trip; ms to the end.

    `objects`: bytes of each, sent one after the other; each ends with a packet that may be small.
    """
    ms_per_byte = 1 / packets_per_ms / MTU_BYTES
    now = free = 0.0
    in_flight, flying = [], 0
    sizes = [min(packet_bytes, size - start) for size in objects for start in range(0, size, packet_bytes)]
    for size in sizes:
        while True:
            while in_flight and in_flight[0][0] <= now:
                flying -= in_flight.pop(0)[1]
                window += growth_bytes
            if flying < window:
                break
            now = in_flight[0][0]
        free = max(now, free) + (size + header_bytes) * ms_per_byte
        in_flight.append((free + rtt_ms, size))
        flying += size
    return free


@pytest.mark.parametrize("protocol", ["tcp", "quic"])
@pytest.mark.parametrize("size_kb", [5, 100, 500, 1000])
@pytest.mark.parametrize(("mbps", "rtt_ms"), [(10, 36), (50, 112), (100, 36), (1000, 112)])
def test_no_sender_that_keeps_the_rules_beats_the_floor(protocol, size_kb, mbps, rtt_ms):
    """The best sender: starts with the floor's own window, no pacing, an instant browser, full packets."""
    cell = make_cell(size_kb, bandwidth_mbps=mbps, rtt_ms=rtt_ms)
    found = floor_of(cell, protocol)
    transport = transport_of(cell.arm(protocol))
    window = (transport.initial_window_packets + 8 + 2) * CREDIT_BYTES
    payload = transport.payload_bytes if protocol == "tcp" else 1250
    rate = mbps * 1e3 / 8 / MTU_BYTES
    header = MTU_BYTES - transport.payload_bytes
    best = send([cell.workload.object_bytes], window, payload, CREDIT_BYTES, rtt_ms, rate, header)
    assert best >= found.slow_start_ms + found.serialisation_ms - 1 / rate  # the last packet may be a part


@pytest.mark.parametrize("order", ["small first", "large first"])
@pytest.mark.parametrize("small", [200, 1153, 1300, 5120])
@pytest.mark.parametrize(("mbps", "rtt_ms"), [(50, 112), (1000, 112)])
def test_no_sender_of_several_sizes_beats_the_floor(order, small, mbps, rtt_ms):
    """Small objects let the window of QUIC grow by more than they carry, wherever they come."""
    objects = [{"size_bytes": small, "count": 150}, {"size_kb": 1000, "count": 2}]
    cell = make_cell(workload={"objects": objects}, bandwidth_mbps=mbps, rtt_ms=rtt_ms)
    found = floor_of(cell, "quic")
    sizes = [small] * 150 + [1_000_000] * 2
    page_packets = -(-(1024 + 128 * 152) // 1000)
    window = (32 + 8 + page_packets) * CREDIT_BYTES
    rate = mbps * 1e3 / 8 / MTU_BYTES
    sent = sizes if order == "small first" else sizes[::-1]
    best = send(
        sent, window, 1152, CREDIT_BYTES, rtt_ms, rate, MTU_BYTES - transport_of(cell.arm("quic")).payload_bytes
    )
    assert best >= found.slow_start_ms + found.serialisation_ms - 1 / rate


@pytest.mark.parametrize("one", [pytest.param(one, id=f"{one.table}-{n}") for n, one in enumerate(page_load_times())])
def test_every_published_mean_is_at_or_above_its_floor(one):
    for arm in one.cell.arms:
        assert one.arms[arm.name].mean >= floor(one.cell, arm).total_ms


def test_the_floor_is_tight_enough_to_mean_something():
    """Without loss and jitter, half of the published means of QUIC v1 and TCP are within 25 % of their floors."""
    known = [
        one
        for one in page_load_times()
        if one.cell.stacks == ["quicv1"] and one.cell.link.loss_pct == 0 and one.cell.link.jitter_ms == 0
    ]
    assert len(known) == 78
    ratios = [one.arms[arm.name].mean / floor(one.cell, arm).total_ms for one in known for arm in one.cell.arms]
    assert statistics.median(ratios) < 1.25


def test_a_full_bucket_passes_at_once_and_the_rest_at_the_rate():
    """Slow start keeps its round trips: the bucket spares the bytes their time on the line, and nothing else."""
    small, large = (make_cell(kb, bandwidth_mbps=10, rtt_ms=36, burst_bytes=400_000) for kb in (100, 5000))
    assert floor_of(small, "tcp").serialisation_ms == 0 and floor_of(small, "tcp").slow_start_ms > 36
    found, plain = floor_of(large, "tcp"), floor_of(make_cell(5000, bandwidth_mbps=10, rtt_ms=36), "tcp")
    assert plain.serialisation_ms - found.serialisation_ms == pytest.approx(400_000 * 1500 / 1460 * 8 / 10e3)


def test_a_trace_may_pass_all_at_once_and_keeps_the_round_trips():
    link = with_traces({"trace": "markov.trace", "rtt_ms": 36})
    for size_kb in (100, 5000):
        found = floor_of(make_cell(size_kb, **link), "tcp")
        quick = floor_of(make_cell(size_kb, bandwidth_mbps=9999), "tcp")
        assert found.serialisation_ms == 0 == found.line.ms_per_byte
        assert (found.handshake_ms, found.requests_ms) == (quick.handshake_ms, quick.requests_ms)
        assert 0 < found.slow_start_ms == pytest.approx(quick.slow_start_ms, abs=5)


@pytest.mark.parametrize("upload_mbps", [0.1, 1, 100])
def test_a_rate_of_the_uplink_leaves_the_floor_where_it_was(upload_mbps):
    """What clients send is counted nowhere, so that no slow uplink raises the bound and no quick one lowers it."""
    one, other = make_cell(1000), make_cell(1000, upload_mbps=upload_mbps)
    assert [floor_of(one, name) for name in ("quic", "tcp")] == [floor_of(other, name) for name in ("quic", "tcp")]
