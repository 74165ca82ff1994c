"""A campaign that was changed and sealed anew is left out of the tables, by name and with the reason."""

import json
import shutil
from datetime import datetime, timedelta

import pandas as pd
import pytest
from campaigns import COLD, QUIC, TCP, control_sweep, make_sweep, shared_sweep
from truthful import change_json, change_samples, forged, truthful

from longlook.dataset.checks import check_campaign
from longlook.dataset.process import make_tables, process
from longlook.dataset.tables import TABLES, read_table
from longlook.plan.trace import with_traces
from longlook.record.campaigns import find_campaign, verify
from longlook.record.durable import sha256_file
from longlook.record.manifest import MANIFEST_NAME, write_manifest
from longlook.record.samples import SAMPLES_NAME

CURL = {"stack": "quicv1more", "client": "curl", "handshake": "1rtt"}
DOWNLOAD = make_sweep(
    {
        "workloads": [{"kind": "download", "size_kb": 5}],
        "arms": [CURL | {"protocol": "quic", "server": "ngtcp2"}, CURL | {"protocol": "tcp", "server": "apache"}],
    },
    experiment="download",
)
COSTS = {"arms": [QUIC, QUIC | {"request_cost_us": 200}]}
SWEEPS = {
    "pages": None,
    "control": control_sweep(),
    "three arms": make_sweep({"arms": [QUIC, COLD, TCP]}),
    "shares": shared_sweep(),
    "until all is loaded": shared_sweep({"duration_s": None}, experiment="cwnd"),
    "downloads": DOWNLOAD,
    "costs": make_sweep(COSTS),
    "a queue in packets": make_sweep({"queue_packets": 50}),
    "a token bucket": make_sweep({"burst_bytes": 12_800_000}),
    "a rate of each direction": make_sweep({"upload_mbps": 1}),
    "queues that mark": make_sweep({"queue_discipline": "fq_codel", "ecn": True}),
    "flows beside": make_sweep({"cross_flows": 2, "cross_cca": "bbr"}),
    "a trace": make_sweep(with_traces({"trace": "markov.trace"})),
}


@pytest.mark.parametrize("sealed", [True, False])
@pytest.mark.parametrize("name", SWEEPS)
def test_a_campaign_that_nobody_changed_stands_every_check(tmp_path, name, sealed):
    assert check_campaign(truthful(tmp_path, SWEEPS[name], seal=sealed)).problems == []


def first_cell(campaign):
    return campaign / json.loads((campaign / "campaign.json").read_text())["cells"][0]


def sample(change, where=lambda one: one["accepted"] and one["index"] == 1):
    """Tampers with the first sample that `where` takes."""

    def tamper(campaign):
        def edit(records):
            change(next(one for one in records if where(one)))

        change_samples(first_cell(campaign), edit)

    return tamper


def samples(change):
    """Tampers with all samples of a cell: `change` gets their list, and may return another."""
    return lambda campaign: change_samples(first_cell(campaign), change)


def cell(change):
    return lambda campaign: change_json(first_cell(campaign) / "cell.json", change)


def environment(change):
    return lambda campaign: change_json(first_cell(campaign) / "environment.json", change)


def info(change):
    return lambda campaign: change_json(campaign / "campaign.json", change)


def put(path, value):
    """Changes one value, deep inside."""
    *way, last = path.split(".")

    def change(data):
        for key in way:
            data = data[int(key) if isinstance(data, list) else key]
        data[int(last) if isinstance(data, list) else last] = value

    return change


def promote(one):
    one |= {"accepted": True, "reject_reason": None, "reject_detail": None, "disturbed": False}


def demote(one):
    one |= {"accepted": False, "reject_reason": "disturbed", "disturbed": True}


def remove_cell(campaign):
    name = first_cell(campaign).name
    shutil.rmtree(campaign / name)
    change_json(campaign / "campaign.json", lambda data: data["cells"].remove(name))


def rejected(one):
    return not one["accepted"]


def appended(records, number=0):
    records.append(records[number] | {"order": len(records)})


def replaced(one):
    return one["reject_reason"] == "pair_repeated"


def singly(records):
    """As cells were measured before pairs were repeated."""
    promote(next(one for one in records if replaced(one)))
    del records[-2 if records[-1]["arm"] == "tcp" else -1]
    records[-1]["order"] = len(records) - 1


