"""Links, workloads, arms and cells: units, defaults from the thesis, names, keys, and mistakes that are told."""

import json

import pytest
from plans import QUIC, TCP, arm, cell, parse_workload, sweep

from longlook.plan.arm import Arm
from longlook.plan.conditions import rows_of
from longlook.plan.link import Link
from longlook.plan.value import LONGEST_ID, PlanError, derived_seed
from longlook.plan.workload import Download, Page

OFFERS = TCP | {"client_groups": ["secp256r1", "x25519"]}
HELD = QUIC | {"client_cpu_pct": 45}
DOWN, UP = "server_to_client", "client_to_server"


def test_queue_is_twice_the_bandwidth_delay_product():
    assert Link(bandwidth_mbps=100, rtt_ms=112).effective_queue_bytes == 2_800_000  # thesis, section 3.2.5
    assert Link(bandwidth_mbps=5, rtt_ms=36, queue_bytes=30_000).effective_queue_bytes == 30_000


def test_an_uplink_may_have_a_rate_and_so_a_default_queue_of_its_own():
    usual = {"bandwidth_mbps": 5, "rtt_ms": 28}
    link = Link.parse(usual | {"upload_mbps": 1})
    own = [(one.bandwidth_mbps, one.effective_queue_bytes, one.upload_mbps) for one in map(link.one_way, (DOWN, UP))]
    assert own == [(5, 35_000, None), (1, 7000, None)]
    assert (link.id_parts, link.label) == (["5mbps", "28ms", "0pct", "1mbpsup"], "5 Mbit/s down, 1 Mbit/s up, 28 ms")
    assert link.conditions() == Link.parse(usual).conditions() | {"upload_mbps": 1, "queue_bytes": None}
    assert link.plain == link == Link.parse(link.model_dump(mode="json"))
    stated = Link.parse(link.model_dump() | {"queue_bytes": 35_000})
    assert [one.effective_queue_bytes for one in (stated, *map(stated.one_way, (DOWN, UP)))] == [35_000] * 3
    assert stated.label.endswith("28 ms, queue 35000 bytes") and (link.drain_s, stated.drain_s) == (0.056, 0.28)
    for row in rows_of(cell(link=link)):
        assert (row["upload_mbps"], row["netem"], row["queue_bytes"]) == (1, "upload_mbps=1", None)
    assert "upload_mbps" not in json.dumps(sweep().definition()) + json.dumps(cell(link=usual).model_dump(mode="json"))


def test_a_queue_may_be_limited_in_packets_instead():
    bytewise = {"bandwidth_mbps": 10, "rtt_ms": 36}
    link = Link.parse(bytewise | {"queue_packets": 50})
    assert (link.effective_queue_bytes, link.longest_queue_bytes) == (None, 50 * 1514)
    assert (link.id_parts[-1], link.label) == ("50slots", "10 Mbit/s, 36 ms, queue 50 packets")
    own, usual = link.conditions(), Link.parse(bytewise).conditions()
    assert own == usual | {"queue_bytes": None, "queue_packets": 50}
    assert Link.parse(bytewise).longest_queue_bytes == 90_000 == usual["queue_bytes"]
    assert cell(link=bytewise | {"queue_packets": 50}).id.endswith("_10mbps_36ms_0pct_50slots")
    for known in (link, Link.parse(bytewise)):
        assert Link.parse(known.model_dump(mode="json")) == known


def test_a_queue_has_one_limit():
    both = {"bandwidth_mbps": 10, "rtt_ms": 36, "queue_bytes": 90_000, "queue_packets": 50}
    with pytest.raises(PlanError, match=r"queue_bytes = 90000 and queue_packets = 50: .* in bytes or in packets"):
        Link.parse(both)


def test_a_link_that_says_nothing_of_packets_is_what_it_was():
    link = Link.parse({"bandwidth_mbps": 10, "rtt_ms": 36, "queue_packets": None})
    assert json.dumps(link.model_dump(mode="json")) == (
        '{"bandwidth_mbps": 10.0, "rtt_ms": 36.0, "loss_pct": 0.0, "jitter_ms": 0.0, "jitter_interval_ms": 100.0, '
        '"queue_bytes": null}'
    )
    assert list(link.conditions()) == list(link.model_dump())
    assert "queue_packets" not in json.dumps(sweep().definition()) + json.dumps(cell().conditions())


