"""The page "What if": its script against the floor model in Python, its data, its static table. Without a browser."""

import io
import json
import random
import shutil
import subprocess

import pandas as pd
import pytest
from book_sample import REPOSITORY, write_sample

from longlook import paths
from longlook.book import data as book_data
from longlook.book import whatif
from longlook.book.front import squares
from longlook.book.whatif import COLUMNS, QUIC, TCP, Condition, cell_of
from longlook.experiment.floor import floor
from longlook.plan.workload import bytes_of_kb

SCRIPT = REPOSITORY / "book" / "_static" / "whatif.js"
PARTS = ("handshake_ms", "requests_ms", "slow_start_ms", "serialisation_ms", "total_ms")
RUN = """const whatif = require({script});
const asked = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(({body})(whatif, asked)));"""
TIMEOUT_S = 300


def node(body, asked):
    """What the JavaScript function `body(whatif, asked)` returns."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("no Node: install the nodejs package")
    command = [program, "-e", RUN.format(script=json.dumps(str(SCRIPT)), body=body)]
    found = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, timeout=TIMEOUT_S)
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


def floors(asked):
    """Of each condition and transport, from the page's script."""
    body = """({ floor, QUIC, TCP }, asked) => asked.map(([at, own]) =>
        floor(at, { ...(own.protocol === "quic" ? QUIC : TCP), ...own }))"""
    return node(body, asked)


def _told(number):
    """As finely as a cell may have it."""
    return float(f"{number:.5g}")


def drawn(rng):
    """A random condition and arm: (for the script, its floor in Python)."""
    size_kb, count = round(10 ** rng.uniform(0, 4)), round(10 ** rng.uniform(0, 2.5))
    least_mbps = size_kb * count / 1e5  # a cell takes no longer than an hour
    mbps = _told(max(10 ** rng.uniform(-1, 4), least_mbps * 1.001))
    most_ms = 3.9e6 / mbps  # a cell has a queue of less than a gigabyte
    where = Condition(
        bandwidth_mbps=mbps,
        rtt_ms=round(_told(min(10 ** rng.uniform(0, 3.3), most_ms)), 3),
        size_kb=size_kb,
        count=count,
    )
    if rng.random() < 0.5:
        window = rng.choice([None, 1, 10, 32, 100])
        arm, own = TCP | {"initial_window": window}, {"protocol": "tcp"}
    else:
        option, handshake = rng.choice([None, "IW03", "IW10", "IW20", "IW50"]), rng.choice(["0rtt", "1rtt"])
        window = int(option[2:]) if option else None
        arm = QUIC | {"handshake": handshake, "quic_options": [option] if option else []}
        own = {"protocol": "quic", "handshake_rounds": int(handshake == "1rtt")}
    cell = cell_of(where, arm)
    at = {"bandwidth_mbps": where.bandwidth_mbps, "rtt_ms": where.rtt_ms, "count": where.count}
    at |= {"size_bytes": bytes_of_kb(where.size_kb)}
    return [at, own | ({"window_packets": window} if window else {})], floor(cell, cell.arms[0])


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    root = tmp_path_factory.mktemp("sample")
    write_sample(root, figures=["4.6a", "4.6d"])
    return book_data.read(paths.PUBLISHED, root / "data" / "processed")


@pytest.fixture(scope="module")
def data():
    return book_data.load()


def cells(data):
    return pd.DataFrame(whatif.measured_cells(data), columns=list(COLUMNS))


def test_the_script_has_the_same_floor():
    rng = random.Random(36)
    asked, wanted = zip(*(drawn(rng) for _ in range(400)), strict=True)
    for one, found, least in zip(asked, floors(asked), wanted, strict=True):
        expected = {part: getattr(least, part) for part in PARTS}
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-6), one
    slow = [least.slow_start_ms for least in wanted]
    assert sum(one > 0 for one in slow) > 100 and sum(one == 0 for one in slow) > 50, "both kinds are tried"


def test_the_script_has_the_same_kilobytes_and_handshakes():
    sizes = [1, 5, 999, 1000, 10_000]
    assert node("({ bytesOfKb }, asked) => asked.map(bytesOfKb)", sizes) == [bytes_of_kb(one) for one in sizes]
    assert node("({ HANDSHAKE_ROUNDS }) => HANDSHAKE_ROUNDS", None) == {"0rtt": 0, "1rtt": 1}


