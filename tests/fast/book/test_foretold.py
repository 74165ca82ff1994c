"""Every prediction that stands as data in a sweep: it says what its sentence says, and tables can show it wrong."""

import json
import math
import random
import re
from dataclasses import replace

import pytest

from longlook import paths
from longlook.analysis.evidence import Column
from longlook.analysis.judge import judge
from longlook.book.foretelling import became, foretold
from longlook.book.judged import standing_text
from longlook.book.templates import row
from longlook.errors import LonglookError
from longlook.experiment.measurable import require_foretold
from longlook.plan.conditions import ARM, PLACE, changed_with
from longlook.plan.criteria import (
    CPU_METRICS,
    FIRST_LOST,
    LOG_LIKELIHOODS,
    OF_BASES,
    OF_CPU,
    OF_PAIRS,
    OF_RECORDS,
    OF_RUNS,
    REACH,
    Range,
    Squares,
)
from longlook.plan.squares import base, beside, beside_base, is_arm, number_of_squares, selects
from longlook.plan.statements import Prediction, numbers_in
from longlook.plan.value import PlanError
from longlook.record.criteria import sealed
from longlook.stack.arms import every_sweep, open_sweep, sweep_files

SWEEPS = {sweep.name: sweep for sweep in every_sweep() if sweep.predictions}
ENTRIES = [
    pytest.param(sweep, one, id=f"{name}-{number}")
    for name, sweep in SWEEPS.items()
    for number, one in enumerate(sweep.predictions, 1)
]
SAID_OTHERWISE = {
    ("exact-bytes", "pictures of 10068 bytes: each mean differs by less than 5% from that of 10240"): {10068, 10240},
    (
        "queue-slots",
        "all 8 means of 10 MB at 50 and 100 Mbit/s lie within the published ones' 99 % prediction interval",
    ): {8},
    ("send-cost", "100 KB × 10: 700 µs change QUIC and TCP by 5 % at most, at 36 and 112 ms"): {36, 112},
    (
        "threshold-4.6",
        "published loads scatter more than 1.5 times as much as those with a threshold in 6 of 8 squares at least",
    ): {1.5},
    (
        "threshold-4.6",
        "means and variances are a hundred times as likely with 1 % each way and no threshold as with half of it and a "
        "threshold",
    ): {0.5},
    (
        "threshold-4.6",
        "100 to 500 KB at 50 Mbit/s: outside the 99 % prediction interval lies at least one of three means with a "
        "threshold, none with 1 % each way",
    ): {1, 3},
    ("loss-each-way-4.9b", "10 MB at 10 Mbit/s: TCP is significantly faster, by −5.0 to −25 %"): {-5, -25},
    (
        "client-share",
        "from ten objects to two hundred QUIC's lead shrinks by 5 to 40 percentage points, in 4 of 4 squares of 50 and "
        "100 Mbit/s",
    ): {10},
    (
        "n-no-loss",
        "one object of up to 1 MB: in at least 17 of 18 squares the loads show that N = 1 and N = 2 differ by less "
        "than 10 %",
    ): {1},
    ("baxter-reordering", "with jitter and a threshold of 1,000 at most half of what it takes with 3"): {3},
    ("yu-clients", "100 KB: Chromium 126 is within 10 ms of 111"): {111},
    (
        "yu-over-time",
        "1 % loss: each has less than 18.75 KB in flight for a larger share of the time by CUBIC than by BBR",
    ): {18.75},
    (
        "yu-over-time",
        "1 MB, 115 ms: with each client some round trip has 80 % of the link's rate, and half is acknowledged within "
        "10 % of the quickest's time",
    ): {0.5},
    ("yu-pages-loss", "100 ms more, small page: both at least 5 % lower"): {100},
    ("halme-aioquic-then", "with its server told of 1 s it takes within 5 % of 1.7.2"): {1},
    ("halme-aioquic-both", "RTT 400 ms: with both ends told of 1 s, 0.9.21 takes within 5 % of 1.7.2"): {1},
    (
        "halme-one-direction",
        "of the 8 mean durations all are 0.75 to 1.25 times those with loss each way, and of at least 7 the 99 % "
        "interval includes once",
    ): {99},
    (
        "halme-one-direction",
        "aioquic's in both tables, LSQUIC's and ngtcp2's in table 3: the interval lies between 0.8 and 1.2",
    ): {3},
    (
        "halme-one-direction",
        "LSQUIC is first and ngtcp2 second in both tables, aioquic last in table 5, as printed and with loss each way",
    ): {5},
    (
        "halme-one-direction",
        "in table 5 the printed means of LSQUIC and ngtcp2 are at least 1.2 times those with loss down only, too",
    ): {5, 1.2},
    (
        "halme-one-direction",
        "no connection begins for the server more than 0.1 s later than for its client, and none of LSQUIC's in table "
        "5 ends more than 2 s after the last byte",
    ): {0.1, 5},
    ("yu-group-pace", "with 333 ms assumed the handshake is longer by 1.35 to 1.65 round trips"): {333},
    ("years", "of the verdicts of the milestones from 92 on at least nine in ten are those of 111 in the same cell"): {
        111
    },
    (
        "years",
        "the post-quantum key share costs no round trip: with 5 KB Chromium 153 takes less than 20 ms more than 119",
    ): {153},
    ("today-near", "at 36 ms at least 11 verdicts with CUBIC are those of 2024, and none is the opposite one"): {2024},
    (
        "today-far",
        "from 36 to 112 ms QUIC's lead grows by 130 to 170 ms with 5 KB, two round trips, and by more with 100 KB",
    ): {2},
    (
        "today-jitter",
        "under jitter the same program takes significantly longer with the static threshold of 3 packets than with its "
        "own",
    ): {3},
    ("today-share", "with N = 1 the ratio of the rates is at most half of that with N = 2"): {2},
    (
        "years-servers-share",
        "the ratio of the rates lies between three quarters and four thirds of that of Envoy 1.40",
    ): {1.4, 3},
    ("years-large-loss", "with every browser QUIC is significantly faster than TCP (p < 0.01)"): {0.01},
    ("years-servers", "without jitter no release's mean differs significantly from that of Envoy 1.40"): {1.4},
    (
        "years-servers",
        "of the releases' verdicts of QUIC against TCP at least nine in ten are those of Envoy 1.40 in the same cell",
    ): {1.4},
    ("matrix-chromium", "QUIC's handshake takes less than 1.5 round trips, TCP's 2 to 2.5"): {1.5, 2.5},
    ("matrix-handshake", "QUIC's handshake takes less than one and a half round trips"): {0.5},
    ("matrix-handshake", "TCP's takes 2 to 2.5 round trips"): {2, 2.5},
    (
        "matrix-handshake",
        "the last byte is there within three round trips by QUIC, within three and a half by TCP",
    ): {3, 0.5},
    ("matrix-windows", "a cut leaves of the window what the sources state, within 0.05"): {0.05},
    ("matrix-early", "each of 20 pairs resumes with early data"): {20},
    ("matrix-early", "of 1 KB the last byte is there 0.8 to 1.2 round trips earlier"): {0.8, 1.2},
    ("matrix-early", "of 10 KB the answer begins 0.8 to 1.2 round trips earlier"): {0.8, 1.2},
    ("matrix-early", "of 10 KB the last byte is there at most half a round trip earlier"): {0.5},
    ("shreedhar-clock", "TLS 1.2 takes five round trips to the last byte, to within 10 %"): {5, 10},
    ("shreedhar-clock", "modulo 1000 ms the median at 580 ms is below that at 290 ms"): {1000},
    (
        "shreedhar-clock",
        "read rightly QUIC's median is ahead of TLS 1.2's on each link; over all links the wrapped clock makes its "
        "lead 10 to 30 % larger",
    ): {10, 30},
    (
        "shreedhar-checks",
        "140 authorities take a fast client 8 to 60 ms with OpenSSL, and 0.5 to 20 ms with BoringSSL",
    ): {140},
    (
        "shreedhar-checks",
        "with OpenSSL they take 3 to 5 times as long with a quarter of a processor, 7 to 12 times with a tenth",
    ): {0.25},
    (
        "shreedhar-files-1gbit",
        "at 200 MB so does the client of TLS 1.2, its server uses less than half, and the link is "
        "filled to less than 80 %",
    ): {80},
    (
        "shreedhar-web-far",
        "a slow client costs a connection as much at 150 ms as at 55, to within 10 ms, with each of curl's arms",
    ): {55},
    (
        "shreedhar-web-far",
        "from ngtcp2 the last byte comes one to two round trips (0.8 to 2.2) later than from Envoy",
    ): {1, 2},
}
"""Numbers of a sentence that no entry has: what an arm is that states nothing, a static threshold, the browser, the
software's year, the level of a test, what a number of round trips is about, the server's release, its N, the round trip
that an end assumes, what the link holds, half of a file, the largest of several, a certificate's authorities, round
trips that bounds have in ms, how many pairs there are; how far a share may be off; the number of a table, a confidence,
and how many times the other way round; by how much a condition is more than another; what share of the line its rate
is; a number whose unit stands behind another; and what bounds stand behind in brackets."""
TRIALS = 50
UNITS = {
    "%": "_pct", "ms": "_ms", "KB": "_bytes", "MB": "_bytes", "packets": "_packets",
    "points": "points", "round": "trips", "s": "s",
}  # fmt: skip
"""What stands behind a number -> how the columns end that it may be a value of, or the unit of a bound."""
BYTES = {"KB": (1e3, 1024), "MB": (1e6, 1024**2)}
JOINS = {"and", "to", "or"}