def test_a_link_may_have_a_token_bucket():
    usual = {"bandwidth_mbps": 10, "rtt_ms": 36}
    link = Link.parse(usual | {"burst_bytes": 12_800_000})
    assert (link.id_parts[-1], link.label) == ("burst12800000b", "10 Mbit/s, 36 ms, burst 12800000 bytes")
    assert link.conditions() == Link.parse(usual).conditions() | {"burst_bytes": 12_800_000}
    assert link.plain == Link.parse(usual) and Link.parse(link.model_dump(mode="json")) == link
    assert "burst_bytes" not in json.dumps(sweep().definition()) + json.dumps(cell().conditions())
    netem = Link.parse(usual | {"queue_packets": 50, "burst_bytes": 3000, "corrupt_pct": 1})
    assert netem.id_parts[3:] == ["50slots", "burst3000b", "1pctcorrupt"]


def test_queues_may_manage_themselves():
    usual = {"bandwidth_mbps": 10, "rtt_ms": 36}
    link = Link.parse(usual | {"queue_discipline": "fq_codel", "ecn": True})
    assert (link.id_parts[-1], link.label) == ("fq-codel-ecn", "10 Mbit/s, 36 ms, fq_codel with ECN")
    own = {"queue_discipline": "fq_codel", "ecn": True, "queue_bytes": None, "queue_packets": 10_240}
    assert link.conditions() == Link.parse(usual).conditions() | own
    assert link.plain == Link.parse(usual) and Link.parse(link.model_dump(mode="json")) == link
    codel = Link.parse(usual | {"queue_discipline": "codel", "ecn": False})
    assert codel.ecn is None and codel.id_parts[-1] == "codel" and codel.conditions()["queue_packets"] == 1000
    assert codel.label == "10 Mbit/s, 36 ms, codel" and codel.drain_s == Link.parse(usual).drain_s
    assert "queue_discipline" not in json.dumps(sweep().definition()) + json.dumps(cell().conditions())
    pie, dual = (Link.parse(usual | {"queue_discipline": kind, "ecn": True}) for kind in ("pie", "dualpi2"))
    assert [one.id_parts[-1] for one in (pie, dual)] == ["pie-ecn", "dualpi2-ecn"]
    assert [one.conditions()["queue_packets"] for one in (pie, dual)] == [1000, 10_000]


def test_flows_may_run_beside_every_load():
    usual = {"bandwidth_mbps": 10, "rtt_ms": 36}
    link = Link.parse(usual | {"cross_flows": 1})
    assert (link.id_parts[-1], link.label) == ("beside1cubic", "10 Mbit/s, 36 ms, 1 flow of TCP CUBIC beside")
    assert link.conditions() == Link.parse(usual).conditions() | {"cross_flows": 1, "cross_cca": "cubic"}
    assert link.plain == Link.parse(usual) and Link.parse(link.model_dump(mode="json")) == link
    assert link.slowest_ms == 36 + 72  # a full queue of 2 x BDP
    two = Link.parse(usual | {"cross_flows": 2, "cross_cca": "bbr"})
    assert two.label == "10 Mbit/s, 36 ms, 2 flows of TCP BBR beside"
    assert Link.parse(usual | {"cross_flows": 1, "cross_protocol": "tcp"}) == link
    quic = Link.parse(usual | {"cross_flows": 1, "cross_protocol": "quic"})
    assert (quic.id_parts[-1], quic.label) == ("beside1quiccubic", "10 Mbit/s, 36 ms, 1 flow of QUIC CUBIC beside")
    assert "cross" not in json.dumps(sweep().definition()) + json.dumps(cell().conditions())


@pytest.mark.parametrize(("direction", "down", "up"), [(None, 1, 1), ("down", 2, 0), ("up", 0, 2)])
def test_a_loss_is_of_both_directions_or_of_one_alone(direction, down, up):
    lossy = {"bandwidth_mbps": 10, "rtt_ms": 36, "loss_pct": 2}
    link = Link.parse(lossy | {"loss_direction": direction})
    assert [(link.loss_pct_of(way), link.loss_share(way)) for way in (DOWN, UP)] == [(down, down / 100), (up, up / 100)]
    assert link.plain == link and link.loses
    assert Link.parse(link.model_dump(mode="json")) == link


