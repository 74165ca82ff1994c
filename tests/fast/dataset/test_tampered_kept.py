"""A reference campaign of which a part was changed, sealed anew, is left out: two parts contradict each other."""

import json
import os
import shutil

import pandas as pd
import pytest
import zstandard
from kept import SMALLEST, kept
from truthful import change_json, change_samples, forged

from longlook.dataset.checks import check_campaign
from longlook.experiment.connected import CONNECTIONS
from longlook.experiment.reading import THROUGHPUT, TIMELINE, TRACES
from longlook.experiment.sessions import SESSIONS, over_time
from longlook.record.campaigns import find_campaign, verify


@pytest.fixture(autouse=True)
def no_disk(monkeypatch):
    """Nothing here has to survive the machine."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Kind -> a campaign that nobody changed."""
    found = {}

    def get(kind):
        if kind not in found:
            found[kind] = kept(kind, tmp_path_factory.mktemp("whole"))
        return found[kind]

    return get


def table(name, change):
    def tamper(cell):
        frame = pd.read_parquet(cell / name)
        changed = change(frame)
        (frame if changed is None else changed).to_parquet(cell / name, index=False)

    return tamper


def times(columns, factor, name=TIMELINE, where=lambda frame: slice(None)):
    """Numbers of these columns, as many times as large."""

    def change(frame):
        for column in columns:
            frame.loc[where(frame), column] = (frame.loc[where(frame), column] * factor).astype(frame[column].dtype)

    return table(name, change)


def samples(change, every=False):
    """Of the accepted samples that are not set aside the first one, or every one."""

    def tamper(cell):
        def edit(records):
            own = [one for one in records if one["accepted"] and not one["set_aside"]]
            for one in own if every else own[:1]:
                change(one)

        change_samples(cell, edit)

    return tamper


def slower(*names, factor):
    """A client's times, in what it wrote and in the metrics made of that."""

    def change(one):
        metrics, artefact = one["metrics"], one["artefact"]
        for name in names:
            if f"{name}_ms" in metrics:
                metrics[f"{name}_ms"] = round(metrics[f"{name}_ms"] * factor, 3)
        for key, value in list(artefact.items()):
            if key.endswith("_ms") and key.removesuffix("_ms") in names and isinstance(value, int | float):
                artefact[key] = round(value * factor, 3)

    return change


def earlier(by_ms):
    """A film begins to play earlier; its table is made anew."""

    def change(one):
        event = next(event for event in one["artefact"]["events"] if event[1] == "playing")
        event[0] -= by_ms
        one["metrics"]["startup_ms"] -= by_ms

    def tamper(cell):
        samples(change)(cell)
        over_time(cell).to_parquet(cell / SESSIONS, index=False)

    return tamper


def frames(count):
    def change(one):
        one["artefact"]["frames"] = one["metrics"]["frames"] = count

    return samples(change)


def dropped(one):
    one["artefact"]["frames_dropped"] = one["metrics"]["frames_dropped"] = one["artefact"]["frames"] + 1


def given(share):
    """A part of one flow's bytes goes to the other, with the rates made of that."""

    def tamper(cell):
        bins = pd.read_parquet(cell / THROUGHPUT)
        one, other = list(dict.fromkeys(bins["flow"]))
        of_one, of_other = (bins["flow"] == name for name in (one, other))
        moved = (bins.loc[of_one, "bytes"] * share).astype("int64")
        bins.loc[of_one, "bytes"] -= moved
        bins.loc[of_other, "bytes"] += moved.to_numpy()
        bins.to_parquet(cell / THROUGHPUT, index=False)
        from longlook.probe.throughput import mean_mbps

        rates = mean_mbps(bins, [one, other])
        change_samples(cell, lambda records: [r["metrics"].update(mean_mbps=rates[r["arm"]]) for r in records] and None)

    return tamper


def exchanged(cell):
    """Two loads of two arms, with all that was seen of them."""

    def edit(records):
        one = next(r for r in records if r["accepted"] and r["index"] == 1)
        other = next(r for r in records if r["accepted"] and r["index"] == 1 and r["arm"] != one["arm"])
        placed = ("arm", "index", "attempt", "order", "started_at")
        for key in one.keys() - set(placed):
            one[key], other[key] = other[key], one[key]

    change_samples(cell, edit)


def record(name, change):
    return lambda cell: change_json(cell / name, change)


def trace(change):
    def tamper(cell):
        text = json.loads(zstandard.ZstdDecompressor().decompress((cell / TRACES).read_bytes()))
        change(text["traces"])
        (cell / TRACES).write_bytes(zstandard.ZstdCompressor().compress(json.dumps(text).encode()))

    return tamper


