"""What a side makes of a load that fails or is disturbed, and what its record holds.

Client and server are stand-ins.
"""

import threading
from dataclasses import replace
from itertools import count
from types import SimpleNamespace

import pytest

from longlook.client.base import LoadFailed
from longlook.client.observation import Observation, SeenObject
from longlook.errors import LonglookError, NotSupported
from longlook.experiment import meanwhile
from longlook.experiment.side import Side, Surroundings
from longlook.plan.arm import Arm
from longlook.plan.workload import Page
from longlook.record.samples import SCHEMA, check_record, sample_of
from longlook.server.tcp import NO_CONNECTION
from longlook.site.write import write_site

QUIC = {"name": "quic", "stack": "quicv1", "protocol": "quic", "server": "envoy", "client": "chromium"}
COUNTERS = {"packets_out": 100, "bytes_out": 1000, "dropped_loss": 3, "unheard_of": 1}


class Client:
    name = "chromium"
    pids = ()
    settings = SimpleNamespace(paints=False)

    def __init__(self, site, error=None):
        self.site, self.error, self.requests, self.cpu = site, error, [], iter([1.0, 1.25, 1.25, 1.0])

    def fetch(self, request):
        self.requests.append(request)
        if self.error:
            raise LoadFailed(self.error)
        objects = tuple(SeenObject(path, 200, "h3", size, 0.0, 9.0, "0") for path, size in self.site.sizes.items())
        return Observation({"plt_ms": 123.45678, "dns_ms": 0.5}, objects, 1.0, {"kind": "har", "log": {}})

    def cpu_seconds(self):
        return next(self.cpu)

    def version(self):
        return "111"