def test_the_direction_of_a_loss_is_named_and_makes_another_cell():
    lossy = {"bandwidth_mbps": 10, "rtt_ms": 36, "loss_pct": 2}
    down, up = (Link.parse(lossy | {"loss_direction": one}) for one in ("down", "up"))
    assert (down.id_parts[2], down.label) == ("2pctdown", "10 Mbit/s, 36 ms, 2 % loss down only")
    assert (up.id_parts[2], up.label) == ("2pctup", "10 Mbit/s, 36 ms, 2 % loss up only")
    assert down.conditions() == Link.parse(lossy).conditions() | {"loss_direction": "down"}
    assert len({cell(link=one).key for one in (down, up, Link.parse(lossy))}) == 3
    assert cell(link=down).id.endswith("_10mbps_36ms_2pctdown")


def test_a_link_that_says_nothing_of_a_direction_is_what_it_was():
    lossy = {"bandwidth_mbps": 10, "rtt_ms": 36, "loss_pct": 2}
    link = Link.parse(lossy | {"loss_direction": None})
    assert "loss_direction" not in link.model_dump() and "loss_direction" not in link.conditions()
    assert cell(link=link).key == cell(link=lossy).key
    assert "loss_direction" not in json.dumps(sweep().definition())


STATED = {
    "corrupt_pct": 1,
    "corrupt_correlation_pct": 25,
    "duplicate_pct": 2,
    "gemodel_p_pct": 1,
    "gemodel_r_pct": 50,
    "gemodel_one_minus_h_pct": 100,
    "gemodel_one_minus_k_pct": 0,
    "jitter_sd_ms": 5,
}


def test_netems_parameters_are_of_each_way_and_named():
    plain = {"bandwidth_mbps": 10, "rtt_ms": 36}
    link = Link.parse(plain | STATED)
    assert link.netem == STATED and link.plain == Link.parse(plain)
    assert link.conditions() == Link.parse(plain).conditions() | STATED
    assert link.id_parts[3:] == ["1pctcorrupt-cor25", "2pctduplicate", "gemodel-1-50-100-0", "5mssd"]
    assert link.label == (
        "10 Mbit/s, 36 ms, 1 % corrupted each way (correlation 25 %), 2 % duplicated each way, gemodel 1 50 100 0 % "
        "each way, normal jitter 5 ms each way"
    )
    lossy = Link.parse(plain | {"loss_pct": 1})
    assert link.loss_share(DOWN) == pytest.approx(1 / 51) and lossy.loss_share(DOWN) == lossy.loss_share(UP) == 0.005
    assert (link.swing_ms, Link.parse(plain | {"jitter_ms": 10}).swing_ms) == (40, 10)
    assert Link.parse(link.model_dump(mode="json")) == link
    assert cell(link=plain | STATED).id.endswith("_0pct_1pctcorrupt-cor25_2pctduplicate_gemodel-1-50-100-0_5mssd")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"corrupt_pct": 0}, "corrupt_pct: Input should be greater than 0"),
        ({"duplicate_pct": 101}, "duplicate_pct: Input should be less than or equal to 100"),
        ({"corrupt_pct": 1, "corrupt_correlation_pct": 100}, r"less than or equal to 99\.9"),
        ({"duplicate_correlation_pct": 25}, "duplicate_correlation_pct without duplicate_pct"),
        ({"jitter_correlation_pct": 25}, "jitter_correlation_pct without jitter_sd_ms"),
        ({"gemodel_p_pct": 1, "gemodel_r_pct": 50}, "are stated together; here is gemodel_p_pct, gemodel_r_pct only"),
        (STATED | {"loss_pct": 1}, "loss_pct = 1 beside gemodel"),
        ({"jitter_sd_ms": 5, "jitter_ms": 5}, "one model of jitter"),
        ({"loss_direction": "down"}, "loss_direction = down without loss_pct"),
        ({"loss_pct": 1, "loss_direction": "left"}, "loss_direction: Input should be 'down' or 'up'"),
        (STATED | {"loss_direction": "up"}, "loss_direction = up beside gemodel"),
    ],
)
def test_a_link_that_netem_would_not_make_is_refused(wrong, words):
    with pytest.raises(PlanError, match=words):
        Link.parse({"bandwidth_mbps": 10, "rtt_ms": 36} | wrong)