def said(text):
    """(number, unit or None) of each number of a sentence; of `15 and 65 ms` both are in ms."""
    text = re.sub(r"(\d)%", r"\1 %", re.sub(r"nine (in|of) ten", "0.9", re.sub(r"one \w+ in ten", "0.1", text)))
    text = re.sub(r"TLS 1\.[23]\b", "TLS", text)
    words = text.replace("\N{MINUS SIGN}", "-").replace(",", "").split()
    found = []
    for at, word in enumerate(words):
        for number in numbers_in(word):
            rest = at + 1
            while rest + 1 < len(words) and words[rest] in JOINS and numbers_in(words[rest + 1]):
                rest += 2
            unit = words[rest].strip(".,;:()") if rest < len(words) else None
            if words[at : at + 2] == ["half", "of"] and numbers_in(" ".join(words[at + 2 : at + 3])):
                continue  # half of a number is a number
            number = number / 2 if words[at - 2 : at] == ["half", "of"] else number
            found.append((number, unit if unit in UNITS else None))
    return found


def meant(sweep, one):
    """(unit or None, number) of all that an entry has: its bounds, in their units, and what it selects."""
    found = {(None, number_of_squares(one, sweep.rule, sweep.judged_rows())), (None, sweep.loads)}
    for asked in (one.squares, *(part.squares for leaf in one.leaves(sweep.rule) for part in leaf.part_of)):
        if isinstance(asked, Squares):
            found |= {
                (None, asked.least),
                *((None, asked.most + more) for more in (0, 1) if asked.most is not None),
                (None, asked.of),
                *((None, share / 10) for share in range(10) if least_of(asked, share)),
            }
    for leaf in one.leaves(sweep.rule):
        bounds = [bound for bound in leaf.bounds if abs(bound) < 1e12]
        if leaf.statistic == "slope":
            found |= {("trips", bound) for bound in bounds}
        elif leaf.quantity in OF_PAIRS:
            unit = "_pct" if leaf.quantity.endswith("_pct") else None
            found |= {(unit, round(bound, 2)) for bound in bounds}
        elif leaf.quantity in LOG_LIKELIHOODS:
            found |= {(None, 10**bound) for bound in bounds}
        elif leaf.quantity == "relative_error":
            found |= {("_pct", round(bound * 100, 6)) for bound in bounds}
        elif leaf.quantity in (*OF_CPU, *OF_RECORDS, *OF_RUNS) and leaf.quantity.endswith("_pct"):
            found |= {("_pct", bound) for bound in bounds} | {(None, bound / 100) for bound in bounds}
        elif leaf.quantity in OF_RUNS and leaf.quantity.endswith("_kb"):
            found |= {("_bytes", bound * 1e3) for bound in bounds}
        elif leaf.unit:
            found |= {(leaf.unit, round(bound, 2)) for bound in bounds}
            found |= {("_pct", bound * 100) for bound in bounds if leaf.unit == "times"}
        elif leaf.ratio or leaf.spread or leaf.over is not None:
            found |= {("_pct", round(abs(bound - 1) * 100, 6)) for bound in bounds}
            found |= {(None, bound) for bound in bounds}
        else:
            found |= {(unit, abs(bound)) for bound in bounds for unit in ("_ms", None)}
        found |= around(leaf) | ({("_pct", 99)} if leaf.quantity == REACH else set())
        wheres = [leaf.where, leaf.over or {}, *(against.where for against in leaf.against)]
        found |= {(name, value) for where in wheres for name, values in where.items() for value in plain(values)}
        found |= of_cells(sweep, leaf)
        found |= {("_pct", bound * 100) for bound in bounds if leaf.over is not None}  # what is left of it
        pairs = [*leaf.pairs, *(pair for against in leaf.against for pair in leaf.pairs_against(against))]
        patterns = {name for pair in pairs for name in pair}
        names = {row["arm"] for row in sweep.judged_rows() for name in patterns if is_arm(name, row)}
        found |= {(None, number) for name in names for number in in_name(name)}
        found |= {("ssthresh_packets", int(some)) for name in names for some in re.findall(r"ssthresh(\d+)", name)}
        found |= {("buffer_bytes", int(kb) * 1024) for name in names for kb in re.findall(r"(\d+)kb", name)}
    return found


