"""The chapters on clients that wait and check, and on files at 1 Gbit/s, of known times and without any."""

import pytest
from book_sample import PUBLISHED, interleaved, write_sweeps
from shreedhar_sample import write_shreedhar
from table_rows import rows_of

from longlook import paths
from longlook.book import data as book_data
from longlook.book.shreedhar2022 import calls, clients, store
from longlook.book.shreedhar2022.clients import (
    AUTHORITIES,
    CHECKED,
    CHECKS,
    DRAFT,
    GOOGLE,
    QUIC,
    TCP,
    UNCHECKED,
    V1,
    VERSIONS,
    WAITS,
    WAITS_NEW,
    WAITS_OLD,
)
from longlook.book.shreedhar2022.names import ENVOY, LARGE, NAMES, NEW, OLD
from longlook.book.shreedhar2022.store import GIGABIT
from longlook.book.value import NOT_YET
from longlook.book.value_role import numbers_of, value_of
from longlook.experiment.syscalls import NO_SEGMENTS, USUAL, Syscalls, write
from longlook.figure import style
from longlook.stack import load_stack

PAGES = {"clients": "book/shreedhar2022/clients", "gigabit": "book/shreedhar2022/gigabit"}
SWEEPS = (WAITS, CHECKS, VERSIONS, GIGABIT)
LOADS = 4
TRIPS = {ENVOY: 1, OLD: 2, NEW: 2, WAITS_NEW: 2, WAITS_OLD: 3} | {GOOGLE: 1, DRAFT: 1, V1: 1, "tcp": 2}
CHECK_MS = {
    QUIC: {UNCHECKED: 0.0, CHECKED: 0.5, AUTHORITIES: 5.0},
    TCP: {UNCHECKED: 0.0, CHECKED: 1.0, AUTHORITIES: 21.0},
}
"""With a fast client."""
SLOWNESS = {"": 1, "slow": 4, "slower": 10}
MS_PER_MB = {ENVOY: 50.0, OLD: 20.0}
CPU_S_PER_GB = {ENVOY: (22.0, 24.0), OLD: (9.5, 2.0)}


def times_of(cell, arm, index):
    """Each load is 0.01 ms longer than the one before."""
    rtt, more = cell.link.rtt_ms, index / 100
    if cell.series == CHECKS:
        speed, protocol, checks = ("", *arm.name.split())[-3:]
        connect = {QUIC: 1, TCP: 3}[protocol] * rtt + SLOWNESS[speed] * CHECK_MS[protocol][checks] + more
    else:
        connect = TRIPS[arm.name] * rtt + more
    last = connect + 2 * rtt
    if cell.series == GIGABIT:
        last += cell.workload.total_bytes / 1e6 * MS_PER_MB[arm.name] + (60 if arm.name == OLD else 0)
    return {"connect_ms": connect, "ttfb_ms": connect + rtt, "ttlb_ms": last}


def metrics(cell, arm, index):
    client, server = (s * cell.workload.total_bytes / 1e9 for s in CPU_S_PER_GB.get(arm.name, (1.0, 1.0)))
    used = {"client_cpu_s": client + index / 1e6, "server_cpu_s": server + index / 1e6}
    return times_of(cell, arm, index) | used