SEALED = {
    "29a9dfe0e95e68d3": {"arms": (QUIC, QUIC), "control": True},
    "58913649fe606994": {"arms": (TCP, TCP), "control": True},
    "a7e65242d6e3556b": {
        "arms": (QUIC, TCP),
        "experiment": "fairness",
        "mode": "together",
        "link": {"bandwidth_mbps": 5, "rtt_ms": 36, "queue_bytes": 30_720},
        "workload": {"size_kb": 50_000},
        "duration_s": 60,
    },
}
"""Keys of cells in sealed campaigns (aa, table-4.1)."""


@pytest.mark.parametrize("key", SEALED)
def test_the_keys_of_sealed_cells_stay(key):
    assert keyed(**SEALED[key]) == key


@pytest.mark.parametrize(("size_kb", "size"), [(5, 5120), (500, 512_000), (1000, 1_000_000), (10000, 10_000_000)])
def test_object_sizes_follow_the_public_workloads(size_kb, size):
    page = Page.parse({"size_kb": size_kb, "count": 3})
    assert (page.object_bytes, page.object_count, page.total_bytes) == (size, 3, 3 * size)
    assert page.id_part == f"{size_kb}kb-x3"


def test_a_page_may_have_objects_of_several_sizes():
    page = parse_workload({"objects": [{"size_kb": 5, "count": 20}, {"size_bytes": 10068, "count": 2}]})
    assert (page.object_bytes, page.object_count, page.requests) == (None, 22, 23)
    assert page.total_bytes == 20 * 5120 + 2 * 10068
    assert page.id_part == "5kb-x20-10068b-x2" and page.label == "5 KB x 20 and 10068 bytes x 2"


def test_a_download_is_its_files():
    files = parse_workload({"kind": "download", "size_bytes": 1_000_000, "count": 2})
    assert isinstance(files, Download)
    assert (files.requests, files.total_bytes, files.id_part) == (2, 2_000_000, "download-1000kb-x2")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"size_kb": 5, "size_bytes": 5120}, "two ways to say the same"),
        ({"size_kb": 0}, "size_kb = 0"),
        ({"size_kb": True}, "size_kb = True"),
        ({"size_kb": 5, "cuont": 2}, "cuont"),
        ({"kind": "movie"}, "movie"),
        ({"objects": []}, "objects"),
    ],
)
def test_impossible_workloads_are_refused(wrong, words):
    with pytest.raises(PlanError, match=words):
        parse_workload(wrong)


def test_an_unknown_key_is_an_error_that_lists_the_known_ones():
    with pytest.raises(PlanError, match=r"bandwith_mbps.*known keys of a link: bandwidth_mbps, rtt_ms"):
        Link.parse({"bandwith_mbps": 10, "rtt_ms": 36})


@pytest.mark.parametrize(
    "wrong",
    [
        {"bandwidth_mbps": 0},
        {"loss_pct": 100},
        {"rtt_ms": -1},
        {"upload_mbps": 0},
        {"upload_mbps": "1"},
        {"upload_mbps": 0.0123456},
        {"upload_mbps": 10_001},
        {"upload_mbps": 10_000, "rtt_ms": 500},
        {"queue_bytes": 0},
        {"queue_packets": 0},
        {"queue_packets": -50},
        {"queue_packets": 100_001},
        {"queue_packets": 50.0},
        {"queue_packets": True},
        {"queue_packets": "50"},
        {"burst_bytes": 0},
        {"burst_bytes": 1513},
        {"burst_bytes": 100_000_001},
        {"burst_bytes": 1e6},
        {"rtt_ms": float("nan")},
        {"bandwidth_mbps": float("inf")},
    ],
)
def test_impossible_links_are_refused(wrong):
    with pytest.raises(PlanError):
        Link.parse({"bandwidth_mbps": 10, "rtt_ms": 36} | wrong)


def test_jitter_cannot_make_a_delay_negative():
    with pytest.raises(PlanError, match="a delay would be negative"):
        Link.parse({"bandwidth_mbps": 10, "rtt_ms": 36, "jitter_ms": 50})


def test_values_are_frozen_and_ids_tell_cells_apart():
    one = cell(series="4.6a")
    with pytest.raises(Exception, match="frozen"):
        one.seed = 3
    assert one.id == "4.6a_quicv1_quic-tcp_cubic_5kb-x1_10mbps_36ms_0pct"
    assert cell(series="4.6a", replicate=1).id == one.id + "_r1"
    held = cell(QUIC | {"client_cpu_pct": 50, "server_cpu_pct": 20}, TCP | {"client_cpu_pct": 50}, series="4.6a")
    assert held.id == one.id + "_50pctcpu_20pctquicserver"