def least_of(asked, share):
    """Whether it asks for so many tenths of its squares; of half of them for more, or not for more."""
    half = asked.of // 2
    return math.ceil(asked.of * share / 10) == asked.least or (
        share == 5 and (asked.least == half + 1 or asked.most == half)
    )


def around(leaf):
    """What a time is to be, and by how much it may be off: in the unit of its bounds, in round trips and as a share."""
    if not leaf.within or not leaf.difference:
        return set()
    low, high = leaf.within
    middle, off, rtt_ms = (low + high) / 2, (high - low) / 2, leaf.where.get("rtt_ms")
    found = {("trips" if leaf.unit == "trips" else "_ms", round(value, 6)) for value in (middle, off)}
    found |= {("trips", middle / rtt_ms)} if isinstance(rtt_ms, int) else set()
    return found | ({("_pct", round(100 * off / middle, 6))} if middle else set())


def of_cells(sweep, leaf):
    """What all cells that a leaf selects have in common, what follows from its conditions, and how many arms it has."""
    rows = [row for row in sweep.judged_rows() if selects(leaf.where, row) and row["series"] in leaf.series]
    follows = changed_with(leaf.where)
    found = set()
    for name in {*PLACE, "emulated_connections"}:
        values = {row[name] for row in rows if isinstance(row[name], int | float)}
        found |= {(name, value) for value in values if name in follows or len(values) == 1}
    for name in {name for pair in leaf.pairs for name in pair}:
        found.add((None, len({row["arm"] for row in rows if is_arm(name, row)})))
    return found