class Server:
    name = "envoy"
    cca_source = "hello"
    pids = ()
    settings = SimpleNamespace(port=443)

    def __init__(self, early=True, refused=None):
        self.early, self.refused, self.loads = early, refused, 0

    def early_data_by_connection(self):
        self.loads += 1
        return {str(number): self.early and number > 1 for number in range(1, self.loads // 2 + 1)}

    def cca_of_load(self):
        return "cubic"

    def cpu_seconds(self):
        return 2.0

    def version_refused(self):
        return self.refused

    def tcp_of_load(self):
        return []


@pytest.fixture
def side_of(tmp_path):
    def make(error=None, stalls=(), server=None, first_aside=True, opened=None, changed=None, **changes):
        site = write_site(tmp_path / "www", Page.parse({"size_kb": 5, "count": 2}), seed=1)
        seen = iter(opened or ())
        counted = (COUNTERS | {"bytes_out": 20_000 * number} for number in count())
        link = SimpleNamespace(
            cpu_seconds=lambda: 0.1,
            changed=lambda: changed,
            pids=(),
            connections=lambda: next(seen, None),
            counters=lambda: dict.fromkeys(("server_to_client", "client_to_server"), next(counted)),
        )
        watch = SimpleNamespace(gaps_ms=lambda *_: list(stalls))
        around = Surroundings(link, site, watch, timeout_s=20, rtt_ms=36, first_aside=first_aside)
        return Side(Arm.parse(QUIC | changes), Client(site, error), server or Server(), "h3", around)

    return make


def checked(record):
    """The record with its place in a cell, as it is written."""
    whole = {"schema": SCHEMA, "campaign": "c", "cell_id": "i", "attempt": 0, "order": 0} | record
    check_record(whole, "here")
    return sample_of(whole)


def test_a_right_load_is_a_sample_with_its_metrics(side_of):
    side = side_of()
    first, second = side.load(0), side.load(1)
    assert [checked(record).counts for record in (first, second)] == [False, True]
    assert [(record["set_aside"], record["zero_rtt"]) for record in (first, second)] == [(True, False), (False, True)]
    assert first["metrics"] == {"plt_ms": 123.457, "dns_ms": 0.5, "client_cpu_s": 0.25, "server_cpu_s": 0.0}
    assert second["metrics"]["client_cpu_s"] == 0.0  # a process that has ended took its seconds with it
    assert second["cpu"]["client_s"] == -0.25
    assert first["artefact"] == {"kind": "har", "log": {}} and first["protocols_seen"] == ["h3"]
    assert first["link"]["client_to_server"] == {"packets_out": 0, "bytes_out": 20_000, "dropped_loss": 0}
    assert [request.paths for request in side.client.requests] == [("/index.html",)] * 2


def test_the_first_load_is_set_aside_only_where_that_is_asked_for(side_of):
    assert checked(side_of(first_aside=False).load(0)).counts


@pytest.mark.parametrize(("handshake", "fresh"), [("0rtt", False), ("1rtt", True)])
def test_a_cold_arm_asks_for_a_client_that_knows_nothing(side_of, handshake, fresh):
    side = side_of(handshake=handshake, server=Server(early=not fresh))
    records = [side.load(index) for index in range(2)]
    assert all(record["accepted"] for record in records)
    assert [request.fresh for request in side.client.requests] == [fresh] * 2


class Learning(Client):
    """Its pages come over these, one after the other."""

    def __init__(self, site, protocols):
        super().__init__(site)
        self.protocols, self.dropped = iter(protocols), 0

    def discover(self, request):
        seen, protocol = super().fetch(request), next(self.protocols)
        own = [*([protocol] if isinstance(protocol, str) else protocol)]
        over = own + own[-1:] * (len(seen.objects) - len(own))
        pairs = zip(seen.objects, over, strict=True)
        return replace(seen, objects=tuple(replace(one, protocol=each) for one, each in pairs))

    def drop_connections(self):
        self.dropped += 1


def test_a_browser_learns_of_http3_by_a_file_over_http2_and_loads_a_page_over_http3(side_of):
    side = side_of(discovery="alt-svc")
    side.client = Learning(side.around.site, ["h2", "h3"])
    assert side.discover() == [["h2"], ["h3"]]
    asked = [request.paths for request in side.client.requests]
    assert asked == [("/img/000.jpg",), ("/index.html",)]
    assert side.client.dropped == 2 and not any(request.fresh for request in side.client.requests)


@pytest.mark.parametrize("protocols", ["h3 h3", "h2 h2", "h2 h2+h3"])
def test_a_browser_that_knew_of_http3_or_learns_nothing_is_an_error(side_of, protocols):
    side = side_of(discovery="alt-svc")
    side.client = Learning(side.around.site, [one.split("+") for one in protocols.split()])
    with pytest.raises(LonglookError, match="to learn of HTTP/3 a file and a page came over"):
        side.discover()


class Slow(Client):
    """Under way until it is said to be enough."""

    def __init__(self, site):
        super().__init__(site)
        self.enough, self.under_way = threading.Event(), False

    def fetch(self, request):
        self.under_way = True
        assert self.enough.wait(10)
        self.under_way = False
        return super().fetch(request)


@pytest.mark.parametrize(("cca", "detail"), [("cubic", None), ("bbr", "bbr in force, cubic asked for")])
def test_the_controller_of_a_connection_that_is_gone_was_asked_for_during_the_load(side_of, cca, detail):
    def cca_of_load():
        if not side.client.under_way:
            return NO_CONNECTION
        side.client.enough.set()
        return cca

    side = side_of()
    side.arm, side.client = Arm.parse(QUIC | {"protocol": "tcp", "server": "apache"}), Slow(side.client.site)
    side.server.cca_of_load, side.server.early_data_by_connection = cca_of_load, lambda: None
    assert side.load(0)["reject_detail"] == detail


def test_a_question_that_fails_is_asked_again():
    answers, heard_all = iter([LonglookError("busy"), "cubic"]), threading.Event()

    def ask():
        answer = next(answers, None) or heard_all.set() or "cubic"
        if isinstance(answer, Exception):
            raise answer
        return answer

    with meanwhile.asked_meanwhile(ask, first_s=0) as heard:
        assert heard_all.wait(10)
    assert set(heard) == {"cubic"}


def test_a_load_that_does_not_finish_is_a_sample_of_its_own(side_of):
    sample = checked(record := side_of(error="crashed").load(1))
    assert (sample.accepted, sample.reject_reason, sample.disturbed) == (False, "load_failed", False)
    assert record["reject_detail"] == "crashed" and set(record["metrics"]) == {"client_cpu_s", "server_cpu_s"}


def test_a_disturbed_load_is_rejected_as_that_and_keeps_its_time(side_of):
    sample = checked(side_of(stalls=[7.0]).load(0))
    assert (sample.accepted, sample.reject_reason, sample.disturbed) == (False, "disturbed", True)
    assert sample.metrics["plt_ms"] == 123.457


def test_a_wrong_load_that_was_disturbed_too_keeps_its_own_reason(side_of):
    record = side_of(stalls=[7.0], handshake="1rtt", server=Server()).load(1)
    assert record["reject_reason"] is not None
    cca = side_of(stalls=[7.0], cca="bbr").load(0)
    assert (cca["reject_reason"], cca["disturbed"]) == ("cca", True)


def test_a_client_whose_version_the_server_refuses_cannot_be_measured(side_of):
    side = side_of(error="timed out", server=Server(refused="offered 1, server speaks Q037"))
    with pytest.raises(NotSupported, match="chromium 111 and envoy: not supported: offered 1"):
        side.load(0)


def counts(tcp=0, quic=0, lost=0, port="443"):
    told = {"tcp": tcp, "quic": quic}
    return {name: {port: {"opened": count, "handshake_lost": lost}} for name, count in told.items()}


class OneServer(Server):
    """Logs one connection, and never another."""

    def early_data_by_connection(self):
        self.loads += 1
        return {"1": False} if self.loads > 1 else {}


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (counts(quic=3), counts(quic=4), None),
        (counts(quic=3), counts(quic=5), "several_connections"),
        (counts(quic=3), counts(quic=5, lost=1), None),
        (counts(quic=3), counts(quic=6, lost=1), "several_connections"),
        (counts(quic=3), counts(quic=4, tcp=1), "several_connections"),
        (counts(quic=3), counts(quic=3), "connection_reused"),
        (counts(), counts(quic=1, port="444"), "several_connections"),
    ],
)
def test_connections_are_counted_by_the_link(side_of, before, after, reason):
    record = side_of(opened=[before, after], server=OneServer()).load(0)
    assert record["reject_reason"] == reason
    assert (
        record["opened_over_link"]["opened"]
        == after["quic"].get("443", {"opened": 0})["opened"] - before["quic"]["443"]["opened"]
    )


def test_a_link_that_does_not_count_says_so(side_of):
    record = side_of().load(0)
    assert record["accepted"] and record["opened_over_link"] is None


class LateServer(Server):
    """Logs the second of a load's connections only when it is asked again."""

    def __init__(self):
        super().__init__(early=False)
        self.asked, self.log = 0, []

    def early_data_by_connection(self):
        self.asked += 1
        if self.asked in (2, 4):
            self.log.append(str(self.asked))
        return dict.fromkeys(self.log, False)


def test_a_late_line_of_the_servers_log_is_waited_for_and_not_the_next_loads(side_of):
    side = side_of(server=LateServer(), opened=[counts(), counts(quic=2)], handshake="1rtt")
    record = side.load(0)
    assert record["connections"] == ["2", "4"] and record["reject_reason"] == "several_connections"


@pytest.mark.parametrize("error", [None, "crashed"])
def test_a_link_that_somebody_changed_is_the_reason(side_of, error):
    record = side_of(changed="delay_ms = 18 set, 9 in force", error=error, stalls=[7.0]).load(0)
    assert record["reject_reason"] == ("link_changed" if error is None else "load_failed")
    assert "9 in force" in record["reject_detail"]
    checked(record)