def test_the_period_of_a_limit_is_a_condition_of_its_own_and_needs_a_limit_that_fits_it():
    usual, short = cell(HELD), cell(HELD | {"cpu_period_us": 2500})
    assert short.id == usual.id + "_period2500us" and short.key != usual.key
    assert cell(HELD | {"cpu_period_us": 10_000}).key == usual.key
    assert "cpu_period_us" not in usual.arms[0].conditions(), "keys of campaigns without it stay"
    for wrong, why in ((QUIC, "is of a limit"), (QUIC | {"server_cpu_pct": 10}, "no less than 1000 us")):
        with pytest.raises(PlanError, match=why):
            cell(wrong | {"cpu_period_us": 2500})


def test_an_id_of_many_arms_still_names_a_folder_and_tells_cells_apart():
    limits = [QUIC | {"client_cpu_pct": share} for share in range(10, 34)]
    one, other = cell(*limits), cell(*limits, replicate=1)
    assert len(one.id) == len(other.id) == LONGEST_ID and one.id != other.id == cell(*limits, replicate=1).id
    assert one.id.startswith("x_quicv1_24arms_cubic_")
    others = [arm | {"stack": "gquic37"} for arm in limits]
    assert cell(*limits[:3], *others[:10]).id.startswith("x_2stacks_13arms_cubic_")
    with pytest.raises(PlanError, match="id"):
        cell(QUIC, TCP, id="x" * (LONGEST_ID + 1))


def test_derived_seeds_are_stable_between_machines_and_versions():
    assert derived_seed(1, "a") == derived_seed(1, "a") != derived_seed(1, "b")
    assert derived_seed(2024, "order") == 7451438995418305984


@pytest.mark.parametrize(
    ("arms", "names"),
    [
        ((QUIC, TCP), ("quic", "tcp")),
        ((TCP, QUIC), ("tcp", "quic")),
        ((QUIC | {"handshake": "1rtt"}, TCP), ("quic", "tcp")),
        ((HELD, HELD | {"cpu_period_us": 2500}), ("period10000us", "period2500us")),
        ((QUIC, QUIC | {"handshake": "1rtt"}), ("0rtt", "1rtt")),
        ((QUIC, QUIC | {"quic_options": ["IW10"]}), ("plain", "iw10")),
        ((TCP, TCP | {"initial_window": 32}), ("iw-default", "iw32")),
        ((QUIC, QUIC | {"emulated_connections": 1}), ("n2", "n1")),
        ((QUIC, QUIC | {"request_cost_us": 0}, QUIC | {"request_cost_us": 50}), ("nocost", "cost0us", "cost50us")),
        ((TCP, TCP | {"send_cost_us": 0}, TCP | {"send_cost_us": 50}), ("nosend", "send0us", "send50us")),
        ((QUIC, QUIC | {"initial_rtt_ms": 1000}), ("initial-rtt", "initial-rtt1000ms")),
        ((QUIC, QUIC | {"client_initial_rtt_ms": 9}), ("client-initial-rtt", "client-initial-rtt9ms")),
        ((TCP, TCP | {"handshake": "warm"}), ("1rtt", "warm")),
        ((QUIC, QUIC | {"reordering_threshold": 9}), ("threshold", "threshold9")),
        ((OFFERS, OFFERS | {"client_groups": ["x25519"]}), ("client-secp256r1+x25519", "client-x25519")),
        ((TCP, TCP | {"server_groups": ["x25519"]}), ("server-groups", "server-x25519")),
        ((TCP, TCP | {"verify": False}), ("verified", "unverified")),
        ((QUIC, QUIC | {"discovery": "alt-svc"}), ("forced", "alt-svc")),
        ((TCP, TCP | {"authorities": 140}), ("one-certificate", "140authorities")),
        ((QUIC, TCP, TCP | {"cca": "bbr"}), ("quic-cubic", "tcp-cubic", "tcp-bbr")),
        ((QUIC, QUIC | {"stack": "gquic37"}), ("envoy", "gquicd")),
    ],
)
def test_arms_are_named_after_what_they_differ_in(arms, names):
    assert cell(*arms).arm_names == names


def test_equal_arms_are_a_control_and_must_say_so():
    with pytest.raises(PlanError, match="ask for the same thing: say control = true"):
        cell(QUIC, QUIC)
    assert cell(QUIC, QUIC, control=True).arm_names == ("a", "b")
    with pytest.raises(PlanError, match="control = true is for two or more arms that are the same"):
        cell(QUIC, TCP, control=True)