def plain(values):
    listed = values if isinstance(values, list) else [values]
    return [end for one in listed for end in ((one.least, one.most) if isinstance(one, Range) else (one,))]


def in_name(arm):
    return [*numbers_in(arm), *map(float, re.findall(r"\d+", arm))]


def is_meant(number, unit, known):
    """`None`: a number of nothing, which may be that of times, squares, arms, objects or of a name."""
    ends = UNITS.get(unit)
    sizes = [number * many for many in BYTES[unit]] if unit in BYTES else [number]
    if ends == "s":
        return any(own == "s" and abs(value - number) <= 0.005 for own, value in known)
    if unit is None:
        return any(
            value == number for own, value in known if own is None or not own.endswith(("_pct", "_ms", "_bytes"))
        )
    return any(value in sizes for own, value in known if own is not None and own.endswith(ends))


@pytest.mark.parametrize(("sweep", "one"), ENTRIES)
def test_every_number_of_its_sentence_is_a_bound_or_a_condition_of_its_entry(sweep, one):
    known, otherwise = meant(sweep, one), SAID_OTHERWISE.get((sweep.name, one.says), set())
    assert {number for number, unit in said(one.says) if not is_meant(number, unit, known)} == otherwise


def test_what_is_said_otherwise_stands_in_a_sweep():
    assert SAID_OTHERWISE.keys() <= {(name, one.says) for name, sweep in SWEEPS.items() for one in sweep.predictions}


def test_a_number_is_not_found_among_those_of_another_unit():
    known = {("_pct", 5.0), ("rtt_ms", 15), ("object_bytes", 102_400), ("points", 3)}
    assert is_meant(5, "%", known) and is_meant(15, "ms", known) and is_meant(100, "KB", known)
    for number, unit in ((15, "%"), (5, "ms"), (3, "%"), (5, "points"), (100, "MB"), (15, None)):
        assert not is_meant(number, unit, known)


@pytest.mark.parametrize(("sweep", "one"), ENTRIES)
def test_some_tables_make_it_fail_and_without_any_it_is_open(sweep, one):
    rows, rule = sweep.judged_rows(), sweep.rule
    of = number_of_squares(one, rule, rows)
    empty = {name: Column(lambda series: []) for name in ("reference", "published")}
    assert judge(one, rule, empty, "reference", of).holds is None
    draw = random.Random(one.says)
    assert any(judge(one, rule, made_up(rows, one, rule, draw), "reference", of).holds is False for _ in range(TRIALS))