TAMPERED = {
    "a load that its pair replaced, counted": (sample(promote, replaced), "pair_repeated is what was right in a pair"),
    "a load left out as its pair's": (
        sample(lambda one: one.update(accepted=False, reject_reason="pair_repeated")),
        "pair_repeated is what was right in a pair that is measured again, and only that",
    ),
    "a pair of which one load was not measured again": (samples(singly), "(arm, index, attempt) on are missing"),
    "pairs of a cell that repeats loads alone": (
        cell(lambda data: data.pop("repeated_together")),
        "one too many",
    ),
    "a PLT that is not its HAR's": (sample(put("metrics.plt_ms", 50.0)), "plt_ms is 50.0, what it was read from says"),
    "a HAR that is not its PLT's": (
        sample(put("artefact.log.page.pageTimings.onLoad", 50.0)),
        "what it was read from says",
    ),
    "another metric": (sample(put("metrics.dns_ms", 30.0)), "dns_ms is 30.0"),
    "a metric of nothing": (sample(put("metrics.speed", 30.0)), "speed is 30.0, what it was read from says nothing"),
    "a CPU time that was not metered": (sample(put("metrics.client_cpu_s", 9.0)), "client_cpu_s is 9.0"),
    "another controller of the connection": (sample(put("controller.cca", "bbr")), "bbr in force, cubic asked for"),
    "a client that asked for another controller": (
        sample(put("opened_over_link.asked", [["TBBR", "RVCM"]]), lambda one: one["arm"] == "quic" and one["accepted"]),
        "its controller is cubic, and bbr by what its client asked for",
    ),
    "a client that asked for another window": (
        sample(put("opened_over_link.asked", [["IW50"]]), lambda one: one["arm"] == "quic" and one["accepted"]),
        "judged again it is connection_options: the client asked for IW50",
    ),
    "a controller known from elsewhere": (
        sample(put("controller.evidence", "program"), lambda one: one["arm"] == "quic" and one["accepted"]),
        "its controller is known by 'program', that of envoy is by 'hello'",
    ),
    "a controller that is not told": (
        sample(lambda one: one.pop("controller")),
        "some of its samples tell their connection's controller, and others do not",
    ),
    "a phase of a request": (
        sample(put("artefact.log.entries.0.timings.wait", 7.0)),
        "its phases add up to",
    ),
    "a session that was not resumed": (
        sample(lambda one: one.update(resumed=not one["zero_rtt"])),
        "of one answer of the server",
    ),
    "no artefact": (sample(put("artefact", None)), "nothing that its numbers and its verdict could be read from"),
    "an artefact of no kind": (sample(put("artefact.kind", "guess")), "its artefact is 'guess'"),
    "a torn artefact": (sample(put("artefact.log.entries", [])), "cannot be read"),
    "a rejected sample promoted": (sample(promote, rejected), "one too many"),
    "a rejected sample promoted, and not repeated": (
        samples(lambda records: [promote(one) or one for one in records[:-2]]),
        "its stalls, CPU and link counters say True",
    ),
    "promoted without its flag": (
        samples(lambda records: [one | {"accepted": True, "reject_reason": None} for one in records[:-2]]),
        "it is accepted; judged again it is disturbed",
    ),
    "a rejected sample given another reason": (sample(put("reject_reason", "status"), rejected), "judged again"),
    "an accepted sample demoted": (sample(demote), "is missing, added"),
    "a status": (sample(put("artefact.log.entries.1.status", 404)), "judged again it is status"),
    "another protocol": (sample(put("artefact.log.entries.1.httpVersion", "http/1.1")), "http/1.1"),
    "an object too few": (sample(lambda one: one["artefact"]["log"]["entries"].pop()), "object_count"),
    "an object of another size": (sample(put("artefact.log.entries.1.size", 7)), "object_size"),
    "early data of a cold load": (
        sample(put("zero_rtt", True), lambda one: one["arm"] == "quic" and one["index"] == 0),
        "unexpected_zero_rtt",
    ),
    "no early data of a resumed load": (
        sample(put("zero_rtt", False), lambda one: one["arm"] == "quic" and one["index"] == 1),
        "zero_rtt_rejected",
    ),
    "a connection used again": (
        samples(lambda records: [one | {"connections": ["1"]} if one["arm"] == "quic" else one for one in records]),
        "connection_reused",
    ),
    "several connections": (
        sample(put("connections", ["1", "2"]), lambda one: one["arm"] == "quic"),
        "several_connections",
    ),
    "a stall that did not count": (sample(put("stalls_ms", [30.0])), "its stalls, CPU and link counters say True"),
    "packets lost before the queue": (sample(put("link.server_to_client.socket_drops", 3)), "link counters say True"),
    "late packets": (sample(put("link.server_to_client.late_over_1ms", 90)), "link counters say True"),
    "an emulator that was held up": (sample(put("link.client_to_server.behind_us", 9000)), "link counters say True"),
    "a program that was stopped": (sample(put("stopped_s", {"client": 0.1})), "link counters say True"),
    "a connection more": (sample(put("opened_over_link.opened", 2)), "several_connections"),
    "no connection of its own": (sample(put("opened_over_link.opened", 0)), "connection_reused"),
    "a connection to another server": (sample(put("opened_over_link.others", {"tcp port 9": 1})), "port 9"),
    "fewer bytes than its objects have": (
        sample(put("link.server_to_client.bytes_out", 100)),
        "the link delivered 100",
    ),
    "a sample twice": (samples(appended), "one too many"),
    "a sample twice, numbered on": (
        samples(lambda records: records.insert(3, records[2]) or [one | {"order": n} for n, one in enumerate(records)]),
        "is missing, added, there twice",
    ),
    "a sample copied over another": (
        samples(
            lambda records: records.__setitem__(
                4, records[2] | {key: records[4][key] for key in ("index", "order", "started_at", "arm", "connections")}
            )
        ),
        "",
    ),
    "a sample less": (samples(lambda records: records.pop()), "are missing"),
    "a sample less in the middle": (samples(lambda records: records.pop(3)), "is missing, added"),
    "samples in another order": (samples(lambda records: records[::-1]), "is missing, added"),
    "the cold load counted": (sample(put("set_aside", False), lambda one: one["index"] == 0), "set_aside is False"),
    "a warm load set aside": (sample(put("set_aside", True)), "set_aside is True"),
    "an arm that is none": (sample(put("arm", "a")), "of arm a; the cell's arms are quic, tcp"),
    "a sample of another campaign": (sample(put("campaign", "another")), "is of campaign another"),
    "a sample of another cell": (sample(put("cell_id", "another")), "cell another"),
    "loads at the same time": (
        samples(lambda records: [one | {"started_at": records[0]["started_at"]} for one in records]),
        "began before sample",
    ),
    "loads before the cell": (sample(put("started_at", "2020-01-01T00:00:00+00:00"), lambda one: True), "began before"),
    "a time without a zone": (sample(put("started_at", "2020-01-01T00:00:00")), "started_at"),
    "a cell of another campaign": (cell(put("campaign", "another-20260101T000000")), "is of campaign another-2026"),
    "a cell of another cell": (cell(put("cell_id", "another")), "cell another"),
    "conditions of another cell": (cell(put("cell.link.rtt_ms", 37.0)), "its conditions are not those of its sweep"),
    "an arm of another handshake": (cell(put("cell.arms.0.handshake", "1rtt")), "conditions are not those"),
    "another seed": (cell(put("cell.seed", 3)), "seed is 3, not"),
    "fewer loads": (cell(put("cell.loads", 2)), "loads is 2, not 3"),
    "another schedule": (cell(lambda data: data["schedule"].reverse()), "not the one that its seed draws"),
    "no schedule": (cell(put("schedule", None)), "not the one that its seed draws"),
    "an incomplete cell that says it is complete": (cell(put("complete", False)), "says complete = False"),
    "a cell of before its campaign": (cell(put("started_at", "2020-01-01T00:00:00+00:00")), "its campaign began"),
    "a cell of after it was sealed": (cell(put("ended_at", "2060-01-01T00:00:00+00:00")), "its campaign began"),
    "a cell without times": (cell(lambda data: data.pop("started_at")), "cannot be read"),
    "out of tolerance": (environment(put("calibration.within_tolerance", False)), "not within tolerance"),
    "no calibration": (environment(lambda data: data.pop("calibration")), "not within tolerance"),
    "a rate out of tolerance": (
        environment(put("calibration.measured.server_to_client_mbps", 20.0)),
        "its last calibration is not the one that it rests on",
    ),
    "a rate out of tolerance in all places": (
        environment(
            lambda data: data["calibration"].update(
                measured=data["calibration"]["measured"] | {"server_to_client_mbps": 20.0}, attempts=[]
            )
        ),
        "10 Mbit/s set, 20.00 measured",
    ),
    "the calibration of another link": (
        environment(put("calibration.set.rtt_ms", 10.0)),
        "another link was calibrated",
    ),
    "another link configured": (
        environment(put("link_configuration.server_to_client.delay_ms", 1.0)),
        "was set to delay_ms = 1.0",
    ),
    "a queue configured in packets": (
        environment(put("link_configuration.client_to_server.queue_packets", 50)),
        "was set to queue_packets = 50, the cell asks for 0",
    ),
    "a bucket configured": (
        environment(put("link_configuration.client_to_server.burst_bytes", 3000)),
        "client_to_server was set to burst_bytes = 3000, the cell asks for None",
    ),
    "a trace configured": (
        environment(put("link_configuration.client_to_server.trace", {"sha256": "ff", "offset_ms": 1})),
        "client_to_server was set to the trace {'sha256': 'ff', 'offset_ms': 1}, the cell asks for none",
    ),
    "a queue discipline configured": (
        environment(put("link_configuration.client_to_server.queue_discipline", {"kind": "codel", "ecn": False})),
        "client_to_server was set to the queue discipline {'kind': 'codel', 'ecn': False}, the cell asks for another",
    ),
    "flows that ran beside a load": (
        sample(put("cross_traffic", [{"cca": "cubic", "mbps": 1.0}])),
        "judged again it is cross_traffic: flows beside it: cubic; asked for: none",
    ),
    "another draw of losses": (sample(put("draw", 3)), "its draw of losses is 3; attempt 0 meets 0"),
    "a draw that is not told": (sample(lambda data: data.pop("draw")), "tell their draw of losses, and others do not"),
    "an apparatus of another version": (environment(put("apparatus", 9)), "its apparatus is 9"),
    "a load that met a trace": (
        sample(put("trace_offset_ms", 5)),
        "the trace's clock stood at 5 ms, and its seed asks for None",
    ),
    "the calibration of a bucket": (
        environment(put("calibration.set.burst_bytes", 3000)),
        "another link was calibrated: burst_bytes 3000, not None",
    ),
    "a rate configured in one direction": (
        environment(put("link_configuration.client_to_server.bandwidth_mbps", 1.0)),
        "client_to_server was set to bandwidth_mbps = 1.0, the cell asks for 10",
    ),
    "the calibration of a rate in one direction": (
        environment(put("calibration.set.upload_mbps", 1.0)),
        "another link was calibrated: upload_mbps 1.0, not None",
    ),
    "a loss configured in one direction": (
        environment(put("link_configuration.client_to_server.loss_pct", 1.0)),
        "client_to_server was set to loss_pct = 1.0, the cell asks for 0",
    ),
    "the calibration of a loss in one direction": (
        environment(put("calibration.set.loss_direction", "down")),
        "another link was calibrated: loss_direction down, not None",
    ),
    "the calibration of a queue in packets": (
        environment(put("calibration.set.queue_packets", 50)),
        "another link was calibrated: queue_packets 50, not None",
    ),
    "another controller": (environment(put("cca.quic", "bbr")), "the controller in force was bbr"),
    "another stack": (environment(put("stack_digest", "ff" * 32)), "it was measured with quicv1 (ffff"),
    "a removed cell": (remove_cell, "its sweep has 2 cells, it lists 1"),
    "a removed folder": (lambda campaign: shutil.rmtree(first_cell(campaign)), "are not there; when it was sealed"),
    "a cell more": (info(lambda data: data["cells"].append("another")), "it lists 3"),
    "a cell's name that leads elsewhere": (info(put("cells.0", "../../elsewhere")), "cells.0"),
    "a cell twice": (info(lambda data: data["cells"].append(data["cells"][0])), "listed twice"),
    "another sweep's name": (info(put("sweep", "figure-4.6b")), "the definition that it keeps is of figure-4.6a"),
    "another sweep's definition": (info(put("sweep_definition.loads", 5)), "loads is 3, not 5"),
    "another role": (info(put("role", "reference")), "copied, or renamed"),
    "another time": (info(put("created", "2025-01-01T00:00:00Z")), "copied, or renamed"),
    "sealed before it began": (info(put("sealed", "2000-01-01T00:00:00Z")), "before it began"),
    "another stack's digest": (info(put("stack_digest", "ff" * 32)), "it was measured with"),
    "another stack's name": (info(put("stack", "gquic37")), "its cells need the stacks quicv1"),
    "a definition of nonsense": (info(put("sweep_definition.cells", 7)), "cells"),
}