def test_arms_together_are_numbered_by_protocol():
    flows = cell(QUIC, TCP, TCP, mode="together", experiment="fairness", label="QUIC vs TCPx2")
    assert flows.arm_names == ("quic1", "tcp1", "tcp2")
    assert flows.id == "x_quicv1_quic-vs-tcpx2_5kb-x1_10mbps_36ms_0pct"


def test_what_a_cell_asks_of_its_senders_is_in_its_name():
    cells = [
        cell(),
        cell(QUIC | {"quic_options": ["IW10"]}, TCP),
        cell(QUIC, TCP | {"initial_window": 32}),
        cell(QUIC | {"request_cost_us": 50}, TCP),
        cell(QUIC | {"send_cost_us": 50}, TCP),
        cell(QUIC | {"initial_rtt_ms": 1000}, TCP),
        cell(QUIC | {"handshake": "1rtt"}, TCP),
        cell(QUIC, TCP | {"handshake": "warm"}),
        cell(QUIC | {"reordering_threshold": 9}, TCP),
        cell(QUIC, OFFERS),
        cell(QUIC, OFFERS | {"server_groups": ["x25519"]}),
        cell(QUIC, TCP | {"verify": False}),
        cell(QUIC | {"discovery": "alt-svc"}, TCP),
        cell(QUIC, TCP | {"authorities": 140}),
        cell(QUIC, TCP | {"authorities": 3}),
    ]
    assert len({one.id for one in cells}) == len(cells)


CHANGES = {
    "handshake": {"arms": (QUIC | {"handshake": "1rtt"}, TCP)},
    "option": {"arms": (QUIC | {"quic_options": ["IW10"]}, TCP)},
    "n": {"arms": (QUIC | {"emulated_connections": 1}, TCP)},
    "window": {"arms": (QUIC, TCP | {"initial_window": 32})},
    "client cpu": {"arms": (QUIC | {"client_cpu_pct": 50}, TCP)},
    "server cpu": {"arms": (QUIC | {"server_cpu_pct": 12}, TCP)},
    "cost": {"arms": (QUIC | {"request_cost_us": 50}, TCP)},
    "cost of a send": {"arms": (QUIC | {"send_cost_us": 50}, TCP)},
    "no cost of its own": {"arms": (QUIC | {"request_cost_us": 0}, TCP)},
    "initial round trip": {"arms": (QUIC | {"initial_rtt_ms": 1000}, TCP)},
    "warm": {"arms": (QUIC, TCP | {"handshake": "warm"})},
    "threshold": {"arms": (QUIC | {"reordering_threshold": 3}, TCP)},
    "client's groups": {"arms": (QUIC, OFFERS)},
    "in another order": {"arms": (QUIC, OFFERS | {"client_groups": OFFERS["client_groups"][::-1]})},
    "server's groups": {"arms": (QUIC, TCP | {"server_groups": ["x25519"]})},
    "unverified": {"arms": (QUIC, TCP | {"verify": False})},
    "learnt": {"arms": (QUIC | {"discovery": "alt-svc"}, TCP)},
    "authorities": {"arms": (QUIC, TCP | {"authorities": 140})},
    "fewer authorities": {"arms": (QUIC, TCP | {"authorities": 3})},
    "client's round trip": {"arms": (QUIC | {"client_initial_rtt_ms": 1000}, TCP)},
    "cca": {"arms": (QUIC, TCP | {"cca": "reno"})},
    "paced": {"arms": (QUIC, TCP | {"paced": True})},
    "queue": {"link": {"bandwidth_mbps": 10, "rtt_ms": 36, "queue_bytes": 45_000}},
    "uplink": {"link": {"bandwidth_mbps": 10, "rtt_ms": 36, "upload_mbps": 1}},
    "queue of both rates": {"link": {"bandwidth_mbps": 10, "rtt_ms": 36, "upload_mbps": 1, "queue_bytes": 90_000}},
    "packets": {"link": {"bandwidth_mbps": 10, "rtt_ms": 36, "queue_packets": 50}},
    "more packets": {"link": {"bandwidth_mbps": 10, "rtt_ms": 36, "queue_packets": 51}},
    "burst": {"link": {"bandwidth_mbps": 10, "rtt_ms": 36, "burst_bytes": 12_800_000}},
    "smaller burst": {"link": {"bandwidth_mbps": 10, "rtt_ms": 36, "burst_bytes": 3000}},
    "codel": {"link": {"bandwidth_mbps": 10, "rtt_ms": 36, "queue_discipline": "codel"}},
    "fq_codel": {"link": {"bandwidth_mbps": 10, "rtt_ms": 36, "queue_discipline": "fq_codel"}},
    "ecn": {"link": {"bandwidth_mbps": 10, "rtt_ms": 36, "queue_discipline": "codel", "ecn": True}},
    "a flow beside": {"link": {"bandwidth_mbps": 10, "rtt_ms": 36, "cross_flows": 1}},
    "another flow beside": {"link": {"bandwidth_mbps": 10, "rtt_ms": 36, "cross_flows": 1, "cross_cca": "bbr"}},
    "a flow of QUIC beside": {"link": {"bandwidth_mbps": 10, "rtt_ms": 36, "cross_flows": 1, "cross_protocol": "quic"}},
    "loss": {"link": {"bandwidth_mbps": 10, "rtt_ms": 36, "loss_pct": 1}},
    "jitter": {"link": {"bandwidth_mbps": 10, "rtt_ms": 36, "jitter_ms": 10}},
    "corrupt": {"link": {"bandwidth_mbps": 10, "rtt_ms": 36, "corrupt_pct": 1}},
    "corrupt, correlated": {
        "link": {"bandwidth_mbps": 10, "rtt_ms": 36, "corrupt_pct": 1, "corrupt_correlation_pct": 25}
    },
    "duplicate": {"link": {"bandwidth_mbps": 10, "rtt_ms": 36, "duplicate_pct": 1}},
    "normal jitter": {"link": {"bandwidth_mbps": 10, "rtt_ms": 36, "jitter_sd_ms": 1}},
    "netem": {"link": {"bandwidth_mbps": 10, "rtt_ms": 36} | STATED},
    "interval": {"link": {"bandwidth_mbps": 10, "rtt_ms": 36, "jitter_ms": 10, "jitter_interval_ms": 200}},
    "workload": {"workload": {"size_kb": 5, "count": 2}},
    "stack": {"stack": "gquic37"},
    "experiment": {"experiment": "download"},
}