def _fewer(traces):
    traces[0]["events"] = traces[0]["events"][: len(traces[0]["events"]) // 3]


def _wider(traces):
    for one in traces[0]["events"]:
        if "congestion_window" in one["data"]:
            one["data"]["congestion_window"] *= 3


def _first_row(column, value):
    return lambda frame: frame.__setitem__(column, [value, *frame[column].tolist()[1:]])


RTT = ("rtt_ms", "down_ms", "hold_ms", "up_ms", "told_ms")
NOT_FIRST = 5
TAMPERED = {
    "connections far longer": (
        "downloads without loss",
        times(["duration_ms"], 60, CONNECTIONS),
        "longer than their files",
    ),
    "connections half as long": ("downloads", times(["duration_ms"], 0.3, CONNECTIONS), "its connection took"),
    "packets down": ("downloads without loss", times(["packets_down"], 1.5, CONNECTIONS), "packets_down is"),
    "a client's times halved, without loss": (
        "downloads without loss",
        samples(slower("connect", "ttfb", "ttlb", factor=0.5)),
        "",
    ),
    "packets up": ("downloads without loss", times(["packets_up"], 4, CONNECTIONS), "packets_up is"),
    "bytes down": ("downloads without loss", times(["bytes_down"], 1.5, CONNECTIONS), "bytes_down is"),
    "bytes up": ("downloads without loss", times(["bytes_up"], 5, CONNECTIONS), "bytes_up is"),
    "the link's counters": (
        "downloads without loss",
        samples(lambda one: one["link"]["server_to_client"].update(packets_in=9999)),
        "the link carried 9999",
    ),
    "a client's times halved": ("downloads", samples(slower("connect", "ttfb", "ttlb", factor=0.4)), ""),
    "a client's times doubled": ("downloads", samples(slower("connect", "ttfb", "ttlb", factor=2)), ""),
    "films that begin earlier": ("films", earlier(120), "by its later places"),
    "films that begin later": ("films", earlier(-600), "by its later places"),
    "frames": ("films", frames(9), "frames of"),
    "more frames dropped than there were": ("films", samples(dropped), "frames were dropped"),
    "windows three times as large": ("windows", times(["cwnd_bytes"], 3), "bytes were in flight, in windows"),
    "round trips of QUIC twice as long": ("traces", times(RTT, 2), "shortest round trip"),
    "round trips twice as long": ("windows", times(RTT, 2), "shortest round trip"),
    "one part of a round trip": ("traces", times(["down_ms"], 1.2), "parts of a round trip"),
    "a negative time": ("windows", table(TIMELINE, _first_row("time_s", -1.0)), "time_s is -1"),
    "a negative window": ("windows", times(["cwnd_bytes"], -1), "cwnd_bytes is -"),
    "a gap in a source": (
        "windows",
        table(TIMELINE, lambda frame: frame.assign(rtt_ms=frame["rtt_ms"].where(frame.index % NOT_FIRST != 3))),
        "lacks rtt_ms",
    ),
    "time that goes back": ("windows", table(TIMELINE, lambda frame: frame[::-1]), ""),
    "fewer lost than before": (
        "shares",
        table(TIMELINE, lambda frame: frame.assign(lost=frame["lost"][::-1].values)),
        "",
    ),
    "a third of a flow's bytes": ("windows", times(["bytes"], 0.7, THROUGHPUT), ""),
    "response of a server": (
        "windows",
        samples(lambda one: one["metrics"].update(response_ms_median=1e6, response_ms_max=1e6)),
        "answered after",
    ),
    "lost in vain": ("old shares", lambda cell: change_json(cell / "cell.json", _spurious), ""),
    "a trace cut short": ("traces", trace(_fewer), "its trace has"),
    "a trace with other windows": ("traces", trace(_wider), "windows of up to"),
    "no trace": ("traces", trace(lambda traces: traces.clear()), "0 traces of"),
    "a trace of nothing": ("traces", lambda cell: (cell / TRACES).write_bytes(b"x"), "traces.qlog.zst"),
    "loads of two arms exchanged": ("page loads", exchanged, ""),
    "objects that nobody hashed": (
        "page loads",
        record("cell.json", lambda data: data["objects_hashed"].popitem()),
        "objects_hashed",
    ),
    "an initial window": (
        "downloads",
        record("cell.json", lambda data: data["initial_window_bytes"].update(ngtcp2=1)),
        "initial_window_bytes of ngtcp2 is 1",
    ),
    "a version": (
        "page loads",
        record("environment.json", lambda data: data["server_versions"].update(envoy="9.9")),
        "said that it is 9.9",
    ),
}


def _spurious(data):
    for flow in data["flows"].values():
        flow["spurious"] = (flow.get("lost") or 0) + 1


@pytest.mark.parametrize("kind", SMALLEST)
def test_one_that_nobody_changed_stands(whole, kind):
    campaign = whole(kind)
    assert verify(campaign) == [] and check_campaign(find_campaign(campaign.parent, campaign.name)).problems == []


@pytest.mark.parametrize("what", TAMPERED)
def test_what_two_parts_say_of_the_same_thing_is_held_together(whole, tmp_path, what):
    kind, tamper, words = TAMPERED[what]
    copy = shutil.copytree(whole(kind), tmp_path / whole(kind).name)
    (cell,) = [one for one in copy.iterdir() if one.is_dir()]
    with forged(copy):
        tamper(cell)
    assert verify(copy) == []
    problems = check_campaign(find_campaign(tmp_path, copy.name)).problems
    assert problems and any(words in line for line in problems), problems[:3]