def made_up(rows, one, rule, draw):
    leaves = list(one.leaves(rule))
    overs = [over for leaf in leaves for over in (leaf.over, *(its.over for its in leaf.against)) if over]
    metrics = {leaf.metric for leaf in leaves} | {over["metric"] for over in overs if "metric" in over}
    metrics |= {its.metric for leaf in leaves for its in leaf.against if its.metric}
    rows = with_others(rows, leaves)

    def loads(row):
        return tuple(row["mean"] + off for off in (-0.01, 0.0, 0.01))

    every = 0.9 if any(leaf.statistic == "count" for leaf in leaves) else 1
    scattered = any(leaf.quantity in (*OF_BASES, "least_told_pct") or leaf.statistic in ("sd", "cv") for leaf in leaves)

    def column():
        levels = {row["arm"]: draw.uniform(0, 4) for row in rows} if draw.random() < 0.5 else {}
        made = [
            row
            | {"metric": metric, "mean": 10 ** levels.get(row["arm"], draw.uniform(0, 4))}
            | {"sd": 10 ** draw.uniform(0, 3) if scattered else 0.01}
            | {"n": 20 if draw.random() < every else 0}
            for row in rows
            for metric in metrics
        ]
        own = Column(lambda series: [row for row in made if row["series"] == series], loads, numbered)
        return replace(own, of_study=lambda study: own, of_sweep=lambda sweep: column())

    return {"reference": column(), "published": column()}


def with_others(rows, leaves):
    """Also what they are over or against, where no row is it."""
    found = {tuple(row[name] for name in (*PLACE, *ARM)): row for row in rows}
    for leaf in leaves:
        own = [row for row in rows if row["series"] in leaf.series and selects(leaf.where, row)]
        if leaf.over:
            add(found, own, leaf, base(leaf), leaf.over, leaf.pairs)
        for one in leaf.against:
            theirs = add(found, own, leaf, beside(leaf, one), one.where, leaf.pairs_against(one))
            if one.over:
                add(found, theirs, leaf, beside_base(leaf, one), one.over, leaf.pairs)
    return list(found.values())


def add(found, own, leaf, conditions, changes, pairs):
    where, series = conditions
    made = []
    for pair, other in zip(leaf.pairs, pairs, strict=True):
        for mine, usual in zip(pair, other, strict=True):
            arm = changes.get("arm", usual)
            there = [row for row in found.values() if row["series"] in series and is_arm(arm, row)]
            made += [row for row in there if selects(where, row)] or [
                row
                | ({} if is_arm(arm, row) else dict.fromkeys(ARM) | {"arm": arm})
                | stated(changes)
                | {"series": series[0]}
                for row in own
                if is_arm(mine, row)
            ]
    found |= {tuple(row[name] for name in (*PLACE, *ARM)): row for row in made}
    return made


def stated(where):
    """Conditions that a row can have; of several values it keeps its own."""
    return {
        name: None if isinstance(value, Range) else value
        for name, value in where.items()
        if name in (*PLACE, *ARM) and not isinstance(value, list)
    }


def numbered(row, metric):
    """A few loads by number, of times that are as much each other's as the row's metric says."""
    draw = random.Random(f"{row['mean']}{metric}")
    if metric in ("ttlb_ms", "file_mean_ms", "mean_mbps", *CPU_METRICS):
        mean = 10 ** draw.uniform(0, 4) / (1e3 if metric in CPU_METRICS else 1)
        return {index: mean * (1 + index / 1e6) for index in range(10)}
    if metric == FIRST_LOST:
        return {index: index * sign for sign in [draw.choice((-1, 1))] for index in range(10)}
    low = draw.choice((1, draw.uniform(1, 1000)))  # scattered, or nearly alike
    return {index: draw.uniform(low, 1000 if low == 1 else low * 1.001) for index in range(10)}


def test_what_is_foretold_says_which_number_of_all_counts_and_what_it_is_against():
    lines = list(foretold(SWEEPS["threshold-4.5b"]))
    assert re.match(r"measured once: each of \d+ cells ends with \d+ loads of each arm that count, whatever", lines[-1])
    assert "18 numbers, their median; relative_error" in lines[4] and "against published 4.5b" in lines[8]