def keyed(arms=(), **given):
    return cell(*arms, **given).key


def test_every_condition_is_in_the_key():
    keys = {name: keyed(**given) for name, given in CHANGES.items()} | {"nothing": keyed()}
    assert len(set(keys.values())) == len(keys), keys


@pytest.mark.parametrize(
    "same",
    [
        {"series": "y"},
        {"study": "other"},
        {"seed": 7},
        {"loads": 5},
        {"replicate": 3},
        {"arms": (TCP, QUIC)},
        {"arms": (QUIC | {"discovery": "forced"}, TCP)},
        {"arms": (QUIC, TCP | {"verify": True, "client_groups": [], "server_groups": [], "authorities": None})},
        {"link": {"bandwidth_mbps": 10, "rtt_ms": 36, "queue_bytes": 90_000}},
        {"link": {"bandwidth_mbps": 10, "rtt_ms": 36, "upload_mbps": 10}},
        {"link": {"bandwidth_mbps": 10, "rtt_ms": 36, "jitter_interval_ms": 200}},
    ],
    ids=str,
)
def test_what_only_names_or_draws_is_not_in_the_key(same):
    assert keyed(**same) == keyed()


def test_a_cell_with_other_arms_is_another_and_is_as_if_it_had_been_asked_for():
    usual = cell()
    changed = usual.with_arms("tcp", remembered_ssthresh=7)
    assert changed.key == cell(QUIC, TCP | {"remembered_ssthresh": 7}).key != usual.key
    assert [one.remembered_ssthresh for one in changed.arms] == [None, 7] and changed.arms[0] == usual.arms[0]