def result(campaign, experiment, cell):
    return interleaved(campaign, experiment, cell, metrics, LOADS)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    processed = tmp_path_factory.mktemp("processed")
    write_sweeps(processed, SWEEPS, "shreedhar2022", result)
    return book_data.read(PUBLISHED, processed)


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Where the table of system calls is: nowhere yet."""
    monkeypatch.setattr(paths, "SYSCALLS", tmp_path / "syscalls.csv")
    return paths.SYSCALLS


def test_the_stacks_differ_in_tcp_s_client_alone():
    for usual, other in (("shreedhar2022", "shreedhar2022openssl"), ("shreedhar2022tls12", "shreedhar2022openssl12")):
        one, two = load_stack(usual), load_stack(other)
        assert (one.spec.tcp.client, two.spec.tcp.client) == ("curl", "systemcurl")
        assert one.spec.tcp.tls == two.spec.tcp.tls and one.spec.quic == two.spec.quic
        assert all(one.server_side(protocol) == two.server_side(protocol) for protocol in ("quic", "tcp"))


def test_tables(data):
    trips = {row[0]: row[1:] for row in rows_of(clients.trips(data))}
    assert trips[clients.ARMS[WAITS_OLD]][:3] == ["30.0 (3.0)", "165.0 (3.0)", "600.0 (3.0)"]
    assert trips[clients.ARMS[OLD]][-1] == "800.0 (4.0)"
    checks = {row[0]: row[1:] for row in rows_of(clients.checks(data))}
    assert checks["TLS 1.2, the system's curl (OpenSSL), a tenth"] == ["30.0", "40.0", "240.0"]
    leads = {row[0]: row[1:] for row in rows_of(clients.leads(data))}
    assert leads["a tenth"] == ["20.0", "25.0", "180.0", "230.0"] and leads["printed, a Raspberry Pi 3"][-1] == "270"


def test_versions_of_quic(data):
    rows = {row[0]: row[1:] for row in rows_of(clients.of_versions(data))}
    assert rows[clients.VERSION_NAMES[V1]] == ["10.0 ± 0.0", style.DASH, "55.0 ± 0.0", style.DASH]
    assert rows[clients.VERSION_NAMES["tcp"]][1].startswith("10.0 ms (")


def test_files_beside_those_at_100_mbit_s(data, tmp_path):
    rows = {row[0]: row[1:] for row in rows_of(store.rates(data))}
    assert list(rows) == ["500 KB", "2 MB", "5 MB", "20 MB", "50 MB", "200 MB"]
    assert rows["200 MB"][3:6] == ["19.94", "48.78", "0.41"] and rows["200 MB"][:3] == [style.DASH] * 3
    assert rows["500 KB"][-4:] == [style.DASH] * 4 and [int(one) for one in rows["200 MB"][-4:]] == [88, 96, 93, 20]
    write_shreedhar(tmp_path, sweeps=(LARGE, "shreedhar-cloud"))
    assert "Not measured yet" in store.rates(book_data.read(PUBLISHED, tmp_path)).data


def test_numbers_of_the_text(data):
    texts = {
        name: value_of(name, page, data).text.replace("\N{NO-BREAK SPACE}", " ")
        for page in PAGES.values()
        for name in numbers_of(page)
    }
    assert (texts["waits-longer"], texts["no-wait-longer-far"]) == ("20 ms", "200 ms")
    assert (texts["authorities-openssl"], texts["authorities-slower"]) == ("20.0 ms", "200 ms")
    assert (texts["lead-equal"], texts["lead-theirs"], texts["lead-theirs-fast"]) == ("25 ms", "230 ms", "41 ms")
    assert (texts["part"], texts["crossing"], texts["part-100"]) == ("0.41 times", "between 2 MB and 5 MB", NOT_YET)
    assert (texts["quic-rate"], texts["quic-server"], texts["tcp-client"]) == ("19.9 MB/s", "96 %", "93 %")


def test_system_calls_have_a_row_for_each_pair_and_offload(data, table):
    assert "Not measured yet" in calls.table().data and "Not measured yet" in calls.times().data
    ends = [
        Syscalls("ngtcp2", offload, end, "1", sends, 7.4, 1.0, 2.0, 8.6, 2000.0, f"sendmsg 91, {end} 4")
        for offload, sends in ((USUAL, 70.0), (NO_SEGMENTS, 701.0))
        for end in ("client", "server")
    ]
    write(
        table, [*ends, Syscalls(OLD, USUAL, "client", "1", 1.0, 100.0, 3.0, 4.0, 60.0, 161.0, "recvfrom 60, poll 30")]
    )
    rows = rows_of(calls.table())
    assert [row[1] for row in rows] == [USUAL, NO_SEGMENTS, USUAL]
    assert rows[1][2:] == ["701", "7", "1", "2", "9", "2000"] * 2 and rows[2][-6:] == [style.DASH] * 6
    texts = {name: value_of(name, PAGES["gigabit"], data).text for name in numbers_of(PAGES["gigabit"])}
    assert (texts["sends-gso"], texts["sends-no-gso"], texts["calls-tcp"]) == ("70", "701", "161")
    assert texts["calls-quic"] == NOT_YET
    own = [NAMES["ngtcp2"], "sendmsg 91, client 4", "sendmsg 91, server 4"]
    assert rows_of(calls.times()) == [own, [NAMES[OLD], "recvfrom 60, poll 30", style.DASH]]