def test_where_a_bound_has_no_numbers_its_ends_are_not_told():
    sweep = SWEEPS["years-versions"]
    one, draw = sweep.predictions[0], random.Random(1)
    small = [row for row in sweep.judged_rows() if row["object_bytes"] == 5120]
    for rows, words in (
        (sweep.judged_rows(), r"[\d.]+ to [\d.]+ times; with 5 KB \S+ and \S+ ms"),
        (small, "4 of 6 not measured"),
    ):
        found = judge(one, sweep.rule, made_up(rows, one, sweep.rule, draw), "reference", 6)
        assert re.search(words, row(found, {}).found)


@pytest.mark.parametrize("name", SWEEPS)
def test_every_prediction_that_is_numbered_in_the_head_has_its_entry(name):
    head = sweep_files()[name].read_text(encoding="utf-8").partition("\nname = ")[0]
    numbered = {int(number) for number in re.findall(r"^# (\d+)\. ", head, re.M)}
    assert (numbered or {1}) == {one.n for one in SWEEPS[name].predictions}  # a single one has no number


def test_a_page_says_of_each_verdict_when_its_criterion_was_sealed_and_shows_both_where_it_was_changed(
    tmp_path, monkeypatch
):
    sweep = SWEEPS["baxter-reordering"]
    one = sweep.predictions[0]
    rows, rule, draw = sweep.judged_rows(), sweep.rule, random.Random(1)
    columns = made_up([row | {"campaign": "some", "cell_id": "cell"} for row in rows], one, rule, draw)
    found = judge(one, rule, columns, "reference", 6)
    monkeypatch.setattr(paths, "RAW", tmp_path)
    record = tmp_path / "some" / "campaign.json"
    record.parent.mkdir()

    def said(info):
        record.write_text(json.dumps(info), encoding="utf-8")
        return standing_text(found, sweep, columns)

    assert said({}) == "prose, put into data later"
    assert said({"criteria": sealed(sweep.criteria)}) == "sealed before the data"
    bound = one.model_copy(update={"at_least": 0})
    before = sweep.criteria.model_copy(update={"predictions": (Prediction.parse(plainly(bound)),)})
    assert said({"criteria": sealed(before)}) == "changed since; as sealed: holds"
    none = sweep.criteria.model_copy(update={"predictions": sweep.criteria.predictions[1:]})
    assert said({"criteria": sealed(none)}) == "changed since; not among those that were sealed"


def plainly(one):
    return one.model_dump(mode="json", exclude_unset=True)


def test_the_criteria_are_printed_before_the_measurement():
    lines = list(foretold(SWEEPS["baxter-poster-vlan"]))
    assert lines[0].startswith("baxter-poster-vlan: 2 predictions, criteria ")
    assert lines[2] == "   21 numbers; ratio of mean plt_by_stamps_ms, quic over tcp new: at least 1, by value"


def test_what_became_of_them_is_told_of_one_campaign():
    """Quantities of transfers, and of loads by their numbers, among them."""
    _, *lines = became(open_sweep("yu-over-time"), "reference-yu-over-time-20261125T102930")
    assert [line.partition(":")[0] for line in lines[::2]] == ["does not hold", *["holds"] * 6]


def test_what_a_number_is_held_against_is_printed_with_its_unit():
    lines = list(foretold(SWEEPS["yu-200kb"]))
    assert "against yu-100kb object_bytes, against yu-1mb object_bytes: at most 2 points, by value" in lines[6]
    lines = list(foretold(SWEEPS["yu-pages-loss"]))
    assert "late_share, quic over tcp: at most 0.099, by value" in lines[8]
    lines = list(foretold(SWEEPS["head-of-line"]))
    assert lines[4].endswith("one stream over streams: significantly less on the right, and at most 1.2, by interval")


def test_a_sweep_that_predicts_nothing_says_so():
    with pytest.raises(LonglookError, match=r"aa predicts nothing: it has no \[\[predictions\]\]"):
        list(foretold(open_sweep("aa")))


@pytest.mark.parametrize("name", SWEEPS)
def test_predictions_are_of_what_their_sweep_measures(name):
    require_foretold(SWEEPS[name])


def test_a_prediction_of_an_unknown_metric_is_refused_before_anything_is_measured():
    sweep = SWEEPS["baxter-poster-vlan"]
    wrong = sweep.model_copy(update={"judging": sweep.judging.model_copy(update={"metric": "plt_by_stamp_ms"})})
    with pytest.raises(PlanError, match=r"predictions\.0 \(n = 1\): .*no metric 'plt_by_stamp_ms'.*plt_by_stamps_ms\?"):
        require_foretold(wrong)