def test_the_floors_of_measured_cells_are_those_of_the_model(data):
    """Of every cell, with what the script takes for usual."""
    places = ["bandwidth_mbps", "rtt_ms", "size_bytes", "count"]
    conditions = cells(data)[places].to_dict("records")
    own = [one.printed.cell for one in squares(data) if not one.printed.cell.link.jitter_ms]
    assert len(own) > 200
    for arm in ("quic", "tcp"):
        found = floors([[at, {"protocol": arm}] for at in conditions])
        expected = [floor(cell, cell.arm(arm)).total_ms for cell in own]
        assert [one["total_ms"] for one in found] == pytest.approx(expected)


def distances(where, cells):
    return [one["distance"] for one in node("({ nearest }, [cells, at]) => nearest(cells, at, 9)", [cells, where])]


def test_the_distance_is_in_doublings_and_loss_counts():
    at = {"bandwidth_mbps": 10, "rtt_ms": 36, "loss_pct": 0, "size_bytes": 1000, "count": 1}
    assert distances(at, [at]) == [0]
    assert distances(at, [at | {"bandwidth_mbps": 20}]) == distances(at, [at | {"rtt_ms": 18}]) == [1]
    assert distances(at, [at | {"loss_pct": 1}]) == [3]
    assert distances(at, [at | {"count": 2, "size_bytes": 500}]) == [1], "bytes in all are the same"
    assert distances(at, [at | {"count": 2}]) == pytest.approx([2**0.5])
    assert distances(at, [at | {"bandwidth_mbps": 160, "loss_pct": 1}, at, at | {"rtt_ms": 72}]) == [0, 1, 5]


def test_the_page_has_each_cell_without_jitter_in_both_versions(sample, data):
    found = cells(sample)
    first = found[(found["figure"] == "4.6a") & (found["bandwidth_mbps"] == 10) & (found["size_bytes"] == 5120)].iloc[0]
    assert len(found) == 39 and set(found["stack"]) == {"QUIC v1"}
    assert (first["published_quic_ms"], first["published_tcp_ms"], first["published_faster"]) == (106.4, 183.4, "QUIC")
    assert 90 < first["measured_quic_ms"] < first["measured_tcp_ms"] and first["measured_faster"] == "QUIC"
    whole = cells(data)
    assert set(whole["stack"]) == {"QUIC v1", "gQUIC"} and set(whole["loss_pct"]) == {0, 1}
    assert not {"4.11a", "4.11b", "4.11c", "4.11d"} & set(whole["figure"])
    assert set(whole["figure"]) <= set(whatif.pages())
    said = pd.concat([whole["published_faster"], whole["measured_faster"]])
    assert said.str.fullmatch(r"QUIC|TCP|none \([\d.]+ %\)").all()


def test_a_figure_is_found_where_it_is_discussed():
    assert whatif.pages()["4.6a"] == "muthuraj2024/results-quicv1.html#figure-4-6a"
    assert whatif.pages()["4.5e"] == "muthuraj2024/gquic.html#figure-4-5e"


def test_without_a_campaign_there_are_no_cells(tmp_path):
    data = book_data.read(paths.PUBLISHED, tmp_path)
    assert whatif.measured_cells(data) == [] and '"cells":[]' in whatif.panel(data).data


def test_nothing_in_the_data_ends_its_element(sample):
    inside = whatif.panel(sample).data.partition('class="ll-data">')[2].partition("</script>")[0]
    assert "<" not in inside and json.loads(inside)["columns"] == list(COLUMNS)


def test_the_static_table_has_the_floors_with_their_parts():
    (table,) = pd.read_html(io.StringIO(whatif.examples().data))
    parts = table[["handshake, ms", "requests, ms", "slow start, ms", "serialisation, ms"]].sum(axis=1)
    assert list(table["floor, ms"]) == pytest.approx(list(parts), abs=0.21)
    by_protocol = table.pivot(index="condition", columns="protocol", values="floor, ms")
    assert len(by_protocol) == len(whatif.EXAMPLES)
    rtt = by_protocol.index.str.extract(r"(\d+) ms")[0].astype(float).to_numpy()
    assert list(by_protocol["QUIC, 1-RTT"] - by_protocol["QUIC, 0-RTT"]) == pytest.approx(list(rtt), abs=0.11)
    assert (by_protocol["TCP"] > by_protocol["QUIC, 1-RTT"]).all()
