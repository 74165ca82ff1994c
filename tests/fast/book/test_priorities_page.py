"""The chapter on priorities: pages with and without them, of known times; what was predicted; claim 14."""

from __future__ import annotations

import copy
import re

import pytest
from book_sample import PUBLISHED
from priorities_sample import AS_PREDICTED, write_priorities

from longlook import paths
from longlook.book import data as book_data
from longlook.book.evidence import StudyColumn
from longlook.book.judged import claim_columns, claims, judged_of
from longlook.book.registry import predicted
from longlook.book.value import NOT_YET
from longlook.book.value_role import numbers_of, value_of
from longlook.book.years import priorities
from longlook.book.years.priorities import BEFORE, EVERY, MAIN, PAGES, SAID, SERIES, TURNS, median
from longlook.experiment.said import Said, write
from longlook.site.webpage import resources
from longlook.stack.spec import load_stack

PAGE = "book/years/priorities"


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """Data whose arms have other times than was predicted, where they are given: `turns={"fcp_ms": 310}`."""

    def make(**changed):
        times = copy.deepcopy(AS_PREDICTED)
        for arm, own in changed.items():
            times[arm] |= own
        write_priorities(tmp_path / "processed", tmp_path / "raw", times)
        monkeypatch.setattr(paths, "RAW", tmp_path / "raw")
        return book_data.read(PUBLISHED, tmp_path / "processed")

    return make


def test_the_arms_differ_in_one_thing_each():
    asked, mute, fifo = (load_stack(name) for name in ("todaypages", "todaymute", "todayfifo"))
    assert asked.server_side("quic") == mute.server_side("quic") != fifo.server_side("quic")
    assert (
        [part.name for part in asked.parts] == [part.name for part in mute.parts] == [part.name for part in fifo.parts]
    )
    assert mute.spec.quic.client_changes == fifo.spec.quic.client_changes and not asked.spec.quic.client_changes
    assert not any(one.spec.tcp.client_changes for one in (asked, mute, fifo))
    (change,) = mute.spec.quic.client_changes
    kinds = [int.from_bytes(bytes.fromhex(text), "little") for text in (change.value, change.becomes)]
    assert kinds[0] == 0xF0700 and (kinds[1] - 0x21) % 0x1F == 0, "a reserved type of frame"
    assert len({kind.bit_length() <= 30 for kind in kinds}) == 1, "as long on the wire"


def test_the_order_of_arrival_is_of_whole_objects(measured):
    own = StudyColumn(measured(), "years")
    for where in EVERY:
        rest = [one for one in resources(PAGES[where.page]) if one.kind in ("script", "image")]
        scripts = sum(one.size_bytes for one in rest if one.kind == "script")
        share = 100 * scripts / sum(one.size_bytes for one in rest)
        found = [
            own.one(**median(where, metric, value=arm)).value
            for metric, arm in ((BEFORE, TURNS), (BEFORE, SAID), (MAIN, SAID))
        ]
        assert found == pytest.approx([share, 0, 500.25])


def test_without_records_the_order_is_not_measured_and_the_rest_is(measured, monkeypatch, tmp_path):
    data = measured()
    monkeypatch.setattr(paths, "RAW", tmp_path / "elsewhere")
    found = judged_of(SERIES, data)
    assert [one.holds for one in found] == [True, True, None, True, True, True, None, None, True, None]
    assert value_of("main-turns", PAGE, data).text == NOT_YET
    assert value_of("fcp-turns", PAGE, data).text == "+50\N{NO-BREAK SPACE}%"


@pytest.mark.parametrize(
    ("main_ms", "said"), [(600, "holds"), (1300, "does not hold"), (1200, "open")], ids=["earlier", "later", "equal"]
)
def test_claim_14_is_decided_by_the_order_alone(measured, main_ms, said):
    data = measured(sequence={"main_ms": main_ms})
    (one,) = claim_columns("years", data)["Re-measured (reference)"]
    assert one.verdict == said
    assert f"<b>{said}</b>" in claims("years", data=data).data


def test_the_tables_tell_every_page_and_link(measured):
    data = measured()
    shown = priorities.times_table(data).data
    assert shown.count("<tr") == 1 + 7 * len(EVERY) and "1,200" in shown
    assert re.search(r"main image there.*?\+1[34]\d\.\d %", shown.replace("\n", ""))
    assert "holds" in predicted(SERIES, data=data).data


def test_what_the_browser_says_is_shown_as_it_was_asked(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "PRIORITIES", tmp_path / "priorities.csv")
    assert "Not measured yet" in priorities.signal_table().data
    write(paths.PRIORITIES, [Said("u=0", "style,font", 2, 256, 0, 2, 2), Said("", "script", 4, 147, 1, 0, 0)])
    shown = priorities.signal_table().data
    assert "style sheets, fonts" in shown and "u=0" in shown and "not stated" in shown


def test_numbers_of_the_text(measured):
    data = measured()
    told = {name: value_of(name, PAGE, data).text for name in numbers_of(PAGE)}
    assert told["si-turns"] == "+40\N{NO-BREAK SPACE}%"
    assert told["before-said"] == "0\N{NO-BREAK SPACE}%" and told["claim-14"] == "holds"
    assert told["main-sequence"] == "\N{MINUS SIGN}50\N{NO-BREAK SPACE}%"