def test_another_interval_between_delays_is_another_name():
    links = [
        {"bandwidth_mbps": 10, "rtt_ms": 112, "jitter_ms": 50, **more} for more in ({}, {"jitter_interval_ms": 200})
    ]
    names = [cell(link=link).id for link in links]
    assert [name.rsplit("_", 1)[1] for name in names] == ["50msjitter", "50msjitter-per200ms"]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (QUIC | {"paced": True}, "paced is for TCP"),
        (QUIC | {"initial_window": 10}, "initial_window is TCP's"),
        (TCP | {"quic_options": ["IW10"]}, "quic_options are for QUIC"),
        (TCP | {"emulated_connections": 1}, "emulated_connections is of QUIC's CUBIC"),
        (QUIC | {"cca": "bbr", "emulated_connections": 2}, "emulated_connections is of QUIC's CUBIC"),
        (QUIC | {"cca": "vegas"}, "cca"),
        (QUIC | {"request_cost_us": -1}, "request_cost_us"),
        (QUIC | {"request_cost_us": 0.5}, "request_cost_us"),
        (QUIC | {"initial_rtt_ms": 0}, "initial_rtt_ms"),
        (TCP | {"initial_rtt_ms": 100}, "initial_rtt_ms is for QUIC"),
        (TCP | {"client_initial_rtt_ms": 100}, "client_initial_rtt_ms is for QUIC"),
        (TCP | {"reordering_threshold": 3}, "reordering_threshold is for QUIC"),
        (TCP | {"client_groups": ["p256"]}, "client_groups.0: Input should be 'x25519'"),
        (TCP | {"client_groups": ["x25519", "x25519"]}, "x25519 stands twice"),
        (OFFERS | {"server_groups": ["secp384r1"]}, "have none in common"),
        (QUIC | {"discovery": "alt-svc", "handshake": "1rtt"}, "alt-svc is of QUIC with handshake = '0rtt'"),
        (TCP | {"discovery": "alt-svc"}, "alt-svc is of QUIC with handshake = '0rtt'"),
        (TCP | {"verify": 0}, "verify"),
        (TCP | {"verify": False, "authorities": 3}, "authorities are read to check a certificate"),
        (QUIC | {"handshake": "warm"}, "warm is for TCP"),
        (QUIC | {"handshake": "resumed"}, "resumed is for TCP, and for servers by file: over QUIC that is 0rtt"),
        (QUIC | {"handshke": "1rtt"}, "unknown key handshke .did you mean handshake.*known keys of an arm"),
    ],
)
def test_an_arm_asks_only_for_what_means_something(wrong, words):
    with pytest.raises(PlanError, match=words):
        Arm.parse(arm(**wrong))


@pytest.mark.parametrize(
    "changes", [{"link": {"bandwidth_mbps": 10, "rtt_ms": 36, "loss_pct": 1}}, {"mode": "together"}]
)
def test_a_race_is_run_without_loss_and_alone(changes):
    with pytest.raises(PlanError, match="is of arms that take turns, on a link without loss"):
        cell(QUIC | {"discovery": "alt-svc"}, TCP, **changes)


def test_what_a_server_is_known_by_is_in_no_record_of_those_that_are_forced():
    assert "discovery" not in cell().model_dump(mode="json")["arms"][0]
    assert cell(QUIC | {"discovery": "alt-svc"}, TCP).model_dump(mode="json")["arms"][0]["discovery"] == "alt-svc"


def test_arms_have_labels_for_readers():
    assert Arm.parse(arm(**QUIC, discovery="alt-svc")).label == "QUIC CUBIC, N = 2, by Alt-Svc"
    assert Arm.parse(arm(**TCP, paced=True)).label == "TCP CUBIC, paced"
    assert Arm.parse(arm(**TCP, handshake="warm")).label == "TCP CUBIC, warm"
    assert Arm.parse(arm(**TCP, verify=False)).label == "TCP CUBIC, certificate not checked"
    assert Arm.parse(arm(**TCP, authorities=140)).label == "TCP CUBIC, 140 authorities"
    assert Arm.parse(arm(**OFFERS, server_groups=["x25519"])).label == (
        "TCP CUBIC, client's groups secp256r1+x25519, server's groups x25519"
    )
    assert Arm.parse(arm(**QUIC, reordering_threshold=9)).label == "QUIC CUBIC, N = 2, reordering threshold 9"
    assert Arm.parse(arm(**QUIC, request_cost_us=50)).label == "QUIC CUBIC, N = 2, 50 us per request"
    assert Arm.parse(arm(**QUIC, initial_rtt_ms=1000)).label == "QUIC CUBIC, N = 2, initial RTT 1000 ms"
    assert Arm.parse(arm(**QUIC, handshake="1rtt", quic_options=["ILD0"])).label == "QUIC CUBIC, N = 2, 1-RTT, ILD0"