def others_stand(tmp_path, wrong):
    """Process; the tables of the campaigns beside the wrong one are made. The reason why it is left out."""
    done = process(tmp_path / "raw", tmp_path / "processed")
    assert list(done.left_out) == [wrong]
    listed = read_table(tmp_path / "processed", "campaigns").set_index("campaign")["left_out"]
    assert listed[wrong] == done.left_out[wrong]
    measured = set(read_table(tmp_path / "processed", "cells")["campaign"])
    assert measured == {name for name in listed.index if name != wrong} and measured
    return done.left_out[wrong]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Two campaigns, made once; tests change copies."""
    raw = tmp_path_factory.mktemp("made")
    truthful(raw, seed=1)
    truthful(raw, make_sweep({"series": "4.6b"}, name="figure-4.6b"), seed=2)
    return raw


@pytest.fixture
def raw(made, tmp_path):
    shutil.copytree(made, tmp_path / "raw")
    return tmp_path / "raw"


@pytest.fixture
def campaign(raw):
    (found,) = raw.glob("figure-4.6a-*")
    return found


@pytest.mark.parametrize("kind", TAMPERED)
def test_whoever_makes_the_manifest_anew_is_found_all_the_same(campaign, kind):
    tamper, words = TAMPERED[kind]
    with forged(campaign):
        tamper(campaign)
    assert verify(campaign) == []
    made = make_tables(campaign.parent)
    assert list(made.left_out) == [campaign.name] and words in made.left_out[campaign.name]
    assert len({row["campaign"] for row in made.tables["cells"]} - {campaign.name}) == 1


def busy(one):
    """Of a load that took less than 200 ms with all that comes before and after it, but more than its PLT."""
    one["cpu"].update(machine_busy=1.0, client_wait_s=0.79)


def set_forward(one):
    one.update(clock_step_s=2.0, stalls_ms=[], reject_detail="the wall clock was set forward by 2.000 s meanwhile")
    last = one["artefact"]["log"]["entries"][-1]
    last["startedDateTime"] = (datetime.fromisoformat(last["startedDateTime"]) + timedelta(seconds=2)).isoformat()


HONEST = {
    "a busy machine": sample(busy),
    "the wall clock set within a load": sample(set_forward, lambda one: one["reject_reason"] == "disturbed"),
}


@pytest.mark.parametrize("kind", HONEST)
def test_what_can_have_been_measured_stands_every_check(campaign, kind):
    with forged(campaign):
        HONEST[kind](campaign)
    assert check_campaign(find_campaign(campaign.parent, campaign.name)).problems == []


def test_a_copy_under_a_new_id_is_told_from_the_campaign_that_it_was_made_of(raw, campaign, tmp_path):
    """Even where every name and time in it was made to fit."""
    name = campaign.name[:-1] + str((int(campaign.name[-1]) + 1) % 10)
    copy = raw / name
    shutil.copytree(campaign, copy)
    assert name in others_stand(tmp_path, name)
    created = f"{name[-15:-11]}-{name[-11:-9]}-{name[-9:-7]}T{name[-6:-4]}:{name[-4:-2]}:{name[-2:]}Z"
    with forged(copy):
        change_json(copy / "campaign.json", lambda data: data.update(campaign=name, created=created))
        for folder in (path for path in copy.iterdir() if path.is_dir()):
            change_json(folder / "cell.json", put("campaign", name))
            change_samples(folder, lambda records: [one | {"campaign": name} for one in records])
    assert check_campaign(find_campaign(raw, name)).problems == []
    later = max(name, campaign.name)
    assert f"of its samples are those of {min(name, campaign.name)}" in others_stand(tmp_path, later)


@pytest.mark.parametrize("sealed", [True, False])
def test_links_in_a_record_are_refused(made, tmp_path, sealed):
    raw = tmp_path / "raw"
    campaign = truthful(raw, seal=sealed).path
    truthful(raw, make_sweep({"series": "4.6b"}, name="figure-4.6b"), seed=3)
    cell = first_cell(campaign)
    outside = tmp_path / "outside"
    (cell / SAMPLES_NAME).rename(outside)
    (cell / SAMPLES_NAME).symlink_to(outside)
    if sealed:
        manifest = campaign / MANIFEST_NAME
        manifest.write_text(manifest.read_text())
    assert "symbolic link" in others_stand(tmp_path, campaign.name)
    if sealed:
        with pytest.raises(Exception, match="cannot be sealed"):
            write_manifest(campaign)


def test_a_linked_cell_is_refused(raw, campaign, tmp_path):
    cell = first_cell(campaign)
    shutil.move(cell, tmp_path / "elsewhere")
    cell.symlink_to(tmp_path / "elsewhere")
    assert "missing: " in others_stand(tmp_path, campaign.name) or "link" in others_stand(tmp_path, campaign.name)


def test_unsealing_is_not_silent(campaign, tmp_path):
    (campaign / MANIFEST_NAME).unlink()
    assert "its manifest is missing" in others_stand(tmp_path, campaign.name)


def test_a_growing_campaign_is_checked_like_a_sealed_one(tmp_path):
    raw = tmp_path / "raw"
    truthful(raw)
    growing = truthful(raw, make_sweep({"series": "4.6b"}, name="figure-4.6b"), seal=False, seed=2).path
    assert process(raw, tmp_path / "processed").left_out == {}
    sample(put("metrics.plt_ms", 50.0))(growing)
    assert "plt_ms is 50.0" in others_stand(tmp_path, growing.name)


def transfer_table(name, change):
    def tamper(campaign):
        path = first_cell(campaign) / name
        frame = pd.read_parquet(path)
        changed = change(frame)
        (frame if changed is None else changed).to_parquet(path)

    return tamper


TRANSFERS = {
    "a rate": (samples(lambda records: records[0]["metrics"].update(mean_mbps=9.9)), "mean_mbps is 9.9"),
    "a program that was stopped": (
        samples(lambda records: [one | {"stopped_s": {"9 envoy": 0.2}} for one in records]),
        "programs were stopped: 9 envoy",
    ),
    "another controller": (
        samples(lambda records: records[0]["controller"].update(cca="reno")),
        "it is accepted, and its connection's controller was 'reno'",
    ),
    "a controller known from elsewhere": (
        samples(lambda records: records[0]["controller"].update(evidence="program")),
        "its controller is known by",
    ),
    "a count": (samples(lambda records: records[0]["metrics"].update(lost=3)), "lost is 3, timeline.parquet says 19"),
    "a count of nothing": (samples(lambda records: records[0]["metrics"].pop("spurious")), "spurious is None"),
    "an end": (samples(lambda records: records[0]["metrics"].update(finished_s=3.0)), "finished_s is 3.0"),
    "a flow twice": (samples(lambda records: [*records, records[0] | {"order": 2}]), "a sample is missing, added"),
    "a flow that is missing": (samples(lambda records: records.pop()), "a sample is missing, added"),
    "verdicts that differ": (
        samples(lambda records: records[0].update(accepted=False, reject_reason="disturbed")),
        "the verdicts of an attempt differ",
    ),
    "throughput": (
        transfer_table("throughput.parquet", lambda frame: frame.assign(bytes=frame["bytes"] * 2)),
        "throughput.parquet says",
    ),
    "more than the link can carry": (
        lambda campaign: (
            transfer_table("throughput.parquet", lambda frame: frame.assign(bytes=frame["bytes"] * 2))(campaign),
            samples(
                lambda records: [one["metrics"].update(mean_mbps=one["metrics"]["mean_mbps"] * 2) for one in records]
            )(campaign),
        ),
        "",
    ),
    "flows of another cell": (
        transfer_table("timeline.parquet", lambda frame: frame.assign(flow="quic9")),
        "flows ['quic9'] are none of the cell's",
    ),
    "a shorter transfer": (
        transfer_table("throughput.parquet", lambda frame: frame[frame["time_s"] < 20]),
        "throughput.parquet says",
    ),
}


@pytest.mark.parametrize("kind", TRANSFERS)
def test_transfers_too(tmp_path, kind):
    tamper, words = TRANSFERS[kind]
    raw = tmp_path / "raw"
    truthful(raw, seed=2)
    campaign = truthful(raw, shared_sweep({"replicates": 1})).path
    with forged(campaign):
        tamper(campaign)
    left_out = make_tables(raw).left_out
    assert list(left_out) == [campaign.name] and words in left_out[campaign.name]


def test_an_end_that_is_not_the_last_that_was_seen(tmp_path):
    campaign = truthful(tmp_path, SWEEPS["until all is loaded"])
    with forged(campaign.path):
        samples(lambda records: records[0]["metrics"].update(finished_s=9.4))(campaign.path)
    assert "finished_s is 9.4" in check_campaign(campaign).problems[0]


def test_times_beyond_the_transfer(tmp_path):
    campaign = truthful(tmp_path, shared_sweep())
    with forged(campaign.path):
        transfer_table("timeline.parquet", lambda frame: frame.assign(time_s=frame["time_s"] * 4))(campaign.path)
    assert "its timeline.parquet ends at" in check_campaign(campaign).problems[0]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"cost200us": 90.0}, "envoy was at work for 90 us at a request, 200 us were asked for"),
        ({"cost200us": 900.0}, "envoy was at work for 900 us"),
        ({}, "envoy did not tell how long"),
        ({"cost200us": "200"}, "cannot be read"),
    ],
)
def test_what_requests_cost_too(tmp_path, said, words):
    raw = tmp_path / "raw"
    truthful(raw, seed=2)
    campaign = truthful(raw, make_sweep(COSTS | {"series": "4.6b"}, name="figure-4.6b")).path
    with forged(campaign):
        cell(put("request_us", said))(campaign)
    left_out = make_tables(raw).left_out
    assert list(left_out) == [campaign.name] and words in left_out[campaign.name]


def test_a_cell_of_another_campaign_that_was_made_to_fit_is_a_copy(tmp_path):
    """Cells of the same conditions in two campaigns: the samples of one stand in for those of the other."""
    raw = tmp_path / "raw"
    one, other = (truthful(raw, seed=seed).path for seed in (1, 2))
    source, target = first_cell(one), first_cell(other)
    with forged(other):
        for name in (SAMPLES_NAME, "cell.json"):
            shutil.copy(source / name, target / name)
        change_json(target / "cell.json", put("campaign", other.name))
        change_samples(target, lambda records: [record | {"campaign": other.name} for record in records])
    reason = process(raw, tmp_path / "processed").left_out[other.name]
    assert f"of its samples are those of {one.name}" in reason or "its campaign began" in reason


def test_a_campaign_that_says_nothing_readable_is_named(raw, campaign, tmp_path):
    (campaign / "campaign.json").write_text("{")
    assert "could not be read as JSON" in others_stand(tmp_path, campaign.name)
    row = read_table(tmp_path / "processed", "campaigns").set_index("campaign").loc[campaign.name]
    assert row["role"] is None and row["sweep"] is None


def test_the_tables_are_the_same_whoever_is_left_out(raw, campaign, tmp_path):
    process(raw, tmp_path / "before")
    wrong = truthful(raw, make_sweep({"series": "4.6d"}, name="figure-4.6d"), seed=4).path
    with forged(wrong):
        sample(put("metrics.plt_ms", 50.0))(wrong)
    process(raw, tmp_path / "after")
    for name in set(TABLES) - {"campaigns"}:
        assert read_table(tmp_path / "before", name).equals(read_table(tmp_path / "after", name)), name
    assert sha256_file(tmp_path / "before" / "arms.csv") == sha256_file(tmp_path / "after" / "arms.csv")
